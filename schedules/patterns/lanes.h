/* lanes.h - plans for ranks that share ports: more than two leaders in a group, with a lane each.
 *
 * A rank that is on the port (port_tree.h) leaves it idle for the latency of each message. D
 * leaders, each of them there in every D-th round, keep it busy also with short messages. The
 * blocks are cut into D lanes, consecutive ones each; port round u is round i = u div D of lane c =
 * u mod D, an ordinary circulant broadcast over C_N (class c of streams.h). In group h lane c
 * belongs to leader c mod L, where L = min(D, k) and k is the number of the group's ranks, without
 * the root. A leader sends outside only what it took in itself, so nothing outside waits for what
 * happens inside.
 *
 *   Outside. In port round u the leader of lane c takes in a block and sends one, each of lane c.
 *   The root's group. The root has no lane. In round u, from u = -D on, it sends block i + 1 of
 *   lane c to the lane's leader, which needs it in the next round of the lane. So a lane begins one
 *   message inside after the lane before it: the lanes' messages take turns on the port by
 *   themselves, also where messages share a link.
 *   Inside. Where k >= 2 D, the other k - D ranks are nodes 1, 2, ... of C_(k-D+1), and node 0 of
 *   inner round w = u - 1 is the leader that took in slot w: a circulant broadcast without an end
 *   as in streams.h, without the edges to node 0. The group's *members* are its leaders. Where k is
 *   smaller, all k are members, and there is no such broadcast.
 *   At the end the M members exchange lanes: by dissemination in ceil(log2 M) rounds, in which
 * lanes travel together. If M = D + 1, one member lacks all lanes, and D rounds of one lane each
 * are faster, since the first need not wait for the last lane: member D takes in lane j in round j,
 *   and the leaders form a ring on which it stands between leaders j and j + 1.
 *
 * Right, because: a leader has block b of its lane before it sends it, by condition 4 of the
 * circulant schedules, or in the root's group since it got it one round of the lane before; node
 * v > 0 has what it sends by the same condition on C_(k-D+1), whose slots are blocks or empty. Each
 * rank gets each block once: a leader those of its lane from outside and the others in the
 * exchange, others from the stream inside or all in the exchange. The volume is optimal, and a
 * group takes in and sends out one message in a round.
 *
 * Rounds: E + U + max(F, X), U = n + D (q(N) - 1), E = D unless the root is alone in its group, F
 * the drain inside (streams.h), X of the exchange, one more where F > 0. */
#pragma once

#include "schedules/patterns/streams.h"
#include "schedules/plan/plan.h"

enum { RB_MOST_LANES = 8 };

/* An algorithm's members, for plans of plan->radix lanes, or as many as the largest group has ranks
 * besides one. rb_lanes_init also refuses groups that are not consecutive ranks on one level, and
 * takes the radix away where there would be no lanes: one group, or ranks alone. */
int rb_lanes_init(struct rb_plan *plan, char *why, size_t why_size);
void rb_lanes_rank(const struct rb_plan *plan, struct rb_rank *state);
int32_t rb_lanes_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                       struct rb_op ops[]);
int64_t rb_lanes_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t);
double rb_lanes_cost(const struct rb_plan *plan, double bytes, double alpha_s,
                     double beta_s_per_byte);
static inline bool rb_lanes_support(int32_t p, int32_t radix)
{
    (void)p;
    return radix <= RB_MOST_LANES;
}

#define RB_LANES_RADIX                                                                             \
    .info.radix = "so many ranks of a group take turns at its port, 2 to 8",                       \
    .supports = rb_lanes_support

static inline bool rb_has_lanes(const struct rb_plan *plan)
{
    return plan->radix > 0;
}

/* ---- A vector in shares, of which ranks of a group bring others together, and reduce --------- */

/* Parts of a collective in lanes (levels.h). They are no algorithms of a collective of their own.
 *
 * The vector has S shares, S the radix, or one. Share i belongs to rank rb_share_owner. Gathering
 * brings each share from its owner to all ranks: what a rank has comes from twice as many ranks
 * after every round, as in allgather_dissemination.c. Reduction is this read backwards. Rounds:
 * ceil(log2 p). */

/* Of p ranks, the one that has this share of `shares` <= p, and the shares of the ranks before
 * `rank`. */
static inline int32_t rb_share_owner(int32_t p, int32_t shares, int32_t share)
{
    return (int32_t)((int64_t)share * p / shares);
}

static inline int32_t rb_shares_before(int32_t p, int32_t shares, int32_t rank)
{
    return (int32_t)(((int64_t)rank * shares + p - 1) / p);
}

/* The shares of the longest message of a round of these plans. */
int32_t rb_shares_in_round(const struct rb_plan *plan, int64_t t);

extern const struct rb_algorithm rb_gathered_shares, rb_reduced_shares;
