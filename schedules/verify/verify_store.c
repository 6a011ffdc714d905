/* verify_store.c - values of the verifier. Sets of contributions are bits, p of them per value:
 * exact, and small for the p that a symbolic run can take. */
#include "verify_store.h"

#include <stdlib.h>
#include <string.h>

#include "roundabout.h"

static int grow(void **array, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        return RB_ENOMEM;
    void *moved = realloc(*array, count * size);
    if (moved == NULL)
        return RB_ENOMEM;
    *array = moved;
    return RB_OK;
}

int rb_store_grow(struct rb_store *store, size_t needed, int32_t ranks)
{
    if (needed <= store->room)
        return RB_OK;
    size_t room = store->room * 2 > needed ? store->room * 2 : needed;
    store->words = ((size_t)ranks + 63) / 64;
    int status = grow((void **)&store->datum, room, sizeof *store->datum);
    if (status == RB_OK && ranks > 0)
        status = grow((void **)&store->span, room, sizeof *store->span);
    if (status == RB_OK && ranks > 0)
        status = grow((void **)&store->set, room, store->words * sizeof *store->set);
    if (status == RB_OK)
        store->room = room;
    return status;
}

void rb_store_free(struct rb_store *store)
{
    free(store->datum);
    free(store->set);
    free(store->span);
    *store = (struct rb_store){0};
}

void rb_store_set(struct rb_store *store, size_t at, rb_datum datum, int32_t rank)
{
    store->datum[at] = datum;
    if (store->set == NULL)
        return;
    uint64_t *set = store->set + at * store->words;
    memset(set, 0, store->words * sizeof *set);
    set[rank / 64] = UINT64_C(1) << (rank % 64);
    store->span[at] = (struct rb_span){rank, rank + 1};
}

void rb_store_copy(struct rb_store *to, size_t at, const struct rb_store *from, size_t first,
                   size_t count)
{
    memmove(to->datum + at, from->datum + first, count * sizeof *to->datum);
    if (to->set == NULL)
        return;
    memmove(to->set + at * to->words, from->set + first * from->words,
            count * to->words * sizeof *to->set);
    memmove(to->span + at, from->span + first, count * sizeof *to->span);
}

static struct rb_span join(struct rb_span left, struct rb_span right)
{
    if (left.end >= 0 && right.end >= 0 && left.end == right.first)
        return (struct rb_span){left.first, right.end};
    return (struct rb_span){0, -1};
}

int32_t rb_store_combine(struct rb_store *to, size_t at, const struct rb_store *from, size_t first,
                         bool left)
{
    uint64_t *into = to->set + at * to->words;
    const uint64_t *incoming = from->set + first * from->words;
    for (size_t w = 0; w < to->words; w++) {
        if ((into[w] & incoming[w]) != 0)
            return (int32_t)(w * 64) + __builtin_ctzll(into[w] & incoming[w]);
    }
    for (size_t w = 0; w < to->words; w++)
        into[w] |= incoming[w];
    to->span[at] =
        left ? join(from->span[first], to->span[at]) : join(to->span[at], from->span[first]);
    return -1;
}

/* Those of `ranks` among the 64 ranks of word w. */
static uint64_t word_of(struct rb_span ranks, size_t w)
{
    const int64_t first = ranks.first - (int64_t)w * 64, end = ranks.end - (int64_t)w * 64;
    if (first >= 64 || end <= 0 || first >= end)
        return 0;
    const uint64_t from = UINT64_MAX << (first > 0 ? first : 0);
    return end < 64 ? from & ~(UINT64_MAX << end) : from;
}

int32_t rb_store_missing(const struct rb_store *store, size_t at, struct rb_span ranks)
{
    const uint64_t *set = store->set + at * store->words;
    for (size_t w = 0; w < store->words; w++) {
        const uint64_t lacking = word_of(ranks, w) & ~set[w];
        if (lacking != 0)
            return (int32_t)(w * 64) + __builtin_ctzll(lacking);
    }
    return -1;
}

int32_t rb_store_surplus(const struct rb_store *store, size_t at, struct rb_span ranks)
{
    const uint64_t *set = store->set + at * store->words;
    for (size_t w = 0; w < store->words; w++) {
        const uint64_t beyond = set[w] & ~word_of(ranks, w);
        if (beyond != 0)
            return (int32_t)(w * 64) + __builtin_ctzll(beyond);
    }
    return -1;
}
