/* call.h - the common part of the library's functions: finds the plan for a call from its
 * communicator and size, or passes the call to the MPI library. functions.c has the functions
 * themselves; each collective's own part is a function lib_serve_... */
#pragma once

#include "communicator.h"
#include "mpi/choice/trial.h"
#include "mpi/executor/elements.h"
#include "mpi/report/report.h"
#include "settings.h"
#include "shortcut.h"

/* The arguments of a function, by their names in the standard; those that it lacks are zero. */
struct lib_arguments {
    void *buffer, *recvbuf;
    const void *sendbuf;
    int count, sendcount, recvcount, root;
    const int *sendcounts, *recvcounts, *displs, *sdispls, *rdispls;
    MPI_Datatype datatype, sendtype, recvtype;
    MPI_Op op;
    MPI_Comm comm;
};

struct lib_call {
    enum lib_function which;
    const struct lib_shortcut_key *key;
    bool is_fixed; /* their meaning cannot change: their types and operators are predefined */
    bool stays;    /* this call and equal ones stay with the MPI library */
    struct choice_trial *counter; /* counts them; NULL: none does */
    struct lib_communicator *communicator;
    int failure; /* MPI's error code if a plan could not be made for lack of a resource */
    struct lib_cached_plan *cached; /* NULL: no plan serves the call, and the MPI library must */
    int32_t width;
    struct choice_trial *trial; /* NULL: the call's time is not needed */
    double trial_start_s;
    struct report_event event; /* for the report; time_s is when the call started until it ends */
};

/* Plan and run a call of each function in list.h. They leave `cached` NULL where the MPI library
 * must serve the call. MPI error codes. */
#define LIB_CALL(name, collective)
#define LIB_FUNCTION(name, fortran, collective, arguments, key)                                    \
    int lib_serve_##fortran(struct lib_call *call, const struct lib_arguments *given);
#include "list.h"
#undef LIB_CALL
#undef LIB_FUNCTION

/* Starts a call that is not a shortcut. The key must outlive it. */
struct lib_call lib_call_of(const struct lib_shortcut_key *key);

/* True if the arguments may be used for a plan. If not, none of them may be used. */
bool lib_call_is_plain(struct lib_call *call, MPI_Comm comm, int count, MPI_Datatype type);
/* The same for data that are sent, unless MPI_IN_PLACE, and data that are received. */
bool lib_call_are_plain(struct lib_call *call, const struct lib_arguments *given);

/* Finds the communicator of a call. */
int lib_call_begin(struct lib_call *call, MPI_Comm comm);

/* Finds the plan; the situation's collective and p are filled in. */
int lib_call_plan(struct lib_call *call, int root, const struct choice_situation *situation);

/* True if a plan serves the call, for whose planning this error was returned. */
static inline bool lib_call_is_planned(const struct lib_call *call, int error)
{
    return error == MPI_SUCCESS && call->cached != NULL;
}

/* Leaves a call with wrong arguments to the MPI library after all. */
void lib_call_refuse(struct lib_call *call);
/* The same where the plan can't serve it. */
void lib_call_give_up(struct lib_call *call);
/* Up to so many ranks tell each other the counts of all pairs, where a setting asks for a plan that
 * forwards data. */
enum { LIB_MOST_PAIRED = 128 };

/* Refuses a planned call with elements of a datatype that isn't committed. */
void lib_call_check_type(struct lib_call *call, const struct exec_elements *elements);

/* A rank's number in the plan, whose ranks may be in the order of hosts. */
int32_t lib_call_plan_rank(const struct lib_call *call, int rank);
int lib_call_rank(const struct lib_call *call, int32_t plan_rank); /* the inverse */

/* Runs the plan. The caller sets layout, buffers, rows, type and op; everything else is filled
 * in. */
int lib_call_run(struct lib_call *call, struct exec_run *run);

/* Counts a call that the MPI library has served with this error code. Returns the error code. */
int lib_call_left(struct lib_call *call, int error);

/* Ends any other call: calls the communicator's error handler unless the error is MPI_SUCCESS, and
 * returns the error. */
int lib_call_end(struct lib_call *call, MPI_Comm comm, int error);

/* ---- The process's report -------------------------------------------------------------------- */

/* Starts to record calls. Call it before any other thread calls the library. MPI error code. */
int lib_record_start(void);
/* The recorded calls; empty without lib_record_start. Call it while no other thread calls the
 * library. */
const struct report *lib_recorded(void);

/* By what plan this thread's last call was served that was no shortcut; NULL: the MPI library. */
struct lib_served {
    const struct rb_algorithm_info *algorithm;
    int32_t n;
};
extern thread_local struct lib_served lib_last_served LIB_AT_FIXED_PLACE;

/* The results of the online choice on communicators in which this process is rank 0. Call it while
 * no other thread calls the library. */
const struct choice_learned *lib_learned_here(void);
