/* alltoall.c - index: every rank has blocks for each rank, and all get theirs. SRC holds a rank's
 * own data by destination, DST what is for it by owner.
 *
 * Bounds (Bruck et al. 1997, Section 2): ceil(log p to base k + 1) rounds on k ports, since what
 * one rank has must reach all others (Proposition 2.3); each of the n blocks of p (p - 1) pairs
 * moves at least once. In d rounds not all can move only once: at most C(d, f) k^f ranks are within
 * f hops of a rank (Lemma 2.8), so the blocks of a rank make at least as many hops as if the p - 1
 * others were as near as that allows. For p = (k + 1)^d this is Theorem 2.5, for d < (p - 1)/k
 * Theorem 2.6. */
#include "schedules/plan/plan.h"

static int64_t bound_rounds(const struct rb_plan *plan, int64_t n)
{
    (void)n;
    return plan->p == 1 ? 0 : rb_ceil_log(plan->p, plan->ports + 1);
}

static int64_t bound_moves(const struct rb_plan *plan)
{
    int64_t moves;
    if (__builtin_mul_overflow(plan->blocks, (int64_t)(plan->p - 1), &moves))
        return INT64_MAX;
    return moves;
}

static int64_t bound_busiest(const struct rb_plan *plan, int64_t rounds)
{
    const int64_t d = rounds < plan->p ? rounds : plan->p, k = rb_used_ports(plan);
    int64_t others = plan->p - 1, hops = 0, within = 1;
    for (int64_t f = 1; f <= d && others > 0; f++) {
        within = within * ((d - f + 1) * k) / f; /* below p times p, or the last */
        const int64_t here = within < others ? within : others;
        hops += f * here;
        others -= here;
    }
    return hops * rb_part_blocks(plan);
}

const struct rb_collective rb_alltoall = {
    .info = {.name = "alltoall",
             .title = "every rank sends each rank data of its own (MPI_Alltoall, MPI_Alltoallv)",
             .distributed = true,
             .personalized = true},
    .buffers = 1u << RB_SRC | 1u << RB_DST,
    .precondition = rb_src_of_all,
    .postcondition = rb_dst_of_all,
    .bound_rounds = bound_rounds,
    .bound_moves = bound_moves,
    .bound_busiest = bound_busiest,
};
