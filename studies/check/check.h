/* check.h - statements of papers and what this program says: points, formulas, tables, pictures,
 * gaps. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "experiments/point/words.h"
#include "sim/engine/engine.h"
#include "support/error.h"
#include "support/options/common_options.h"

/* ---- Points ---------------------------------------------------------------------------------- */

/* Every algorithm of every collective at points of a few networks, run on all cores: what the
 * checks `gallery` and `gaps` compare. */

/* Ranks lie in blocks; where a host has several, they share its port, and plans know their hosts.
 */
struct check_network {
    const char *title, *platform, *engine;
    int32_t ppn;
};

/* A point, and what came of it. */
struct check_entry {
    struct point point;
    struct point_outcome outcome; /* not done: the point was left out */
    int32_t network, collective;  /* numbers */
};

struct check_points {
    const char *what; /* "gallery" */
    const struct check_network *network;
    int32_t networks;
    double most_cost_s; /* a point whose estimated real time is longer is left out */
    bool wants_links;

    struct point_known_platform *platform; /* of each network */
    struct point_rule rule[POINT_PARAMETERS];
    char (*groups)[16];        /* of each network, for plans */
    struct check_entry *entry; /* in the order in which they were added */
    size_t count;
    struct check_entry **todo; /* those that were run last */
    size_t todo_count;
};

/* Makes the platforms; what, network, networks, most_cost_s and wants_links are set. The caller
 * closes points, also on failure. */
int check_points_open(struct check_points *points, struct sup_error *error);
void check_points_close(struct check_points *points);

/* Adds a point, if there is such a plan and, for plans by groups, if hosts have several ranks.
 * radix 0: the algorithm's own. n 0: the best by the closed form; without one, by the papers' rule.
 */
int check_points_add(struct check_points *points, const struct rb_algorithm_info *info,
                     int32_t network, const struct rb_plan_spec *plan, int64_t m_bytes,
                     struct sup_error *error);

/* Runs the entries from the given one on. */
int check_points_run(struct check_points *points, size_t first, struct sup_error *error);

/* The time over the bound, as it is printed. */
int64_t check_hundredths(double time_over_bound);

/* ---- Formulas -------------------------------------------------------------------------------- */

/* The cost formulas of Grama, Gupta, Karypis and Kumar, "Basic Communication Operations" (slides
 * to "Introduction to Parallel Computing", 2003), against the engine simgrid.
 *
 * Each formula is written here as on the slide, independent of the algorithm's own closed form. It
 * is compared with a simulation on the algorithm's own topology, where messages share links. A
 * start-up ts is the platform's latency, which lies on the hosts' own links, so that a message
 * alone takes ts + tw m whatever its distance. */

/* The variables of a formula. */
struct check_slide {
    double p, m; /* processors, bytes of a message */
    double q;    /* of a circular shift */
    double ts_s, tw_s_per_byte;
};

enum check_formula_kind {
    CHECK_FORMULA_EXACT, /* the time is this */
    CHECK_FORMULA_BOUND, /* the time is at most this */
};
enum check_formula_data {                   /* the data of which m is the size: */
                          CHECK_DATA_WHOLE, /* the message */
                          CHECK_DATA_EACH,  /* what each processor has, or is to get */
                          CHECK_DATA_PAIR,  /* what each has for each other */
};
/* A statement of the slides. */
struct check_statement {
    const char *number; /* the slides' own, "(1)"; "" if it has none */
    const char *text;   /* "(ts + tw m) log p" */
    double (*time_s)(const struct check_slide *slide);
    enum check_formula_kind kind;
    enum check_formula_data data;
};

enum check_formula_flags {
    CHECK_FORMULA_POWER = 1,  /* for p = 2^d only: log p is a whole number */
    CHECK_FORMULA_SQUARE = 2, /* for p = a a only: the mesh is square */
    CHECK_FORMULA_PARTS = 4,  /* the message is cut into p equal parts: p divides m */
    CHECK_FORMULA_SHIFTS = 8, /* about shifts: by all q, 0 < q < p */
    CHECK_FORMULA_GRAY = 16,  /* the linear array is mapped by the Gray code */
};

/* What the statement concerns. */
struct check_formula {
    const struct check_statement *states;
    const char *collective, *algorithm;
    const char *topology; /* name of the platform's generator */
    unsigned flags;       /* enum check_formula_flags */
};
extern const struct check_formula check_formula_table[];
extern const size_t check_formula_count;

/* One comparison; for shifts that of the slowest q, the first of several. */
struct check_formula_line {
    const struct check_formula *formula;
    int32_t p, q; /* q: 0 if there is none */
    int64_t m;
    char platform[80];
    double predicted_s, simulated_s;
    bool holds; /* exact: to 1e-9; bound: at most 1e-9 above */
};

extern const double check_formula_ts_s, check_formula_tw_s_per_byte;

/* True if the formula is for these. */
bool check_formula_applies(const struct check_formula *formula, int32_t p, int64_t m);
/* RB_EFAILED, RB_EINVAL. */
int check_formula_compare(const struct check_formula *formula, int32_t p, int64_t m,
                          const struct sim_overlap *overlap, struct check_formula_line *line,
                          struct sup_error *error);

/* The comparisons, and the number of combinations of formula, p and m that were left out because
 * they are impossible. */
struct check_formula_results {
    const struct check_formula_line *line;
    size_t count, left_out;
};

/* ---- Table 3 --------------------------------------------------------------------------------- */

/* Table 3 of F. Desprez, S. Domas, J. Dongarra, A. Petitet, C. Randriamaro and Y. Robert, More on
 * Scheduling Block-Cyclic Array Redistribution, 1998: nine problems (P, r) -> (Q, s), for which
 * the paper's heuristic does not always reach T_opt.
 *
 * What is printed is written down here; L and T_opt are computed anew. Lengths are in elements of
 * one slice of L. */

struct check_table_3_print {
    int32_t P, Q;
    int64_t r, s;
    int64_t L, t_opt;
    int64_t t_algo, t_ech; /* without and with exchanges; t_ech = 0: a dash */
};
enum { CHECK_TABLE_3_ROWS = 9 };
extern const struct check_table_3_print check_table_3[CHECK_TABLE_3_ROWS];

/* A row as computed here. */
struct check_table_3_line {
    const struct check_table_3_print *print;
    const char *method; /* the first of all, which a user gets without asking */
    int64_t L, t_opt;
    int64_t length, cuts;
    double seconds; /* processor time of the method */
    int64_t matching_cuts;
    int64_t greedy_0, greedy; /* lengths without exchanges, with the usual bound */
    bool holds;               /* length is T_opt, within CHECK_TABLE_3_SECONDS */
};
#define CHECK_TABLE_3_SECONDS 1.0

/* RB_ENOMEM, RB_EWRONG (a timetable fails its check) with a message. */
int check_table_3_compute(const struct check_table_3_print *print, struct check_table_3_line *line,
                          struct sup_error *error);

enum { CHECK_MOST_RANKS = 1024 };

/* ---- Checks ---------------------------------------------------------------------------------- */

/* Compares statements of papers with the results of this program.
 *
 * One check is one const descriptor and one line in verbs/verb_check.c. */

struct check_request {
    const struct sup_list *ranks, *bytes; /* NULL: the check's own choice */
    const char *platform, *collective;    /* NULL: its own networks; all */
    struct sim_overlap overlap;
    enum out_format format;
    bool details; /* of text: everything that is known */
    FILE *stream; /* for the results */
};

struct check_paper {
    const char *name;  /* "formulas" */
    const char *title; /* one line */
    /* The options that this check uses, among those that not all checks use; ends with NULL. */
    const char *const *options;
    /* RB_OK: all statements hold; RB_EWRONG: one does not, and the results say which; or RB_EINVAL,
     * RB_EFAILED with a message. */
    int (*run)(const struct check_request *request, struct sup_error *error);
};
extern const struct check_paper check_paper_formulas, check_paper_table_3, check_paper_gallery,
    check_paper_gaps;
