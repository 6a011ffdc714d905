/* recorded.h - private to this folder: a recording on its way to a workload.
 *
 *     files --recorded.c--> one line of steps for all ranks --recorded_fold.c--> loops
 *           --recorded_text.c--> the text of a workload file
 */
#pragma once

#include "experiments/workload/source.h"
#include "mpi/record/format.h"

/* ---- What ranks did -------------------------------------------------------------------------- */

enum {
    RECORDED_END = RECORD_WAITED + 1, /* how: MPI_Finalize */
    RECORDED_MESSAGES,                /* how: a phase of point to point */
    RECORDED_MOVING = -2,             /* root: the next one in each call */
};

/* A call of a rank, or a phase. What tells calls apart, but for ranks and communicators of a set,
 * is a record of which enter and leave are 0, bytes 0 if they differ, communicator a set's number,
 * and algorithm one of recorded.algorithm. */
struct recorded_item {
    uint32_t call;               /* of recorded.call */
    uint32_t peers;              /* of a phase: of recorded.peer, where its run begins */
    float computing_s, inside_s; /* before it; in it */
    int64_t bytes, enter_ns;     /* as recorded; by rank 0's clock */
};

struct recorded_rank {
    struct recorded_item *item; /* owned */
    size_t items, next;
    int32_t *communicator, communicators; /* by number; owned */
};

struct recorded_communicator {
    uint64_t hash;
    int32_t set, number,
        copy;               /* number: at its first rank; copy: so many with these members before */
    int32_t *member, count; /* owned */
};

/* Sets of communicators that have no rank in common. */
struct recorded_set {
    int32_t *of; /* per rank: the communicator; -1: none; owned */
};

/* ---- One line of steps, and its loops -------------------------------------------------------- */

/* A step: ranks that do the same call. */
struct recorded_step {
    uint32_t call, only; /* only: 1 + one of recorded.only; 0: all of the set */
    uint64_t peers;      /* hash of who sends to whom */
};

/* A step, or a loop over nodes that follow each other. */
struct recorded_node {
    uint32_t step;          /* if it is none */
    uint32_t first, length; /* of the body; length 0: it is a step */
    int32_t root;           /* of a step whose root moves: when the loop around it begins */
    int64_t times;
};

struct recorded_program {
    struct recorded_node *node; /* owned */
    size_t nodes;
    uint32_t first, length; /* of the whole */
};

struct recorded {
    const char *path;
    struct record_header header; /* rank 0's */
    int32_t ranks;
    struct recorded_rank *rank;
    struct record_call *call;
    size_t calls;
    struct recorded_communicator *communicator;
    size_t communicators;
    struct recorded_set *set;
    int32_t sets;
    struct record_peer *peer; /* messages of phases: runs that end with a receiver below 0 */
    size_t peers;
    char (*algorithm)[40];
    size_t algorithms;
    struct recorded_step *step;
    size_t steps;
    bool *only; /* so many times per rank; owned */
    size_t onlys;
    uint32_t *line; /* steps in their order */
    size_t lines;
    int64_t all_calls, lost, bytes, messages, to_itself, missed[RECORD_REASONS];
    int32_t unfinished; /* ranks whose recording has no end */
};

/* Spreads a hash, so that sums of such differ where the hashes do. */
static inline uint64_t recorded_mix(uint64_t word)
{
    word = (word ^ word >> 31) * UINT64_C(0x7fb5d329728ea185);
    return (word ^ word >> 27) * UINT64_C(0x81dadef4bc2dd44d) | 1;
}

/* Makes loops of a line. The caller frees program->node. */
void recorded_fold(const uint32_t line[], size_t lines, struct recorded_program *program);

/* Writes the workload of the program. RB_EINVAL: the wishes can't be had. */
int recorded_write(struct recorded *recorded, const struct recorded_program *program,
                   const struct workload_wishes *wishes, FILE *text, struct workload_told *told,
                   struct sup_error *error);

/* Recordings: directories of RB_RECORD. */
extern const struct workload_source recorded_source;
