/* binary.h - when the ranks of a complete binary tree get block 0, numbered level by level.
 *
 * The ranks of depth d are 2^d - 1 .. 2^(d+1) - 2 (tree.h), and a rank's path from the root
 * consists of the d bits of its number in its level, 1 for the second child. It gets block 0 in
 * round d - 1 plus the number of ones, in whatever order the bits are read: with the highest first,
 * the children of r are 2 r + 1 and 2 r + 2; with the lowest first, they are r + 2^d and r +
 * 2^(d+1). Numbers up to X have at most floor(log2 (X + 1)) ones, because 2^j - 1 is the least
 * number with j of them. So the latest rank of p is in the last level, d = floor(log2 p), X = p -
 * 2^d, or is the last one of the level above. */
#ifndef RB_SCHEDULES_PATTERNS_BINARY_H
#define RB_SCHEDULES_PATTERNS_BINARY_H

#include "schedules/patterns/tree.h"

static inline int32_t rb_floor_log2(int32_t x)
{
    return 31 - __builtin_clz((uint32_t)x);
}

/* The arrival of relative rank r: -1 for the root. */
static inline int64_t rb_binary_arrival(int32_t r)
{
    return rb_floor_log2(r + 1) + __builtin_popcount((uint32_t)r + 1u) - 2;
}

/* For an algorithm's init. With p = 2 no rank has two children, and blocks follow each other in
 * every round. */
static inline int rb_binary_init(struct rb_plan *plan, char *why, size_t why_size)
{
    const int32_t depth = rb_floor_log2(plan->p);
    const int64_t last_level = depth - 1 + rb_floor_log2(plan->p - ((int32_t)1 << depth) + 1);
    const int64_t above = 2 * (int64_t)depth - 3;
    return rb_tree_init(plan, plan->p > 2 ? 2 : 1, last_level > above ? last_level : above, why,
                        why_size);
}

/* Its rounds, in parts for rb_algorithm_info.rounds. */
#define RB_BINARY_PERIOD "min(2, p - 1) (n - 1)"
#define RB_BINARY_FIRST  "max(d + floor(log2(p + 1 - 2^d)), 2 d - 2)"
#define RB_BINARY_DEPTH  ", d = floor(log2 p)"

#endif
