/* search_steps.h - the steps of search_grid after the search itself: simulations on the platform
 * that was asked about, copies of the fastest, and the confirming engine. */
#ifndef EXPERIMENTS_SEARCH_SEARCH_STEPS_H
#define EXPERIMENTS_SEARCH_SEARCH_STEPS_H

#include "experiments/search/search_grid.h"

/* ---- Times on a named platform (search_named.c) ---- */

/* Fills named of all curves. A run that takes too long, or fails, is not an
 * error. */
int search_named(const struct search_request *request, struct search_grid *search,
                 struct sup_error *error);

/* ---- Copies of the fastest runs (search_jitter.c) ---- */

/* For each case's winner and its close rivals, at their best n: fills the spread, and replaces the
 * time by the median. What would take longer than request->search_most_s, by estimate, keeps its
 * time and has no spread. */
int search_jitter(const struct search_request *request, struct search_grid *search,
                  struct sup_error *error);

/* "tie" if another curve of the case may be as fast as its winner, else "no"; NULL: not known. */
const char *search_tie(const struct search_grid *search, const struct search_case *a_case);

/* ---- The confirming engine (search_confirm.c) ---- */

enum { SEARCH_CLOSE = 4 };
/* The case's winner, and then up to three rivals whose times on the named platform are close to it.
 * Returns how many there are, 0 without a winner. */
size_t search_close(const struct search_grid *search, const struct search_case *a_case,
                    const struct search_curve *close[SEARCH_CLOSE]);

/* If the model found the winners, runs each case's winner, its neighbours in n and a close
 * runner-up; on a named platform, where neighbours have been run, the winner and up to three close
 * rivals. Fills the verdicts. Without a confirming engine it only says what has no time. */
int search_confirm(const struct search_request *request, struct search_grid *search,
                   struct sup_error *error);

#endif
