/* redistribute_matching.c - T_opt by matchings held as long as they can be; cuts messages.
 *
 * Source and method: redistribution/matching.c. Rounds: times at which pieces start (scheduled.h).
 */
#include "schedules/redistribution/scheduled.h"

const struct rb_algorithm rb_redistribution_matching = {
    .info = {.collective = "redistribute",
             .name = "matching",
             .title = "T_opt by matchings held as long as they can be; cuts messages",
             .paper = "Gonzalez, Sahni 1976",
             .rounds = "at most one per message",
             .blocks = "nothing: messages are cut by the method",
             .pipelined = false},
    RB_SCHEDULED,
};
