/* allgather.c - all-broadcast: every rank ends up with all ranks' blocks. One buffer, DST, in which
 * a rank's own data lie in their place at the start (MPI_IN_PLACE).
 *
 * Bounds, one port: a message may carry one block of each owner, so the bound of a broadcast holds
 * for every owner: n - 1 + ceil(log2 p) rounds (Traeff 2024, Section 2); each rank receives the
 * n (p - 1) blocks of the others. */
#include "schedules/plan/plan.h"

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
