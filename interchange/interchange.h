/* interchange.h - plans of other programs: the formats in which they can be read, and --algorithm
 * file:NAME. */
#ifndef INTERCHANGE_INTERCHANGE_H
#define INTERCHANGE_INTERCHANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "interchange/operations.h"
#include "interchange/programs/program.h"
#include "interchange/programs/prove.h"

/* ---- The formats ----------------------------------------------------------------------------- */

/* The formats in which a plan can be read: for --algorithm file:NAME.
 *
 * A new format is one file NAME.c here, with a const struct inter_reader, and its line in the
 * table of interchange.c. `read` goes through the file's text, fills in what it says of the whole
 * plan (plan->header), and calls inter_add for each operation, in any order. All else is common:
 * the hash, values that the file doesn't say, the order of operations and their merging, the checks
 * of rules 1 to 9 of rb_op, and the descriptor of an algorithm. */

struct inter_reader {
    const char *title; /* for messages */
    /* Whether a file that begins so, after blanks, is of this format. The text is the whole file,
     * and ends with a zero byte. */
    bool (*knows)(const char *text);
    /* lines->next is the whole text, which the reader may change, by lines (support/csv.h) or
     * otherwise. RB_EINVAL with path and line (inter_fail). */
    int (*read)(struct sup_lines *lines, struct inter_plan *plan);
};

extern const struct inter_reader inter_plan_csv, inter_plan_json; /* plan_file.c */
extern const struct inter_reader inter_goal_reader, inter_mscclpp_reader, inter_msccl_reader;

/* Reads a text in any of the formats into an empty plan. It may free the text (lines->text is NULL
 * then). RB_EINVAL. */
int inter_read(struct sup_lines *lines, struct inter_plan *plan);

/* ---- Programs as plans ----------------------------------------------------------------------- */

/* Schedules that are no round plans, as plans: proved when they are read, then replayed by
 * engines. */

/* prg_finish, whose message it begins with the path. */
int inter_finish_program(struct prg_program *program, const char *path, struct sup_error *error);

/* For readers, after the last step and prg_finish: proves the program, and adds its
 * operations if it is right; otherwise the plan is wrong for the reason that was found. slots: what
 * a FIFO holds where the program is to run (PRG_NCCL_SLOTS); a program that needs more is wrong. 0:
 * any. Frees the file's text first, because a proof takes much memory, too, and the program in any
 * case. RB_EINVAL, RB_ENOMEM with a message; no memory is asked for that the steps of a file of
 * this size can't need. */
int inter_take_program(struct inter_plan *plan, struct sup_lines *lines,
                       struct prg_program *program, int64_t slots);

/* What a proof has found, in one line for people. */
void inter_program_note(const struct prg_verdict *proof, char *text, size_t size);

/* ---- The command line ------------------------------------------------------------------------ */

/* From now on algorithms whose names begin with "file:" are the plans of files (rb_resolve_by). A
 * file is read when it is first named, once for each collective. The algorithm's own name is
 * "file:NAME#HASH", with the hash of the content in 16 digits, and this name is found if the file
 * has that content. */
void inter_start(void);

#endif
