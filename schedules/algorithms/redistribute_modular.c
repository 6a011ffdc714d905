/* redistribute_modular.c - T_opt without cuts, by classes modulo gcd(P r, Q s), under conditions.
 *
 * Source and method: redistribution/modular.c. Rounds: times at which pieces start (scheduled.h).
 */
#include "schedules/redistribution/scheduled.h"

const struct rb_algorithm rb_redistribution_modular = {
    .info = {.collective = "redistribute",
             .name = "modular",
             .title = "T_opt without cuts, by classes modulo gcd(P r, Q s), under conditions",
             .paper = "Desprez et al. 1998, Proposition 1",
             .rounds = "at most one per message",
             .blocks = "nothing: messages are cut by the method",
             .pipelined = false},
    RB_SCHEDULED,
    .suits = rb_scheduled_suits,
};
