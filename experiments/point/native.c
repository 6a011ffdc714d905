/* native.c - see native.h. */
#include "experiments/point/native.h"

#include <stdlib.h>

bool point_is_native(const struct point *point)
{
    return sim_native_name(point->plan.algorithm) != NULL && point->engine->find_native != NULL;
}

int point_find_plan(const struct point *point, struct point_plan *plan, struct sup_error *error)
{
    const char *name = sim_native_name(point->plan.algorithm);
    struct point by_hosts = *point;
    *plan = (struct point_plan){.spec = point->plan};
    if (name == NULL)
        return RB_OK;
    const struct mpilib_call call = {.collective = point->plan.collective,
                                     .p = point->plan.p,
                                     .ppn = point->ppn,
                                     .bytes = point->m_bytes,
                                     .element = point->element_bytes,
                                     .irregular = point->counts_rule->rule != RB_COUNTS_REGULAR};
    int status = mpilib_choose(name, &call, &plan->choice, error);
    if (status != RB_OK)
        return status;
    plan->spec.algorithm = plan->choice.algorithm;
    plan->spec.radix = plan->choice.radix;
    plan->spec.n = plan->choice.n;
    if (!plan->choice.by_hosts)
        return RB_OK;
    by_hosts.plan.groups = "host";
    status = point_find_groups(&by_hosts, &plan->groups, error);
    plan->spec.groups = plan->groups;
    return status;
}

void point_plan_free(struct point_plan *plan)
{
    free(plan->groups);
    *plan = (struct point_plan){0};
}
