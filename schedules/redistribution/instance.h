/* instance.h - internal to the library: the data of a redistribution that the collective and its
 * algorithms need. */
#ifndef SCHEDULES_REDISTRIBUTION_INSTANCE_H
#define SCHEDULES_REDISTRIBUTION_INSTANCE_H

#include "redistribution.h"
#include "schedules/plan/plan.h"

/* What plan->problem.own points to. */
struct redist_problem {
    struct rb_redistribution problem;
    struct rb_traffic traffic;
    struct rb_shares shares; /* its messages and copies by rank */
};

static inline struct redist_problem *redist_problem_of(const struct rb_plan *plan)
{
    return plan->problem.own;
}

/* The caller frees it. RB_EINVAL with why, RB_ENOMEM. O(messages log p). */
int redist_problem_make(const struct rb_redistribution *problem, struct redist_problem **made,
                        char *why, size_t why_size);
void redist_problem_free(struct redist_problem *redistributed); /* NULL is fine */

extern const struct rb_collective redist_collective;

#endif
