/* record.h - RB_RECORD: what this rank does in MPI, to a file (format.h). record.c keeps the file;
 * record_calls.c and record_fortran.c have MPI's names. */
#ifndef MPI_RECORD_RECORD_H
#define MPI_RECORD_RECORD_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "mpi/library/call.h" /* with lists of arguments */
#include "mpi/record/format.h"
#include "mpi/record/signatures.h"
#include "support/error.h"

/* ---- The start and the end ------------------------------------------------------------------- */

/* Makes this rank's file if RB_RECORD is set; nothing has been recorded there before. RB_EINVAL. */
int record_open(int rank, struct sup_error *error);
/* Removes it: the program does not run. */
void record_discard(void);
/* Collective over MPI_COMM_WORLD, when MPI has started. comm has the same ranks and is not the
 * program's; MPI_COMM_NULL: clocks are not compared. */
void record_begin(MPI_Comm comm, int tag);
/* Collective likewise, before MPI_Finalize. */
void record_end(MPI_Comm comm, int tag);

/* ---- Calls ----------------------------------------------------------------------------------- */

/* Bytes of a collective; those from RECORD_SENT on are what this rank gives. */
enum record_rule {
    RECORD_NOTHING,
    RECORD_WHOLE,    /* of the vector that all have */
    RECORD_PARTS,    /* of as many of these as there are ranks */
    RECORD_RECEIVED, /* of what each receives */
    RECORD_SUMMED,   /* of the counts of all ranks */
    RECORD_PAIRS,    /* of what each receives, of all ranks */
    RECORD_SCATTERED,
    RECORD_GATHERED,
    RECORD_SENT, /* of the sum of sendcounts */
    RECORD_GIVEN,
    RECORD_TAKEN,
    RECORD_NEIGHBOURS,
};

/* A call's arguments by their names in the standard; those that it lacks are zero. */
struct record_arguments {
    const void *buf, *buffer, *sendbuf, *recvbuf;
    int count, sendcount, recvcount, root, dest, source, tag, sendtag, recvtag;
    const int *sendcounts, *recvcounts, *displs, *sdispls, *rdispls;
    MPI_Datatype datatype, sendtype, recvtype;
    const void *sendtypes, *recvtypes; /* handles, of Fortran if `is_fortran` */
    MPI_Op op;
    MPI_Comm comm;
    const void *request;     /* one or more handles, likewise */
    bool is_fortran, single; /* single: `request` is one, and there is no count */
};

/* Hot: true while calls are recorded. */
extern bool record_runs;
/* Of this thread; counts calls of others. */
bool record_is_this_thread(void);
static inline bool record_is_on(void)
{
    return __builtin_expect(record_runs, false) && record_is_this_thread();
}

static inline int64_t record_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Each of these is called after the call that began at `enter`. `how` is RECORD_BLOCKING,
 * RECORD_STARTED, with its request, or RECORD_INITIATED, a persistent one. */
enum { RECORD_INITIATED = RECORD_WAITED + 1 };
void record_collective(enum record_collective collective, enum record_rule rule, int how,
                       const struct record_arguments *given, int64_t enter);
/* Point to point: what a call does besides; 0: neither. */
enum { RECORD_POSTS = 1, RECORD_COMPLETES = 2 };
void record_sent(const struct record_arguments *given, int part, int64_t enter);
void record_persistent(const struct record_arguments *given, int64_t enter);
void record_other(int part, int64_t enter);
void record_started(const struct record_arguments *given, int64_t enter);

/* The recorded collectives among requests that are to be completed: looked up before, and those
 * that are completed recorded after the call. */
struct record_pending {
    int count;
    struct {
        int index;
        MPI_Request request;
    } of[64];
};
void record_look(const struct record_arguments *given, struct record_pending *pending);
void record_waited(const struct record_arguments *given, const struct record_pending *pending,
                   int64_t enter);

/* The library's collectives, recorded. */
#define RECORD_COLLECTIVE(name, fortran, arguments, rule)
#define RECORD_SERVED(name, fortran, arguments, rule) int record_##fortran(arguments(RECORD_C));
#include "mpi/record/list.h"
#undef RECORD_COLLECTIVE
#undef RECORD_SERVED

#endif
