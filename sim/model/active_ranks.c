/* active_ranks.c - see active_ranks.h. */
#include "active_ranks.h"

#include <stdlib.h>

/* From round t on. A rank's operations in a round are computed only when the round comes, unless
 * the rank was idle in the preceding one; otherwise each rank's rounds would be computed twice. */
static void wait_for(struct model_active_ranks *roster, int32_t rank, int64_t t)
{
    const int64_t next = rb_plan_next(roster->plan, &roster->rank[rank], t);
    if (next < rb_plan_rounds(roster->plan))
        sim_round_heap_push(&roster->later, next, rank);
}

int model_active_ranks_init(struct model_active_ranks *roster, const struct rb_plan *plan)
{
    const int32_t p = rb_plan_ranks(plan);
    *roster = (struct model_active_ranks){.plan = plan,
                                          .rank = malloc((size_t)p * sizeof *roster->rank),
                                          .round = -1,
                                          .now = malloc((size_t)p * sizeof *roster->now),
                                          .soon = malloc((size_t)p * sizeof *roster->soon)};
    const int status = sim_round_heap_init(&roster->later, p);
    if (status != RB_OK || roster->rank == NULL || roster->now == NULL || roster->soon == NULL)
        return RB_ENOMEM;
    for (int32_t rank = 0; rank < p; rank++) {
        rb_plan_rank(plan, rank, &roster->rank[rank]);
        if (rb_plan_rounds(plan) > 0)
            wait_for(roster, rank, 0);
    }
    return RB_OK;
}

void model_active_ranks_free(struct model_active_ranks *roster)
{
    free(roster->rank);
    free(roster->now);
    free(roster->soon);
    sim_round_heap_free(&roster->later);
}

/* All ranks are there: memory is then read in order, and that is worth twice the speed where the
 * ranks' data don't fit into the cache. */
static void put_in_order(struct model_active_ranks *roster)
{
    for (int32_t i = 0; i < roster->now_count; i++)
        roster->now[i] = i;
    roster->in_order = true;
}

bool model_active_ranks_advance(struct model_active_ranks *roster)
{
    struct sim_round_heap *later = &roster->later;
    int32_t *const emptied = roster->now;
    if (roster->soon_count > 0)
        roster->round++;
    else if (later->count > 0)
        roster->round = later->entry[0].round;
    else
        return false;
    roster->now = roster->soon;
    roster->now_count = roster->soon_count;
    roster->soon = emptied;
    roster->soon_count = 0;
    while (later->count > 0 && later->entry[0].round == roster->round) {
        roster->now[roster->now_count++] = sim_round_heap_pop(later);
        roster->in_order = false;
    }
    if (!roster->in_order && roster->now_count == rb_plan_ranks(roster->plan))
        put_in_order(roster);
    return true;
}

void model_active_ranks_keep(struct model_active_ranks *roster, int32_t rank, bool active)
{
    if (roster->round + 1 >= rb_plan_rounds(roster->plan))
        return;
    if (active)
        roster->soon[roster->soon_count++] = rank;
    else
        wait_for(roster, rank, roster->round + 1);
}
