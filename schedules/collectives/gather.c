/* gather.c - the root ends up with all ranks' parts. One buffer, DST, which has room for all of
 * them: at the start a rank's own part is at its location; other ranks than the root do not keep
 * the parts that they forward.
 *
 * Bounds, one port: it is a scatter read backwards. */
#include "schedules/plan/plan.h"

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
