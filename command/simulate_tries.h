/* simulate_tries.h - what would mend a slow run: a handful of changes, each simulated. */
#ifndef COMMAND_SIMULATE_TRIES_H
#define COMMAND_SIMULATE_TRIES_H

#include "experiments/point/point.h"
#include "support/output/verdict.h"

/* Simulates the point, which was run with this outcome, with other n, placements, routing and
 * algorithms, by the same engine. Together these take, by estimate, at most twice the time of the
 * run and a second; what is tried depends on the estimates alone, never on the machine's load. (The
 * search of a placement, whose work is bounded, is not in the estimate; it takes about a second at
 * most.) Says which change helps most, or that none does; and what made the times. */
void verb_tries_say(const struct point *point, const struct point_outcome *outcome,
                    struct out_verdict *verdict);

#endif
