/* block_index.h - numbers the blocks of all ranks' buffers, for tables with an entry per block. */
#ifndef RB_SCHEDULES_DEPENDENCES_BLOCK_INDEX_H
#define RB_SCHEDULES_DEPENDENCES_BLOCK_INDEX_H

#include <stdint.h>

#include "roundabout.h"

struct dep_block_index {
    const struct rb_plan *plan;
    int64_t row_blocks, rank_blocks;
    int64_t buffer[RB_BUFFERS]; /* its first block */
};

/* A rank has blocks 0 .. rank_blocks - 1. O(1). */
static inline struct dep_block_index dep_block_index_of(const struct rb_plan *plan)
{
    struct dep_block_index index = {.plan = plan,
                                    .row_blocks = rb_plan_blocks(plan) / rb_plan_parts(plan)};
    for (int b = 0; b < RB_BUFFERS; b++)
        if (rb_plan_has(plan, (enum rb_buffer)b)) {
            index.buffer[b] = index.rank_blocks;
            index.rank_blocks += rb_plan_rows(plan, (enum rb_buffer)b) * index.row_blocks;
        }
    return index;
}

/* The first block of a rank's range, among all ranks' blocks; the others follow it. */
static inline int64_t dep_block_index_at(const struct dep_block_index *index, int32_t rank,
                                         const struct rb_range *range)
{
    const struct rb_location location = rb_plan_location(index->plan, range);
    return rank * index->rank_blocks + index->buffer[range->buffer] +
           location.row * index->row_blocks + location.first;
}

#endif
