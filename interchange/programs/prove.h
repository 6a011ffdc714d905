/* prove.h - proves a program (program.h), or says the first thing wrong with it. */
#pragma once

#include <stddef.h>

#include "program.h"

/* ---- Running it (run.c) ---------------------------------------------------------------------- */

/* Which steps can be done one after another. FIFOs make this independent of the order in which
 * steps that can be done are chosen: if one order ends, all do. */

struct prg_trace {
    int32_t *order;  /* the steps in an order in which they can be done; owned */
    int32_t *match;  /* of a step with `in`: the step that put its message; owned */
    int64_t fullest; /* messages in a FIFO at a time, in this order */
};

/* The thread of each step; owned by the caller. NULL: no memory. O(steps). */
int32_t *prg_threads_of(const struct prg_program *program);
/* The step that a step waits for by dep_thread and dep_step, or PRG_NONE. */
int64_t prg_dependence(const struct prg_program *program, int32_t rank,
                       const struct prg_step *step);

/* Whether the program ends if each FIFO has room for `room` messages, at least 1 (semaphores have
 * any). Fills the trace, if there is one, which the caller frees, also after failures. RB_OK;
 * RB_EWRONG, and `what` says who waits for whom; RB_ENOMEM. O(steps). */
int prg_trace(const struct prg_program *program, const int32_t thread_of[], int64_t room,
              struct prg_trace *trace, char *what, size_t what_size);
void prg_trace_free(struct prg_trace *trace);

/* "thread 3 of rank 1 (line 40)" */
struct prg_name {
    char text[80];
};
struct prg_name prg_step_name(const struct prg_program *program, const int32_t thread_of[],
                              int64_t step);
/* "output chunk 3 of rank 1": of buffers that are one, the output. */
struct prg_name prg_slot_name(const struct prg_program *program, int32_t rank, int32_t slot);

/* ---- The proof ------------------------------------------------------------------------------- */

/* The slots that a FIFO has in NCCL (NCCL_STEPS). */
enum { PRG_NCCL_SLOTS = 8 };

enum prg_fault {
    PRG_RIGHT,
    PRG_UNMATCHED, /* messages of a FIFO differ in number or length at its ends */
    PRG_DEADLOCK,  /* whatever room the FIFOs have */
    PRG_RACE,      /* two accesses to a slot, one of them a write, that nothing orders */
    PRG_UNSET,     /* reads what nothing has written */
    PRG_CONTENTS,  /* combines different data, counts a contribution twice, or wrong at the end */
};

struct prg_verdict {
    enum prg_fault fault;
    char what[400]; /* the first thing wrong, in one line; "" */
    int64_t messages;
    int64_t chunks;     /* sent */
    int64_t least_room; /* messages for which each FIFO must have room; 0: there is no FIFO. Not set
                         * after PRG_UNMATCHED and PRG_DEADLOCK */
    char tight[400];    /* if least_room > 1: who waits for whom with room for one less */
    bool contents;      /* the collective is known, and its contents are as they must be */
    bool reduces;       /* the collective combines */
    bool same_order;    /* in reductions: all ranks combine the same operands in the same order, so
                         * that their results are equal to the bit */
};

/* RB_OK, also for a wrong program: see fault; RB_ENOMEM. O(steps) for each capacity tried, of which
 * there are O(log messages), O(steps * threads of a rank) for races, or times ranks if messages
 * order accesses of one rank's threads, and O(chunks moved) for contents, in reductions times
 * ranks / 64. */
int prg_prove(const struct prg_program *program, struct prg_verdict *verdict);

/* ---- Accesses to the same slot, one of them a write, that nothing orders --------------------- */

/* What orders steps: their thread, the steps that they wait for, and a message from what its sender
 * did before it to what its receiver does after it; not the room of FIFOs. Sets fault and what of
 * the verdict if there is a race. RB_OK, also then; RB_ENOMEM. */
int prg_check_races(const struct prg_program *program, const int32_t thread_of[],
                    const struct prg_trace *trace, struct prg_verdict *verdict);
