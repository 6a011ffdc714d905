/* allgather_dissemination.c - what a rank has doubles in every round (Bruck's concatenation, one
 * port).
 *
 * Source: J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby 1997, Section 4, for one port.
 * Rounds: q = ceil(log2 p), optimal. Volume: n (p - 1) blocks received per rank, optimal. No state
 * per rank.
 *
 * Before round t rank r has the data of r .. r + h - 1, h = 2^t; it sends the first min(h, p - h)
 * of them to r - h and receives as many from r + h. p = 5, rank 0: 1; 2, 3; 4. */
#include "schedules/plan/plan.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_on_one_port(plan, rb_ceil_log2(plan->p), plan->p, why, why_size);
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const int32_t p = plan->p, h = (int32_t)1 << t, many = h < p - h ? h : p - h;
    const int32_t to = rb_after(plan, state->rank, p - h), from = rb_after(plan, state->rank, h);
    for (int32_t i = 0; i < many; i++) {
        ops[i] = (struct rb_op){.kind = RB_SEND,
                                .peer = to,
                                .at = {RB_DST, rb_after(plan, state->rank, i), 0, plan->n}};
        ops[many + i] = (struct rb_op){
            .kind = RB_RECV, .peer = from, .at = {RB_DST, rb_after(plan, from, i), 0, plan->n}};
    }
    return 2 * many;
}

RB_ROW(rb_allgather_dissemination, "allgather", "dissemination",
       "a rank's data double in every round (Bruck)", "Bruck et al. 1997", "ceil(log2 p)",
       RB_OF_RANK, .init = init, .round = round_, .next = rb_never_idle, .cost = rb_cost_of_others);
