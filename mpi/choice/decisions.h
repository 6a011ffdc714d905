/* decisions.h - a decision file: settings by collective, ranks p and bytes m.
 *
 * The file is plain text; # starts a comment. The first line identifies the format, and each other
 * line is a rule: a collective, ranks, bytes of all data, and a setting for choice_setting_parse:
 *
 *   roundabout-decisions 1
 *   # collective          ranks   bytes         setting
 *   bcast                 2..23   ..65535       binomial
 *   bcast                 2..23   65536..       circulant:n=F:70,window=4
 *   allgather/irregular   *       1MiB..        circulant:n=F:40
 *   allreduce             64      *             native
 *
 * Ranges include both ends; an end that is left out is open, * is everything. COLLECTIVE/irregular
 * is for calls whose counts differ, COLLECTIVE for all others. The first rule in the file that fits
 * a call holds; if none fits, choice.h's rules hold. */
#pragma once

#include <stdio.h>

#include "choice.h"
#include "support/error.h"

/* The file's first line. */
#define CHOICE_DECISIONS_HEADER "roundabout-decisions 1"

struct choice_decisions; /* immutable once read: shared by threads */

/* RB_EINVAL with a message, "name:line: ..."; RB_EIO, RB_ENOMEM. Free with
 * choice_decisions_free. */
int choice_decisions_read(FILE *file, const char *name, struct choice_decisions **decisions,
                          struct sup_error *error);
/* Of the text that was read (support/memory.h), which may have changed since. */
uint64_t choice_decisions_hash(const struct choice_decisions *decisions);
/* Decisions without a rule; NULL: out of memory. */
struct choice_decisions *choice_decisions_none(void);
/* Moves the rules of `more`, which the online choice wrote, behind those of `decisions`. `more` is
 * then empty and must still be freed. RB_ENOMEM. */
int choice_decisions_append(struct choice_decisions *decisions, struct choice_decisions *more);
void choice_decisions_free(struct choice_decisions *decisions); /* NULL is fine */

/* The rules of one collective and p, cut into disjoint ranges of bytes. A zeroed one is empty. */
struct choice_decision_row {
    struct choice_decision *decisions; /* owned; by rising least */
    size_t count;
    bool known;
};
struct choice_decision {
    int64_t least;                        /* from so many bytes up to the next entry's */
    const struct choice_setting *setting; /* the choice_decisions' own; NULL: no rule fits */
};

/* Uses only the situation's collective, p and irregular. O(rules log rules). RB_ENOMEM. The caller
 * frees the row. */
int choice_decision_row_make(const struct choice_decisions *decisions,
                             const struct choice_situation *situation,
                             struct choice_decision_row *row);
void choice_decision_row_free(struct choice_decision_row *row);

/* True if a rule fits each number of bytes from `least` to `most`. */
bool choice_decision_row_covers(const struct choice_decision_row *row, int64_t least, int64_t most);

/* The setting for so many bytes; NULL: no rule fits. O(log rules), no allocation. */
const struct choice_setting *choice_decision_row_find(const struct choice_decision_row *row,
                                                      int64_t bytes);
