/* tune_search.h - tune --search: from options to a search, and from a search to tune's tables. */
#pragma once

#include "experiments/decide/tune.h"
#include "experiments/point/parameters.h"
#include "experiments/point/point.h"
#include "experiments/point/words.h"
#include "experiments/search/search_grid.h"
#include "experiments/sweep/experiment.h"
#include "support/options/common_options.h"

/* Rows for the verb's table of options, besides those that choose points, which here define what to
 * search. */
#define VERB_SEARCH_OPTIONS                                                                        \
    {CLI_FLAG("search"),                                                                           \
     .help = "read no results; find the fastest algorithm, block count and overlap rule by "       \
             "simulation, for all -p and -m, of each --collective (bcast), among --algorithm "     \
             "(all) and --overlap (blocking), on each --platform (a crossbar)"},                   \
        {CLI_ROW("workload", TEXT, "FILE"), .file = CLI_READS,                                     \
         .help = "with --search: the algorithms and block counts of the collectives of this "      \
                 "workload (docs/workloads.md), by what the whole takes"},                         \
        {POINT_LIKE(ROOT)}, {POINT_LIKE(ELEMENT)},                                                 \
        {CLI_ROW("engine-option", TEXT, "KEY:VALUE"), .repeatable = true,                          \
         .help = "with --search: option for the engine model"},                                    \
        {CLI_ROW("over-arrivals", INT, "N"), .least = 1, .most = SIM_MOST_SEEDS,                   \
         .help = "with --search and an --arrival by a seed: choose by the median over the seeds "  \
                 "1 to N, and say what the tuning for ranks that come together loses"},            \
        {CLI_FLAG("inside"),                                                                       \
         .help =                                                                                   \
             "with --search and --arrival: choose by the mean time that ranks are inside, not "    \
             "by the time from the last arrival"},                                                 \
        {CLI_ROW("confirm", CHOICE, "ENGINE"), .fallback = "simgrid", .choices = "simgrid|none",   \
         .help = "with --search: the engine that runs each winner, its neighbours in n and close " \
                 "rivals "                                                                         \
                 "on the platform; on platforms with contention the engine flow has run each "     \
                 "algorithm before, and without this option the winners are confirmed that take "  \
                 "a quarter of the search's time"},                                                \
        {CLI_ROW("confirm-limit", TEXT, "TIME"), .fallback = "10s",                                \
         .help = "with --search: the longest simulation for --confirm, by estimate (one that "     \
                 "actually "                                                                       \
                 "takes ten times as long and a minute is ended); if it would take longer, the "   \
                 "winner stays unconfirmed"},                                                      \
        {CLI_ROW("search-limit", TEXT, "TIME"), .fallback = "20s",                                 \
         .help =                                                                                   \
             "with --search: the longest time, by estimate, of all simulations with the engine "   \
             "model "                                                                              \
             "for one algorithm, rule, p and m, and of all with the engine flow on a platform "    \
             "with contention; one simulation may take a fourth of it; longer ones are left out"}, \
    {                                                                                              \
        CLI_ROW("jobs", INT, "N"),                                                                 \
            .letter = 'j', .least = 1, .most = 4096,                                               \
            .help = "with --search: number of worker processes; default: the number of cores"      \
    }

/* One of several searches: of one collective on one platform. */
struct verb_tune_search {
    const char *platform;               /* NULL: as --platform says */
    int32_t ppn;                        /* 0: as --ppn says */
    struct sweep_experiment experiment; /* one grid: names in their usual form */
    struct search_platforms on;
    struct point_rule order; /* that is tried where the platform is damaged */
    struct search search;
};

struct recommend_learnt;

/* Of all collectives, platforms and ranks per host that are asked for. */
struct verb_tune_searches {
    struct verb_tune_search *one;
    size_t count;
};

/* CLI_EXIT_DONE; or prints a message if options are given that are not allowed with, or without,
 * --search. */
int verb_tune_search_check(const struct cli_args *args);

/* What to search, by options that the verb names as tune does. A verb without --confirm confirms
 * nothing. Fills the request of `search`, which the caller frees, also on failure. Messages name
 * options. */
int verb_tune_search_request(const struct cli_args *args, const char *collective,
                             struct verb_tune_search *search, struct sup_error *error);

/* True if times are to be those of a model (--model fitted), which not all verbs that search have.
 */
bool verb_tune_wants_model(const struct cli_args *args);

/* Searches, and fills tuning with tables and notes; with curves for --format decisions, and, of all
 * algorithms, for a model (learnt; NULL: none), which must know all settings that are searched.
 * Complains and returns an enum cli_exit. The caller frees both, tuning first, also on failure. */
int verb_tune_search_run(const struct cli_args *args, const struct recommend_learnt *learnt,
                         struct verb_tune_searches *searches, struct decide_tune_result *tuning);
/* tune --search --workload, all of it. Complains and returns an enum cli_exit. */
int verb_tune_workload(const struct cli_args *args);

/* Both are safe on a zeroed struct. */
void verb_tune_search_free(struct verb_tune_search *search);
void verb_tune_searches_free(struct verb_tune_searches *searches);
