/* search_steps.h - the steps of search_grid after the search itself: simulations on the platform
 * that was asked about, copies of the fastest, and the confirming engine. */
#ifndef EXPERIMENTS_SEARCH_SEARCH_STEPS_H
#define EXPERIMENTS_SEARCH_SEARCH_STEPS_H

#include "experiments/search/search_grid.h"

/* ---- Runs on the requested platform: lined up, then done in worker processes ----------------- */

/* Lines up a run of any point by this engine on the platform that the request asks about. */
struct search_run *search_add_point(const struct search_request *request,
                                    const struct sim_engine *engine, struct search_grid *search,
                                    const struct point *point);

/* Does the runs from the given first one on; a progress line says what they are for. The estimate
 * of a run must be at most most_s; a run that takes ten times as long, and a minute, is ended. A
 * run that takes too long or fails keeps the time NAN. Errors are those of sup_pool_run. */
int search_do_runs(const struct search_request *request, struct search_grid *search, size_t first,
                   double most_s, const char *what, struct sup_error *error);

/* ---- The steps ------------------------------------------------------------------------------- */

/* ---- Times on a named platform (search_steps.c) ---- */

/* Fills named of all curves. A run that takes too long, or fails, is not an
 * error. */
int search_named(const struct search_request *request, struct search_grid *search,
                 struct sup_error *error);

/* ---- Late ranks (search_steps.c) ---- */

/* After search_named and the choice by it, which it keeps in each case's `together`: fills named of
 * all curves anew, for ranks that come as request->arrival says. Nothing is excluded, as a plan can
 * take less from the last arrival than if ranks come together. */
int search_late(const struct search_request *request, struct search_grid *search,
                struct sup_error *error);

/* ---- Copies of the fastest runs (search_steps.c) ---- */

/* For each case's winner and its close rivals, at their best n: fills the spread, and replaces the
 * time by the median. What would take longer than request->search_most_s, by estimate, keeps its
 * time and has no spread. */
int search_jitter(const struct search_request *request, struct search_grid *search,
                  struct sup_error *error);

/* "tie" if another curve of the case, one of `curves`, may be as fast as its winner, and takes
 * another time, else "no"; NULL: not known. */
const char *search_tie(const struct search_case *a_case, const struct search_curve curves[]);

/* ---- The confirming engine (search_steps.c) ---- */

enum { SEARCH_CLOSE = 4 };

/* If the model found the winners, runs each case's winner, its neighbours in n and a close
 * runner-up; on a named platform, where neighbours have been run, the winner and up to three close
 * rivals. Fills the verdicts. Without a confirming engine it only says what has no time. */
int search_confirm(const struct search_request *request, struct search_grid *search,
                   struct sup_error *error);

/* ---- What tables and files of rules share (search_table.c) ---- */

/* Room for the settings of all searches, to which the curves or the decision point. */
void search_make_room(const struct search *const searches[], size_t count,
                      struct decide_curves *data);
/* One for each rule, and the last for all of them, when there are several. Returns the first. */
size_t search_add_settings(const struct search *search, const char *engine,
                           const struct point_known_platform *platform, struct decide_curves *data);
bool search_has_time(const struct decide_sample *sample);
/* The runs that have a time. */
int64_t search_times_of(const struct search_named_runs *named);
/* A run of the confirming engine; NULL: none. */
const struct search_run *search_run_of(const struct search_grid *search,
                                       const struct search_case *a_case, size_t run);
/* Says what was searched, how sure that is, and what was left out though it might have won. */
void search_notes(const struct search *const searches[], size_t count,
                  struct decide_tune_result *tuning);

#endif
