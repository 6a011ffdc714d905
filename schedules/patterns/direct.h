/* direct.h - all-to-all without forwarding: every rank sends its data directly to each other rank.
 * The algorithms differ in the partners of a rank in each step.
 *
 * There are `steps` steps 1, 2 ..; k = min(k, p - 1) of them, one per port, make a round. In round
 * 0 a rank also copies its data for itself, so for p = 1 there is one round too. Volume: n (p - 1)
 * blocks sent and received per rank, optimal. A round costs a start-up and one part, so C1 and C2
 * are ceil(steps / k), the latter times n. */
#ifndef RB_SCHEDULES_PATTERNS_DIRECT_H
#define RB_SCHEDULES_PATTERNS_DIRECT_H

#include "schedules/plan/plan.h"

/* The ranks to which a rank sends and from which it receives in a step. A value that is not a rank,
 * or the rank itself, means no message. */
struct rb_peers {
    int64_t to, from;
};
typedef struct rb_peers rb_peers_in(const struct rb_plan *plan, int32_t rank, int64_t step);

/* For the members of an algorithm. */
int rb_direct_init(struct rb_plan *plan, int64_t steps);
int32_t rb_direct_round(const struct rb_plan *plan, int32_t rank, int64_t t, rb_peers_in *peers,
                        struct rb_op ops[]);
/* O(idle steps). */
int64_t rb_direct_next(const struct rb_plan *plan, int32_t rank, int64_t t, rb_peers_in *peers);
double rb_direct_cost(const struct rb_plan *plan, double bytes, double alpha_s,
                      double beta_s_per_byte);

#endif
