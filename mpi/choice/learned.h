/* learned.h - what the online choice (trial.h) has found out in a process or a job: a row for each
 * collective, p and class of sizes; for the report and for decision files.
 *
 * Rows are plain bytes, which mean the same in another process of the program. Knows no MPI; not to
 * be used by two threads at once. */
#ifndef MPI_CHOICE_LEARNED_H
#define MPI_CHOICE_LEARNED_H

#include <stddef.h>
#include <stdio.h>

#include "trial.h"

enum { CHOICE_MOST_LEARNED = 1 << 14 }; /* rows; others are left out */

struct choice_learned_row {
    char collective[16];
    int32_t p;
    struct choice_trial trial; /* as its last look left it */
};

/* A zeroed one is empty. */
struct choice_learned {
    struct choice_learned_row *rows; /* owned; sorted by collective, p, size, kind */
    size_t count, room;
};

/* Of rows for the same calls on several communicators the one with most calls stays. RB_ENOMEM. */
int choice_learned_add(struct choice_learned *learned, const struct choice_learned_row *row);
void choice_learned_free(struct choice_learned *learned);

/* A table of what was tried, and of what was kept; nothing if there are no rows. Write errors show
 * in the stream. */
void choice_learned_text(const struct choice_learned *learned, FILE *stream);

/* As rules of a decision file, without its first line. Rules know of no operators that don't
 * commute, so rows of these are left out, and rows without a look, or whose ranks differed. */
void choice_learned_rules(const struct choice_learned *learned, FILE *stream);

#endif
