/* shares.h - a vector in shares, of which ranks of a group bring others together, and reduce: parts
 * of a collective in lanes (levels.h). They are no algorithms of a collective of their own.
 *
 * The vector has S shares, S the radix, or one. Share i belongs to rank rb_share_owner. Gathering
 * brings each share from its owner to all ranks: what a rank has comes from twice as many ranks
 * after every round, as in allgather_dissemination.c. Reduction is this read backwards. Rounds:
 * ceil(log2 p). */
#ifndef RB_SCHEDULES_PATTERNS_SHARES_H
#define RB_SCHEDULES_PATTERNS_SHARES_H

#include "schedules/plan/plan.h"

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

#endif
