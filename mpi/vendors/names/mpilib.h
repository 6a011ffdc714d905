/* mpilib.h - what MPI libraries and benchmark suites call their algorithms, and what the same
 * algorithms are called here. One file holds the rows of one library; mpilib.c lists the libraries.
 *
 * An algorithm of ours is named by its name. Whether there is a plan for it is asked when the
 * program runs (mpilib_info), so a row may name a plan that comes later. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "roundabout.h"

/* The numbers of ranks for which an algorithm does what its name says; for others the library falls
 * back to another algorithm, or refuses the call. */
enum mpilib_ranks {
    MPILIB_ANY,
    MPILIB_TWO,
    MPILIB_EVEN,
    MPILIB_POWERS,      /* powers of two */
    MPILIB_ONE_PER_NODE /* any, one on each node */
};

/* How a library runs the plan, as far as it changes the time. */
enum mpilib_sends {
    MPILIB_IN_ROUNDS, /* round by round */
    MPILIB_TOGETHER, /* a rank's messages of successive rounds in which it only sends leave at once,
                      * as non-blocking sends to all children of a tree */
    MPILIB_POSTED    /* all sends and receives are posted at once */
};
struct mpilib_manner {
    enum mpilib_sends sends;
    bool by_block; /* blocks that are not contiguous travel as messages of their own */
    bool packs;    /* every message is packed, by a derived datatype */
    bool asked;    /* the receiver asks for every message by one of its own */
    int8_t copies; /* local copies of all data before or after */
    /* The engine whose time on the machine's network its times follow; NULL: they follow the plan's
     * critical path. */
    const char *engine;
};

struct mpilib_algorithm {
    const char *library;    /* "ompi", "mpich", "ucc", "impi", "smpi", "pico", "fujitsu", "nccl" */
    const char *collective; /* ours: "reduce-scatter" */
    const char *call;       /* the library's: "reduce_scatter_block" */
    const char *name;       /* the library's or the suite's own name of the algorithm */
    int id;                 /* in the library's files and variables; -1: none */
    const char *algorithm;  /* ours; NULL: there is no such plan */
    const char *follows;    /* where it is NULL: ours, with segments or groups that the algorithm
                             * chooses itself, which no rule can give (choices.h); NULL: none */
    int32_t radix; /* of ours, fixed by the name or the library's default; 0: none, or its parameter
                      says */
    bool segmented;       /* it takes a segment or chunk size */
    bool fanned;          /* its radix is a parameter of a rule (Open MPI's FANINOUT, MPICH's k) */
    const char *variable; /* segmented, but one variable has the segment size of all calls; NULL:
                             rules have it */
    const char
        *fixed; /* parameters that make it this algorithm, "tree_type=kary k=1"; NULL: none */
    enum mpilib_ranks ranks;
    struct mpilib_manner manner;
    int since, until; /* the versions that have it, major * 100 + minor; 0: no limit */
};

/* The rows of a library in a row; NULL if there is no such library. */
const struct mpilib_algorithm *mpilib_rows(const char *library, size_t *count);

/* What the library calls so; the collective is ours, or NULL for any, and the first row counts.
 * NULL: unknown. */
const struct mpilib_algorithm *mpilib_named(const char *library, const char *collective,
                                            const char *name);

/* What has this number in a call ("reduce_scatter_block") of the library's version (0: any). NULL:
 * unknown. */
const struct mpilib_algorithm *mpilib_numbered(const char *library, const char *call, int id,
                                               int version);

/* What a library of this version calls an algorithm of ours for p ranks, ppn on a node (0: not
 * known); the call may be NULL for any. A radix of 0 is the algorithm's own choice and fits every
 * row. NULL: the library has no such algorithm. */
const struct mpilib_algorithm *mpilib_ours(const char *library, int version, const char *collective,
                                           const char *call, const char *algorithm, int32_t radix,
                                           int32_t p, int32_t ppn);

/* May the row serve p ranks, ppn on a node (0: not known), and does a version have it? */
bool mpilib_serves(const struct mpilib_algorithm *row, int32_t p, int32_t ppn);
bool mpilib_has(const struct mpilib_algorithm *row, int version);

/* The radix of the plan for p ranks: libraries take p itself for what exceeds it. */
int32_t mpilib_radix(int32_t radix, int32_t p);

/* The plan's algorithm; NULL if there is no plan for it (yet). */
const struct rb_algorithm_info *mpilib_info(const struct mpilib_algorithm *row);
