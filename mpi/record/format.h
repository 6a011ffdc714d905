/* format.h - a recording: a directory with a file for each rank, which the preloaded library writes
 * (docs/mpi.md, "A recording") and `roundabout workload` reads.
 *
 * A file is a header, and records in the order in which their calls ended, each of some words of 8
 * bytes in the machine's byte order. It may end anywhere: the records up to there are good. */
#pragma once

#include <stdint.h>

#define RECORD_MAGIC "rb-rec1\n" /* the first 8 bytes */
#define RECORD_NAME  "rank-%d"   /* of a file, by the rank in MPI_COMM_WORLD */

struct record_header {
    char magic[8];
    int32_t rank, ranks;
    uint64_t job;     /* the same in all files of a job */
    int64_t offset;   /* what to add to this rank's times to have rank 0's; nanoseconds */
    int64_t start;    /* when MPI had started */
    char library[96]; /* the MPI library, as it names itself */
};

enum record_kind {
    RECORD_CALL = 1,  /* struct record_call */
    RECORD_MEMBERS,   /* struct record_members, and as many int32_t: ranks of MPI_COMM_WORLD */
    RECORD_PEERS,     /* struct record_peers, and as many struct record_peer */
    RECORD_PAUSE,     /* struct record_pause */
    RECORD_ALGORITHM, /* struct record_algorithm: the name of a number */
    RECORD_END,       /* struct record_end: MPI_Finalize */
};

/* How each record begins; words: of 8 bytes, with this one. */
struct record_start {
    uint32_t kind, words;
};

/* By list.h. */
enum record_collective {
#define RECORD_COLLECTIVE(name, fortran, arguments, rule) RECORD_OF_##name,
#define RECORD_SERVED                                     RECORD_COLLECTIVE
#include "mpi/record/list.h"
#undef RECORD_COLLECTIVE
#undef RECORD_SERVED
    RECORD_COLLECTIVES
};

/* What a call is: a collective that was waited for, one that was started, or a wait. */
enum { RECORD_BLOCKING, RECORD_STARTED, RECORD_WAITED };

/* A call. Times are nanoseconds of the rank's clock. */
struct record_call {
    struct record_start start;
    int64_t enter, leave;
    int64_t bytes;  /* of all data of the communicator, or if `partial` what this rank gives */
    uint64_t slots; /* started: the one that it is in until it is waited for; a wait: which */
    int32_t communicator; /* by the order in which this rank met them; 0: world */
    int32_t root;         /* -1: it has none */
    uint8_t collective;   /* enum record_collective */
    uint8_t how, partial;
    uint8_t element;   /* bytes; 0: more than 255 */
    uint8_t type, op;  /* of RECORD_TYPES and RECORD_OPS; 0: of the program's own */
    int16_t algorithm; /* of a record RECORD_ALGORITHM; -1: the MPI library's own */
    int32_t n;         /* its blocks; 0: none */
    int32_t unused;
};

struct record_algorithm {
    struct record_start start;
    int64_t number;
    char name[40];
};

struct record_members {
    struct record_start start;
    int32_t communicator, count;
};

/* Point to point: a phase, in which messages are posted and then completed. What is posted after
 * that belongs to the next one; so does what is behind a record of a call. */
struct record_peers {
    struct record_start start;
    int32_t count, unused;
    int64_t inside; /* nanoseconds in such calls */
    int64_t leave;  /* when the last one ended */
};
struct record_peer {
    int32_t to; /* rank of MPI_COMM_WORLD */
    uint32_t messages;
    int64_t bytes;
};

/* The recorder wrote to the file; that time is none of the program's. */
struct record_pause {
    struct record_start start;
    int64_t length;
};

/* Why calls are not recorded. */
enum {
    RECORD_INTER,  /* an inter-communicator */
    RECORD_THREAD, /* MPI_THREAD_MULTIPLE: of other threads than the one that started MPI */
    RECORD_WORLD,  /* a communicator with ranks outside of MPI_COMM_WORLD */
    RECORD_ROOM,   /* more than 64 collectives in flight, or out of memory */
    RECORD_REASONS
};

struct record_end {
    struct record_start start;
    int64_t enter, offset;                /* as in the header, at the end */
    int64_t not_recorded[RECORD_REASONS]; /* calls */
};

/* Predefined datatypes and operators, in C and Fortran, by their numbers from 1. */
/* clang-format off */
#define RECORD_TYPES(T) \
    T(BYTE) T(CHAR) T(SIGNED_CHAR) T(UNSIGNED_CHAR) T(SHORT) T(INT) T(UNSIGNED) T(LONG) \
    T(UNSIGNED_LONG) T(LONG_LONG_INT) T(FLOAT) T(DOUBLE) T(INT32_T) T(INT64_T) T(UINT32_T) \
    T(UINT64_T) T(DOUBLE_INT) T(2INT) T(INTEGER) T(REAL) T(DOUBLE_PRECISION) T(LOGICAL) \
    T(CHARACTER) T(DOUBLE_COMPLEX)
#define RECORD_OPS(T) \
    T(SUM) T(MAX) T(MIN) T(PROD) T(LAND) T(BAND) T(LOR) T(BOR) T(LXOR) T(BXOR) T(MAXLOC) T(MINLOC)
/* clang-format on */
