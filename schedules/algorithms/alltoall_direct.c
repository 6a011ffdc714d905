/* alltoall_direct.c - every rank sends each other rank its data itself (chain.h); what differs is
 * the rank's partners in each step. Volume: optimal. No state per rank. k: ports. */
#include "schedules/patterns/chain.h"

/* What one rank after another needs. */
static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    (void)why, (void)why_size;
    return rb_direct_init(plan, plan->p - 1);
}

/* A descriptor's round, which asks `peers` for the partners. */
#define ROUND_BY(round_, peers)                                                                    \
    static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,      \
                          struct rb_op ops[])                                                      \
    {                                                                                              \
        return rb_direct_round(plan, state->rank, t, peers, ops);                                  \
    }

/* ---- By rising distance ---------------------------------------------------------------------- */

/* Source: textbook; MPI libraries' "pairwise" and "spread-out"; the extreme r = p of J. Bruck,
 * C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby 1997, Section 3. Rounds: ceil((p - 1)/k).
 *
 * In step s rank r sends to r + s and receives from r - s. p = 3: to the right neighbour, then to
 * the left one. */

static struct rb_peers rising_peers(const struct rb_plan *plan, int32_t rank, int64_t step)
{
    const int32_t by = (int32_t)step;
    return (struct rb_peers){rb_after(plan, rank, by), rb_after(plan, rank, plan->p - by)};
}

ROUND_BY(rising_round, rising_peers)

RB_ROW(rb_alltoall_pairwise, "alltoall", "pairwise",
       "each rank sends to one rank after another (spread)", "textbook", "ceil((p - 1)/k), k ports",
       RB_FOR_RANK, .init = init, .round = rising_round, .next = rb_never_idle,
       .cost = rb_direct_cost);

/* ---- By falling distance --------------------------------------------------------------------- */

/* Source: Open MPI's algorithm `linear_sync` (coll/base), whose limit on requests is the number of
 * ports here. Rounds: ceil((p - 1)/k). The library replaces each request as soon as it is complete,
 * where a round of a plan begins k messages together; it is `pairwise` with directions exchanged.
 * p = 3: to the left neighbour, then to the right one. */

static struct rb_peers falling_peers(const struct rb_plan *plan, int32_t rank, int64_t step)
{
    return rising_peers(plan, rank, plan->p - step);
}

ROUND_BY(falling_round, falling_peers)

RB_ROW(rb_alltoall_linear_sync, "alltoall", "linear-sync",
       "each rank sends to one rank after another, k at a time", "Open MPI 4.1",
       "ceil((p - 1)/k), k ports", RB_FOR_RANK, .init = init, .round = falling_round,
       .next = rb_never_idle, .cost = rb_direct_cost);

/* ---- In the order of ranks ------------------------------------------------------------------- */

/* Source: textbook; the loop over all ranks that programs begin with. Rounds: ceil((2 p - 3)/k),
 * because ranks wait for each other: nearly twice as many as pairwise.
 *
 * Ranks r and j meet in step r + j, which is as early as this order allows on one port. p = 4:
 *
 *   step   1    2    3         4    5
 *          0-1  0-2  0-3, 1-2  1-3  2-3
 */

static int linear_init(struct rb_plan *plan, char *why, size_t why_size)
{
    (void)why, (void)why_size;
    return rb_direct_init(plan, plan->p > 1 ? 2 * (int64_t)plan->p - 3 : 0);
}

static struct rb_peers linear_peers(const struct rb_plan *plan, int32_t rank, int64_t step)
{
    (void)plan;
    return (struct rb_peers){step - rank, step - rank};
}

ROUND_BY(linear_round, linear_peers)

static int64_t linear_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    return rb_direct_next(plan, state->rank, t, linear_peers);
}

RB_ROW(rb_alltoall_linear, "alltoall", "linear",
       "each rank exchanges with ranks 0, 1, 2 .. in this order", "textbook",
       "ceil((2 p - 3)/min(k, p - 1)), k ports", RB_FOR_RANK, .init = linear_init,
       .round = linear_round, .next = linear_next, .cost = rb_direct_cost);

/* ---- By the bits in which numbers differ ----------------------------------------------------- */

/* Source: textbook (Grama et al. 2003, procedure ALL_TO_ALL_PERSONAL, formula (7): on a hypercube
 * no two messages of a round share a link in the same direction; Thakur, Rabenseifner, Gropp 2005).
 * Rounds: ceil((s - 1) / k), s = 2^ceil(log2 p); for p = s optimal. For other p the surplus s - p
 * ranks are left out, and a rank is idle in the steps in which its partner would be one of these;
 * in the worst case there are nearly twice as many rounds as with pairwise.
 *
 * In step i the partner of rank r is r ^ i. p = 4: 0-1 2-3; 0-2 1-3; 0-3 1-2. */

static int xor_init(struct rb_plan *plan, char *why, size_t why_size)
{
    (void)why, (void)why_size;
    return rb_direct_init(plan, (INT64_C(1) << rb_ceil_log2(plan->p)) - 1);
}

static struct rb_peers xor_peers(const struct rb_plan *plan, int32_t rank, int64_t step)
{
    (void)plan;
    return (struct rb_peers){rank ^ step, rank ^ step};
}

ROUND_BY(xor_round, xor_peers)

static int64_t xor_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    return rb_direct_next(plan, state->rank, t, xor_peers);
}

RB_ROW(rb_alltoall_xor, "alltoall", "xor",
       "rank r exchanges with ranks r xor 1, r xor 2, r xor 3, ..., if they exist",
       "textbook; Grama et al. 2003", "ceil((2^ceil(log2 p) - 1)/min(k, p - 1)), k ports",
       RB_FOR_RANK, .init = xor_init, .round = xor_round, .next = xor_next, .cost = rb_direct_cost);
