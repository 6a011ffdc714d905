/* program.h - what each rank of a collective does, step by step: threads, FIFOs and memory, as
 * MSCCL's and MSCCL++'s files, GOAL and round plans give it.
 *
 * A rank has threads. A thread's steps run in order, each when the step before is complete.
 *
 * A FIFO carries messages in order from one rank to another. A step takes a message from its FIFO
 * `in` if there is one, puts one into its FIFO `out` if there is room, or does both at once: it
 * waits for both, then takes and puts. It may also wait for a step of another thread of its rank.
 *
 * A rank's memory consists of slots, each with room for a chunk. A step reads `count` slots from
 * `from`, writes `count` slots at `at`, and its value is
 *
 *   what came in                          if it has `in` only
 *   what is at `from`                     if it has `from` only
 *   both combined                         if it has both, or
 *   what is at `from` and `at` combined   if it `combines` (then it has no `in`).
 *
 * The value is written at `at`, if it is given, and leaves by `out`, if it is given. FIFOs that
 * carry no data (semaphores; their steps have `signal`) order steps and have any room: what is put
 * carries nothing, and the step's value stays where it is. A step of another rank's memory
 * (one-sided put and get) names that rank in from_rank and at_rank. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "support/error.h"

enum { PRG_NONE = -1, PRG_MAX_CHUNKS = 1 << 28 /* of a buffer */ };

struct prg_step {
    int32_t in, out;              /* FIFOs, or PRG_NONE */
    int32_t dep_thread, dep_step; /* waits for this step of this thread of its rank (by the numbers
                                   * of prg_begin_thread and prg_add), or PRG_NONE */
    int32_t from_rank, at_rank;   /* whose memory; the rank itself unless it is one-sided */
    int32_t from, at;             /* slots, or PRG_NONE */
    int32_t count;                /* slots read, sent and written; 0: no data */
    bool combines;
    bool relaxed; /* what it puts or takes orders nothing but the two steps themselves */
    bool left;    /* what comes in, or is at `from`, is the left operand */
    int32_t line; /* of the file that it is from; 0: none */
};

struct prg_fifo {
    int32_t from, to, channel;
    bool signal; /* carries no data and has any room */
};

struct prg_thread {
    int32_t rank;
    int32_t number; /* the file's; dep_thread is the thread's place among its rank's threads */
    int64_t first;  /* its steps are step[first .. first + count - 1] */
    int64_t count;
};

/* Whose data a rank's chunks are: all, numbered through, or the root's alone; the rank's own part,
 * by ranks; or parts of all ranks, of which chunk i of those from rank s is chunk i of what s has
 * for this rank. */
enum prg_share { PRG_WHOLE, PRG_OF_ROOT, PRG_PART, PRG_EXCHANGED };

/* What must be in a rank's memory at the start and at the end. A datum is a number in 0 .. data -
 * 1, or PRG_NONE: nothing is there, or nothing is required. In reductions each rank contributes its
 * own operand to each datum that it has at the start. */
struct prg_contract {
    const char *collective; /* "allreduce"; NULL: not known, contents can't be proved */
    int32_t root;           /* of rooted ones */
    bool reducing;
    bool everywhere_equal; /* all ranks end with the same data */
    int32_t data;
    enum prg_share start, end; /* of its input, its output: prg_datum */
};

/* Buffers of chunks, as in MSCCL: slots 0 .. inputs - 1 are a rank's input, then come its output,
 * then scratch. In place, input and output are one; prg_place gives the slots. */
enum prg_buffer { PRG_INPUT, PRG_OUTPUT, PRG_SCRATCH, PRG_BUFFERS };
struct prg_memory {
    int32_t chunks[PRG_BUFFERS]; /* of each buffer */
    int32_t base[PRG_BUFFERS];   /* first slot of each; in place they overlap */
    int32_t slots;               /* in all */
    int32_t line;                /* of the file that it is from; 0: none */
};

struct prg_program {
    int32_t ranks;
    struct prg_memory *memory; /* per rank; owned */
    struct prg_contract contract;
    int32_t chunks; /* into which the collective's data (rb_layout's bytes) are divided: chunks of
                     * a rank's memory have bytes / chunks each */
    int32_t threads;
    struct prg_thread *thread; /* by rank; owned */
    int32_t *first_thread;     /* ranks + 1: of each rank; owned, made by prg_finish */
    int64_t steps;
    struct prg_step *step; /* owned */
    int32_t fifos;
    struct prg_fifo *fifo; /* owned */
    int64_t *bytes;        /* of each step's message, for programs without data (GOAL); owned; NULL:
                            * count chunks */
    /* For prg_fifo_of and growth: */
    int32_t *fifo_table;
    int32_t fifo_room, thread_room;
    int64_t step_room;
};

/* An empty program; RB_ENOMEM. The caller frees it, also after a failure. */
int prg_init(struct prg_program *program, int32_t ranks);
void prg_free(struct prg_program *program); /* safe on a zeroed struct */

/* The steps added from now on are those of a new thread of this rank. Threads of a rank are
 * begun in the order of their places (dep_thread); ranks may come in any order. */
int prg_begin_thread(struct prg_program *program, int32_t rank, int32_t number);
/* Adds a step to the thread begun last; a step without values is
 * prg_step_of(rank). RB_ENOMEM. O(1) amortised. */
int prg_add(struct prg_program *program, const struct prg_step *step);
struct prg_step prg_step_of(int32_t rank);
/* The number of the FIFO from one rank to another on a channel, which is made if there is none;
 * PRG_NONE if there is no memory. O(1) expected. */
int32_t prg_fifo_of(struct prg_program *program, int32_t from, int32_t to, int32_t channel,
                    bool signal);
/* After the last step: sorts the threads by rank and checks that all ranks, slots, FIFOs and
 * dependences exist. RB_EINVAL with a message that begins with the line ("line 12: ..."). */
int prg_finish(struct prg_program *program, struct sup_error *error);

/* The contract and memory of a collective on buffers of chunks. `chunks` per rank: allreduce and
 * broadcast: input = output = C; allgather: input C, output p C; reduce_scatter: input p C,
 * output C; alltoall: both p C; reduce: as allreduce. Names are MSCCL's ("allreduce", "allgather",
 * "reduce_scatter" or "reducescatter", "broadcast", "alltoall", "reduce"); others leave the
 * contract unknown. memory[rank].chunks must be set; in place, an allgather's input is in its
 * output at rank C, a reduce-scatter's output in its input there, and the others' are one.
 * RB_EINVAL with a message if the counts of chunks don't fit the collective. */
int prg_set_collective(struct prg_program *program, const char *name, bool in_place, int32_t root,
                       struct sup_error *error);

/* The datum of a slot that is read as one of `buffer`, or PRG_NONE. */
int32_t prg_datum(const struct prg_program *program, enum prg_share share, int32_t rank,
                  enum prg_buffer buffer, int32_t slot);
