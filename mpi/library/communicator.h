/* communicator.h - the library's data for a communicator: the private communicator for its
 * messages, the plans it has used, and the executor with its memory. They are freed with the
 * communicator, or when MPI ends. */
#pragma once

#include "hosts.h"
#include "mpi/choice/trial.h"
#include "mpi/executor/elements.h"
#include "mpi/executor/executor.h"
#include "plan_cache.h"
#include "settings.h"

/* Additional memory of a call, kept for the next call. */
struct lib_scratch {
    void *memory;
    size_t bytes;
};

struct lib_communicator {
    MPI_Comm of; /* the caller's */
    int p, rank;

    /* Where its messages go, once lib_communicator_connect has found a place. */
    MPI_Comm comm;         /* MPI_ERRORS_RETURN, no attributes; MPI_COMM_NULL: there is no place */
    int *peers;            /* its ranks in comm; NULL: the same */
    int first_tag;         /* of EXEC_TAGS in comm that are this communicator's */
    struct exec_self self; /* in comm */

    /* Its ranks by host; sizes NULL: not known, or not yet. */
    struct lib_hosts_order hosts;
    struct choice_groups groups; /* these hosts, for the choice */
    int *peers_by_host; /* the ranks in comm of a plan's ranks, where these are in that order */

    struct lib_plan_cache plans;
    struct exec_context *executor; /* NULL before it is connected */
    struct choice_decision_row decisions[LIB_CALLS]
                                        [2]; /* regular, irregular; those needed so far */
    struct choice_trials trials;
    struct lib_scratch data;                  /* a vector of the caller's */
    struct lib_scratch counts;                /* per rank */
    struct lib_scratch rows;                  /* per rank, in the order of hosts */
    struct lib_scratch pairs;                 /* per pair of ranks */
    struct lib_scratch plans_own[RB_BUFFERS]; /* buffers that only the plan knows */

    /* communicator.c's. */
    int32_t space;               /* the tags' number; -1: none */
    bool owns_comm;              /* comm is this communicator's alone */
    struct lib_place *own_hosts; /* then its ranks' (lib_hosts_find), or NULL */
    bool spoilt;                 /* messages may be left over, so its tags cannot serve another
                                  * communicator */
    int64_t connections;         /* number of failed calls of lib_communicator_connect */
    struct lib_communicator *next;
};

/* Finds the data of an intra-communicator; local. MPI error code. Threads may call it at once for
 * different communicators. */
int lib_communicator_of(MPI_Comm comm, struct lib_communicator **found);

/* Finds a communicator and tags for its messages unless it has them. Collective until they are
 * found. MPI error code. MPI_SUCCESS and MPI_COMM_NULL in `comm`, at all ranks, mean that none is
 * available, so the MPI library must serve this call. */
int lib_communicator_connect(struct lib_communicator *communicator);

/* Finds out which of its ranks share hosts, if possible, with the same result at all ranks. Local,
 * once it has a communicator for its messages. MPI error code. */
int lib_communicator_find_hosts(struct lib_communicator *communicator);

/* True once MPI_Finalize has freed everything that the library kept: lib_communicator_of must not
 * be called any more. */
bool lib_communicators_ended(void);

/* Returns at least `bytes` bytes, aligned for any type, with undefined content; NULL: out of
 * memory. */
void *lib_scratch_reserve(struct lib_scratch *scratch, size_t bytes);
