/* allgather_pairwise.c - every rank sends its own data to each other rank itself.
 *
 * Source: textbook; MPI libraries' "pairwise" and "spread-out". Rounds: p - 1. Volume: n (p - 1)
 * blocks received per rank, optimal; nothing is forwarded. No state per rank.
 *
 * In round t rank r sends to r + t + 1 and receives from r - t - 1. p = 3: to the right neighbour,
 * then to the left one. */
#include "schedules/plan/plan.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_on_one_port(plan, plan->p - 1, 2, why, why_size);
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const int64_t p = plan->p, r = state->rank;
    const int32_t to = (int32_t)((r + t + 1) % p), from = (int32_t)((r - t - 1 + p) % p);
    ops[0] = (struct rb_op){.kind = RB_SEND, .peer = to, .at = {RB_DST, state->rank, 0, plan->n}};
    ops[1] = (struct rb_op){.kind = RB_RECV, .peer = from, .at = {RB_DST, from, 0, plan->n}};
    return 2;
}

RB_ROW(rb_allgather_pairwise, "allgather", "pairwise",
       "each rank sends its data to one rank after another", "textbook", "p - 1", RB_OF_RANK,
       .init = init, .round = round_, .next = rb_never_idle, .cost = rb_cost_of_parts);
