/* circulant_rounds.c - the number of rounds, n - 1 + q, and the virtual ones before the first. */
#include "circulant_rounds.h"

int rb_circulant_rounds_init(struct rb_plan *plan, char *why, size_t why_size)
{
    int status = rb_need_one_port(plan, why, why_size);
    if (status == RB_OK)
        status = rb_circulant_init(&plan->data.circulant.graph, plan->p);
    if (status != RB_OK || plan->p == 1)
        return status;
    const int64_t q = plan->data.circulant.graph.q;
    plan->rounds = plan->n - 1 + q;
    plan->data.circulant.reciprocal = ((UINT64_C(1) << 36) + (uint64_t)q - 1) / (uint64_t)q;
    plan->data.circulant.virtual_rounds = (q - (plan->n - 1) % q) % q;
    return RB_OK;
}
