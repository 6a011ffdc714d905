/* call.h - what the library's functions have in common: from a communicator and the size of a call
 * to its plan, or to the MPI library.
 *
 *     const struct rb_arguments arguments = {.which = RB_CALL_BCAST, ...};
 *     if (rb_shortcut_take(&arguments))
 *         return PMPI_Bcast(...);
 *     struct rb_call call = rb_call_of(RB_CALL_BCAST);
 *     call.arguments = &arguments;
 *     if (rb_call_is_plain(&call, comm, count, type) && ... rb_call_begin, rb_call_plan ...)
 *     if (error == MPI_SUCCESS && call.cached == NULL)
 *         return rb_call_left(&call, PMPI_Bcast(...));
 *     return rb_call_end(&call, comm, error != MPI_SUCCESS ? error : ... rb_call_run ...); */
#ifndef RB_MPI_LIBRARY_CALL_H
#define RB_MPI_LIBRARY_CALL_H

#include "communicator.h"
#include "mpi/choice/learned.h"
#include "mpi/executor/elements.h"
#include "mpi/report/report.h"
#include "settings.h"
#include "shortcut.h"

struct rb_call {
    enum rb_which which;
    const struct rb_arguments *arguments; /* NULL: there are more than these */
    bool is_fixed; /* they mean the same for ever: their types and operators are predefined */
    bool stays;    /* with the MPI library, and so will others */
    struct rb_trial *kind; /* counts them; NULL: none does */
    struct rb_communicator *communicator;
    int failure; /* MPI's error code, if no plan could be made for want of something */
    struct rb_cached_plan *cached; /* NULL: no plan serves; the MPI library must */
    int32_t width;
    struct rb_trial *trial; /* NULL: the call's time does not matter to it */
    double trial_start_s;
    struct call_event event; /* for the report; time_s is when the call started until it ends */
};

/* A call starts that is no shortcut. */
struct rb_call rb_call_of(enum rb_which which);

/* True if the arguments may be used for a plan. If not, none of them may be looked at. */
bool rb_call_is_plain(struct rb_call *call, MPI_Comm comm, int count, MPI_Datatype type);

/* The communicator of a call. */
int rb_call_begin(struct rb_call *call, MPI_Comm comm);

/* The plan: the situation's collective and p are filled in. */
int rb_call_plan(struct rb_call *call, int root, const struct rb_situation *situation);

/* Leaves a call with wrong arguments to the MPI library after all. */
void rb_call_refuse(struct rb_call *call);

/* Refuses a planned call with elements of a datatype that isn't committed. */
void rb_call_check_type(struct rb_call *call, const struct rb_elements *elements);

/* Runs it. The layout, buffers, rows, type and op are the caller's, all else is filled in. */
int rb_call_run(struct rb_call *call, struct rb_execution *run);

/* A call that was left to the MPI library, and returned this error, has ended: it is counted.
 * Returns the error. */
int rb_call_left(struct rb_call *call, int error);

/* Any other call has ended. Tells the communicator's error handler, unless it is MPI_SUCCESS, and
 * returns the error. */
int rb_call_end(struct rb_call *call, MPI_Comm comm, int error);

/* ---- The process's report -------------------------------------------------------------------- */

/* From now on calls are recorded. Before any other thread calls the library. MPI error code. */
int rb_record_start(void);
/* What was recorded, without rb_record_start nothing. While no other thread calls the library. */
const struct rb_report *rb_recorded(void);

/* What the online choice has learned on communicators whose rank 0 this process is. While no other
 * thread calls the library. */
const struct rb_learned *rb_learned_here(void);

#endif
