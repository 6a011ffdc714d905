/* allreduce_segmented_ring.c - partial results go round a ring, one block of each share after the
 * other; then the results go round, whole shares at a time.
 *
 * Source: Open MPI's algorithm `segmented_ring` (coll/base,
 * ompi_coll_base_allreduce_intra_ring_segmented), whose number of phases is n. Rounds: (n + 1)
 * (p - 1). Volume: 2 n (p - 1) blocks sent per rank, of p shares of n blocks each: optimal. In the
 * model of one port n = 1, which is `ring`, is best: the phases follow each other, and what the
 * library gains is that it combines a block while the next one arrives. A partial result starts at
 * its owner and goes right, so the order is cyclic: commutative operators only. No state per rank.
 *
 * In phase f, round k, rank r sends block f of share r - k to r + 1. p = 3, n = 2: two rounds with
 * the first blocks, two with the second ones, and two with both. */
#include "schedules/plan/plan.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    plan->blocks = plan->n * plan->p;
    return rb_on_one_port(plan, (plan->n + 1) * ((int64_t)plan->p - 1), 2, why, why_size);
}

/* Some blocks of the share of rank `owner` mod p. */
static struct rb_op move(const struct rb_plan *plan, enum rb_op_kind kind, int32_t peer,
                         int64_t owner, int64_t first, int64_t count)
{
    const int64_t share = (owner + plan->p) % plan->p;
    return rb_root_op(plan, kind, peer, share * plan->n + first, count);
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const int64_t phase = t / (plan->p - 1), k = t % (plan->p - 1);
    const int32_t r = state->rank, to = rb_after(plan, r, 1), from = rb_after(plan, r, plan->p - 1);
    if (phase < plan->n) {
        ops[0] = move(plan, RB_SEND, to, r - k, phase, 1);
        ops[1] = move(plan, RB_RECV_REDUCE, from, r - k - 1, phase, 1);
    } else {
        ops[0] = move(plan, RB_SEND, to, r - k + 1, 0, plan->n);
        ops[1] = move(plan, RB_RECV, from, r - k, 0, plan->n);
    }
    return 2;
}

static double cost(const struct rb_plan *plan, double bytes, double alpha_s, double beta_s_per_byte)
{
    const double p = plan->p;
    return (double)plan->rounds * alpha_s + 2 * (p - 1) / p * bytes * beta_s_per_byte;
}

RB_ROW(rb_allreduce_segmented_ring, "allreduce", "segmented-ring",
       "a ring for the first block of each share, then the next; then whole shares", "Open MPI 4.1",
       "(n + 1) (p - 1)", .info.blocks = "phases; blocks of each of the p shares", .init = init,
       .round = round_, .next = rb_never_idle, .cost = cost);
