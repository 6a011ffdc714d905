/* call.h - what the library's functions have in common: from a communicator and the size of a call
 * to its plan, or to the MPI library. */
#ifndef RB_MPI_CALL_H
#define RB_MPI_CALL_H

#include "choice.h"
#include "communicator.h"
#include "elements.h"

enum rb_which {
    RB_CALL_BCAST,
    RB_CALL_REDUCE,
    RB_CALL_ALLGATHER,
    RB_CALL_REDUCE_SCATTER,
    RB_CALL_ALLREDUCE,
    RB_CALL_ALLTOALL,
    RB_CALLS
};

struct rb_call {
    struct rb_communicator *communicator;
    const struct rb_cached_plan *cached; /* NULL: no plan serves; the MPI library must */
    int32_t width;
};

/* May the arguments go into a plan? Otherwise nothing of them may be looked at. */
bool rb_call_is_plain(MPI_Comm comm, int count, MPI_Datatype type);

/* The communicator of a call. */
int rb_call_begin(struct rb_call *call, MPI_Comm comm);

/* The plan: the situation's collective is filled in. */
int rb_call_plan(struct rb_call *call, enum rb_which which, int root,
                 const struct rb_situation *situation);

/* Runs it. The layout, buffers, rows, type and op are the caller's, all else is filled in. */
int rb_call_run(struct rb_call *call, struct rb_execution *run);

/* Counts a call that goes to the MPI library. */
void rb_call_fall_back(enum rb_which which);

/* Tells the communicator's error handler, unless it is MPI_SUCCESS, and returns the error. */
int rb_call_end(MPI_Comm comm, int error);

#endif
