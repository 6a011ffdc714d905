/* prove.h - proves a program (program.h), or says the first thing wrong with it. */
#ifndef PROGRAMS_PROVE_H
#define PROGRAMS_PROVE_H

#include "program.h"

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
    int64_t least_room; /* slots of each FIFO that suffice, one per message; 0: no FIFO; not set
                         * after PRG_UNMATCHED and PRG_DEADLOCK */
    int64_t longest;    /* steps one after another: the length of the longest path */
    bool contents;      /* contents were proved, since the collective is known */
    bool same_order; /* in reductions: all ranks combine in the same order: bitwise equal results */
    char tight[300]; /* if least_room > 1: who waits for whom with one slot less */
};

/* RB_OK, also for a wrong program: see fault; RB_ENOMEM. O(steps) for matching and each capacity
 * tried, O(steps * threads of a rank) for races. */
int prg_prove(const struct prg_program *program, struct prg_verdict *verdict);

/* Whether the program ends if each FIFO has room for `room` messages (semaphores: any). If not,
 * `what` names who waits for whom. RB_OK, RB_EWRONG, RB_ENOMEM. O(steps). */
int prg_run(const struct prg_program *program, int64_t room, char *what, size_t what_size);

#endif
