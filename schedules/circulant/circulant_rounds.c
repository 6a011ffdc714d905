/* circulant_rounds.c - the number of rounds, n - 1 + q, and the virtual ones before the first. */
#include "circulant_rounds.h"

#include <stdlib.h>

int rb_circulant_rounds_init(struct rb_plan *plan, char *why, size_t why_size)
{
    const int status = rb_need_one_port(plan, why, why_size);
    if (status == RB_OK)
        rb_circulant_rounds_over(plan, plan->p);
    return status;
}

void rb_circulant_rounds_over(struct rb_plan *plan, int32_t nodes)
{
    if (rb_circulant_init(&plan->data.circulant.graph, nodes) != RB_OK || nodes == 1)
        return;
    const int64_t q = plan->data.circulant.graph.q;
    plan->rounds = plan->n - 1 + q;
    plan->data.circulant.reciprocal = ((UINT64_C(1) << 36) + (uint64_t)q - 1) / (uint64_t)q;
    plan->data.circulant.virtual_rounds = (q - (plan->n - 1) % q) % q;
}

int rb_circulant_rounds_table(struct rb_plan *plan, char *why, size_t why_size)
{
    const struct rb_circulant *graph = &plan->data.circulant.graph;
    const size_t nodes = (size_t)graph->p, q = (size_t)graph->q;
    int8_t *table = malloc((q + 1) * nodes);
    if (table == NULL)
        return rb_why(why, why_size, RB_ENOMEM, "out of memory for the schedules of %d %s",
                      (int)graph->p, graph->p == plan->p ? "ranks" : "groups");
    rb_circulant_table(graph, table + q * nodes, NULL, table);
    plan->data.circulant.table = table;
    return RB_OK;
}
