/* bcast_scatter_allgather.c - van de Geijn's broadcast: scatter p shares, then gather them on a
 * ring.
 *
 * Source: M. Barnett et al. 1994; Chan, Heimlich, Purkayastha, van de Geijn 2007; what MPI
 * libraries take for long messages. Rounds: q + p - 1, q = ceil(log2 p). Bytes on the longest path:
 * 2 (p - 1)/p of the message. The message is cut into p shares of n blocks; relative rank j ends
 * the scatter with share j. Volume: the scatter moves at most n p q / 2 blocks, the ring
 * n p (p - 1): it brings inner ranks and the root shares that they have already, as the usual
 * implementations do. No state per rank.
 *
 * Scatter round t, h = 2^(q-1-t): the multiples r of 2h send shares r + h .. min(r + 2h, p) - 1 to
 * rank r + h. Ring round s = t - q: rank r sends share r - s to r + 1 (mod p).
 * p = 5: 0 -> 4 share 4; 0 -> 2 shares 2, 3; 0 -> 1 share 1, 2 -> 3 share 3; then 4 ring rounds. */
#include "schedules/plan/plan.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    plan->blocks = plan->n * plan->p;
    return rb_on_one_port(plan, plan->p == 1 ? 0 : rb_ceil_log2(plan->p) + (int64_t)plan->p - 1, 2,
                          why, why_size);
}

static struct rb_op move_shares(const struct rb_plan *plan, enum rb_op_kind kind, int32_t peer,
                                int64_t first, int64_t end)
{
    return rb_root_op(plan, kind, peer, first * plan->n, (end - first) * plan->n);
}

static int32_t scatter_round(const struct rb_plan *plan, int32_t r, int64_t h, struct rb_op ops[])
{
    const int64_t within = r & (2 * h - 1);
    const int64_t low = within == h ? r : r + h; /* the receiver */
    const int64_t end = low + h < plan->p ? low + h : plan->p;
    if (within == h)
        ops[0] = move_shares(plan, RB_RECV, (int32_t)(r - h), low, end);
    else if (within == 0 && low < plan->p)
        ops[0] = move_shares(plan, RB_SEND, (int32_t)low, low, end);
    else
        return 0;
    return 1;
}

static int32_t ring_round(const struct rb_plan *plan, int32_t r, int64_t s, struct rb_op ops[])
{
    const int64_t p = plan->p;
    const int64_t out = (r - s + p) % p;
    const int64_t in = (r - 1 - s + 2 * p) % p;
    ops[0] = move_shares(plan, RB_SEND, r + 1 < plan->p ? r + 1 : 0, out, out + 1);
    ops[1] = move_shares(plan, RB_RECV, r > 0 ? r - 1 : plan->p - 1, in, in + 1);
    return 2;
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const int64_t q = plan->rounds - (plan->p - 1);
    if (t < q)
        return scatter_round(plan, state->relative, (int64_t)1 << (q - 1 - t), ops);
    return ring_round(plan, state->relative, t - q, ops);
}

static double cost(const struct rb_plan *plan, double bytes, double alpha_s, double beta_s_per_byte)
{
    const double p = plan->p;
    return (double)plan->rounds * alpha_s + 2 * (p - 1) / p * bytes * beta_s_per_byte;
}

RB_ROW(rb_bcast_scatter_allgather, "bcast", "scatter-allgather",
       "binomial scatter, then ring allgather (van de Geijn)", "Chan et al. 2007",
       "ceil(log2 p) + p - 1",
       .info.blocks = "blocks in each of the p shares, which travel together", .init = init,
       .round = round_, .cost = cost);
