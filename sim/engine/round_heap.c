/* round_heap.c - a binary heap of (round, rank), for replay.h. */
#include <stdbool.h>
#include <stdlib.h>

#include "replay.h"
#include "support/memory.h"

void sim_round_heap_init(struct sim_round_heap *heap, int32_t p)
{
    heap->count = 0;
    heap->entry = sup_malloc((size_t)p * sizeof *heap->entry);
}

void sim_round_heap_free(struct sim_round_heap *heap)
{
    free(heap->entry);
    *heap = (struct sim_round_heap){0};
}

static bool before(const struct sim_round_of *a, const struct sim_round_of *b)
{
    return a->round < b->round || (a->round == b->round && a->rank < b->rank);
}

void sim_round_heap_push(struct sim_round_heap *heap, int64_t round, int32_t rank)
{
    struct sim_round_of added = {round, rank};
    int32_t i = heap->count++;
    while (i > 0 && before(&added, &heap->entry[(i - 1) / 2])) {
        heap->entry[i] = heap->entry[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap->entry[i] = added;
}

int32_t sim_round_heap_pop(struct sim_round_heap *heap)
{
    int32_t rank = heap->entry[0].rank;
    struct sim_round_of moved = heap->entry[--heap->count];
    int32_t i = 0;
    for (int32_t child; (child = 2 * i + 1) < heap->count; i = child) {
        if (child + 1 < heap->count && before(&heap->entry[child + 1], &heap->entry[child]))
            child++;
        if (!before(&heap->entry[child], &moved))
            break;
        heap->entry[i] = heap->entry[child];
    }
    heap->entry[i] = moved;
    return rank;
}
