/* redistribute_stepwise.c - synchronised steps, as few as there can be.
 *
 * Source and method: redistribution/stepwise.c. Rounds: times at which pieces start (scheduled.h).
 */
#include "schedules/redistribution/scheduled.h"

const struct rb_algorithm rb_redistribution_stepwise = {
    .info = {.collective = "redistribute",
             .name = "stepwise",
             .title = "synchronised steps, as few as there can be",
             .paper = "Desprez et al. 1998 (TPDS)",
             .rounds = "the most messages of one rank",
             .blocks = "nothing: messages are cut by the method",
             .pipelined = false},
    RB_SCHEDULED,
};
