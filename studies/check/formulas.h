/* formulas.h - the cost formulas of Grama, Gupta, Karypis and Kumar, "Basic Communication
 * Operations" (slides to "Introduction to Parallel Computing", 2003), against the engine simgrid.
 *
 * Each formula is written here as on the slide, independent of the algorithm's own closed form. It
 * is compared with a simulation on the algorithm's own topology, where messages share links. A
 * start-up ts is the platform's latency, which lies on the hosts' own links, so that a message
 * alone takes ts + tw m whatever its distance. */
#ifndef STUDIES_CHECK_FORMULAS_H
#define STUDIES_CHECK_FORMULAS_H

#include <stddef.h>

#include "studies/check/check.h"

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
void check_formulas_print(const struct check_request *request,
                          const struct check_formula_results *results);

#endif
