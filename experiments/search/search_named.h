/* search_named.h - times on a platform that the model doesn't know, simulated there by an engine
 * that knows contention (request->named_engine).
 *
 * First each algorithm with the closed form's best n, or the model's if there is no closed form.
 * That n is best without contention, and another may be better with it: so of algorithms that take
 * up to four times as long as the fastest, half of n and twice n are run, and those of a better n,
 * until none is better; and then of those that take up to a tenth longer than the fastest also an
 * eighth less and more.
 *
 * An algorithm is left out where its time without contention shows that it can't win: if no message
 * is faster on the named platform than on the crossbar (request->bounded), then no plan is, because
 * a message starts when its rank's operations before it have ended, and under no progress rule does
 * anything start later because something else ended earlier. The three that are the fastest without
 * contention come first; those whose time without it is longer than the best of these with it go
 * without a run. The model's best n has the least time without contention only if the search has
 * proved so; where it has not, the lower bound of all n (search_bound.h) must be longer. */
#ifndef EXPERIMENTS_SEARCH_SEARCH_NAMED_H
#define EXPERIMENTS_SEARCH_SEARCH_NAMED_H

#include "experiments/search/search_grid.h"

/* Fills named of all curves. A run that takes too long, or fails, is not an
 * error. */
int search_named(const struct search_request *request, struct search_grid *search,
                 struct sup_error *error);

#endif
