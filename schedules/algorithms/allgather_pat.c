/* allgather_pat.c - binomial trees of all ranks at once, with falling distances: parallel
 * aggregated trees, which forward f ranks' data at a time, and sparbit, without such a limit.
 *
 * Sources: S. Jeaugey, PAT: a new algorithm for all-gather and reduce-scatter operations at scale,
 * 2025 (arXiv 2506.20252); NCCL's source, version 2.30. W. J. Loch, G. P. Koslovski, Sparbit: a new
 * logarithmic-cost and data locality-aware MPI Allgather algorithm, 2021; Open MPI's algorithm
 * `sparbit` (coll/base). Rounds: log2 f + P/f - 1, P = 2^ceil(log2 p), f = min(r, P/2); for the
 * largest f ceil(log2 p), optimal. Volume: n (p - 1) blocks received per rank, optimal. No state
 * per rank.
 *
 * The data of rank r + x come to rank r through a binomial tree: x is a sum of distances, the
 * larger ones first, so they come from r + h, h the lowest bit of x. A logarithmic phase has h =
 * P/2, P/4,
 * .. D, D = P/f, each with all x that are odd multiples of h. A linear phase visits the numbers 1
 * .. D - 1 of a binomial tree from the root down, the first child's subtree before the second
 * one's: at y all x = y (mod D) move together, at most f of them. So a rank that passes data on
 * from a buffer needs room for f log2 D ranks' data. sparbit has the largest f, and r - x and r - h
 * for r + x and r + h.
 *
 * p = 8, r = 2, what rank 0 receives: 4; then 2 6 (D = 4, y = 2); 3 7; 1 5. */
#include "schedules/patterns/sequence.h"
#include "schedules/plan/plan.h"

/* P / 2, which is the largest f, or 1. */
static int32_t half_of(int32_t p)
{
    return p > 2 ? (int32_t)1 << (rb_ceil_log2(p) - 1) : 1;
}

static int32_t together(const struct rb_plan *plan)
{
    const int32_t half = half_of(plan->p);
    return plan->radix > 0 && plan->radix < half ? plan->radix : half;
}

static bool supports(int32_t p, int32_t radix)
{
    (void)p;
    return (radix & (radix - 1)) == 0;
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    const int32_t half = half_of(plan->p), f = together(plan);
    if (plan->radix == 0 && plan->algorithm->info.radix != NULL)
        plan->radix = half > 2 ? half : 2;
    return rb_on_one_port(plan, plan->p == 1 ? 0 : rb_ceil_log2(f) + 2 * half / f - 1, 2 * f, why,
                          why_size);
}

/* The number that a walk from the root visits after `steps` others, in a binomial tree of `size`.
 */
static int32_t visited(int32_t size, int64_t steps)
{
    int32_t number = 0;
    for (int32_t below = size / 2; steps > 0; below /= 2) {
        number += steps <= below ? below : 0;
        steps -= steps <= below ? 1 : below;
    }
    return number;
}

/* The rank `distance` from another one, from where its data come, and the opposite. */
static int32_t source(const struct rb_plan *plan, int32_t rank, int32_t distance, bool opposite)
{
    const bool below = plan->algorithm->info.radix == NULL;
    return rb_after(plan, rank, below != opposite ? plan->p - distance : distance);
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const int32_t p = plan->p, f = together(plan), half = half_of(p), linear = rb_ceil_log2(f);
    const int32_t d = 2 * half / f;
    const int32_t x = t < linear ? half >> t : visited(d, t - linear + 1);
    const int32_t h = x & -x, step = t < linear ? 2 * h : d, many = (p - 1 - x) / step + 1;
    const int32_t to = source(plan, state->rank, h, true);
    const int32_t from = source(plan, state->rank, h, false);
    for (int32_t i = 0; i < many; i++) {
        const int32_t sent = source(plan, to, x + i * step, false);
        const int32_t received = source(plan, state->rank, x + i * step, false);
        ops[i] = (struct rb_op){.kind = RB_SEND, .peer = to, .at = {RB_DST, sent, 0, plan->n}};
        ops[many + i] =
            (struct rb_op){.kind = RB_RECV, .peer = from, .at = {RB_DST, received, 0, plan->n}};
    }
    return 2 * many;
}

#define ROUNDS "log2 f + 2^q / f - 1, f = min(r, 2^(q - 1)), q = ceil(log2 p)"
#define RADIX                                                                                      \
    .info.radix = "r: ranks whose data travel together, a power of two", .supports = supports
#define ALLGATHER                                                                                  \
    RB_OF_RANK, .init = init, .round = round_, .next = rb_never_idle, .cost = rb_cost_of_others

RB_ROW(rb_allgather_sparbit, "allgather", "sparbit",
       "a rank's data double in every round, near ranks last", "Loch and Koslovski 2021",
       "ceil(log2 p)", ALLGATHER);

RB_ROW(rb_allgather_pat, "allgather", "pat",
       "binomial trees of all ranks at once, with a limit on what is forwarded", "Jeaugey 2025",
       ROUNDS, ALLGATHER, RADIX);

/* The allgather read backwards. Commutative operators only. */
RB_ROW(rb_reduce_scatter_pat, "reduce-scatter", "pat",
       "binomial trees to all ranks at once, with a limit on what is forwarded", "Jeaugey 2025",
       ROUNDS, RB_FOR_RANK, RADIX, RB_REVERSED(rb_allgather_pat));
