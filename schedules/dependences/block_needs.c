/* block_needs.c - see block_needs.h.
 *
 * Sends read and receives write, so that the counts of a side say which it was; local operations
 * have two counts, of writing (number `sides`) and of reading. */
#include "block_needs.h"

#include <stdlib.h>

#include "conflicts.h"

int dep_block_needs_init(struct dep_block_needs *needs, const struct rb_plan *plan)
{
    if (rb_plan_rounds(plan) > UINT32_MAX)
        return RB_EINVAL;
    needs->index = dep_block_index_of(plan);
    needs->sides = DEP_DIRECTIONS * rb_plan_ports(plan);
    needs->counts = needs->sides + 2;
    const size_t p = (size_t)rb_plan_ranks(plan), size = (size_t)needs->counts * sizeof(uint32_t);
    if ((size_t)needs->index.rank_blocks > SIZE_MAX / p / size)
        return RB_ENOMEM;
    needs->count = calloc(p * (size_t)needs->index.rank_blocks, size);
    return needs->count == NULL ? RB_ENOMEM : RB_OK;
}

void dep_block_needs_free(struct dep_block_needs *needs)
{
    free(needs->count);
}

static uint32_t *counts_of(const struct dep_block_needs *needs, int32_t rank,
                           const struct rb_range *range)
{
    return &needs->count[dep_block_index_at(&needs->index, rank, range) * needs->counts];
}

static void raise_to(int64_t *need, uint32_t count)
{
    if (*need < count)
        *need = count;
}

void dep_block_needs_raise(const struct dep_block_needs *needs, int32_t rank,
                           const struct rb_op *op, int64_t need[])
{
    const uint32_t *count = counts_of(needs, rank, &op->at);
    const bool writes = dep_writes(op);
    for (int64_t i = 0; i < op->at.count; i++, count += needs->counts) {
        for (int32_t side = writes ? DEP_SENDS : DEP_RECEIVES; side < needs->sides;
             side += writes ? 1 : DEP_DIRECTIONS)
            raise_to(&need[side], count[side]);
        raise_to(&need[needs->sides], count[needs->sides]);
        if (writes)
            raise_to(&need[needs->sides], count[needs->sides + 1]);
    }
}

static void note(const struct dep_block_needs *needs, int32_t rank, const struct rb_range *range,
                 int32_t which, int64_t complete)
{
    uint32_t *count = counts_of(needs, rank, range) + which;
    for (int64_t i = 0; i < range->count; i++, count += needs->counts)
        *count = (uint32_t)complete;
}

void dep_block_needs_note(struct dep_block_needs *needs, int32_t rank, const struct rb_op *op,
                          int64_t complete)
{
    if (dep_is_local(op)) {
        note(needs, rank, &op->at, needs->sides, complete);
        note(needs, rank, &op->from, needs->sides + 1, complete);
    } else {
        note(needs, rank, &op->at, dep_side(op), complete);
    }
}
