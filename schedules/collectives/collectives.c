/* collectives.c - what each collective starts with and must end with, and what bounds it from
 * below. */
#include <stdio.h>

#include "schedules/plan/plan.h"

/* Broadcast: the root's blocks end up at every rank. One buffer, DST, as in MPI_Bcast.
 *
 * Bounds, one port, full duplex: the last block leaves the root in round n - 1 at the earliest and
 * the ranks that have it at most double in each round, so n - 1 + ceil(log2 p) rounds (Bar-Noy and
 * Kipnis 1994; Traeff 2024, Section 1); each of the p - 1 other ranks receives each block once. */

const struct rb_collective rb_bcast = {
    .info = {.name = "bcast",
             .title = "every rank gets the root's data (MPI_Bcast)",
             .rooted = true},
    .buffers = 1u << RB_DST,
    .precondition = rb_dst_of_root,
    .postcondition = rb_dst_of_all,
    .bound_rounds = rb_bound_pipeline,
    .bound_moves = rb_bound_each_once,
    .bound_busiest = rb_bound_whole,
};

/* Reduction: the root ends up with the combination of all ranks' blocks. One buffer, DST, which
 * holds a rank's contribution at the start and is accumulated in; at other ranks than the root its
 * content is lost.
 *
 * Bounds, one port: a reduction read backwards is a broadcast, so n - 1 + ceil(log2 p) rounds and
 * n (p - 1) moves (Traeff 2024, Section 2). */

const struct rb_collective rb_reduce = {
    .info = {.name = "reduce",
             .title = "the root gets the combination of all ranks' data (MPI_Reduce)",
             .rooted = true,
             .reducing = true},
    .buffers = 1u << RB_DST,
    .precondition = rb_dst_of_all,
    .postcondition = rb_dst_of_root,
    .bound_rounds = rb_bound_pipeline,
    .bound_moves = rb_bound_each_once,
    .bound_busiest = rb_bound_whole,
};

/* Every rank ends up with the combination of all ranks' blocks. One buffer, DST, which holds a
 * rank's contribution at the start and is accumulated in (MPI_IN_PLACE). The data are one vector,
 * named after rank 0.
 *
 * Bounds, one port: what ends at one rank is a reduction, so n - 1 + ceil(log2 p) rounds; each
 * rank sends and receives 2 (p - 1)/p of the vector at least when the work is shared evenly (Chan
 * et al. 2007), 2 (p - 1) times the vector over all ranks. */

static int64_t bound_there_and_back(const struct rb_plan *plan)
{
    int64_t moves;
    return __builtin_mul_overflow(rb_bound_each_once(plan), INT64_C(2), &moves) ? INT64_MAX : moves;
}

const struct rb_collective rb_allreduce = {
    .info = {.name = "allreduce",
             .title = "every rank gets the combination of all ranks' data (MPI_Allreduce)",
             .reducing = true},
    .buffers = 1u << RB_DST,
    .precondition = rb_dst_of_all,
    .postcondition = rb_dst_of_all,
    .bound_rounds = rb_bound_pipeline,
    .bound_moves = bound_there_and_back,
    .bound_busiest = rb_bound_whole,
};

/* Every rank ends up with its part of the root's data: owner is the rank that a block is for. One
 * buffer, DST, which has room for all parts: at the root it holds them at the start, and a rank's
 * own part ends up in its place.
 *
 * Bounds, one port: a message may carry one block of each owner, and the ranks that have any but
 * the first n - 1 blocks at most double in each round, so n - 1 + ceil(log2 p) rounds; each of the
 * p - 1 other ranks receives its n blocks. */

const struct rb_collective rb_scatter = {
    .info = {.name = "scatter",
             .title = "every rank gets its part of the root's data (MPI_Scatter, MPI_Scatterv)",
             .rooted = true,
             .distributed = true},
    .buffers = 1u << RB_DST,
    .precondition = rb_dst_of_root,
    .postcondition = rb_dst_of_owner,
    .bound_rounds = rb_bound_pipeline,
    .bound_moves = rb_bound_to_root,
    .bound_busiest = rb_bound_others,
};

/* The root ends up with all ranks' parts. One buffer, DST, which has room for all of them: at the
 * start a rank's own part is at its location; other ranks than the root do not keep the parts that
 * they forward.
 *
 * Bounds, one port: it is a scatter read backwards. */

const struct rb_collective rb_gather = {
    .info = {.name = "gather",
             .title = "the root gets all ranks' data (MPI_Gather, MPI_Gatherv)",
             .rooted = true,
             .distributed = true},
    .buffers = 1u << RB_DST,
    .precondition = rb_dst_of_owner,
    .postcondition = rb_dst_of_root,
    .bound_rounds = rb_bound_pipeline,
    .bound_moves = rb_bound_to_root,
    .bound_busiest = rb_bound_others,
};

/* All-broadcast: every rank ends up with all ranks' blocks. One buffer, DST, in which a rank's own
 * data lie in their place at the start (MPI_IN_PLACE).
 *
 * Bounds, one port: a message may carry one block of each owner, so the bound of a broadcast holds
 * for every owner: n - 1 + ceil(log2 p) rounds (Traeff 2024, Section 2); each rank receives the n
 * (p - 1) blocks of the others. */

const struct rb_collective rb_allgather = {
    .info = {.name = "allgather",
             .title = "every rank gets all ranks' data (MPI_Allgather, MPI_Allgatherv)",
             .distributed = true},
    .buffers = 1u << RB_DST,
    .precondition = rb_dst_of_owner,
    .postcondition = rb_dst_of_all,
    .bound_rounds = rb_bound_pipeline,
    .bound_moves = rb_bound_each_once,
    .bound_busiest = rb_bound_others,
};

/* Index: every rank has blocks for each rank, and all get theirs. SRC holds a rank's own data by
 * destination, DST what is for it by owner.
 *
 * Bounds (Bruck et al. 1997, Section 2): ceil(log p to base k + 1) rounds on k ports, since what
 * one rank has must reach all others (Proposition 2.3); each of the n blocks of p (p - 1) pairs
 * moves at least once. In d rounds not all can move only once: at most C(d, f) k^f ranks are
 * within f hops of a rank (Lemma 2.8), so the blocks of a rank make at least as many hops as if
 * the p - 1 others were as near as that allows. For p = (k + 1)^d this is Theorem 2.5, for d < (p
 * - 1)/k Theorem 2.6. */

static int64_t alltoall_bound_rounds(const struct rb_plan *plan, int64_t n)
{
    (void)n;
    return plan->p == 1 ? 0 : rb_ceil_log(plan->p, plan->ports + 1);
}

static int64_t alltoall_bound_moves(const struct rb_plan *plan)
{
    int64_t moves;
    if (__builtin_mul_overflow(plan->blocks, (int64_t)(plan->p - 1), &moves))
        return INT64_MAX;
    return moves;
}

static int64_t alltoall_bound_busiest(const struct rb_plan *plan, int64_t rounds)
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
    .bound_rounds = alltoall_bound_rounds,
    .bound_moves = alltoall_bound_moves,
    .bound_busiest = alltoall_bound_busiest,
};

/* Every rank ends up with the combination of all ranks' blocks that are its own: owner is the rank
 * that a block is for. One buffer, DST, which holds a rank's contributions for all owners at the
 * start and is accumulated in; what is not the rank's own is lost.
 *
 * Bounds, one port: it is an allgather read backwards. */

const struct rb_collective rb_reduce_scatter = {
    .info = {.name = "reduce-scatter",
             .title = "every rank gets its part of the combination (MPI_Reduce_scatter, _block)",
             .reducing = true,
             .distributed = true},
    .buffers = 1u << RB_DST,
    .precondition = rb_dst_of_all,
    .postcondition = rb_dst_of_owner,
    .bound_rounds = rb_bound_pipeline,
    .bound_moves = rb_bound_each_once,
    .bound_busiest = rb_bound_others,
};

/* Inclusive prefix combination: rank r ends up with the combination of the blocks of ranks 0 .. r,
 * in this order. One buffer, DST, which holds a rank's contribution at the start and is
 * accumulated in (MPI_IN_PLACE). The data are one vector, named after rank 0.
 *
 * Bounds, one port: what ends at rank p - 1 is a reduction, so n - 1 + ceil(log2 p) rounds; each
 * rank but rank 0 has to receive each block once, combined or not. */

static void ranks_up_to(const struct rb_plan *plan, int32_t rank, int32_t *first, int32_t *end)
{
    (void)plan;
    *first = 0;
    *end = rank + 1;
}

const struct rb_collective rb_scan = {
    .info = {.name = "scan",
             .title = "every rank gets the combination of the data up to its own (MPI_Scan)",
             .reducing = true},
    .buffers = 1u << RB_DST,
    .precondition = rb_dst_of_all,
    .postcondition = rb_dst_of_all,
    .contributors = ranks_up_to,
    .bound_rounds = rb_bound_pipeline,
    .bound_moves = rb_bound_each_once,
    .bound_busiest = rb_bound_whole,
};

/* Exclusive prefix combination: rank r ends up with the combination of the blocks of ranks 0 .. r
 * - 1, in this order; rank 0 with nothing. Two buffers: SRC holds a rank's contribution at the
 * start, and may be spoilt; the result is formed in DST. The data are one vector, named after rank
 * 0.
 *
 * Bounds, one port: what rank p - 1 must have depends on all others, as in a reduction, so n - 1 +
 * ceil(log2 p) rounds; each rank but rank 0 has to receive each block once, combined or not. */

static int64_t exscan_postcondition(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                                    int32_t owner, int64_t index)
{
    return buffer == RB_DST && rank > 0 ? rb_plan_datum(plan, owner, index) : RB_NOTHING;
}

static void ranks_below(const struct rb_plan *plan, int32_t rank, int32_t *first, int32_t *end)
{
    (void)plan;
    *first = 0;
    *end = rank;
}

const struct rb_collective rb_exscan = {
    .info = {.name = "exscan",
             .title = "every rank gets the combination of the data of all lower ranks (MPI_Exscan)",
             .reducing = true},
    .buffers = 1u << RB_SRC | 1u << RB_DST,
    .precondition = rb_src_of_all,
    .postcondition = exscan_postcondition,
    .contributors = ranks_below,
    .bound_rounds = rb_bound_pipeline,
    .bound_moves = rb_bound_each_once,
    .bound_busiest = rb_bound_whole,
};

/* Circular q-shift: the data of rank i end up at rank (i + q) mod p. SRC holds a rank's own data,
 * DST what it gets.
 *
 * Source: Grama, Gupta, Karypis, Kumar 2003, Introduction to Parallel Computing, Section 4.6. Its
 * 0 < q < p is 0 <= q < p here, so that p = 1 has an instance; for q = 0 all data stay where they
 * are, and are copied.
 *
 * Bounds, for q > 0: a rank sends k of its n blocks in a round on k ports; each block of the p
 * ranks moves at least once. */

static int shift_instance(struct rb_plan *plan, const char *text, char *why, size_t why_size)
{
    struct rb_instance_number q = {
        .name = "q", .least = 0, .most = plan->p - 1, .value = plan->p > 1};
    const int status = rb_instance_read(text, &q, 1, why, why_size);
    plan->problem.shift = (int32_t)q.value;
    snprintf(plan->instance, sizeof plan->instance, "q=%d", (int)q.value);
    return status;
}

static int64_t shift_precondition(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                                  int32_t owner, int64_t index)
{
    return buffer == RB_SRC && owner == rank ? rb_plan_datum(plan, owner, index) : RB_NOTHING;
}

static int64_t shift_postcondition(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                                   int32_t owner, int64_t index)
{
    return buffer == RB_DST && rb_after(plan, owner, plan->problem.shift) == rank
               ? rb_plan_datum(plan, owner, index)
               : RB_NOTHING;
}

static int64_t shift_bound_rounds(const struct rb_plan *plan, int64_t n)
{
    return plan->problem.shift == 0 ? 0 : (n - 1) / plan->ports + 1;
}

static int64_t shift_bound_moves(const struct rb_plan *plan)
{
    return plan->problem.shift == 0 ? 0 : plan->blocks * plan->p;
}

const struct rb_collective rb_shift = {
    .info = {.name = "shift",
             .title = "the data of each rank go to the rank q higher, modulo p (a circular shift)",
             .distributed = true,
             .instance = "q=Q: how many ranks further, 0 <= Q < p; usually 1"},
    .buffers = 1u << RB_SRC | 1u << RB_DST,
    .instance = shift_instance,
    .precondition = shift_precondition,
    .postcondition = shift_postcondition,
    .bound_rounds = shift_bound_rounds,
    .bound_moves = shift_bound_moves,
};

/* What schedules are of that name no data: messages with lengths, but nothing that a rank must
 * have at the start or the end. Nothing bounds them from below. It is not listed. */

static int64_t nothing(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                       int32_t owner, int64_t index)
{
    (void)plan;
    (void)rank;
    (void)buffer;
    (void)owner;
    (void)index;
    return RB_NOTHING;
}

const struct rb_collective rb_none = {
    .info = {.name = "none", .title = "messages without contents"},
    .buffers = 1u << RB_TMP,
    .precondition = nothing,
    .postcondition = nothing,
};
