/* tune.h - from a sweep's results to the best n, the fitted F, its regret and a decision table. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "experiments/decide/curves.h"
#include "experiments/decide/decide.h"
#include "experiments/rows/rows.h"
#include "mpi/vendors/rules/rules.h"
#include "support/output/verdict.h"

/* ---- F and G --------------------------------------------------------------------------------- */

/* F and G of the papers' rules for the block count, fitted to a sweep.
 *
 * The rules (Traeff 2024, Section 3): for a broadcast blocks of F sqrt(M / q) elements, hence n =
 * sqrt(M q) / F, where M = m / E elements of E bytes, q = ceil(log2 p); for MPI_Allgatherv n =
 * sqrt(M q) / G. They are the same rule, so everything about F also holds for G. The closed form (n
 * - 1 + q)(alpha + beta m / n) is least at n = sqrt((q - 1) beta m / alpha), that is for
 *
 *     F = sqrt(alpha / (E beta)) sqrt(q / (q - 1)),
 *
 * which changes little with q: one F can serve all p and m. For q <= 1 one block is best, and the
 * rule does not apply. */

/* Time at n blocks, n >= 1 a real, from the nearest samples: exact where time is a + b n + c / n,
 * as all closed forms of pipelines are. False if n is outside of the samples' range. */
bool decide_curve_time(const struct decide_curve *curve, double n, double *time_s);

/* F of the closed form, for this curve's q, alpha and beta; NAN where there is none. */
double decide_analytic_f(const struct decide_curve *curve, int64_t element_bytes);

struct decide_regret {
    const struct decide_curve *curve;
    const char *constant; /* "F" or "G", if the caller fills it */
    double f;
    int64_t n;         /* the rule's, rounded */
    bool outside;      /* of the sampled range is n; then time_s and share are NAN */
    double time_s;     /* with n blocks; interpolated unless n was run */
    double share;      /* time divided by the best time, minus 1; negative if n is faster than all n
                        * that were run */
    double analytic_f; /* decide_analytic_f */
    int64_t best_n;
};

struct decide_fit {
    const char *focus, *constant; /* whose F or G it is, if the caller fills them */
    double f;
    double low, high;     /* between these, the mean time exceeds that of f by at most the
                           * tolerance */
    bool low_is_limit;    /* the samples end there: low may be smaller */
    bool high_is_limit;   /* likewise */
    double analytic_f;    /* geometric mean over the points; NAN */
    double mean;          /* geometric mean of time over best time, less 1, at f */
    double median, worst; /* of the shares of the points within the range; NAN if there are none */
    size_t outside;       /* points whose n is outside of the sampled range */
    struct decide_regret *points; /* owned; worst first, those outside at the end */
    size_t count;
};

struct decide_fit_request {
    const struct decide_curve *const *curves; /* each with at least two samples, q >= 2, m >= E */
    const int64_t *element_bytes;             /* of each curve */
    size_t count;                             /* at least 1 */
    double tolerance;                         /* share of time, 0.02 */
};

/* True if the curve can be used for the rule; otherwise why says what is missing. */
bool decide_fit_can_use(const struct decide_curve *curve, int64_t element_bytes, const char **why);

/* Deterministic. The caller frees fit, also on failure. RB_EFAILED. */
int decide_fit_f(const struct decide_fit_request *request, struct decide_fit *fit,
                 struct sup_error *error);
void decide_fit_free(struct decide_fit *fit); /* safe on a zeroed struct */

/* ---- A sweep, tuned -------------------------------------------------------------------------- */

/* The algorithm whose F or G is fitted by default. */
#define DECIDE_TUNE_FOCUS "circulant"
/* The share of the time by which an F of the interval may be slower. */
#define DECIDE_TUNE_TOLERANCE 0.02

struct decide_tune_request {
    const char *results;                 /* a results file, or measured rows */
    const struct cli_args *args;         /* choose among measured rows; NULL: all of them */
    const struct decide_filter *filters; /* ends with parameter NULL; or NULL */
    const char *focus;                   /* whose F or G is fitted; NULL: none is */
    char constant;                       /* 'F' or 'G': only this; 0: both */
    bool focus_asked;                    /* the user named it: then some point must be of it */
    int64_t element_bytes;               /* of F's elements; 0: the rows' own */
    double tolerance;
    /* Replaces the times of curves, and says so. NULL: they stay. */
    int (*correct)(void *context, struct decide_curves *data, struct out_verdict *notes,
                   struct sup_error *error);
    void *context;
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
/* Likewise of the curves that are in tuning->data, all else of which but `simulated` is zero. */
int decide_tune_curves(const struct decide_tune_request *request, struct decide_tune_result *tuning,
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

/* ---- Files of rules -------------------------------------------------------------------------- */

/* Writes files of rules of a sweep's results, a search or measured rows: those of MPI
 * libraries (docs/tuning-files.md), and a decision file for our own (docs/mpi.md describes the
 * file, docs/tune.md how it is made). */

struct decide_rules_request {
    const struct rules_format *format;
    struct rules_head head;
    double tolerance; /* share of the time by which one segment size for several m may be slower */
    bool everywhere;  /* rules.h */
};

/* The notes are for readers of a file that has no comments. Write errors show in the stream.
 * RB_EINVAL unless all rows are of one machine and way to run, and the library has some of the
 * algorithms. */
int decide_rules_write(const struct decide_curves *data, const struct decide_rules_request *request,
                       FILE *stream, struct rules_notes *notes, struct sup_error *error);

/* The same of measured rows with plans of this program; of several rows of one algorithm, p and m
 * the geometric mean of the medians counts. Where rows are marked as the library's own, others only
 * show what is lost. RB_EINVAL if the rows are of several systems. */
int decide_rules_write_measured(const struct rows_row *const row[], size_t count,
                                const struct decide_rules_request *request, FILE *stream,
                                struct rules_notes *notes, struct sup_error *error);

struct decide_decisions_request {
    const char *results; /* name of the results file */
    double tolerance;    /* share of the time by which one F for several m may be slower at each of
                          * them, 0.02 */
    double margin; /* share of the MPI library's own time by which another algorithm must be faster,
                    * 0.05 */
    bool everywhere; /* as in rules.h; elsewhere the library decides as without a file */
    const struct out_verdict *notes; /* for readers of the file; NULL: none */
    const char *simulated;           /* lines for the file's head; NULL: none */
};

/* Write errors show in the stream. RB_EINVAL unless all rows are of one machine and way to run (the
 * message names the option that chooses), of one port and of algorithms that the library has. */
int decide_decisions_write(const struct decide_curves *data,
                           const struct decide_decisions_request *request, FILE *stream,
                           struct sup_error *error);
