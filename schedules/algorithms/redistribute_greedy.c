/* redistribute_greedy.c - a list, and exchanges to shorten it; no cuts.
 *
 * Source and method: redistribution/greedy.c. Rounds: times at which pieces start (scheduled.h). */
#include "schedules/redistribution/scheduled.h"

const struct rb_algorithm rb_redistribution_greedy = {
    .info = {.collective = "redistribute",
             .name = "greedy",
             .title = "a list, and exchanges to shorten it; no cuts",
             .paper = "Desprez et al. 1998, Section 4.3",
             .rounds = "at most one per message",
             .blocks = "nothing: messages are cut by the method",
             .pipelined = false},
    RB_SCHEDULED,
};
