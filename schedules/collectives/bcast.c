/* bcast.c - broadcast: the root's blocks end up at every rank. One buffer, DST, as in MPI_Bcast.
 *
 * Bounds, one port, full duplex: the last block leaves the root in round n - 1 at the earliest and
 * the ranks that have it at most double in each round, so n - 1 + ceil(log2 p) rounds (Bar-Noy and
 * Kipnis 1994; Traeff 2024, Section 1); each of the p - 1 other ranks receives each block once. */
#include "schedules/plan/plan.h"

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
