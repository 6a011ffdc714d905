/* redistribute_stepwise_total.c - synchronised steps, the least total of their longest messages.
 *
 * Source and method: redistribution/stepwise.c. Rounds: times at which pieces start (scheduled.h).
 */
#include "schedules/redistribution/scheduled.h"

const struct rb_algorithm rb_redistribution_stepwise_total = {
    .info = {.collective = "redistribute",
             .name = "stepwise-total",
             .title = "synchronised steps, the least total of their longest messages",
             .paper = "Desprez et al. 1998 (TPDS)",
             .rounds = "at most one per message",
             .blocks = "nothing: messages are cut by the method",
             .pipelined = false},
    RB_SCHEDULED,
};
