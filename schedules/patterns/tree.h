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
#ifndef RB_SCHEDULES_PATTERNS_TREE_H
#define RB_SCHEDULES_PATTERNS_TREE_H

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

#endif
