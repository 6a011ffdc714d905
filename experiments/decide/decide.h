/* decide.h - from times to choices: calls, the ways to do each with their times, and what to take.
 *
 * A call is a collective with p ranks and m bytes at a place. It has ways to be done, each with a
 * time, and, where that is known, the library's own way. Where the times come from does not matter
 * here: measured rows, a sweep's results, simulations, predictions. Calls of one place are
 * neighbours of each other in p and in m. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "experiments/point/lower_bound.h"
#include "mpi/vendors/rules/rules.h"
#include "roundabout.h"
#include "support/error.h"
#include "support/output/table.h"
#include "support/output/verdict.h"

struct point;

/* What calls have in common with their neighbours. Texts are words of the decision, of which equal
 * ones have equal addresses. */
struct decide_place {
    const char *place;           /* "mare_nostrum OMPI 4.1.5", or a platform */
    const char *library;         /* whose rules choose here: "ompi"; NULL: none is known */
    const char *collective;      /* ours: "reduce-scatter" */
    int32_t ppn;                 /* ranks per host */
    int32_t per_node;            /* ranks per node, which may have several hosts; 0: ppn */
    const struct point *setting; /* of a sweep or a search: all that its points share, which must
                                  * live as long; NULL: none */
};

/* How a time was found. */
enum decide_source {
    DECIDE_UNTIMED,
    DECIDE_COMPUTED, /* by a cost model */
    DECIDE_SIMULATED,
    DECIDE_PREDICTED,
    DECIDE_MEASURED,
    DECIDE_SOURCES
};
extern const char *const decide_source_names[DECIDE_SOURCES];

/* One way to do a call. */
struct decide_way {
    const char *name;      /* as the source of times calls it */
    const char *algorithm; /* of our plans; NULL: there is none, or it is not known */
    const char *groups;    /* of such a plan; NULL: none */
    int32_t radix;         /* 0: none */
    int64_t n;             /* blocks; 0: not known */
    int64_t segment_bytes; /* 0: unsegmented, or not known */
    int32_t protocol;      /* of NCCL, as in rules_candidate; 0: none */
    const char *typed;     /* as options name it, "hosts --groups router"; NULL: the name */
    const char *rival;     /* ways with the same are no rivals of each other; NULL: the name */
    bool offered;          /* the library has it, so that a rule can name it */
    bool own;              /* it is the library's own, whatever that is, and not offered */
    enum decide_source source;
    double time_s; /* NAN: not known */
    double low_s,
        high_s;         /* the spread of the times, or an interval of predictions; NAN: not known */
    double confirmed_s; /* by another engine; NAN: not known */
    const void *more;   /* for columns of its source's own; NULL: none */
};

/* Of the library's own way. */
enum decide_verdict {
    DECIDE_NO_OWN,  /* it is not asked about */
    DECIDE_GOOD,    /* no way of the library is faster by more than the threshold */
    DECIDE_LOSES,   /* one is */
    DECIDE_TIE,     /* one is by its median, but the spreads overlap */
    DECIDE_ALONE,   /* no other way of the library has a time */
    DECIDE_NO_TIME, /* it has none */
    DECIDE_VERDICTS
};
extern const char *const decide_verdict_names[DECIDE_VERDICTS];

enum decide_cause {
    DECIDE_NO_CAUSE,
    DECIDE_ALGORITHM, /* the algorithm of the library's way is wrong, whatever its segments */
    DECIDE_SEGMENT,   /* another segment size would do */
    DECIDE_RADIX,     /* another radix would do */
    DECIDE_LATENCY,   /* of NCCL: a ring's, which grows with p, where a tree is best */
    DECIDE_HALVES,  /* of NCCL: a tree's bandwidth, as data go up and down, where a ring is best */
    DECIDE_UNKNOWN, /* it is not known what the library chose, nor does a way take as long */
    DECIDE_CAUSES
};
extern const char *const decide_cause_names[DECIDE_CAUSES];

/* Where the library's way becomes wrong: the neighbour's would do here, or, if ways are not known,
 * the neighbour does not lose. */
enum decide_cliff {
    DECIDE_FROM_M = 1,  /* unlike the next smaller size */
    DECIDE_BELOW_M = 2, /* unlike the next larger size, `m_edge` */
    DECIDE_FROM_P = 4,
    DECIDE_BELOW_P = 8
};

struct decide_call {
    size_t place;
    const char *run; /* of several measurements of one (p, m): which; otherwise "" */
    int32_t p;
    int64_t m_bytes;
    int64_t size;             /* m in the library's measure (rules.h); 0: not asked for */
    size_t first, count;      /* of its ways; the library's own may be among them */
    bool has_own;             /* it is asked how good the library's own way is: */
    struct decide_way own;    /* its algorithm and name may be unknown (NULL) */
    bool own_known;           /* algorithm, radix and segment size of it are */
    bool own_stays;           /* rules leave it, whatever is faster (decide_make_rules) */
    struct point_bound bound; /* time_s 0 or NAN: none is known */
    const void *more;         /* for columns of its source's own; NULL: none */
    struct decide_way taken;  /* by decide_read_back */

    /* Filled by decide_judge; NULL: there is no such way. */
    const struct decide_way *choice;    /* the library's fastest, or of a loss the fastest beyond
                                         * noise; NULL also if the verdict is ALONE or NO_TIME */
    const struct decide_way *next_best; /* the library's fastest that is a rival, and takes another
                                         * time unless that is measured */
    const struct decide_way *beyond;    /* the fastest that the library lacks, if it is faster than
                                         * choice and own by more than the threshold and beyond
                                         * noise */
    const struct decide_way *like; /* the way that the library's own is, or that takes as long */
    double lead, gain, of_bound;   /* time of next_best, and of own, over that of choice, and this
                                    * over the bound; NAN: not known */
    const char *tie; /* "tie" if choice and next_best have spreads that overlap, "no" if not; NULL:
                      * the spread of choice is not known */
    enum decide_verdict verdict;
    enum decide_cause cause;
    unsigned cliff;
    int64_t m_edge; /* the next larger size of DECIDE_BELOW_M */
    int32_t p_edge; /* the next larger p of DECIDE_BELOW_P */
};

/* A rule for the calls with p from p_low to p_high and m from m_low to m_high. */
struct decide_rule {
    size_t place;
    int32_t p_low, p_high;
    int64_t m_low, m_high;
    const struct decide_way *choice; /* NULL: the library's own may stay */
    int32_t mended, points;          /* losses that it mends, and calls that it has */
    double gain;  /* geometric mean over its calls of the own way's time to choice's */
    double worst; /* the largest of these ratios; both NAN without a choice */
};

/* Why something could not be decided, or has no time. */
enum decide_reason {
    DECIDE_NO_RULE,      /* calls for which a file has no rule */
    DECIDE_UNDECIDED,    /* calls without a row of the library's own way, which would be needed */
    DECIDE_OTHERS,       /* rows of other libraries */
    DECIDE_NOT_MEASURED, /* calls whose own way has no row */
    DECIDE_NO_PLAN,      /* calls whose own way has no plan, or none for this p */
    DECIDE_TOO_LONG,     /* simulations that would take too long, by estimate, or did */
    DECIDE_FAILED,       /* simulations */
    DECIDE_UNTRIED,      /* rows that say nothing of rules that are tried */
    DECIDE_REASONS
};

struct decide {
    struct decide_place *places;
    size_t place_count;
    struct decide_call *calls; /* by place, p, m, run, once judged */
    size_t call_count;
    struct decide_way *ways; /* of all calls */
    size_t way_count;
    char **words;
    size_t word_count;
    struct out_left_out left_out[DECIDE_REASONS];
    double threshold; /* 0.1: ten percent */
    double equal;     /* times are equal that differ by no more than this share */

    const struct decide_call **losses; /* worst first */
    size_t loss_count;
    struct decide_rule *rules; /* by place, p, m; they have all calls of a place with losses */
    size_t rule_count;
};

/* ---- Building -------------------------------------------------------------------------------- */

/* The word of the decision that is this text; NULL for NULL. */
const char *decide_word(struct decide *decision, const char *text);
/* The number of an equal place, or a new one. */
size_t decide_add_place(struct decide *decision, const struct decide_place *place);
/* A call, whose `first` and `count` are filled in, and a way for the last call. */
void decide_add_call(struct decide *decision, const struct decide_call *call);
void decide_add_way(struct decide *decision, const struct decide_way *way);
/* A way without a time yet, which the library offers, with these segments. */
struct decide_way decide_untimed(int32_t radix, int64_t segment_bytes);

/* Counts what is left out. `what` is a name, of which each is kept once, or an error, of which the
 * first is kept; NULL: none. */
void decide_leave_out(struct decide *decision, enum decide_reason reason, int64_t count,
                      const char *what);
/* What is left out for a reason, as a note for the user: "2 rows are left out, because ...";
 * NULL: nothing. The caller frees it. */
char *decide_say_left_out(const struct decide *decision, enum decide_reason reason);

void decide_free(struct decide *decision); /* safe on a zeroed struct */

/* ---- Judging --------------------------------------------------------------------------------- */

/* Sorts the calls, fills choices, verdicts, causes, cliffs and the list of losses. Of ways that are
 * equally fast the first one counts. */
void decide_judge(struct decide *decision, double threshold);

/* Makes the way, which may have no time, the choice, and fills what follows from that. */
void decide_take(const struct decide *decision, struct decide_call *call,
                 const struct decide_way *way);

/* Fills the rules, for places that lose anywhere. */
void decide_mend(struct decide *decision);

/* Of their times; 1 if the latter takes none, as on one rank. */
double decide_ratio(const struct decide_way *way, const struct decide_way *than);
/* Of the next best's time to the choice's: 1 where neither takes any. */
double decide_lead(double next_s, double choice_s);
/* How many calls have the verdict. */
size_t decide_count(const struct decide *decision, enum decide_verdict verdict);
/* The rule that has the call; NULL: none. */
const struct decide_rule *decide_rule_for(const struct decide *decision,
                                          const struct decide_call *call);
/* What the rules take there; the library's own, where they leave it. */
const struct decide_way *decide_mended(const struct decide *decision,
                                       const struct decide_call *call);
/* The call's way that is the same as this one; NULL: it has none. */
const struct decide_way *decide_find_way(const struct decide *decision,
                                         const struct decide_call *call,
                                         const struct decide_way *sought);
/* True if name, algorithm, radix and segment size are the same, and both are the library's or
 * neither is. */
bool decide_same_way(const struct decide_way *a, const struct decide_way *b);

/* "from 512KiB", "below p = 64 = 2^6": where the call's own way becomes wrong; NULL: nowhere. */
enum { DECIDE_CLIFF_SIZE = 96 };
const char *decide_cliff_text(const struct decide_call *call, char buffer[DECIDE_CLIFF_SIZE]);

/* ---- Tables (table.c) -------------------------------------------------------------------------
 */

/* What the cells of a column are members of (out_column, OUT_OF_BASE). */
enum decide_base {
    DECIDE_PLACE,
    DECIDE_CALL,
    DECIDE_CALL_MORE,
    DECIDE_OWN,
    DECIDE_CHOICE,
    DECIDE_CHOICE_MORE,
    DECIDE_NEXT_BEST,
    DECIDE_LIKE,
    DECIDE_BEYOND,
    DECIDE_SHOWN,  /* the module's */
    DECIDE_ITSELF, /* the table's: of a row */
    DECIDE_ITSELF_MORE,
    DECIDE_BASES
};

struct decide_row {
    const struct decide_place *place; /* NULL: all of them together */
    const struct decide_call *call;   /* NULL: the row is of something else */
    const void *itself, *more;
};

/* A table names its columns, with a blank between: those of the list in table.c, which all tables
 * share, or its own. In texts "ppn/5" is left out of a narrow line before those with smaller
 * numbers, "choice/!" never (out_column). */
struct decide_table {
    const char *text, *data; /* names of the columns in text, and in CSV and JSON */
    const struct out_column *own;
    size_t own_width;
    bool settings; /* of rows' places: as headings in text, as the first columns of CSV and JSON */
    size_t most; /* in text, columns that hold something; the others, and those for which a line is
                  * too narrow, are not named; 0: as many as a line has room for */
    size_t rows;
    struct decide_row (*row)(const void *context, size_t i);
    const void *context;
};

/* The columns that the words name: those of the table, or the decision's. Returns how many. */
enum { DECIDE_MOST_COLUMNS = 40 };
size_t decide_columns(const struct decide_table *table, const char *words,
                      struct out_column chosen[DECIDE_MOST_COLUMNS]);

/* An empty line, headings and rows. Columns are as wide as what they hold, and one that holds
 * nothing is left out. Write errors show in the stream. */
void decide_table_text(const struct decide_table *table, FILE *stream);
/* The columns of texts as an element of HTML, without headings of settings. */
void decide_table_html(const struct decide_table *table, FILE *stream);
void decide_table_csv(const struct decide_table *table, FILE *stream);
/* JSON as out_json_rows_begin has it: the rows are the member `name` of the object `head`. */
void decide_table_rows(const struct decide_table *table, FILE *stream, json_t *head,
                       const char *name);
/* An array of objects; the caller owns it. */
json_t *decide_table_json(const struct decide_table *table);

/* ---- Which ways win (winners.c) -----------------------------------------------------------------
 */

/* A table of the choices that fits a screen, of about so many rows: a row for each call; if these
 * are too many, for neighbouring sizes with one choice; or for each choice at a place. Of places
 * with settings. */
enum { DECIDE_SCREEN = 12 };
void decide_map_text(const struct decide *decision, size_t most, FILE *stream);
/* True if times of a place are computed by an engine that simulates nothing. */
bool decide_is_computed(const struct decide *decision);
/* How many calls have a choice that is not known to be faster than the next best. */
size_t decide_ties(const struct decide *decision);
/* Says which ways win, what one of them for all calls would cost, and how sure that is; confirmed:
 * calls whose choice another engine confirms. Of places with settings. */
void decide_winners(const struct decide *decision, size_t confirmed, struct out_verdict *verdict);

/* ---- Rules ----------------------------------------------------------------------------------- */

/* A candidate for each way that has a time. The library's own is "native", and is none unless it
 * takes less time than the best of the library's ways by more than the share `stays` of its own.
 * Returns how many; the caller frees *candidates. */
size_t decide_all_candidates(const struct decide *decision, double stays,
                             struct rules_candidate **candidates);

/* Reads rules as the library does, and makes what it then takes each call's choice: of the rule's
 * algorithm the way with the nearest segment size, called as the library calls it; where there is
 * no rule its own, called so. A choice that has no way has no time. Errors of rules_parse. */
#define DECIDE_OWN_NAME "the library's own"
int decide_read_back(struct decide *decision, const struct rules_format *format, const char *text,
                     size_t size, struct sup_error *error);

/* Gives the library's own ways the times of what its own tree of choices takes, into which rules of
 * this format are put (rules_head.base); NAN where that has none. Errors of decide_make_rules. */
int decide_own_by_base(struct decide *decision, const struct rules_format *format, const char *base,
                       struct sup_error *error);

/* The rules of all candidates, as a text that the caller frees, also on failure, and what the
 * library then takes (decide_read_back). No rule takes longer than the library's own way at a call
 * where that has a time: where one would, because it serves several sizes or numbers of ranks, or
 * because too few ways have times, a way takes its place that does not, or the library's own. Of a
 * format with one choice for all calls (rules_format.one_choice) the rule stays. Errors of
 * rules_make and decide_read_back. */
int decide_make_rules(struct decide *decision, const struct rules_request *request, double stays,
                      const struct rules_head *head, char **text, size_t *size,
                      struct rules_notes *notes, struct sup_error *error);
/* True if the call's choice takes longer than the library's own way, or has no time and that has.
 */
bool decide_is_slower(const struct decide_call *call);

/* How much faster than the library's own choices those of a place are, or of all, which have these
 * names; the caller frees the sentence. */
#define DECIDE_ALL_PLACES SIZE_MAX
char *decide_say_gains(const struct decide *decision, size_t place, const char *library,
                       const char *names);

/* RB_EINVAL, with a message that says how to choose (" by --system", "--ppn"), if the calls are of
 * several machines or, unless any may be, of several numbers of ranks per node. */
int decide_check_places(const struct decide *decision, const struct rules_format *format,
                        bool any_ppn, const char *of_places, const char *of_ppn,
                        struct sup_error *error);

/* One candidate for each (collective, p, m): the choice of the mending rule; otherwise the
 * library's own, "native" if it is not known. For SMPI, which has one algorithm for all p and m,
 * all of the library's ways are candidates. *unwritable counts calls whose choice has no plan here
 * and therefore no rule. RB_EINVAL unless all calls are of one place and one number of ranks per
 * node, and of the format's library. The caller frees *candidates. */
int decide_candidates(const struct decide *decision, const struct rules_format *format,
                      struct rules_candidate **candidates, size_t *count, int64_t *unwritable,
                      struct sup_error *error);

/* ---- How a library decides, and in what ways it could (decide.c) ----------------------
 */

/* What a library takes for one call. */
struct decide_taken {
    char name[96];         /* the library's name of the algorithm */
    const char *algorithm; /* ours; NULL: there is no plan */
    int32_t radix;         /* 0: none, or the algorithm's own choice */
    int64_t segment_bytes; /* 0: unsegmented */
};

/* How a library decides. */
struct decide_library {
    const char *library; /* as in mpilib.h; its algorithms are what could be chosen instead */
    int version;
    /* "native:ompi": the engine of natives decides by itself and does not say how, and the
     * library's algorithms are its own. NULL: `decide` says it. */
    const char *native;
    /* False: the library has no rule for this call. */
    bool (*decide)(void *context, const char *collective, int32_t p, int32_t ppn, int64_t m_bytes,
                   struct decide_taken *taken);
    void *context;
};

/* The algorithm of what is taken for p ranks; NULL: there is no plan, or the library takes another
 * algorithm for so many ranks. */
const struct rb_algorithm_info *decide_plan_of(const struct decide_library *library,
                                               const struct decide_taken *taken,
                                               const char *collective, int32_t p, int32_t per_node);

/* The radix of the plan, which may be its algorithm's own choice; 0: it has none. */
int32_t decide_radix(const struct rb_plan_spec *spec);

/* The block count n of a plan whose blocks are segments of so many bytes, at most: 1 for an
 * algorithm that is not pipelined, or without segments. 0: there is no such plan. */
int64_t decide_blocks(const struct rb_plan_spec *spec, int64_t m_bytes, int64_t segment_bytes);
/* The bytes of a segment of n blocks, at most; 0 if the data are not cut. */
int64_t decide_segment(const struct rb_plan_spec *spec, int64_t m_bytes, int64_t n);
