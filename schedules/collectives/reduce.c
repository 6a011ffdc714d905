/* reduce.c - reduction: the root ends up with the combination of all ranks' blocks. One buffer,
 * DST, which holds a rank's contribution at the start and is accumulated in; at other ranks than
 * the root its content is lost.
 *
 * Bounds, one port: a reduction read backwards is a broadcast, so n - 1 + ceil(log2 p) rounds and
 * n (p - 1) moves (Traeff 2024, Section 2). */
#include "schedules/plan/plan.h"

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
