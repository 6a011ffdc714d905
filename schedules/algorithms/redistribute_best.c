/* redistribute_best.c - T_opt; no cuts where a timetable without is found, else few.
 *
 * Source and method: redistribution/best.c. Rounds: times at which pieces start (scheduled.h).
 */
#include "schedules/redistribution/scheduled.h"

const struct rb_algorithm rb_redistribution_best = {
    .info = {.collective = "redistribute",
             .name = "best",
             .title = "T_opt; no cuts where a timetable without is found, else few",
             .paper = "Roundabout",
             .rounds = "at most one per message",
             .blocks = "nothing: messages are cut by the method",
             .pipelined = false},
    RB_SCHEDULED,
};
