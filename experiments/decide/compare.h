/* compare.h - two results of the same points, an older one and a newer one: what got slower.
 *
 * Points are the same if all that identifies them is equal (parameters.h). A platform that has one
 * hash in each file is one platform, so that a point is found again where its content changed; that
 * is then a change. A point that has failed in the newer results alone counts as slower. Times with
 * a spread (jitter, confidence intervals) are equal if their spreads overlap. */
#pragma once

#include <stdio.h>

#include "experiments/decide/curves.h"
#include "support/output/table.h"

/* By what percentage a time may be longer and not be called slower, unless the user says so. */
#define DECIDE_ALLOW "5"

/* "5" or "5%" as a share. RB_EINVAL with a message that names --allow. */
int decide_parse_allow(const char *text, double *share, struct sup_error *error);

enum decide_side { DECIDE_OLD, DECIDE_NEW, DECIDE_SIDES };

struct decide_comparison {
    /* The request: results files, or tables of measured rows; filters that end with parameter NULL,
     * or NULL; and the share by which a time may be longer. */
    const char *results[DECIDE_SIDES];
    const struct decide_filter *filters;
    double allow;

    sqlite3 *db; /* in memory: what came of it (compare.c) */
    int64_t both, slower, faster;
    int64_t alone[DECIDE_SIDES]; /* points that the other file doesn't have */
};

/* Fills the rest. RB_EINVAL if a file can't be used, if both are one file, or if no point that is
 * in both is done in the older one: then nothing can be said. A file that is being written is read
 * as it is now, and a message says so. The caller frees the comparison, also on failure. */
int decide_compare(struct decide_comparison *comparison, struct sup_error *error);
void decide_comparison_free(struct decide_comparison *comparison);

/* The parts of it, by their names in JSON: a query of the database for each, the points last. */
enum { DECIDE_COMPARISON_PARTS = 4 };
struct decide_comparison_part {
    const char *name, *sql;
};
extern const struct decide_comparison_part decide_comparison_parts[DECIDE_COMPARISON_PARTS];

/* Its numbers, for JSON and a page. */
json_t *decide_comparison_head(const struct decide_comparison *comparison);

/* Text: a line that says what was compared, and the points that got slower most; with details a
 * summary, too, and what only one of them has. CSV: a row for each point of both files; JSON: all
 * of it. */
int decide_comparison_print(const struct decide_comparison *comparison, enum out_format format,
                            bool details, FILE *stream, struct sup_error *error);
