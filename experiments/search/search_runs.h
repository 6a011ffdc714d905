/* search_runs.h - runs on the requested platform: lined up, then done in worker processes. */
#ifndef EXPERIMENTS_SEARCH_SEARCH_RUNS_H
#define EXPERIMENTS_SEARCH_SEARCH_RUNS_H

#include "experiments/search/search_grid.h"

/* Lines up a run of the curve with n blocks by this engine; its cost_s is an estimate. The run is
 * the last one until another is added. */
struct search_run *search_add_run(const struct search_request *request,
                                  const struct sim_engine *engine, struct search_grid *search,
                                  const struct search_curve *curve, int64_t n);

/* Lines up a run of any point by this engine on the platform that the request asks about. */
struct search_run *search_add_point(const struct search_request *request,
                                    const struct sim_engine *engine, struct search_grid *search,
                                    const struct point *point);

/* Does the runs from the given first one on; a progress line says what they are for. The estimate
 * of a run must be at most most_s; a run that takes ten times as long, and a minute, is ended. A
 * run that takes too long or fails keeps the time NAN. Errors are those of sup_pool_run. */
int search_do_runs(const struct search_request *request, struct search_grid *search, size_t first,
                   double most_s, const char *what, struct sup_error *error);

#endif
