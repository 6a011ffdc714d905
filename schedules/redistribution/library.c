/* library.c - what this library has: the methods of list.h, and what it adds to the core: the
 * collective, and a plan for each method (best.c and others: sources, and how they work). Rounds:
 * times at which pieces start (redistribution.h). */
#include "redistribution.h"

const struct rb_redistribute_method rb_redistribute_methods[] = {
#define REDIST_METHOD(function, name_, title_, paper_, rounds_, suits_)                            \
    {name_, title_, paper_, redist_##function},
#include "list.h"
    {0},
};

#define REDIST_METHOD(function, name_, title_, paper_, rounds_, suits_)                            \
    static const struct rb_algorithm function = {                                                  \
        .info = {.collective = "redistribute",                                                     \
                 .name = name_,                                                                    \
                 .title = title_,                                                                  \
                 .paper = paper_,                                                                  \
                 .rounds = rounds_,                                                                \
                 .blocks = "nothing: messages are cut by the method"},                             \
        .suits = suits_,                                                                           \
        REDIST_SCHEDULED};
#include "list.h"

static const struct rb_algorithm *const algorithms[] = {
#define REDIST_METHOD(function, name, title, paper, rounds, suits) &function,
#include "list.h"
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
