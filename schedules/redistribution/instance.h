/* instance.h - inside the core: what of a redistribution a plan's collective and algorithms need.
 */
#ifndef RB_SCHEDULES_REDISTRIBUTION_INSTANCE_H
#define RB_SCHEDULES_REDISTRIBUTION_INSTANCE_H

#include "redistribution.h"
#include "schedules/plan/plan.h"

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
