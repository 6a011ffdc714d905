/* audit.h - which choices of an MPI library lose time, why, and which rules would mend it.
 *
 * A point is one call: a collective, p ranks, m bytes. It has the library's decision with its time,
 * and the times of choices that could be made instead. Where these times come from does not matter
 * here: measured rows, a sweep's results, simulations. Points of one setting (a machine, a library,
 * a collective) are neighbours of each other in p and in m. */
#ifndef AUDIT_AUDIT_H
#define AUDIT_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/error.h"

/* What the points of an audit have in common with their neighbours. Texts are words of the audit.
 */
struct audit_setting {
    const char *source;     /* "mare_nostrum OMPI 4.1.5", or a platform */
    const char *library;    /* whose rules would mend it: "ompi"; NULL: none is known */
    const char *collective; /* ours: "reduce-scatter" */
    int32_t ppn;            /* ranks per node */
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

/* A copy of the text that lives as long as the audit; equal texts have one copy. NULL for NULL. */
int audit_word(struct audit *audit, const char *text, const char **word, struct sup_error *error);
/* The number of an equal setting, or a new one. All of these: RB_ENOMEM. */
int audit_add_setting(struct audit *audit, const struct audit_setting *setting, size_t *index,
                      struct sup_error *error);
/* Its texts must be words. `first` and `count` are filled in. */
int audit_add_point(struct audit *audit, const struct audit_point *point, struct sup_error *error);
/* A choice for the last point. */
int audit_add_choice(struct audit *audit, const struct audit_choice *choice,
                     struct sup_error *error);
void audit_free(struct audit *audit); /* safe on a zeroed struct */

/* ---- Judging --------------------------------------------------------------------------------- */

/* Sorts the points, fills verdicts, causes, cliffs and the list of losses. RB_ENOMEM. */
int audit_judge(struct audit *audit, double threshold, struct sup_error *error);

/* Fills the rules, for settings that lose anywhere. RB_ENOMEM. */
int audit_mend(struct audit *audit, struct sup_error *error);

/* Of their times; 1 if the latter takes none, as on one rank. */
double audit_ratio(const struct audit_choice *choice, const struct audit_choice *than);
/* The rule that has the point; NULL: none. */
const struct audit_rule *audit_rule_for(const struct audit *audit, const struct audit_point *point);
/* The point's choice that is the same as this one; NULL: it has none. */
const struct audit_choice *audit_find_choice(const struct audit *audit,
                                             const struct audit_point *point,
                                             const struct audit_choice *sought);
/* True if name, algorithm, radix and segment size are the same, and both are the library's or
 * neither is. */
bool audit_same_choice(const struct audit_choice *a, const struct audit_choice *b);

#endif
