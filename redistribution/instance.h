/* instance.h - inside the library: what of a redistribution a plan's collective and algorithms
 * need.
 */
#ifndef RB_REDISTRIBUTION_INSTANCE_H
#define RB_REDISTRIBUTION_INSTANCE_H

#include "redistribution.h"
#include "schedules/plan/plan.h"

/* What plan->problem.own points to. */
struct rb_redistributed {
    struct rb_redistribution problem;
    struct rb_traffic traffic;
    struct rb_shares shares; /* its messages and copies by rank */
};

static inline struct rb_redistributed *redistributed_of(const struct rb_plan *plan)
{
    return plan->problem.own;
}

/* The caller frees it. RB_EINVAL with why, RB_ENOMEM. O(messages log p). */
int rb_redistributed_make(const struct rb_redistribution *problem, struct rb_redistributed **made,
                          char *why, size_t why_size);
void rb_redistributed_free(struct rb_redistributed *redistributed); /* NULL is fine */

extern const struct rb_collective rb_redistribution;

#endif
