/* block_needs.c - see block_needs.h.
 *
 * Sends read and receives write, so that the counts of a side say which it was; local operations
 * have two counts, of writing (number `sides`) and of reading. */
#include "block_needs.h"

#include <stdbool.h>
#include <stdlib.h>

int rb_block_needs_init(struct rb_block_needs *needs, const struct rb_plan *plan)
{
    if (rb_plan_rounds(plan) > UINT32_MAX)
        return RB_EINVAL;
    needs->index = rb_block_index_of(plan);
    needs->sides = 2 * rb_plan_ports(plan);
    needs->counts = needs->sides + 2;
    const size_t p = (size_t)rb_plan_ranks(plan), size = (size_t)needs->counts * sizeof(uint32_t);
    if ((size_t)needs->index.rank_blocks > SIZE_MAX / p / size)
        return RB_ENOMEM;
    needs->count = calloc(p * (size_t)needs->index.rank_blocks, size);
    return needs->count == NULL ? RB_ENOMEM : RB_OK;
}

void rb_block_needs_free(struct rb_block_needs *needs)
{
    free(needs->count);
}

static uint32_t *counts_of(const struct rb_block_needs *needs, int32_t rank,
                           const struct rb_range *range)
{
    return &needs->count[rb_block_index_at(&needs->index, rank, range) * needs->counts];
}

static void raise_to(int64_t *need, uint32_t count)
{
    if (*need < count)
        *need = count;
}

void rb_block_needs_raise(const struct rb_block_needs *needs, int32_t rank, const struct rb_op *op,
                          int64_t need[])
{
    const uint32_t *count = counts_of(needs, rank, &op->at);
    const bool writes = op->kind != RB_SEND;
    for (int64_t i = 0; i < op->at.count; i++, count += needs->counts) {
        for (int32_t side = writes ? 0 : 1; side < needs->sides; side += writes ? 1 : 2)
            raise_to(&need[side], count[side]);
        raise_to(&need[needs->sides], count[needs->sides]);
        if (writes)
            raise_to(&need[needs->sides], count[needs->sides + 1]);
    }
}

static void note(const struct rb_block_needs *needs, int32_t rank, const struct rb_range *range,
                 int32_t which, int64_t complete)
{
    uint32_t *count = counts_of(needs, rank, range) + which;
    for (int64_t i = 0; i < range->count; i++, count += needs->counts)
        *count = (uint32_t)complete;
}

void rb_block_needs_note(struct rb_block_needs *needs, int32_t rank, const struct rb_op *op,
                         int64_t complete)
{
    if (op->kind == RB_COPY || op->kind == RB_REDUCE) {
        note(needs, rank, &op->at, needs->sides, complete);
        note(needs, rank, &op->from, needs->sides + 1, complete);
    } else {
        note(needs, rank, &op->at, 2 * op->port + (op->kind == RB_SEND ? 0 : 1), complete);
    }
}
