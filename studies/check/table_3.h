/* table_3.h - Table 3 of F. Desprez, S. Domas, J. Dongarra, A. Petitet, C. Randriamaro and Y.
 * Robert, More on Scheduling Block-Cyclic Array Redistribution, 1998: nine problems (P, r) -> (Q,
 * s), for which the paper's heuristic does not always reach T_opt.
 *
 * What is printed is written down here; L and T_opt are computed anew. Lengths are in elements of
 * one slice of L. */
#ifndef STUDIES_CHECK_TABLE_3_H
#define STUDIES_CHECK_TABLE_3_H

#include "studies/check/check.h"

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

void check_table_3_report(const struct check_request *request,
                          const struct check_table_3_line line[], size_t count);

#endif
