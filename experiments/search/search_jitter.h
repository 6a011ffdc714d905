/* search_jitter.h - copies, with other latencies, of the fastest runs on a named platform: how far
 * their times spread (sim/engine/jitter.h). */
#ifndef EXPERIMENTS_SEARCH_SEARCH_JITTER_H
#define EXPERIMENTS_SEARCH_SEARCH_JITTER_H

#include "experiments/search/search_grid.h"

/* For each case's winner and its close rivals, at their best n: fills the spread, and replaces the
 * time by the median. What would take longer than request->search_most_s, by estimate, keeps its
 * time and has no spread. */
int search_jitter(const struct search_request *request, struct search_grid *search,
                  struct sup_error *error);

/* "tie" if another curve of the case may be as fast as its winner, else "no"; NULL: not known. */
const char *search_tie(const struct search_grid *search, const struct search_case *a_case);

#endif
