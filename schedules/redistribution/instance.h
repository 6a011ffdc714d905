/* instance.h - inside the core: which redistribution a plan is for, from its text, and what of it
 * the plan's collective and algorithms need. */
#ifndef RB_SCHEDULES_REDISTRIBUTION_INSTANCE_H
#define RB_SCHEDULES_REDISTRIBUTION_INSTANCE_H

#include "../plan.h"
#include "redistribution.h"

/* Reads P=6,r=2,Q=6,s=3,M=72,at=0, dimensions separated by slashes, `at` among the values of any
 * one of them. text may be NULL. What is left out: P and Q are p; r is 2 and s is 3; M is the least
 * common multiple of P r and Q s; at is P if that makes p ranks, else 0 (p = 0: P). RB_EINVAL with
 * why for what makes no sense, or other than p > 0 ranks. */
int rb_redistribution_read(const char *text, int32_t p, struct rb_redistribution *problem,
                           char *why, size_t why_size);

/* Source and target ranks together: senders, receivers, and all ranks. */
int32_t rb_redistribution_senders(const struct rb_redistribution *problem);
int32_t rb_redistribution_receivers(const struct rb_redistribution *problem);
int32_t rb_redistribution_ranks(const struct rb_redistribution *problem);

/* The same text in full; truncated if it doesn't fit. */
void rb_redistribution_write(const struct rb_redistribution *problem, char *text, size_t size);

/* What plan->problem points to. */
struct rb_redistributed {
    struct rb_redistribution problem;
    struct rb_traffic traffic;
    struct rb_shares shares; /* its messages and copies by rank */
};

/* The caller frees it. RB_EINVAL with why, RB_ENOMEM. O(messages log p). */
int rb_redistributed_make(const struct rb_redistribution *problem, struct rb_redistributed **made,
                          char *why, size_t why_size);
void rb_redistributed_free(struct rb_redistributed *redistributed); /* NULL is fine */

#endif
