/* tune.h - from a sweep's results to the best n, the fitted F, its regret and a decision table. */
#ifndef RB_EXPERIMENTS_TUNE_TUNE_H
#define RB_EXPERIMENTS_TUNE_TUNE_H

#include <jansson.h>
#include <stdio.h>

#include "experiments/tune/tune_curves.h"
#include "experiments/tune/tune_fit.h"
#include "experiments/tune/tune_table.h"

/* The algorithm whose block sizes follow the papers' rule, unless another is asked for. */
#define RB_TUNE_FOCUS "circulant"
/* The share of time that an F of the interval may cost. */
#define RB_TUNE_TOLERANCE 0.02

struct rb_tune_request {
    const char *results;             /* a results file */
    const struct rb_filter *filters; /* ends with parameter NULL; or NULL */
    const char *focus;               /* whose F or G is fitted */
    char constant;                   /* 'F' or 'G': only this; 0: both */
    bool focus_asked;                /* the user named it: then some point must be of it */
    int64_t element_bytes;           /* of F's elements; 0: the rows' own */
    double tolerance;
};

enum rb_tune_table { RB_TUNE_BEST, RB_TUNE_FIT, RB_TUNE_REGRET, RB_TUNE_DECISION, RB_TUNE_TABLES };

enum { RB_TUNE_NOTES = 16 };

struct rb_tuning {
    struct rb_curves data;
    struct rb_fit *fits; /* owned; the tables point into them */
    size_t fit_count;
    struct tune_table tables[RB_TUNE_TABLES];
    char notes[RB_TUNE_NOTES][200]; /* what was left out and why, a line each */
    int32_t note_count;
};

/* RB_EINVAL, RB_ENOMEM, RB_EFAILED. The caller frees tuning, also on failure. */
int rb_tune(const struct rb_tune_request *request, struct rb_tuning *tuning,
            struct rb_error *error);
void rb_tuning_free(struct rb_tuning *tuning); /* safe on a zeroed struct */

/* Writes the tables whose bit (1u << RB_TUNE_...) is in set. */
void rb_tuning_text(const struct rb_tuning *tuning, unsigned set, FILE *stream);
json_t *rb_tuning_json(const struct rb_tuning *tuning, unsigned set); /* NULL: out of memory */

/* Fits F to the curves of one setting, or of all with RB_ALL_SETTINGS. fit->count is 0 if the rule
 * has nothing to choose in any of them. skipped[] (or NULL) counts the curves left out by reason;
 * reasons are static texts. The caller frees fit. RB_ENOMEM, RB_EFAILED. */
struct rb_skipped {
    const char *why;
    int64_t count;
};
enum { RB_SKIP_REASONS = 4 };
int rb_fit_setting(const struct rb_curves *data, size_t setting,
                   const struct rb_tune_request *request, struct rb_fit *fit,
                   struct rb_skipped skipped[RB_SKIP_REASONS], struct rb_error *error);

/* Writes the fitted F and the decision table of a results file as text. RB_EINVAL if results can't
 * be used, RB_ENOMEM, RB_EIO; error then says why. */
int rb_tune_results(const char *results, FILE *out, struct rb_error *error);

#endif
