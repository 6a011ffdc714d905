/* audit.h - which choices of an MPI library lose time, why, and which rules would mend it.
 *
 * A point is one call: a collective, p ranks, m bytes. It has the library's decision with its time,
 * and the times of choices that could be made instead. Where these times come from does not matter
 * here: measured rows, a sweep's results, simulations. Points of one setting (a machine, a library,
 * a collective) are neighbours of each other in p and in m. */
#ifndef STUDIES_AUDIT_AUDIT_H
#define STUDIES_AUDIT_AUDIT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "experiments/decide/curves.h"
#include "experiments/rows/rows.h"
#include "experiments/search/search_grid.h"
#include "mpi/vendors/rules/rules.h"
#include "roundabout.h"
#include "studies/predict/predict.h"
#include "support/error.h"
#include "support/output/verdict.h"
#include "support/units.h"

/* What the points of an audit have in common with their neighbours. Texts are words of the audit,
 * of which equal ones have equal addresses. */
struct audit_setting {
    const char *source;     /* "mare_nostrum OMPI 4.1.5", or a platform */
    const char *library;    /* whose rules would mend it: "ompi"; NULL: none is known */
    const char *collective; /* ours: "reduce-scatter" */
    int32_t ppn;            /* ranks per host */
    int32_t per_node;       /* ranks per node, which may have several hosts; 0: ppn */
};

/* One way to do the collective. */
struct audit_choice {
    const char *name;      /* as the source of times calls it */
    const char *algorithm; /* of our plans; NULL: there is none, or it is not known */
    int32_t radix;         /* 0: none */
    int64_t segment_bytes; /* 0: unsegmented */
    double time_s;         /* NAN: not known */
    double low_s, high_s;  /* the spread of the times; NAN: not known */
    bool offered;          /* the library has it, so that a rule can name it */
};

enum audit_verdict {
    AUDIT_GOOD,   /* no choice of the library is faster by more than the threshold */
    AUDIT_LOSES,  /* one is */
    AUDIT_TIE,    /* one is by its median, but the spreads overlap */
    AUDIT_ALONE,  /* no other choice of the library has a time */
    AUDIT_NO_TIME /* the decision has none */
};
enum { AUDIT_VERDICTS = AUDIT_NO_TIME + 1 };
extern const char *const audit_verdict_names[AUDIT_VERDICTS];

enum audit_cause {
    AUDIT_NO_CAUSE,
    AUDIT_ALGORITHM, /* the algorithm of the decision is wrong, whatever its segments */
    AUDIT_SEGMENT,   /* another segment size would do */
    AUDIT_RADIX,     /* another radix would do */
    AUDIT_LATENCY,   /* of NCCL: a ring's, which grows with p, where a tree is best */
    AUDIT_HALVES,    /* of NCCL: a tree's bandwidth, as data go up and down, where a ring is best */
    AUDIT_UNKNOWN,   /* it is not known what the library chose, nor does a choice take as long */
    AUDIT_CAUSES
};
extern const char *const audit_cause_names[AUDIT_CAUSES];

/* Where the choice becomes wrong: the neighbour's choice would do here, or, if choices are not
 * known, the neighbour does not lose. */
enum audit_cliff {
    AUDIT_FROM_M = 1,  /* unlike the next smaller size */
    AUDIT_BELOW_M = 2, /* unlike the next larger size, `m_edge` */
    AUDIT_FROM_P = 4,
    AUDIT_BELOW_P = 8
};

struct audit_point {
    size_t setting;
    const char *run; /* of several measurements of one (p, m): which; otherwise "" */
    int32_t p;
    int64_t m_bytes;
    struct audit_choice decision; /* its algorithm and name may be unknown (NULL) */
    bool known;                   /* algorithm, radix and segment size of the decision are */
    size_t first, count;          /* of its choices; the decision itself may be among them */

    /* Filled by audit_judge. */
    enum audit_verdict verdict;
    const struct audit_choice *best;   /* the library's fastest, or of a loss the fastest beyond
                                        * noise; NULL: none */
    const struct audit_choice *beyond; /* the fastest that the library lacks, if it is faster than
                                        * best and decision by more than the threshold and beyond
                                        * noise; NULL: none */
    double ratio;                      /* of the decision's time to best's; NAN: no best */
    const struct audit_choice *like;   /* the choice that the decision is, or that takes as long */
    enum audit_cause cause;
    unsigned cliff;
    int64_t m_edge; /* the next larger size of AUDIT_BELOW_M */
    int32_t p_edge; /* the next larger p of AUDIT_BELOW_P */
};

/* A rule for the points with p from p_low to p_high and m from m_low to m_high. */
struct audit_rule {
    size_t setting;
    int32_t p_low, p_high;
    int64_t m_low, m_high;
    const struct audit_choice *choice; /* NULL: the decision may stay */
    int32_t mended, points;            /* losses that it mends, and points that it has */
    double gain;  /* geometric mean over its points of decision's time to choice's */
    double worst; /* the largest of these ratios */
};

struct audit {
    struct audit_setting *settings;
    size_t setting_count;
    struct audit_point *points; /* by setting, p, m, run, once judged */
    size_t point_count;
    struct audit_choice *choices; /* of all points */
    size_t choice_count;
    char **words;
    size_t word_count;
    double threshold; /* 0.1: ten percent */

    const struct audit_point **losses; /* worst first */
    size_t loss_count;
    struct audit_rule *rules; /* by setting, p, m; they have all points of a setting with losses */
    size_t rule_count;
};

/* ---- Building -------------------------------------------------------------------------------- */

/* The word of the audit that is this text; NULL for NULL. */
const char *audit_word(struct audit *audit, const char *text);
/* The number of an equal setting, or a new one. */
size_t audit_add_setting(struct audit *audit, const struct audit_setting *setting);
/* A point, whose `first` and `count` are filled in, and a choice for the last point. */
void audit_add_point(struct audit *audit, const struct audit_point *point);
void audit_add_choice(struct audit *audit, const struct audit_choice *choice);
void audit_free(struct audit *audit); /* safe on a zeroed struct */

/* ---- Judging --------------------------------------------------------------------------------- */

/* Sorts the points, fills verdicts, causes, cliffs and the list of losses. */
void audit_judge(struct audit *audit, double threshold);

/* Fills the rules, for settings that lose anywhere. */
void audit_mend(struct audit *audit);

/* Of their times; 1 if the latter takes none, as on one rank. */
double audit_ratio(const struct audit_choice *choice, const struct audit_choice *than);
/* The rule that has the point; NULL: none. */
const struct audit_rule *audit_rule_for(const struct audit *audit, const struct audit_point *point);
/* What the rules take there; the decision, where they leave it. */
const struct audit_choice *audit_mended_choice(const struct audit *audit,
                                               const struct audit_point *point);
/* The point's choice that is the same as this one; NULL: it has none. */
const struct audit_choice *audit_find_choice(const struct audit *audit,
                                             const struct audit_point *point,
                                             const struct audit_choice *sought);
/* True if name, algorithm, radix and segment size are the same, and both are the library's or
 * neither is. */
bool audit_same_choice(const struct audit_choice *a, const struct audit_choice *b);

/* ---- A library's decisions ------------------------------------------------------------------- */

/* For audits whose times are of plans: of simulations, predictions, or a sweep's results. */

/* What a library takes for one call. */
struct audit_decision {
    char name[96];         /* the library's name of the algorithm */
    const char *algorithm; /* ours; NULL: there is no plan */
    int32_t radix;         /* 0: none, or the algorithm's own choice */
    int64_t segment_bytes; /* 0: unsegmented */
};

/* How a library decides. */
struct audit_decider {
    const char *library; /* as in mpilib.h; its algorithms are what could be chosen instead */
    int version;
    /* "native:ompi": the engine of natives decides by itself and does not say how, and the
     * library's algorithms are its own. NULL: `decide` says it. */
    const char *native;
    /* False: the library has no rule for this call. */
    bool (*decide)(void *context, const char *collective, int32_t p, int32_t ppn, int64_t m_bytes,
                   struct audit_decision *decision);
    void *context;
};

/* What could not be judged. */
struct audit_left_out {
    int64_t no_rule;  /* points for which the library has no rule */
    int64_t no_plan;  /* points whose algorithm has no plan, or none for this p */
    char names[200];  /* of these algorithms, separated by commas */
    int64_t too_long; /* simulations that would take too long, by estimate, or did */
    int64_t failed;
    struct sup_error failure; /* of the first that failed */
};

/* Counts a point whose algorithm has no plan. */
void audit_leave_out(struct audit_left_out *left_out, const char *name);
/* A choice of the library without a time yet, with these segments. */
struct audit_choice audit_untimed(int32_t radix, int64_t segment_bytes);

/* The algorithm that a decision is for p ranks; NULL: there is no plan, or the library takes
 * another algorithm for so many ranks. */
const struct rb_algorithm_info *audit_plan_of(const struct audit_decider *decider,
                                              const struct audit_decision *decision,
                                              const char *collective, int32_t p, int32_t per_node);

/* The radix of the plan, which may be its algorithm's own choice; 0: it has none. */
int32_t audit_radix(const struct rb_plan_spec *spec);

/* The block count n of a plan whose blocks are segments of so many bytes, at most: 1 for an
 * algorithm that is not pipelined, or without segments. 0: there is no such plan. */
int64_t audit_blocks(const struct rb_plan_spec *spec, int64_t m_bytes, int64_t segment_bytes);
/* The bytes of a segment of n blocks, at most; 0 if the data are not cut. */
int64_t audit_segment(const struct rb_plan_spec *spec, int64_t m_bytes, int64_t n);

/* ---- Sources of points ----------------------------------------------------------------------- */

/* From measured collectives: the library's own choice beside the algorithms that were forced. */

/* Rows of one allocation, collective, number of ranks and size are a point, and the library's
 * algorithms among them are its choices. An algorithm is the library's if its name is marked like
 * that of the row of the library's own choice: "ring_ompi" beside "default_ompi", "default-ring"
 * beside "default-default"; without a mark each one is.
 *
 * Without a decider the row of the library's own choice is the decision. With a decider it is the
 * row of what that decides, and the row of the own choice where that has no rule; rows of other
 * libraries are left out. Points without a time of the decision are left out and counted. */
struct audit_rows_left_out {
    int64_t undecided; /* points without a row of the library's own choice, which would be needed */
    int64_t others;    /* rows of other libraries */
};
void audit_add_measured(struct audit *audit, const struct rows_row *const rows[], size_t count,
                        const struct audit_decider *decider, struct audit_left_out *left_out,
                        struct audit_rows_left_out *rows_left_out);

/* From a sweep's results: a library's choices at the times that the sweep has for them, beside
 * those of its other algorithms. */

/* Adds a point for each p and m of each setting for which the library has a rule. The time of a
 * rule's segment size is that of n = ceil(m / segment) blocks, or interpolated between the next
 * smaller and the next larger n of the sweep; beyond these there is none. */
void audit_add_results(struct audit *audit, const struct decide_curves *data,
                       const struct audit_decider *decider, struct audit_left_out *left_out);

/* By predictions of a machine that was fitted to measured collectives. */

/* What to predict. */
struct audit_prediction {
    struct predict_model *model;
    const struct rows_row *like; /* a row of the machine and library, which says how it is run */
    const char *collective;
    const struct sup_list *p, *m_bytes;
    int32_t ppn;
};

/* A row of this plan on the machine of `like`, without a time. */
struct rows_row audit_row(const struct rows_row *like, const struct rb_plan_spec *plan, int32_t ppn,
                          int64_t m_bytes);

/* Adds a point for each p and m that has a rule: the decision, and the library's algorithms,
 * unsegmented and with segments of powers of two. The spread of a choice is the interval of its
 * prediction. Errors of the model. */
int audit_predict(struct audit *audit, const char *source, const struct audit_decider *decider,
                  const struct audit_prediction *prediction, struct audit_left_out *left_out,
                  struct sup_error *error);

/* By simulation: a library's choices, as plans, beside the library's other algorithms and beside
 * all plans of this program. */

/* Searches (search_grid.h), simulates the decisions of all p and m that the request asks about, the
 * decisions of their neighbours, and the library's algorithms with segments of powers of two near
 * the best. Adds a point for each p and m that has a rule. `source` names the platform. The caller
 * frees the grid, also on failure. RB_EINVAL, RB_EFAILED. */
int audit_simulate(struct audit *audit, const char *source, const struct audit_decider *decider,
                   const struct search_request *request, struct search_grid *grid,
                   struct audit_left_out *left_out, struct sup_error *error);

/* ---- Rules and reports ----------------------------------------------------------------------- */

/* One candidate for each (collective, p, m): the choice of the mending rule; otherwise the
 * decision, "native" if it is not known. For SMPI, which has one algorithm for all p and m, all of
 * the library's choices are candidates. *unwritable counts points whose choice has no plan here
 * and therefore no rule. RB_EINVAL unless all points are of one source and one number of ranks per
 * node, and of the format's library. The caller frees *candidates. */
int audit_rule_candidates(const struct audit *audit, const struct rules_format *format,
                          struct rules_candidate **candidates, size_t *count, int64_t *unwritable,
                          struct sup_error *error);

enum audit_table { AUDIT_SUMMARY, AUDIT_LOSSES, AUDIT_RULES, AUDIT_POINTS, AUDIT_TABLES };
/* The values of --what. */
extern const char *const audit_table_names[AUDIT_TABLES];

/* Tables as text; `set` has the bit 1u << AUDIT_... of each. Of losses at most `top`; 0: all. Write
 * errors show in the stream. */
void audit_text(const struct audit *audit, unsigned set, int64_t top, FILE *stream);
void audit_csv(const struct audit *audit, enum audit_table table, FILE *stream);
/* Adds the threshold and an array for each table to the object, and returns it. */
json_t *audit_json(const struct audit *audit, unsigned set, json_t *head);

/* Says what the choices lose and where most, how much of it the rules mend, and how the times were
 * found: "measured". The audit is judged and mended, and a point of it could be judged. */
void audit_verdict(const struct audit *audit, const char *times, struct out_verdict *verdict);

/* "from 512KiB", "below p = 64 = 2^6": where the point's decision becomes wrong; NULL: nowhere. */
enum { AUDIT_CLIFF_SIZE = 96 };
const char *audit_cliff_text(const struct audit_point *point, char buffer[AUDIT_CLIFF_SIZE]);

#endif
