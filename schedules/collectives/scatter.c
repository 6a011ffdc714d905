/* scatter.c - every rank ends up with its part of the root's data: owner is the rank that a block
 * is for. One buffer, DST, which has room for all parts: at the root it holds them at the start,
 * and a rank's own part ends up in its place.
 *
 * Bounds, one port: a message may carry one block of each owner, and the ranks that have any but
 * the first n - 1 blocks at most double in each round, so n - 1 + ceil(log2 p) rounds; each of the
 * p - 1 other ranks receives its n blocks. */
#include "schedules/plan/plan.h"

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
