/* tree.h - blocks follow each other down a tree: every rank sends each block to its children, one
 * after the other, before it sends them the next block.
 *
 * Relative rank r gets block 0 in round a(r), its arrival, and sends it to its child j (0, 1, ..)
 * in round a(r) + 1 + j, which is that child's arrival; the root's arrival is -1. Each further
 * block follows S rounds later, where the stride S is the largest number of children of any rank;
 * so a rank has sent a block to all its children when it sends the next one to the first child, and
 * receives at most one block and sends at most one in a round. Rounds: S (n - 1) + d + 1, where d
 * is the latest arrival; 0 for p = 1. Each message is one block, and volume is n (p - 1) blocks.
 *
 * An algorithm of this kind has RB_TREE(init, place, round) in its descriptor. The trees differ in
 * `place`, which fills a rank's state, and in the child of a given number. */
#pragma once

#include <stdint.h>

#include "schedules/plan/plan.h"

/* In a rank's state, which `place` fills: its arrival, its parent (relative; not of the root), its
 * number of children. Further numbers belong to the algorithm. */
enum { RB_TREE_ARRIVAL, RB_TREE_PARENT, RB_TREE_CHILDREN, RB_TREE_OWN };

/* The relative rank of child j, 0 <= j < the number of children. */
typedef int32_t rb_tree_child(const struct rb_plan *plan, const struct rb_rank *state, int32_t j);

/* For an algorithm's init: sets rounds and max_ops. Uses plan->data.number[0] and [1]. */
int rb_tree_init(struct rb_plan *plan, int64_t stride, int64_t latest, char *why, size_t why_size);

/* What a rank does in a round: the blocks that it sends to child `child` and receives from its
 * parent, or -1. */
struct rb_tree_turn {
    int64_t sent, received;
    int32_t child;
};
struct rb_tree_turn rb_tree_turn(const struct rb_plan *plan, const struct rb_rank *state,
                                 int64_t t);

int32_t rb_tree_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      rb_tree_child *child, struct rb_op ops[]);
/* The first active round from t on; the plan's number of rounds if there is none. */
int64_t rb_tree_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t);
/* The last active round up to t; -1 if there is none. */
int64_t rb_tree_before(const struct rb_plan *plan, const struct rb_rank *state, int64_t t);
double rb_tree_cost(const struct rb_plan *plan, double bytes, double alpha_s,
                    double beta_s_per_byte);
void rb_tree_pipeline(const struct rb_plan *plan, int64_t *per_block, int64_t *fixed);

#define RB_TREE(init_, place_, round_)                                                             \
    .init = (init_), .rank = (place_), .round = (round_), .next = rb_tree_next,                    \
    .cost = rb_tree_cost, .pipeline = rb_tree_pipeline

/* rb_algorithm_info.rounds of trees of which reductions read the rounds backwards. */
#define RB_KNOMIAL_ROUNDS "n ((r - 1) (l - 1) + ceil(p / r^(l - 1)) - 1), l = ceil(log_r p)"
#define RB_CHAINS_ROUNDS                                                                           \
    "m (n - 1) + c + max(p - 2 - m (c - 1), m - 2), c = ceil((p - 1) / m), m = min(r, p - 1)"
#define RB_FAN_ROUNDS "at most ceil(log_r N) ceil((r - 1)/J) + (ceil(log_r N) + 1) ceil(log2 K)"

/* ---- When the ranks of a complete binary tree get block 0, numbered level by level ----------- */

/* The ranks of depth d are 2^d - 1 .. 2^(d+1) - 2, and a rank's path from the root consists of the
 * d bits of its number in its level, 1 for the second child. It gets block 0 in round d - 1 plus
 * the number of ones, in whatever order the bits are read: with the highest first, the children of
 * r are 2 r + 1 and 2 r + 2; with the lowest first, they are r + 2^d and r + 2^(d+1). Numbers up
 * to X have at most floor(log2 (X + 1)) ones, because 2^j - 1 is the least number with j of them.
 * So the latest rank of p is in the last level, d = floor(log2 p), X = p - 2^d, or is the last one
 * of the level above. */

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

/* ---- Binary trees in postorder --------------------------------------------------------------- */

/* Binary trees over consecutive ranks, numbered in postorder, so that partial results of
 * neighbours meet.
 *
 * The ranks a .. b of a subtree have their results combined at b, the subtree's top: the first
 * floor((b - a + 1) / 2) of them are one subtree, whose top is b's farther child, and those
 * between that subtree and b are the other one, whose top, b - 1, is the nearer child. */

struct rb_post_order {
    int32_t parent;          /* -1: it is the top of all */
    int32_t farther, nearer; /* its children; -1: none */
    int32_t far, near;       /* steps to a farther and to a nearer child, on the way from the top */
};

/* Of rank `rank` in the tree of the ranks first .. top. O(log (top - first)). */
static inline struct rb_post_order rb_post_order(int32_t first, int32_t top, int32_t rank)
{
    struct rb_post_order place = {.parent = -1, .farther = -1, .nearer = -1};
    while (rank != top) {
        const int32_t nearer = first + (top - first + 1) / 2; /* its first rank */
        place.parent = top;
        if (rank < nearer) {
            top = nearer - 1;
            place.far++;
        } else {
            first = nearer;
            top--;
            place.near++;
        }
    }
    if (top > first)
        place.farther = first + (top - first + 1) / 2 - 1;
    if (top > first + 1)
        place.nearer = top - 1;
    return place;
}

/* The largest number of far + 2 near in a tree of N - 1 ranks. If this is f(N), then f(N) = max(1 +
 * f(ceil(N/2)), 2 + f(floor(N/2))), f(2) = 0, and by induction f(N) = floor(log2 N) + floor(log2 (2
 * N / 3)) - 1. */
static inline int64_t rb_post_order_latest(int64_t ranks)
{
    const uint64_t n = (uint64_t)ranks + 1;
    return 125 - __builtin_clzll(n) - __builtin_clzll(2 * n / 3);
}
