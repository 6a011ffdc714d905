/* values.c - the values of the verifier of plans: names of blocks, and whose contributions are in
 * them (verify.h).
 *
 * Sets of contributions are bits, p of them per value: exact, and small for the p that a symbolic
 * run can take. */
#include <stdlib.h>

#include "roundabout.h"
#include "verify.h"

static int grow_to(void **array, size_t count, size_t size)
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
    int status = grow_to((void **)&store->datum, room, sizeof *store->datum);
    if (status == RB_OK && ranks > 0 && store->in_order)
        status = grow_to((void **)&store->span, room, sizeof *store->span);
    if (status == RB_OK && ranks > 0)
        status = grow_to((void **)&store->set, room, store->words * sizeof *store->set);
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
    if (store->set == NULL || datum == RB_NO_DATUM)
        return;
    uint64_t *set = store->set + at * store->words;
    for (size_t w = 0; w < store->words; w++)
        set[w] = w == (size_t)rank / 64 ? UINT64_C(1) << (rank % 64) : 0;
    if (store->span != NULL)
        store->span[at] = (struct rb_span){rank, rank + 1};
}

static struct rb_span join(struct rb_span left, struct rb_span right)
{
    if (left.end >= 0 && right.end >= 0 && left.end == right.first)
        return (struct rb_span){left.first, right.end};
    return (struct rb_span){0, -1};
}

bool rb_store_combine_all(struct rb_store *to, size_t at, const struct rb_store *from, size_t first,
                          size_t count, bool left)
{
    uint64_t *into = to->set + at * to->words, both = 0;
    const uint64_t *incoming = from->set + first * from->words;
    for (size_t w = 0; w < count * to->words; w++)
        both |= into[w] & incoming[w];
    if (both != 0)
        return false;
    for (size_t w = 0; w < count * to->words; w++)
        into[w] |= incoming[w];
    for (size_t i = 0; to->span != NULL && i < count; i++)
        to->span[at + i] = left ? join(from->span[first + i], to->span[at + i])
                                : join(to->span[at + i], from->span[first + i]);
    return true;
}

int32_t rb_store_combine(struct rb_store *to, size_t at, const struct rb_store *from, size_t first,
                         bool left)
{
    const uint64_t *into = to->set + at * to->words, *incoming = from->set + first * from->words;
    if (rb_store_combine_all(to, at, from, first, 1, left))
        return -1;
    size_t w = 0;
    while ((into[w] & incoming[w]) == 0)
        w++;
    return (int32_t)(w * 64) + __builtin_ctzll(into[w] & incoming[w]);
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

bool rb_store_are_complete(const struct rb_store *store, size_t at, size_t count,
                           struct rb_span ranks)
{
    uint64_t differ = 0;
    bool in_order = true;
    for (size_t w = 0; w < store->words; w++) {
        const uint64_t *set = store->set + at * store->words + w, wanted = word_of(ranks, w);
        for (size_t i = 0; i < count; i++)
            differ |= set[i * store->words] ^ wanted;
    }
    for (size_t i = 0; store->span != NULL && i < count; i++)
        in_order = in_order && store->span[at + i].end >= 0;
    return differ == 0 && in_order;
}
