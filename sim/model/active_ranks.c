/* active_ranks.c - see active_ranks.h. */
#include "active_ranks.h"
#include "support/memory.h"

#include <stdlib.h>

/* From round t on. A rank's operations in a round are computed only when the round comes, unless
 * the rank was idle in the preceding one; otherwise each rank's rounds would be computed twice. */
static void wait_for(struct model_active_ranks *active_ranks, int32_t rank, int64_t t)
{
    const int64_t next = rb_plan_next(active_ranks->plan, &active_ranks->rank[rank], t);
    if (next < rb_plan_rounds(active_ranks->plan))
        sim_round_heap_push(&active_ranks->later, next, rank);
}

void model_active_ranks_init(struct model_active_ranks *active_ranks, const struct rb_plan *plan)
{
    const int32_t p = rb_plan_ranks(plan);
    *active_ranks =
        (struct model_active_ranks){.plan = plan,
                                    .rank = sup_malloc((size_t)p * sizeof *active_ranks->rank),
                                    .round = -1,
                                    .now = sup_malloc((size_t)p * sizeof *active_ranks->now),
                                    .soon = sup_malloc((size_t)p * sizeof *active_ranks->soon)};
    sim_round_heap_init(&active_ranks->later, p);
    for (int32_t rank = 0; rank < p; rank++) {
        rb_plan_rank(plan, rank, &active_ranks->rank[rank]);
        if (rb_plan_rounds(plan) > 0)
            wait_for(active_ranks, rank, 0);
    }
}

void model_active_ranks_free(struct model_active_ranks *active_ranks)
{
    free(active_ranks->rank);
    free(active_ranks->now);
    free(active_ranks->soon);
    sim_round_heap_free(&active_ranks->later);
}

/* All ranks are there: memory is then read in order, and that is worth twice the speed where the
 * ranks' data don't fit into the cache. */
static void put_in_order(struct model_active_ranks *active_ranks)
{
    for (int32_t i = 0; i < active_ranks->now_count; i++)
        active_ranks->now[i] = i;
    active_ranks->in_order = true;
}

bool model_active_ranks_advance(struct model_active_ranks *active_ranks)
{
    struct sim_round_heap *later = &active_ranks->later;
    int32_t *const emptied = active_ranks->now;
    if (active_ranks->soon_count > 0)
        active_ranks->round++;
    else if (later->count > 0)
        active_ranks->round = later->entry[0].round;
    else
        return false;
    active_ranks->now = active_ranks->soon;
    active_ranks->now_count = active_ranks->soon_count;
    active_ranks->soon = emptied;
    active_ranks->soon_count = 0;
    while (later->count > 0 && later->entry[0].round == active_ranks->round) {
        active_ranks->now[active_ranks->now_count++] = sim_round_heap_pop(later);
        active_ranks->in_order = false;
    }
    if (!active_ranks->in_order && active_ranks->now_count == rb_plan_ranks(active_ranks->plan))
        put_in_order(active_ranks);
    return true;
}

void model_active_ranks_keep(struct model_active_ranks *active_ranks, int32_t rank, bool active)
{
    if (active_ranks->round + 1 >= rb_plan_rounds(active_ranks->plan))
        return;
    if (active)
        active_ranks->soon[active_ranks->soon_count++] = rank;
    else
        wait_for(active_ranks, rank, active_ranks->round + 1);
}
