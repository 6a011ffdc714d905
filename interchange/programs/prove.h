/* prove.h - proves a program (program.h), or says the first thing wrong with it. */
#ifndef INTERCHANGE_PROGRAMS_PROVE_H
#define INTERCHANGE_PROGRAMS_PROVE_H

#include "program.h"
#include "run.h"

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

#endif
