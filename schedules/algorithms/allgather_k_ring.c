/* allgather_k_ring.c - rings of k consecutive ranks, and rings of the ranks that have the same
 * place in these: k - 1 rounds inside follow each round between them.
 *
 * Source: M. Wilkins, H. Wang, P. Liu, B. Pham, Y. Guo, R. Thakur, P. Dinda, N. Hardavellas,
 * Generalized Collective Algorithms for the Exascale Era, CLUSTER 2023. Rounds: p - 1. Volume: n (p
 * - 1) blocks received per rank, optimal; only p/k - 1 of the rounds leave a group of k, and then
 * all of its ranks send at once. k = p is the ring. No state per rank.
 *
 * In phase f, rounds f k .. f k + k - 1, a group completes the data of the group f before it: rank
 * i of it sends those of rank i - u in inner round u, and in the last round its own place's to the
 * next group. p = 4, k = 2, what rank 0 receives: 1 from 1; 2 from 2; 3 from 1. */
#include "schedules/patterns/grid.h"
#include "schedules/patterns/sequence.h"
#include "schedules/plan/plan.h"

static bool supports(int32_t p, int32_t radix)
{
    return radix == 0 || p == 1 || p % radix == 0;
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    rb_grid_mesh(plan); /* for the radix */
    return rb_on_one_port(plan, plan->p - 1, 2, why, why_size);
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const int32_t p = plan->p, k = plan->radix, r = state->rank, place = r % k;
    const int32_t phase = (int32_t)(t / k), u = (int32_t)(t % k);
    int32_t to = rb_after(plan, r, k), from = rb_after(plan, r, p - k), sent = r, received = from;
    if (u < k - 1) {
        to = r - place + (place + 1) % k;
        from = r - place + (place + k - 1) % k;
        sent = r - place + (place + k - u) % k;
        received = r - place + (place + 2 * k - u - 1) % k;
    }
    const int32_t back = p - phase * k;
    ops[0] = (struct rb_op){
        .kind = RB_SEND, .peer = to, .at = {RB_DST, rb_after(plan, sent, back), 0, plan->n}};
    ops[1] = (struct rb_op){
        .kind = RB_RECV, .peer = from, .at = {RB_DST, rb_after(plan, received, back), 0, plan->n}};
    return 2;
}

#define RADIX                                                                                      \
    .info.radix = "r: ranks of a ring, a divisor of p, by default the least from its root on",     \
    .supports = supports

RB_ROW(rb_allgather_k_ring, "allgather", "k-ring",
       "rings of r ranks, between which data move every r-th round", "Wilkins et al. 2023", "p - 1",
       RB_OF_RANK, RADIX, .init = init, .round = round_, .next = rb_never_idle,
       .cost = rb_cost_of_others);

/* The allgather read backwards; and after it the allgather. Commutative operators only. */
RB_ROW(rb_reduce_scatter_k_ring, "reduce-scatter", "k-ring",
       "rings of r ranks, between which data move every r-th round", "Wilkins et al. 2023", "p - 1",
       RB_FOR_RANK, RADIX, RB_REVERSED(rb_allgather_k_ring));
RB_ROW(rb_allreduce_k_ring, "allreduce", "k-ring",
       "reduce-scatter, then allgather, on rings of r ranks", "Wilkins et al. 2023", "2 (p - 1)",
       RB_SHARES, RADIX, RB_COMPOSED(rb_reduce_scatter_k_ring, rb_allgather_k_ring));
