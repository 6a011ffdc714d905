/* tune_filters.h - the options of tune and plot that choose points of a results file. */
#ifndef RB_EXPERIMENTS_TUNE_FILTERS_H
#define RB_EXPERIMENTS_TUNE_FILTERS_H

#include "command/options/options.h"
#include "experiments/tune/tune_curves.h"
#include "roundabout.h"

#define RB_FILTER_TEXT(option, text)                                                               \
    {                                                                                              \
        .name = (option), .type = RB_OPT_TEXT, .value = "NAME", .help = (text), .repeatable = true \
    }
/* Rows for a verb's table of options. */
#define RB_FILTER_OPTIONS                                                                          \
    RB_FILTER_TEXT("collective", "only this one"),                                                 \
        RB_FILTER_TEXT("algorithm", "only this one; bruck stands for bruck:r=2, bruck:r=4, ..."),  \
        {.name = "radix",                                                                          \
         .type = RB_OPT_INTS,                                                                      \
         .value = "R,...",                                                                         \
         .help = "only these radices; 0: algorithms without one, or with their own choice",        \
         .least = 0,                                                                               \
         .most = RB_MAX_RANKS},                                                                    \
        {.name = "ranks",                                                                          \
         .letter = 'p',                                                                            \
         .type = RB_OPT_INTS,                                                                      \
         .value = "P,...",                                                                         \
         .help = "only these numbers of ranks",                                                    \
         .least = 1,                                                                               \
         .most = RB_MAX_RANKS},                                                                    \
        {.name = "bytes",                                                                          \
         .letter = 'm',                                                                            \
         .type = RB_OPT_BYTESES,                                                                   \
         .value = "M,...",                                                                         \
         .help = "only these message sizes"},                                                      \
        RB_FILTER_TEXT("platform", "only this one; fat-tree stands for every fat-tree:..."),       \
        {.name = "ppn",                                                                            \
         .type = RB_OPT_INTS,                                                                      \
         .value = "K,...",                                                                         \
         .help = "only these numbers of ranks per host",                                           \
         .least = 1,                                                                               \
         .most = RB_MAX_RANKS},                                                                    \
        RB_FILTER_TEXT("counts", "only these"), RB_FILTER_TEXT("instance", "only these"),          \
        RB_FILTER_TEXT("placement", "only this one"), RB_FILTER_TEXT("engine", "only this one"),   \
        RB_FILTER_TEXT("progress", "only this rule")

enum { RB_FILTERS = 12 };

/* What of these was given, ended by option NULL; valid as long as args. */
void rb_filters_of(const struct rb_args *args, struct rb_filter filters[RB_FILTERS + 1]);

#endif
