/* record.h - RB_RECORD: what this rank does in MPI, to a file (format.h). record.c keeps the file;
 * record_calls.c and record_fortran.c have MPI's names. */
#pragma once

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "mpi/library/call.h" /* with lists of arguments */
#include "mpi/record/format.h"
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
    MPI_Count count, sendcount, recvcount;
    int root, dest, source, tag, sendtag, recvtag, partitions;
    const void *sendcounts, *recvcounts, *displs, *sdispls, *rdispls; /* by is_large */
    MPI_Datatype datatype, sendtype, recvtype;
    const void *sendtypes, *recvtypes; /* handles, of Fortran if `is_fortran` */
    MPI_Op op;
    MPI_Comm comm;
    const void *request;               /* one or more handles, likewise */
    bool is_fortran, is_large, single; /* arrays have MPI_Count; `request` is one, uncounted */
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

/* ---- Signatures ------------------------------------------------------------------------------ */

/* Turns the arguments of a call in list.h into parameters, the values that are
 * passed on, and the members of struct record_arguments, in C (RECORD_C...) and for Fortran
 * (RECORD_F...). */

#define RECORD_C(kind, name) RECORD_KIND_##kind(RECORD_PICK_C, name)
#define RECORD_F(kind, name) RECORD_KIND_##kind(RECORD_PICK_F, name)
#define RECORD_V(kind, name) RECORD_KIND_##kind(RECORD_PICK_V, name) /* the arguments */
#define RECORD_M(kind, name) RECORD_KIND_##kind(RECORD_PICK_M, name)

#define RECORD_PICK_C(c, f, name, comma, ...) c RECORD_##comma
#define RECORD_PICK_F(c, f, name, comma, ...) f RECORD_##comma
#define RECORD_PICK_V(c, f, name, comma, ...) name RECORD_##comma
#define RECORD_PICK_M(c, f, name, comma, ...) __VA_ARGS__
#define RECORD_MORE                           ,
#define RECORD_INT(x)                         int /* record_large.c: MPI_Count, by the name */
#define RECORD_LAST

/* Of each kind: the parameters in C and Fortran, where all is passed by its address, whether it is
 * the last one, and its members. RECORD_TO_... take the value out of what the language passes. */
/* clang-format off */
#define RECORD_KIND_IN(A, x) A(const void *x, void *x, x, MORE, .x = RECORD_TO_BUFFER(x),)
#define RECORD_KIND_OUT(A, x) A(void *x, void *x, x, MORE, .x = RECORD_TO_BUFFER(x),)
#define RECORD_KIND_INT(A, x) A(RECORD_INT(x) x, MPI_Fint *x, x, MORE, .x = RECORD_TO_INT(x),)
#define RECORD_KIND_INTS(A, x) A(const RECORD_INT(x) x[], MPI_Fint *x, x, MORE, .x = x,)
#define RECORD_KIND_TYPE(A, x) A(MPI_Datatype x, MPI_Fint *x, x, MORE, .x = RECORD_TO_TYPE(x),)
#define RECORD_KIND_TYPES(A, x) A(const MPI_Datatype x[], MPI_Fint *x, x, MORE, .x = x,)
#define RECORD_KIND_PLACES(A, x) A(const MPI_Aint x[], void *x, x, MORE, )
#define RECORD_KIND_OP(A, x) A(MPI_Op x, MPI_Fint *x, x, MORE, .x = RECORD_TO_OP(x),)
#define RECORD_KIND_COMM(A, x) A(MPI_Comm x, MPI_Fint *x, x, LAST, .x = RECORD_TO_COMM(x),)
#define RECORD_KIND_MCOMM(A, x) A(MPI_Comm x, MPI_Fint *x, x, MORE, .x = RECORD_TO_COMM(x),)
#define RECORD_KIND_ONE(A, x) A(MPI_Request *x, MPI_Fint *x, x, MORE, .x = x, .single = true,)
#define RECORD_KIND_ONE_(A, x) A(MPI_Request *x, MPI_Fint *x, x, LAST, .x = x, .single = true,)
#define RECORD_KIND_MREQUEST(A, x) A(MPI_Request x[], MPI_Fint *x, x, MORE, .x = x,)
#define RECORD_KIND_REQUEST(A, x) A(MPI_Request x[], MPI_Fint *x, x, LAST, .x = x,)
#define RECORD_KIND_STATUS_(A, x) A(MPI_Status *x, void *x, x, LAST, )
#define RECORD_KIND_FLAG(A, x) A(int *x, MPI_Fint *x, x, MORE, )
#define RECORD_KIND_INDEX(A, x) A(int *x, MPI_Fint *x, x, MORE, )
#define RECORD_KIND_MESSAGE(A, x) A(MPI_Message *x, MPI_Fint *x, x, MORE, )
/* clang-format on */

/* ---- Calls ----------------------------------------------------------------------------------- */

/* The library's collectives, recorded. */
#define RECORD_COLLECTIVE(name, fortran, arguments, rule)
#define RECORD_SERVED(name, fortran, arguments, rule) int record_##fortran(arguments(RECORD_C));
#include "mpi/record/list.h"
#undef RECORD_COLLECTIVE
#undef RECORD_SERVED
