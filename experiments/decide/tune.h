/* tune.h - from a sweep's results to the best n, the fitted F, its regret and a decision table. */
#ifndef EXPERIMENTS_DECIDE_TUNE_H
#define EXPERIMENTS_DECIDE_TUNE_H

#include <jansson.h>
#include <stdio.h>

#include "experiments/decide/curves.h"
#include "experiments/decide/decide.h"
#include "experiments/decide/fit.h"
#include "support/output/verdict.h"

/* The algorithm whose F or G is fitted by default. */
#define DECIDE_TUNE_FOCUS "circulant"
/* The share of the time by which an F of the interval may be slower. */
#define DECIDE_TUNE_TOLERANCE 0.02

struct decide_tune_request {
    const char *results;                 /* a results file, or measured rows */
    const struct cli_args *args;         /* choose among measured rows; NULL: all of them */
    const struct decide_filter *filters; /* ends with parameter NULL; or NULL */
    const char *focus;                   /* whose F or G is fitted */
    char constant;                       /* 'F' or 'G': only this; 0: both */
    bool focus_asked;                    /* the user named it: then some point must be of it */
    int64_t element_bytes;               /* of F's elements; 0: the rows' own */
    double tolerance;
};

enum decide_tune_kind {
    DECIDE_TUNE_BEST,
    DECIDE_TUNE_FIT,
    DECIDE_TUNE_REGRET,
    DECIDE_TUNE_DECISION,
    DECIDE_TUNE_TABLES
};
/* Members of the JSON object, values of --what. */
extern const char *const decide_tune_names[DECIDE_TUNE_TABLES];

/* How a table is shown: one line over the text, the names of its columns, and those that only it
 * has. */
struct decide_tune_look {
    const char *title, *columns;
    const struct out_column *own;
    size_t own_width;
};
#define DECIDE_TUNE_TITLE "Fastest algorithm and its block count"

struct decide_tune_result {
    struct decide_curves data; /* of a search: its settings alone */
    struct decide decision;    /* a place for each setting, a way for each curve */
    struct decide_fit *fits;   /* owned; rows point to them */
    size_t fit_count;
    void *more;       /* owned: what rows show beside ways and calls */
    size_t confirmed; /* calls whose choice another engine confirmed */
    const struct decide_tune_look *looks;
    struct decide_row *rows[DECIDE_TUNE_TABLES]; /* owned */
    size_t row_count[DECIDE_TUNE_TABLES];
    struct out_verdict notes; /* what was left out and why, and how sure the choices are */
    size_t brief;             /* the first of them are for the screen */
    double tolerance;         /* of the interval of F or G */
    char title[256];          /* the screen's first line; "": which ways win */
    char *simulated; /* lines for the head of a decision file: what a search simulated where; NULL:
                      * none; owned */
};

/* RB_EINVAL, RB_EFAILED. The caller frees tuning, also on failure. */
int decide_tune_run(const struct decide_tune_request *request, struct decide_tune_result *tuning,
                    struct sup_error *error);
void decide_tune_result_free(struct decide_tune_result *tuning); /* safe on a zeroed struct */

/* Fills the rows of the decision, once it is judged, and of `best`: the ways with what their `more`
 * is. */
void decide_tune_tables(struct decide_tune_result *tuning);
/* One of its tables, valid as long as the result. */
struct decide_table decide_tune_table(const struct decide_tune_result *tuning, int kind);

/* What a sweep writes to NAME.tune.txt: the fitted F and the decisions. */
enum { DECIDE_TUNE_SUMMARY = 1u << DECIDE_TUNE_FIT | 1u << DECIDE_TUNE_DECISION };
/* Writes the tables whose bit (1u << DECIDE_TUNE_...) is in set, with the verdict if decisions are;
 * of `best` all ways, or those with a time. */
void decide_tune_result_text(const struct decide_tune_result *tuning, unsigned set, bool all,
                             FILE *stream);
/* Writes what fits a screen: the answer, a table of the choices, at most three sentences. */
void decide_tune_result_short(const struct decide_tune_result *tuning, FILE *stream);
json_t *decide_tune_result_json(const struct decide_tune_result *tuning, unsigned set);

/* The sentences of decide_winners. */
json_t *decide_tune_verdict_json(const struct decide_tune_result *tuning);

#define DECIDE_TUNE_ALL_SETTINGS SIZE_MAX
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

#endif
