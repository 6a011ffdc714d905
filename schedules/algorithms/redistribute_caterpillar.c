/* redistribute_caterpillar.c - synchronised steps: in step d, sender i sends to receiver i + d.
 *
 * Source and method: redistribution/caterpillar.c. Rounds: times at which pieces start
 * (scheduled.h). */
#include "schedules/redistribution/scheduled.h"

const struct rb_algorithm rb_redistribution_caterpillar = {
    .info = {.collective = "redistribute",
             .name = "caterpillar",
             .title = "synchronised steps: in step d, sender i sends to receiver i + d",
             .paper = "textbook",
             .rounds = "max(P, Q)",
             .blocks = "nothing: messages are cut by the method",
             .pipelined = false},
    RB_SCHEDULED,
};
