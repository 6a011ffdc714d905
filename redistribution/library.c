/* library.c - what this library adds to the core: the collective, and a plan for each method
 * (best.c and others: sources, and how they work). Rounds: times at which pieces start
 * (scheduled.h). */
#include "scheduled.h"

static const struct rb_algorithm best = {
    .info = {.collective = "redistribute",
             .name = "best",
             .title = "T_opt; no cuts if a timetable without cuts is found, otherwise few",
             .paper = "Roundabout",
             .rounds = "at most one per message",
             .blocks = "nothing: messages are cut by the method"},
    REDIST_SCHEDULED,
};

static const struct rb_algorithm matching = {
    .info = {.collective = "redistribute",
             .name = "matching",
             .title = "T_opt by matchings kept as long as possible; cuts messages",
             .paper = "Gonzalez, Sahni 1976",
             .rounds = "at most one per message",
             .blocks = "nothing: messages are cut by the method"},
    REDIST_SCHEDULED,
};

static const struct rb_algorithm unit = {
    .info = {.collective = "redistribute",
             .name = "unit",
             .title = "T_opt; every message is cut into units",
             .paper = "Desprez et al. 1998, Theorem 1",
             .rounds = "T_opt",
             .blocks = "nothing: messages are cut by the method"},
    REDIST_SCHEDULED,
};

static const struct rb_algorithm greedy = {
    .info = {.collective = "redistribute",
             .name = "greedy",
             .title = "a list, and exchanges to shorten it; no cuts",
             .paper = "Desprez et al. 1998, Section 4.3",
             .rounds = "at most one per message",
             .blocks = "nothing: messages are cut by the method"},
    REDIST_SCHEDULED,
};

static const struct rb_algorithm modular = {
    .info = {.collective = "redistribute",
             .name = "modular",
             .title = "T_opt without cuts, by classes modulo gcd(P r, Q s), under conditions",
             .paper = "Desprez et al. 1998, Proposition 1",
             .rounds = "at most one per message",
             .blocks = "nothing: messages are cut by the method"},
    REDIST_SCHEDULED,
    .suits = redist_scheduled_applies,
};

static const struct rb_algorithm stepwise = {
    .info = {.collective = "redistribute",
             .name = "stepwise",
             .title = "the smallest number of synchronised steps",
             .paper = "Desprez et al. 1998 (TPDS)",
             .rounds = "the most messages of one rank",
             .blocks = "nothing: messages are cut by the method"},
    REDIST_SCHEDULED,
};

static const struct rb_algorithm stepwise_total = {
    .info = {.collective = "redistribute",
             .name = "stepwise-total",
             .title = "synchronised steps with the smallest total length",
             .paper = "Desprez et al. 1998 (TPDS)",
             .rounds = "at most one per message",
             .blocks = "nothing: messages are cut by the method"},
    REDIST_SCHEDULED,
};

static const struct rb_algorithm caterpillar = {
    .info = {.collective = "redistribute",
             .name = "caterpillar",
             .title = "synchronised steps: in step d, sender i sends to receiver i + d",
             .paper = "textbook",
             .rounds = "max(P, Q)",
             .blocks = "nothing: messages are cut by the method"},
    REDIST_SCHEDULED,
};

/* In the order of listing. */
static const struct rb_algorithm *const algorithms[] = {
    &best, &matching, &unit, &greedy, &modular, &stepwise, &stepwise_total, &caterpillar,
};
static const struct rb_collective *const collectives[] = {&redist_collective};

static const struct rb_library library = {
    .name = "roundabout-redistribution",
    .release = RB_VERSION,
    .collectives = sizeof collectives / sizeof collectives[0],
    .collective = collectives,
    .algorithms = sizeof algorithms / sizeof algorithms[0],
    .algorithm = algorithms,
};

int rb_redistribution_add(char *why, size_t why_size)
{
    return rb_library_add(&library, why, why_size);
}
