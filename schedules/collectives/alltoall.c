/* alltoall.c - index: every rank has blocks for each rank, and all get theirs. SRC holds a rank's
 * own data by destination, DST what is for it by owner.
 *
 * Bounds, one port: ceil(log2 p) rounds, since what one rank has must reach all others (Bruck et
 * al. 1997, Proposition 2.3); each of the n blocks of p (p - 1) pairs moves at least once. */
#include "../plan.h"

static int64_t initially(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                         int32_t owner, int64_t index)
{
    (void)rank;
    return buffer == RB_SRC ? rb_plan_datum(plan, owner, index) : RB_NOTHING;
}

static int64_t finally(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                       int32_t owner, int64_t index)
{
    (void)rank;
    return buffer == RB_DST ? rb_plan_datum(plan, owner, index) : RB_NOTHING;
}

static int64_t bound_rounds(const struct rb_plan *plan, int64_t n)
{
    (void)n;
    return plan->p == 1 ? 0 : rb_ceil_log2(plan->p);
}

static int64_t bound_moves(const struct rb_plan *plan)
{
    int64_t moves;
    if (__builtin_mul_overflow(plan->blocks, (int64_t)(plan->p - 1), &moves))
        return INT64_MAX;
    return moves;
}

const struct rb_collective rb_alltoall = {
    .info = {.name = "alltoall",
             .title = "every rank sends each rank data of its own (MPI_Alltoall, MPI_Alltoallv)",
             .parted = true,
             .addressed = true},
    .buffers = 1u << RB_SRC | 1u << RB_DST,
    .initially = initially,
    .finally = finally,
    .bound_rounds = bound_rounds,
    .bound_moves = bound_moves,
};
