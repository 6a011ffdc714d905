/* readers.h - the formats in which a plan can be read: for --algorithm file:NAME.
 *
 * A new format is one file NAME.c here, with a const struct inter_reader, and its line in the table
 * of readers.c. `read` goes through the file's text, fills in what it says of the whole plan
 * (plan->header), and calls inter_add for each operation, in any order. All else is common: the
 * hash, values that the file doesn't say, the order of operations and their merging, the checks of
 * rules 1 to 9 of rb_op, and the descriptor of an algorithm. */
#ifndef INTERCHANGE_READERS_H
#define INTERCHANGE_READERS_H

#include <stdbool.h>

#include "interchange/operations.h"

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

#endif
