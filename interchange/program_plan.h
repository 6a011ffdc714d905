/* program_plan.h - schedules that are no round plans, as plans: proved when they are read, then
 * replayed by engines. */
#ifndef INTERCHANGE_PROGRAM_PLAN_H
#define INTERCHANGE_PROGRAM_PLAN_H

#include <stddef.h>

#include "interchange/operations.h"
#include "interchange/programs/program.h"
#include "interchange/programs/prove.h"

/* prg_finish, whose message it begins with the path. */
int inter_finish_program(struct prg_program *program, const char *path, struct sup_error *error);

/* For readers (readers.h), after the last step and prg_finish: proves the program, and adds its
 * operations if it is right; otherwise the plan is wrong for the reason that was found. slots: what
 * a FIFO holds where the program is to run (PRG_NCCL_SLOTS); a program that needs more is wrong. 0:
 * any. Frees the file's text first, because a proof takes much memory, too, and the program in any
 * case. RB_EINVAL, RB_ENOMEM with a message; no memory is asked for that the steps of a file of
 * this size can't need. */
int inter_take_program(struct inter_plan *plan, struct sup_lines *lines,
                       struct prg_program *program, int64_t slots);

/* What a proof has found, in one line for people. */
void inter_program_note(const struct prg_verdict *proof, char *text, size_t size);

#endif
