/* reduce_scatter.c - every rank ends up with the combination of all ranks' blocks that are its own:
 * owner is the rank that a block is for. One buffer, DST, which holds a rank's contributions for
 * all owners at the start and is accumulated in; what is not the rank's own is lost.
 *
 * Bounds, one port: it is an allgather read backwards. */
#include "schedules/plan/plan.h"

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
