/* search_runs.h - runs of the judge: lined up, then done in worker processes. */
#ifndef RB_EXPERIMENTS_SEARCH_SEARCH_RUNS_H
#define RB_EXPERIMENTS_SEARCH_SEARCH_RUNS_H

#include "experiments/search/search_grid.h"

/* Lines up a run of the curve with n blocks; its cost_s is an estimate. RB_ENOMEM. */
int rb_search_add_run(const struct rb_search_request *request, struct rb_search *search,
                      const struct rb_search_curve *curve, int64_t n, struct rb_error *error);

/* Does the runs from the first one given on; a progress line says what they are for. One that takes
 * ten times as long as request->judge_most_s, which its estimate must keep, and a minute, is ended.
 * A run that takes too long or fails keeps the time NAN. Errors are those of rb_pool_run. */
int rb_search_do_runs(const struct rb_search_request *request, struct rb_search *search,
                      size_t first, const char *what, struct rb_error *error);

#endif
