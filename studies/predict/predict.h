/* predict.h - models of machines, and how well they predict. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "experiments/decide/decide.h"
#include "experiments/rows/rows.h"
#include "mpi/vendors/rules/rules.h"
#include "support/error.h"
#include "support/output/table.h"
#include "support/output/verdict.h"

/* ---- Models ---------------------------------------------------------------------------------- */

/* A model of a machine: it is fitted to measured rows, and then says how long other
 * collectives take on that machine.
 *
 * One model is one file with one const descriptor and one line in studies/predict/list.h; the
 * first one in the list is the default. The verb `predict` and its evaluation (predict.h) know only
 * the functions below. */

struct predict_options {
    const char *model; /* name of the model; NULL: the default */
    double confidence; /* of the intervals, such as 0.9; 0: the model's default, 0.9 */
};

/* A predicted time, and between which times the measured one is expected with the confidence of the
 * options; low_s and high_s are NAN if the model can't say. */
struct predict_estimate {
    double time_s, low_s, high_s;
};

struct predict_parameter {
    const char *name;        /* "latency", "bandwidth 64KiB.." */
    const char *unit;        /* "s", "B/s", "1"; for display */
    double value, low, high; /* confidence interval; low and high NAN: not known */
    bool determined; /* false: the rows do not determine it, and value is where the fit started */
};

struct predict_model; /* a fitted model of one machine */

/* Fits a model to rows, which are all of one system and have an algorithm (rows_row.algorithm is
 * not NULL); they stay valid as long as the model. RB_EINVAL with a message if these rows can't be
 * fitted; RB_EFAILED. Deterministic: the same rows in the same order give the same
 * model. */
int predict_fit(const struct rows_row *const rows[], int32_t count,
                const struct predict_options *options, struct predict_model **model,
                struct sup_error *error);

/* The time of a row, of which only what was run is read, never a time. RB_ENOTSUP with why (the
 * buffer may be NULL) if the row has no plan, or the model doesn't know such plans. The
 * row need not be from the fitted system's data. */
int predict_time(struct predict_model *model, const struct rows_row *row,
                 struct predict_estimate *estimate, struct sup_error *error);

/* The i-th parameter; false beyond the last. */
bool predict_model_parameter(const struct predict_model *model, int32_t i,
                             struct predict_parameter *parameter);
/* A line for the user about the fit: "6 of 9 parameters determined, median error 4.1 %"; "" if
 * there is nothing to say. */
const char *predict_model_note(const struct predict_model *model);
void predict_model_free(struct predict_model *model); /* NULL is fine */

/* ---- For the models
 * ------------------------------------------------------------------------------ */

/* A model's descriptor; the functions are those above. Every fitted model of a kind begins with
 * this struct, whose `kind` predict_fit sets. */
struct predict_kind {
    const char *name;  /* value of --model */
    const char *title; /* one line */
    bool leans;        /* predicted times lean towards those at the nearest measured point */
    int (*fit)(const struct rows_row *const rows[], int32_t count,
               const struct predict_options *options, struct predict_model **model,
               struct sup_error *error);
    int (*time)(struct predict_model *model, const struct rows_row *row,
                struct predict_estimate *estimate, struct sup_error *error);
    bool (*parameter)(const struct predict_model *model, int32_t i,
                      struct predict_parameter *parameter);
    const char *(*note)(const struct predict_model *model); /* NULL: nothing to say */
    void (*free)(struct predict_model *model);
};

struct predict_model {
    const struct predict_kind *kind;
};

const struct predict_kind *predict_kind_at(int32_t i); /* NULL beyond the last */
/* The model of this name, or the default for NULL. RB_EINVAL with a message that names --model. */
int predict_kind_find(const char *name, const struct predict_kind **kind, struct sup_error *error);

#define PREDICT_MODEL(name) extern const struct predict_kind name;
#include "studies/predict/list.h"
#undef PREDICT_MODEL

/* ---- Points beyond the rows ------------------------------------------------------------------ */

struct predict_request;
struct predict_result;
struct predict_tested;

/* Points to predict, of each collective of the rows. */
struct predict_points {
    const struct sup_list *nodes;
    int32_t ppn;                  /* 0: that of most rows */
    const struct sup_list *bytes; /* of the largest buffer of a rank; NULL: the rows' */
    const char *among;            /* pattern of the algorithms; NULL: all */
};

/* A row for each algorithm at each point, and for the library's own choice where its decision rules
 * are known (mpi/vendors/choices); without times. */
struct predict_asked {
    struct rows_row *row; /* owned */
    size_t count;
    int32_t usual_ppn; /* was taken, though rows have others; 0: nothing to say */
};

/* How far points lie beyond the fitted rows, and what predictions of such points were worth. */
struct predict_beyond {
    double nodes, bytes; /* the farthest point's factors; 1: within */
    double rate;      /* by which intervals widen: of a logarithm, per square root of a doubling */
    int32_t fits;     /* to the smaller numbers of nodes alone, ... */
    int64_t rows;     /* ... and the rows of larger ones that they predicted */
    int64_t extended; /* times of plans that are too long to follow */
};

/* Makes the rows of points, and appends them; those of the request's rows that would be fitted say
 * which algorithms there are. RB_EINVAL with a message that names the option. */
int predict_ask(const struct predict_request *request, const struct predict_points *points,
                struct predict_asked *asked, struct sup_error *error);

/* Rows of a library's own choice: those to which its decision rules gave an algorithm, and those
 * for which there is no plan; and of each collective all rows without a plan, with their names. */
enum { PREDICT_WITHOUT = 32 };
struct predict_assumed {
    int64_t rows, without;
    struct predict_without {
        const char *collective;
        int64_t rows;
        struct out_left_out without;
    } of[PREDICT_WITHOUT];
};

/* Where a machine's rows are all the library's own choice: gives them the algorithms that the
 * library's decision rules take, and counts these rows. RB_EINVAL if there are no such rules. */
int predict_assume_choices(const struct predict_request *request, struct rows_set *set,
                           struct predict_assumed *assumed, struct sup_error *error);

/* Gives rows that are NCCL's own choice the algorithm that its cost model takes for their call,
 * where the machine's network is known. */
void predict_choose_nccl(struct rows_row row[], size_t count);

/* Ranks of a plan whose path is usually followed. */
enum { PREDICT_MOST_RANKS = 2048 };
/* predict_time of a point. A plan of more than most_ranks is too long to follow: its time is
 * extended as a line over the rounds through the times on the largest half, quarter, ... of the
 * nodes with as few, and on half of these. */
int predict_time_asked(struct predict_model *model, int32_t most_ranks,
                       struct predict_tested *tested, struct sup_error *error);
/* Widens intervals of rows that lie beyond what their fold fits: by what the folds that judge show,
 * and drops these; without them by what PICO's machines needed. */
void predict_widen(const struct predict_request *request, struct predict_result *result);

/* Half the width of an interval of this confidence, in standard deviations. */
double predict_sds(double confidence);

/* ---- Evaluation ------------------------------------------------------------------------------ */

/* How well a model predicts rows on which it was not fitted, and above all how much
 * time is lost by trusting its choice of an algorithm.
 *
 * Rows of each system are divided into those that are fitted and those that are predicted, once by
 * two filters, or in turn for each value of something (hold-out). docs/predict.md defines the
 * numbers. */

/* What is held out in turn, one value after the other. */
enum predict_hold_out {
    PREDICT_NODES,
    PREDICT_COLLECTIVE,
    PREDICT_TEST,
    PREDICT_BYTES,
    PREDICT_ALGORITHM,
    PREDICT_LARGEST, /* each of the largest numbers of ranks, fitted on the rows of fewer */
    PREDICT_SYSTEM,  /* each machine, fitted on the rows of all others */
    PREDICT_HOLD_OUTS
};
extern const char *const predict_hold_out_names[PREDICT_HOLD_OUTS];

struct plot_request;

struct predict_request {
    const struct rows_set *set;
    const char *system;                /* one of the set's; NULL: each in turn */
    const struct rows_filter *rows;    /* only these rows count at all; NULL: all */
    const struct rows_filter *fit;     /* NULL: those that are not predicted */
    const struct rows_filter *predict; /* NULL: those that are not fitted; both NULL: hold out */
    const char *among; /* pattern of names of algorithms, the data's or ours; NULL: all */
    enum predict_hold_out hold_out;
    bool hold_out_asked; /* else nodes, or what differs instead */
    bool fit_all;        /* every row is fitted and none predicted, but there may be forecasts;
                          * without filters and hold_out */
    struct predict_options options;
    const char *const *forecast; /* algorithms of ours that are also predicted at every point, each
                                  * with its best n */
    int32_t forecasts;
    const struct predict_asked *asked; /* predict these rows instead of the set's; NULL: don't.
                                        * Without `predict` and hold_out */
    int32_t jobs;                      /* folds at a time, in processes of their own; 0: 1 */
};

enum { PREDICT_PARAMETER_NAME = 64, PREDICT_PARAMETER_UNIT = 16 };

/* A copy of a model's parameter. */
struct predict_kept_parameter {
    char name[PREDICT_PARAMETER_NAME], unit[PREDICT_PARAMETER_UNIT];
    double value, low, high;
    bool determined;
};

/* A fit, and what it predicts. */
struct predict_fold {
    const char *system;
    bool first;      /* of its system */
    bool judges;     /* fitted on up to `number` nodes, to see how far off larger numbers are */
    bool by_filters; /* else by what is held out: a number, or one of the set's texts */
    enum predict_hold_out kind;
    int64_t number;
    const char *text;
    char held_out[96]; /* such as "nodes = 64" */
    int32_t fitted;    /* rows */
    double fit_s;      /* real time of the fit */
    char note[160];
    struct predict_kept_parameter *parameter; /* owned */
    size_t parameters;
};

/* A row that was held out. */
struct predict_tested {
    const struct rows_row *row;
    int32_t fold;
    bool predicted; /* else there is no plan for it, or none that the model knows */
    struct predict_estimate estimate;
    /* Factors from the fitted rows of its collective, 1 within them: of nodes or ranks, of bytes,
     * and of ranks per node times the longest side of a torus. */
    double nodes_beyond, bytes_beyond, shape_beyond;
    bool extended;   /* from the times on fewer nodes: the plan is too long */
    bool choice;     /* of its group */
    bool nearest;    /* the fastest at the nearest fitted point that has any of the group's rows */
    bool by_nearest; /* the group takes that one, */
    bool model;      /* and not this one, the model's choice, which was no better in other folds */
};

/* What an algorithm that need not have been measured would take at a point. */
struct predict_forecast {
    const struct rows_row *row; /* one of the point's */
    int32_t fold;
    const char *algorithm; /* the registry's */
    int64_t n;
    struct predict_estimate estimate;
};

/* The algorithms that were measured at one point: of one system, collective, test, number of nodes
 * and ranks, and size. Its rows stand together in predict_result.tested. */
struct predict_group {
    size_t first, count;
    int32_t predictable; /* rows */
    /* Rows by their numbers in tested; -1: none. All but `best_all` and `own` are predicted ones.
     */
    int64_t choice;        /* the least predicted time */
    int64_t best;          /* the least measured time */
    int64_t best_all;      /* of any row */
    int64_t own;           /* the library's choice */
    int64_t single;        /* the best single algorithm in hindsight */
    int64_t fitted_single; /* the best single algorithm on the fitted rows */
    int64_t nearest;       /* the best at the fitted point that is nearest in size, p and ppn */
    int64_t model;         /* the model's choice, whether that point's is taken or not */
};

/* A ratio over groups: geometric mean and the worst; NAN if there are no groups. */
struct predict_ratio {
    double mean, worst;
    int64_t groups;
};

/* |predicted / measured - 1| over rows; NAN if there are none. */
struct predict_errors {
    int64_t rows;
    double median, p90, bias; /* bias: the median with its sign */
};

enum { PREDICT_SHORT, PREDICT_LONG, PREDICT_LENGTHS };
enum { PREDICT_LONG_FROM = 65536 }; /* bytes */

/* A collective of a system, or one of its algorithms. */
struct predict_summary {
    const char *system, *collective;
    const char *name;   /* the algorithm's in the data; NULL: all */
    int64_t rows;       /* held out */
    int64_t predicted;  /* of these */
    int32_t algorithms; /* different names that are predicted */
    struct predict_errors errors[PREDICT_LENGTHS];
    double coverage; /* share of rows with the measured time in the interval; NAN: none */
    /* Only of a collective, over groups with two or more predictable rows: measured times over the
     * least of the predictable rows (regret), and over the least of all (regret_all). */
    int64_t groups;
    struct predict_ratio regret, regret_all, own, own_all, single, fitted_single, nearest, model;
    struct predict_ratio beside_own, beside_nearest; /* the regret where there are these */
    int64_t by_nearest;      /* groups that take what was the best at the nearest fitted point */
    const char *single_name; /* NULL: none */
};

struct predict_result {
    struct predict_fold *fold; /* owned */
    size_t folds;
    struct predict_tested
        *tested; /* owned; by system, collective, test, nodes, ranks, size, name */
    size_t count;
    struct predict_group *group; /* owned */
    size_t groups;
    struct predict_summary *collective; /* owned */
    size_t collectives;
    struct predict_summary *algorithm; /* owned */
    size_t algorithms;
    struct predict_forecast *forecast; /* owned */
    size_t forecasts;
    int64_t rows;    /* that count at all */
    int64_t both;    /* rows that both filters choose: they are fitted, not predicted */
    int64_t no_plan; /* held-out rows that could not be predicted, besides the library's choices */
    struct predict_beyond beyond; /* of asked rows */
    char note[200];               /* what is held out instead of nodes; "": nothing to say */
};

/* RB_EINVAL with a message that names the option, RB_EFAILED. The caller frees the
 * result, also after a failure. */
int predict_run(const struct predict_request *request, struct predict_result *result,
                struct sup_error *error);
void predict_free(struct predict_result *result); /* safe on a zeroed struct */

/* Of the logarithms of predicted times, the share that follows the times at the nearest measured
 * point. Over the held-out rows of PICO's machines one half has the least regret: less than the
 * model alone, and less than those times alone. */
#define PREDICT_SHARE 0.5
/* Lets the predicted times of rows at one point lean towards those at the nearest of the fitted
 * points by a share; with 1 they are as there. Marks the row that was the best there. */
void predict_lean(const struct rows_row *const fitted[], size_t count,
                  struct predict_tested tested[], size_t rows, double share);
/* All points of all folds; with a share above 0 wholly where the choices of other folds were not
 * better in the mean than what was best at their nearest points, or these folds are less than two.
 */
void predict_lean_all(const struct predict_request *request, struct predict_result *result,
                      double share);
/* From this mean ratio on a choice is worse, or better, than another. */
#define PREDICT_BEYOND_CHANCE 1.02

/* True if two rows were measured at one point: they differ only in the algorithm. */
bool predict_same_point(const struct rows_row *a, const struct rows_row *b);
/* Their order: by system, collective, nodes, ranks, test, size, name. */
int predict_by_row(const struct rows_row *a, const struct rows_row *b);

/* Forecasts for the points of the tested rows from `first` on, which are this fold's. */
int predict_forecast_points(const struct predict_request *request, struct predict_result *result,
                            size_t first, int32_t fold, struct predict_model *model,
                            struct sup_error *error);

/* Drops all folds but the first ones. */
void predict_drop_folds(struct predict_result *result, size_t count);

/* Groups and summaries from folds and tested rows; predict_run calls it. */
void predict_summarize(const struct predict_request *request, struct predict_result *result);

/* Fits the default model to the request's rows of all machines but one (NULL: of all), as
 * PREDICT_SYSTEM does for a machine whose network is switched. `rows`, with room for all of the
 * set, gets those that are fitted, and count how many; they stay valid as long as the model. Errors
 * of predict_fit; RB_EINVAL also if there are none. */
int predict_fit_others(const struct predict_request *request, const char *system,
                       const struct rows_row *rows[], int32_t *count, struct predict_model **model,
                       struct sup_error *error);

/* True if a row counts at all, and if a fold fits it. */
bool predict_counts(const struct predict_request *request, const struct rows_row *row);
bool predict_is_fitted(const struct predict_request *request, const struct predict_fold *fold,
                       const struct rows_row *row);

/* ---- Reports --------------------------------------------------------------------------------- */

enum predict_what {
    PREDICT_SUMMARY,
    PREDICT_ERRORS,
    PREDICT_CHOICES,
    PREDICT_ROWS,
    PREDICT_PARAMETERS,
    PREDICT_FORECASTS,
    PREDICT_WHATS
};
extern const char *const predict_what_names[PREDICT_WHATS];

/* Adds what a table's numbers come to. */
void predict_say(const struct predict_request *request, const struct predict_result *result,
                 enum predict_what what, struct out_verdict *verdict);

struct predict_printing {
    enum predict_what what;
    enum out_format format;
    bool screen;                     /* of text: the answer, on one screen */
    const struct out_verdict *notes; /* of what was read; for the screen */
};

/* Prints one table, and what it comes to; the stream has write errors. Returns the number of its
 * rows. */
size_t predict_report(const struct predict_request *request, const struct predict_result *result,
                      const struct predict_printing *how, FILE *stream);

/* The predicted times at the points that were asked for, or at the rows', as a decision: each row
 * is a way, whose `more` is its predict_tested, and the row of the library's own choice is the own;
 * a call's `more` is its predict_group. The caller frees the decision, before the result. */
void predict_decide(const struct predict_result *result, struct decide *decision);

/* Writes a library's file of rules: for each p and m that was predicted, the algorithm with the
 * least predicted time among those that the library has, and no rule that takes longer than its own
 * choice (decide_make_rules). Of the rules' request format and everywhere count. The decision,
 * which the caller frees before the result, also on failure, has what the library takes by this
 * file. RB_EINVAL if the rows are of several machines or shapes, or the library has none of the
 * algorithms. */
int predict_write_rules(const struct rows_set *set, const struct predict_result *result,
                        struct rules_request rules, const struct rules_head *head, FILE *stream,
                        struct decide *decision, struct rules_notes *notes,
                        struct sup_error *error);
/* Says what such a decision gains over the library's own choices, and prints it. */
void predict_show_rules(const struct predict_result *result, const struct decide *decision,
                        const struct rules_format *format, FILE *stream);

/* Draws figures into a place's directory, which is made if it is missing: for each system and
 * collective measured and predicted times against the size, and the regret over ranks and sizes.
 * RB_EINVAL, RB_EIO, RB_EFAILED. */
int predict_draw(const struct predict_request *request, const struct predict_result *result,
                 const struct plot_request *place, struct sup_error *error);
/* What these figures lack: a set of enum plot_lack. */
unsigned predict_figures_lack(void);
