/* tune.h - from a sweep's results to the best n, the fitted F, its regret and a decision table. */
#ifndef EXPERIMENTS_DECIDE_TUNE_H
#define EXPERIMENTS_DECIDE_TUNE_H

#include <jansson.h>
#include <stdio.h>

#include "experiments/decide/curves.h"
#include "experiments/decide/fit.h"
#include "experiments/decide/tune_table.h"
#include "support/output/verdict.h"

/* The algorithm whose F or G is fitted by default. */
#define DECIDE_TUNE_FOCUS "circulant"
/* The share of the time by which an F of the interval may be slower. */
#define DECIDE_TUNE_TOLERANCE 0.02

struct decide_tune_request {
    const char *results;                 /* a results file */
    const struct decide_filter *filters; /* ends with parameter NULL; or NULL */
    const char *focus;                   /* whose F or G is fitted */
    char constant;                       /* 'F' or 'G': only this; 0: both */
    bool focus_asked;                    /* the user named it: then some point must be of it */
    int64_t element_bytes;               /* of F's elements; 0: the rows' own */
    double tolerance;
};

enum decide_tune_table_kind {
    DECIDE_TUNE_BEST,
    DECIDE_TUNE_FIT,
    DECIDE_TUNE_REGRET,
    DECIDE_TUNE_DECISION,
    DECIDE_TUNE_TABLES
};

enum { DECIDE_TUNE_NOTES = 16 };

struct decide_tune_result {
    struct decide_curves data;
    struct decide_fit *fits; /* owned; the tables point into them */
    size_t fit_count;
    struct decide_tune_table tables[DECIDE_TUNE_TABLES];
    char notes[DECIDE_TUNE_NOTES][200]; /* what was left out and why, one line each */
    int32_t note_count;
    char *simulated; /* lines for the head of a decision file: what a search simulated where; NULL:
                      * none; owned */
};

/* RB_EINVAL, RB_EFAILED. The caller frees tuning, also on failure. */
int decide_tune_run(const struct decide_tune_request *request, struct decide_tune_result *tuning,
                    struct sup_error *error);
void decide_tune_result_free(struct decide_tune_result *tuning); /* safe on a zeroed struct */

/* Writes the tables whose bit (1u << DECIDE_TUNE_...) is in set, with the verdict if decisions are.
 */
void decide_tune_result_text(const struct decide_tune_result *tuning, unsigned set, FILE *stream);
/* Writes the decisions, those of neighbouring sizes with one algorithm as one row, with the notes
 * and the verdict. */
void decide_tune_result_short(const struct decide_tune_result *tuning, FILE *stream);
/* Its table alone. */
void decide_tune_short_text(const struct decide_tune_result *tuning, FILE *stream);
json_t *decide_tune_result_json(const struct decide_tune_result *tuning, unsigned set);

/* Says which algorithms win, what one of them for all points would cost, and how sure that is. */
void decide_tune_verdict(const struct decide_tune_result *tuning, struct out_verdict *verdict);
json_t *decide_tune_verdict_json(const struct decide_tune_result *tuning);

/* Fits F to the curves of one setting, or of all with DECIDE_TUNE_ALL_SETTINGS. fit->count is 0 if
 * no curve can be used for the rule. skipped[] (or NULL) counts the curves left out by reason;
 * reasons are static texts. The caller frees fit. RB_EFAILED. */
struct decide_tune_skipped {
    const char *why;
    int64_t count;
};
enum { DECIDE_TUNE_SKIP_REASONS = 4 };
int decide_tune_fit_setting(const struct decide_curves *data, size_t setting,
                            const struct decide_tune_request *request, struct decide_fit *fit,
                            struct decide_tune_skipped skipped[DECIDE_TUNE_SKIP_REASONS],
                            struct sup_error *error);

/* Adds a note, unless there are too many. */
void decide_tune_note(struct decide_tune_result *tuning, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The cell of a count, none if it is 0. */
int64_t decide_tune_whole_or_none(int64_t value);

/* Writes the fitted F and the decision table of a results file as text. RB_EINVAL if results can't
 * be used, RB_EIO; error then says why. */
int decide_tune_results(const char *results, FILE *out, struct sup_error *error);

#endif
