/* learned.h - the results of the online choice (trial.h) in a process or a job, for the report and
 * for decision files: a row for each collective, p and class of sizes.
 *
 * Rows are plain bytes, which mean the same in another process of the program. This module does not
 * use MPI, and only one thread may use it at a time. */
#ifndef MPI_CHOICE_LEARNED_H
#define MPI_CHOICE_LEARNED_H

#include <stddef.h>
#include <stdio.h>

#include "decisions.h"
#include "trial.h"

enum { CHOICE_MOST_LEARNED = 1 << 14 }; /* rows; others are left out */

struct choice_learned_row {
    char collective[16];
    int32_t p;
    struct choice_trial trial; /* the state after its last trial */
};

/* A zeroed one is empty. */
struct choice_learned {
    struct choice_learned_row *rows; /* owned; sorted by collective, p, counts, size, operator */
    size_t count;
};

/* If several communicators have rows for the same calls, the row with most calls is kept.
 * RB_ENOMEM. */
int choice_learned_add(struct choice_learned *learned, const struct choice_learned_row *row);
void choice_learned_free(struct choice_learned *learned);

/* Writes a table of the candidates tried and the current choices; nothing if there are no rows. The
 * stream has write errors. */
void choice_learned_text(const struct choice_learned *learned, FILE *stream);

/* Writes the rules of a decision file, without its first line, and sets *rules to their number.
 * Left out are rows of operators that do not commute, which rules cannot express, rows without a
 * trial, rows whose ranks differed, and rows behind rules that fit the same calls already (`known`,
 * may be NULL): there they would never hold. RB_ENOMEM. */
int choice_learned_rules(const struct choice_learned *learned, const struct choice_decisions *known,
                         FILE *stream, int *rules);

#endif
