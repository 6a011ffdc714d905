/* redistribute_unit.c - T_opt; every message is cut into units.
 *
 * Source and method: redistribution/unit.c. Rounds: times at which pieces start (scheduled.h). */
#include "schedules/redistribution/scheduled.h"

const struct rb_algorithm rb_redistribution_unit = {
    .info = {.collective = "redistribute",
             .name = "unit",
             .title = "T_opt; every message is cut into units",
             .paper = "Desprez et al. 1998, Theorem 1",
             .rounds = "T_opt",
             .blocks = "nothing: messages are cut by the method",
             .pipelined = false},
    RB_SCHEDULED,
};
