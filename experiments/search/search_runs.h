/* search_runs.h - runs of the judge: lined up, then done in worker processes. */
#ifndef EXPERIMENTS_SEARCH_SEARCH_RUNS_H
#define EXPERIMENTS_SEARCH_SEARCH_RUNS_H

#include "experiments/search/search_grid.h"

/* Lines up a run of the curve with n blocks; its cost_s is an estimate. RB_ENOMEM. */
int search_add_run(const struct search_request *request, struct search_grid *search,
                   const struct search_curve *curve, int64_t n, struct sup_error *error);

/* Does the runs from the first one given on; a progress line says what they are for. One that takes
 * ten times as long as request->judge_most_s, which its estimate must keep, and a minute, is ended.
 * A run that takes too long or fails keeps the time NAN. Errors are those of sup_pool_run. */
int search_do_runs(const struct search_request *request, struct search_grid *search, size_t first,
                   const char *what, struct sup_error *error);

#endif
