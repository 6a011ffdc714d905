/* allreduce_bine_doubling.c - whole vectors exchanged on a Bine butterfly.
 *
 * Source: De Sensi et al. 2025; bine.h. Participants as in folded.h. Rounds: log2 p; floor(log2 p)
 * + 2 if p is no power of two. Volume: n log2 p blocks sent per rank. Neighbouring intervals of
 * ranks combine their results, but they go round from rank p - 1 to rank 0: commutative operators
 * only. No state per rank.
 *
 * p = 5 (participants: ranks 0, 2, 3, 4): 1 -> 0; 0 <-> 2, 3 <-> 4; 0 <-> 4, 2 <-> 3; 0 -> 1. */
#include "schedules/patterns/bine.h"
#include "schedules/patterns/folded.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    const struct rb_folded folded = rb_folded_of(plan->p);
    return rb_on_one_port(plan, folded.steps + (folded.folded > 0 ? 2 : 0), 2, why, why_size);
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const struct rb_folded folded = rb_folded_of(plan->p);
    const int32_t step = (int32_t)(folded.folded > 0 ? t - 1 : t);
    if (step < 0)
        return rb_fold(plan, &folded, state->rank, ops);
    if (step == folded.steps)
        return rb_unfold(plan, &folded, state->rank, ops);
    const int32_t i = rb_folded_number(&folded, state->rank);
    if (i < 0)
        return 0;
    const int32_t peer = rb_folded_rank(&folded, rb_bine_partner(folded.participants, i, step));
    ops[0] = rb_root_op(plan, RB_SEND, peer, 0, plan->n);
    ops[1] = rb_root_op(plan, RB_RECV_REDUCE, peer, 0, plan->n);
    return 2;
}

RB_ROW(rb_allreduce_bine_doubling, "allreduce", "bine-doubling",
       "whole vectors exchanged on a Bine butterfly, distances doubling", "De Sensi et al. 2025",
       "log2 p; floor(log2 p) + 2 if p is no power of two", RB_AT_ONCE, .init = init,
       .round = round_, .cost = rb_cost_of_all);
