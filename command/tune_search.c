#include "command/tune_search.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/point/words.h"
#include "experiments/search/search.h"
#include "experiments/sweep/experiment.h"
#include "mpi/vendors/rules/rules.h"
#include "studies/recommend/recommend.h"
#include "support/memory.h"
#include "support/pool.h"

/* ---- Which options go together --------------------------------------------------------------- */

static int check_without(const struct cli_args *args)
{
    const int status =
        cli_refused(args,
                    "root|element|engine-option|over-arrivals|inside|confirm|confirm-limit|"
                    "search-limit|jobs",
                    "has no meaning without --search");
    if (status != CLI_EXIT_DONE || cli_args_operand(args) != NULL)
        return status;
    return cli_complain(
        CLI_EXIT_USAGE,
        "missing operand: roundabout tune RESULTS, or roundabout tune --search -p P -m M");
}

bool verb_tune_wants_model(const struct cli_args *args)
{
    return cli_args_option(args, "model") != NULL &&
           strcmp(cli_args_text(args, "model"), "fitted") == 0;
}

int verb_tune_search_check(const struct cli_args *args)
{
    if (!cli_args_flag(args, "search"))
        return check_without(args);
    int status = cli_refused(args, "focus|constant|element-bytes|engine|program",
                             "has no meaning with --search");
    if (status != CLI_EXIT_DONE)
        return status;
    if (verb_tune_wants_model(args))
        status = cli_refused(args, "arrival|over-arrivals|inside|jitter|confirm|confirm-limit",
                             "has no meaning with --model fitted");
    if (status != CLI_EXIT_DONE)
        return status;
    if (cli_args_operand(args) != NULL)
        return cli_complain(CLI_EXIT_USAGE, "--search: reads no results: leave out \"%s\"",
                            cli_args_operand(args));
    const char *what = cli_args_text(args, "what");
    if (strcmp(what, "fit") == 0 || strcmp(what, "regret") == 0)
        return cli_complain(CLI_EXIT_USAGE,
                            "--what: %s needs a sweep's results; --search has best "
                            "and decision",
                            what);
    static const char *const needed[] = {"ranks", "bytes"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!cli_args_given(args, needed[i]))
            return cli_complain(CLI_EXIT_USAGE, "--%s: missing: --search needs -p P and -m M",
                                needed[i]);
    return CLI_EXIT_DONE;
}

/* ---- The search's request -------------------------------------------------------------------- */

/* The allowed values of an option. */
enum values { ONE, MANY, MANY_BY_COMMAS };

struct option {
    const char *name, *fallback; /* NULL: none */
    enum values values;
    enum point_id id;
};

static int read_word(const struct option *option, struct sweep_grid *grid, const char *word,
                     struct sup_error *error)
{
    if (option->id == POINT_ALGORITHM && sim_native_name(word) != NULL)
        return sup_fail(error, RB_EINVAL, "%s has no plan, which the engine model needs", word);
    return sweep_read_value(grid, option->id, word, error);
}

/* Each word of a list by commas. */
static int read_words(const struct option *option, struct sweep_grid *grid, const char *text,
                      struct sup_error *error)
{
    char word[256];
    int status = RB_OK;
    while (status == RB_OK && text != NULL) {
        const size_t length = strcspn(text, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1),
                 text);
        status = read_word(option, grid, word, error);
        text = text[length] == ',' ? text + length + 1 : NULL;
    }
    return status;
}

static int read_option(const struct cli_args *args, const struct option *option,
                       struct sweep_grid *grid, struct sup_error *error)
{
    const char *const *texts;
    struct sup_error why;
    const int32_t count = cli_args_texts(args, option->name, &texts);
    if (count > 1 && option->values == ONE)
        return sup_fail(error, RB_EINVAL, "--%s: --search takes one, not %" PRId32, option->name,
                        count);
    int status = RB_OK;
    if (count == 0 && option->fallback != NULL)
        status = read_word(option, grid, option->fallback, &why);
    for (int32_t i = 0; i < count && status == RB_OK; i++)
        status = option->values == MANY_BY_COMMAS ? read_words(option, grid, texts[i], &why)
                                                  : read_word(option, grid, texts[i], &why);
    return status == RB_OK ? RB_OK : sup_fail(error, status, "--%s: %s", option->name, why.text);
}

static int read_grid(const struct cli_args *args, const char *collective, struct sweep_grid *grid,
                     struct sup_error *error)
{
    static const struct option options[] = {
        {"algorithm", "all", MANY_BY_COMMAS, POINT_ALGORITHM},
        {"overlap", "blocking", MANY_BY_COMMAS, POINT_OVERLAP},
        {"placement", "block", ONE, POINT_PLACEMENT},
        {"counts", "regular", ONE, POINT_COUNTS},
        {"arrival", "together", ONE, POINT_ARRIVAL},
        {"engine-option", NULL, MANY, POINT_ENGINE_OPTIONS},
    };
    grid->seed = 1;
    grid->element_bytes = cli_args_int(args, "element");
    struct sup_error why;
    int status = sweep_read_value(grid, POINT_COLLECTIVE, collective, &why);
    if (status != RB_OK)
        sup_fail(error, status, "--collective: %s", why.text);
    if (status == RB_OK && strcmp(grid->collective->name, "none") == 0)
        status = sup_fail(error, RB_EINVAL, "--collective: of none, no two plans do the same");
    for (size_t i = 0; i < sizeof options / sizeof *options && status == RB_OK; i++)
        status = read_option(args, &options[i], grid, error);
    if (status == RB_OK)
        sweep_join_options(grid);
    return status;
}

static int64_t least_of(const struct sup_list *list)
{
    int64_t least = list->value[0];
    for (size_t i = 1; i < list->count; i++)
        least = list->value[i] < least ? list->value[i] : least;
    return least;
}

static int64_t most_of(const struct sup_list *list)
{
    int64_t most = list->value[0];
    for (size_t i = 1; i < list->count; i++)
        most = list->value[i] > most ? list->value[i] : most;
    return most;
}

static int check_bytes(const struct cli_args *args, struct sup_error *error)
{
    const struct sup_list *bytes = cli_args_list(args, "bytes");
    char why[256];
    for (size_t i = 0; i < bytes->count; i++) {
        const struct rb_layout layout = {.bytes = bytes->value[i],
                                         .element = cli_args_int(args, "element")};
        if (rb_layout_check(&layout, why, sizeof why) != RB_OK)
            return sup_fail(error, RB_EINVAL, "--bytes: %s", why);
    }
    return RB_OK;
}

/* A file of rules for an MPI library is wanted. */
static bool wants_library(const struct cli_args *args)
{
    return rules_format_find(cli_args_text(args, "format")) != NULL;
}

/* Rules of any kind are wanted. */
static bool wants_rules(const struct cli_args *args)
{
    return wants_library(args) || strcmp(cli_args_text(args, "format"), "decisions") == 0;
}

/* ---- Where ----------------------------------------------------------------------------------- */

static int32_t hosts_needed(const struct cli_args *args, int32_t ppn)
{
    return (int32_t)((most_of(cli_args_list(args, "ranks")) - 1) / ppn + 1);
}

static int read_platform(const struct cli_args *args, int32_t ppn, struct verb_tune_search *search,
                         struct sup_error *error)
{
    const struct sweep_grid *grid = search->experiment.grid;
    const struct sim_spec how = {.options =
                                     (const char *const *)grid->text[POINT_ENGINE_OPTIONS].name,
                                 .option_count = (int32_t)grid->text[POINT_ENGINE_OPTIONS].count};
    const int32_t needed = hosts_needed(args, ppn);
    const char *const *texts;
    char crossbar[64];
    const int32_t count = cli_args_texts(args, "platform", &texts);
    if (count > 1 && search->platform == NULL)
        return sup_fail(error, RB_EINVAL, "--platform: it takes one here, not %" PRId32, count);
    /* Probing needs two hosts. */
    snprintf(crossbar, sizeof crossbar, "crossbar:%" PRId32, needed < 2 ? 2 : needed);
    const char *text = search->platform != NULL ? search->platform
                       : count > 0              ? texts[0]
                                                : crossbar;
    const bool late = !sim_arrival_is_none(&grid->rule[POINT_ARRIVAL].rule->arrival);
    const int status = search_find_platforms(text, ppn, late, &how, &search->on, error);
    if (status == RB_OK && needed > search->on.model.hosts)
        return sup_fail(error, RB_EINVAL,
                        "--ranks: %" PRId64 " ranks at %" PRId32 " per host need %" PRId32
                        " hosts; %s has %" PRId32,
                        most_of(cli_args_list(args, "ranks")), ppn, needed, text,
                        search->on.model.hosts);
    return status;
}

/* ---- The search ------------------------------------------------------------------------------ */

static int read_ppn(const struct cli_args *args, const struct verb_tune_search *search,
                    int32_t *ppn, struct sup_error *error)
{
    *ppn = search->ppn > 0 ? search->ppn : 1;
    if (search->ppn > 0 || !cli_args_given(args, "ppn"))
        return RB_OK;
    const struct sup_list *list = cli_args_list(args, "ppn");
    if (list->count > 1)
        return sup_fail(error, RB_EINVAL, "--ppn: it takes one here, not %zu", list->count);
    *ppn = (int32_t)list->value[0];
    return RB_OK;
}

static int read_confirm(const struct cli_args *args, const struct verb_tune_search *search,
                        struct search_request *request, struct sup_error *error)
{
    const bool none = cli_args_option(args, "confirm") == NULL ||
                      strcmp(cli_args_text(args, "confirm"), "none") == 0;
    if (!none && wants_library(args) && cli_args_given(args, "confirm"))
        return sup_fail(error, RB_EINVAL,
                        "--confirm: --format %s compares all algorithms, of which an engine would "
                        "confirm the winners alone: leave it out",
                        cli_args_text(args, "format"));
    if (!none && !wants_library(args) && !verb_tune_wants_model(args))
        request->confirm_engine = sim_engine_find(cli_args_text(args, "confirm"));
    request->confirm_sample = !none && !cli_args_given(args, "confirm");
    request->asked = search->on.asked.text != NULL ? &search->on.asked : &search->on.model;
    request->named_engine = sim_engine_find("flow");
    if (search_is_named(request) && !verb_tune_wants_model(args)) /* whose times nothing bounds */
        request->least_share =
            search_least_share(request->asked, request->common.platform, request->common.ppn);
    const bool has_options = search->experiment.grid->text[POINT_ENGINE_OPTIONS].count > 0;
    if (has_options && search_is_named(request))
        return sup_fail(error, RB_EINVAL,
                        "--engine-option: the engine model's options mean nothing to %s, which "
                        "simulates on %s: only a crossbar takes them",
                        request->named_engine->name, request->asked->text);
    if (has_options && request->confirm_engine != NULL)
        return sup_fail(error, RB_EINVAL,
                        "--engine-option: the engine model's options mean nothing to %s, which "
                        "can't confirm: add --confirm none",
                        request->confirm_engine->name);
    if (search->on.unconfirmed.text[0] == '\0' || request->confirm_engine == NULL)
        return RB_OK;
    if (cli_args_given(args, "confirm"))
        return sup_fail(error, RB_EINVAL, "--confirm %s: %s", request->confirm_engine->name,
                        search->on.unconfirmed.text);
    request->confirm_engine = NULL;
    request->unconfirmed = search->on.unconfirmed.text;
    return RB_OK;
}

/* The rule with the seeds 1 to N, in the place of its own. */
static int spread_seeds(const struct cli_args *args, struct point_rule *rule,
                        struct sup_error *error)
{
    struct sim_arrival arrival = rule->arrival;
    char text[SIM_PLACEMENT_TEXT];
    const bool seeded = (arrival.late.kind == SIM_LATE && arrival.rank < 0) ||
                        arrival.late.kind == SIM_UNIFORM || arrival.late.kind == SIM_EXPONENTIAL;
    if (!cli_args_given(args, "over-arrivals"))
        return RB_OK;
    if (!seeded)
        return sup_fail(error, RB_EINVAL,
                        "--over-arrivals: %s has no seed: take an --arrival late, uniform or "
                        "exponential, such as uniform:200us",
                        rule->text);
    arrival.late.seed = 1;
    arrival.seeds = (int32_t)cli_args_int(args, "over-arrivals");
    free(rule->text);
    rule->arrival = arrival;
    rule->text = sup_strdup(sim_arrival_format(&arrival, text, sizeof text));
    return RB_OK;
}

/* Ranks that come at different times. */
static int read_arrival(const struct cli_args *args, struct point_rule *rule,
                        struct search_request *request, struct sup_error *error)
{
    struct sup_error why;
    if (cli_args_option(args, "inside") == NULL) /* an audit's ranks come together */
        return RB_OK;
    int status = spread_seeds(args, rule, error);
    request->by_inside = cli_args_flag(args, "inside");
    if (status != RB_OK)
        return status;
    if (sim_arrival_is_none(&rule->arrival))
        return request->by_inside ? sup_fail(error, RB_EINVAL,
                                             "--inside: ranks come together: add --arrival, such "
                                             "as uniform:200us")
                                  : RB_OK;
    if (cli_args_given(args, "jitter"))
        return sup_fail(error, RB_EINVAL, "--jitter: not with --arrival: leave one out");
    struct point point = request->common;
    point.engine = request->named_engine;
    point.arrival_rule = &rule->arrival;
    for (size_t i = 0; i < request->p->count && status == RB_OK; i++) {
        point.plan.p = (int32_t)request->p->value[i];
        status = point_check_arrival(&point, &why);
    }
    request->arrival = rule;
    return status == RB_OK ? RB_OK : sup_fail(error, status, "--arrival: %s", why.text);
}

/* Copies are for contention, which the model does not have. */
static int read_jitter(const struct cli_args *args, struct search_request *request,
                       struct sup_error *error)
{
    struct sup_error why;
    if (!cli_args_given(args, "jitter"))
        return RB_OK;
    const struct sup_list *list = cli_args_list(args, "jitter");
    if (list->count > 1 || list->value[0] < 1)
        return sup_fail(error, RB_EINVAL, "--jitter: --search takes one number from 1 to %d",
                        SIM_MOST_COPIES);
    if (!search_is_named(request))
        return sup_fail(error, RB_EINVAL,
                        "--jitter: %s has no contention that could make a small change grow: name "
                        "another --platform, or leave it out",
                        request->asked->text);
    for (size_t i = 0; i < request->overlap_count; i++) {
        const struct sim_spec spec = {.overlap = request->overlap[i].overlap};
        const int status = sim_jitter_check(request->named_engine, &spec, &why);
        if (status != RB_OK)
            return sup_fail(error, status, "--jitter: %s", why.text);
    }
    request->copies = (int32_t)list->value[0];
    return RB_OK;
}

static int read_limits(const struct cli_args *args, struct search_request *request,
                       struct sup_error *error)
{
    struct sup_error why;
    if (cli_args_option(args, "confirm-limit") != NULL &&
        sup_parse_seconds(cli_args_text(args, "confirm-limit"), &request->confirm_most_s, &why) !=
            RB_OK)
        return sup_fail(error, RB_EINVAL, "--confirm-limit: %s", why.text);
    if (sup_parse_seconds(cli_args_text(args, "search-limit"), &request->search_most_s, &why) !=
        RB_OK)
        return sup_fail(error, RB_EINVAL, "--search-limit: %s", why.text);
    return RB_OK;
}

/* NULL: the usual one. */
static int read_instance(const struct cli_args *args, const char **instance,
                         struct sup_error *error)
{
    const char *const *texts;
    const int32_t count = cli_args_texts(args, "instance", &texts);
    *instance = count == 0 ? NULL : texts[0];
    return count <= 1
               ? RB_OK
               : sup_fail(error, RB_EINVAL, "--instance: --search takes one, not %" PRId32, count);
}

/* The rules of a decision file are for groups that are hosts. */
static int check_rules(const struct cli_args *args, const char *const texts[], int32_t count,
                       struct sup_error *error)
{
    for (int32_t i = 0; i < count; i++)
        if (strcmp(texts[i], "host") != 0)
            return sup_fail(error, RB_EINVAL,
                            "--format %s: the MPI library's groups are its hosts: --groups "
                            "must be host, not %s",
                            cli_args_text(args, "format"), texts[i]);
    return RB_OK;
}

/* Those that are named, or the levels that the requested platform has; for a decision file the
 * hosts alone, so that nothing is left out for being slower than what the file can't say. */
static int read_groups(const struct cli_args *args, struct search_request *request,
                       struct sup_error *error)
{
    const char *const *texts;
    const int32_t count = cli_args_texts(args, "groups", &texts);
    const bool rules = wants_rules(args);
    struct sup_error why;
    int status = rules ? check_rules(args, texts, count, error) : RB_OK;
    for (int32_t i = 0; i < count && status == RB_OK; i++)
        if ((status = point_check_groups(texts[i], true, &why)) != RB_OK)
            sup_fail(error, status, "--%s", why.text);
    request->groups = count > 0 ? texts : point_group_words;
    request->groups_count = count > 0 ? (size_t)count : rules ? 1 : POINT_GROUP_WORDS;
    request->groups_named = count > 0;
    return status;
}

static struct search_request request_of(const struct cli_args *args, int32_t ppn,
                                        const struct verb_tune_search *search)
{
    const struct sweep_grid *grid = search->experiment.grid;
    const char *const *algorithms;
    const bool all =
        cli_args_texts(args, "algorithm", &algorithms) == 0 || strcmp(algorithms[0], "all") == 0;
    struct search_request request = {
        .common = {.plan = {.collective = grid->collective->name,
                            .root = (int32_t)cli_args_int(args, "root"),
                            .ports = 1},
                   .element_bytes = grid->element_bytes,
                   .ppn = ppn,
                   .engine = sim_engine_find("model"),
                   .engine_text = "model",
                   .options = (const char *const *)grid->text[POINT_ENGINE_OPTIONS].name,
                   .option_count = (int32_t)grid->text[POINT_ENGINE_OPTIONS].count,
                   .engine_options = grid->engine_options},
        .algorithm = (const char *const *)grid->text[POINT_ALGORITHM].name,
        .algorithm_count = grid->text[POINT_ALGORITHM].count,
        .algorithms_named = !all,
        .p = cli_args_list(args, "ranks"),
        .m_bytes = cli_args_list(args, "bytes"),
        .rules = cli_args_text(args, "format"),
        .one_block = wants_library(args),
        .radix = cli_args_given(args, "radix") ? cli_args_list(args, "radix") : NULL,
        .overlap = grid->rule[POINT_OVERLAP].rule,
        .overlap_count = grid->rule[POINT_OVERLAP].count,
        .jobs =
            cli_args_given(args, "jobs") ? (int32_t)cli_args_int(args, "jobs") : sup_pool_cores()};
    point_set_platform(&request.common, &search->on.model);
    point_set_rule(&request.common, POINT_COUNTS, grid->rule[POINT_COUNTS].rule);
    point_set_rule(&request.common, POINT_PLACEMENT, grid->rule[POINT_PLACEMENT].rule);
    if (sim_arrival_is_none(&grid->rule[POINT_ARRIVAL].rule->arrival))
        point_set_rule(&request.common, POINT_ARRIVAL, grid->rule[POINT_ARRIVAL].rule);
    return request;
}

int verb_tune_search_request(const struct cli_args *args, const char *collective,
                             struct verb_tune_search *search, struct sup_error *error)
{
    struct search_request *const request = &search->search.request;
    struct sweep_experiment *experiment = &search->experiment;
    int32_t ppn = 1;
    experiment->grid = sup_calloc(1, sizeof *experiment->grid);
    experiment->grid_count = 1;
    int status = read_grid(args, collective, experiment->grid, error);
    if (status == RB_OK)
        status = check_bytes(args, error);
    if (status == RB_OK)
        status = cli_check_root((int32_t)cli_args_int(args, "root"),
                                (int32_t)least_of(cli_args_list(args, "ranks")), error);
    if (status == RB_OK)
        status = read_ppn(args, search, &ppn, error);
    if (status == RB_OK)
        status = read_platform(args, ppn, search, error);
    if (status != RB_OK)
        return status;
    *request = request_of(args, ppn, search);
    status = read_instance(args, &request->common.plan.instance, error);
    if (status == RB_OK)
        status = read_groups(args, request, error);
    if (status == RB_OK)
        status = read_limits(args, request, error);
    if (status == RB_OK)
        status = read_confirm(args, search, request, error);
    if (status == RB_OK)
        status = wants_rules(args) || verb_tune_wants_model(args)
                     ? RB_OK /* they can't say an order */
                     : search_find_order(request, &search->order, error);
    if (status == RB_OK)
        status = read_arrival(args, experiment->grid->rule[POINT_ARRIVAL].rule, request, error);
    return status == RB_OK ? read_jitter(args, request, error) : status;
}

/* One request for each collective, platform and number of ranks per host that is asked for. */
static int read_requests(const struct cli_args *args, struct verb_tune_searches *searches,
                         struct sup_error *error)
{
    static const char *const usual[] = {"bcast"}, *const none[] = {NULL};
    const char *const *collectives, *const *platforms;
    const struct sup_list *ppn = cli_args_given(args, "ppn") ? cli_args_list(args, "ppn") : NULL;
    size_t collective_count = (size_t)cli_args_texts(args, "collective", &collectives),
           platform_count = (size_t)cli_args_texts(args, "platform", &platforms);
    if (collective_count == 0)
        collectives = usual, collective_count = 1;
    if (platform_count == 0)
        platforms = none, platform_count = 1;
    const size_t ppn_count = ppn == NULL ? 1 : ppn->count;
    const size_t count = collective_count * platform_count * ppn_count;
    int status = RB_OK;
    searches->one = sup_calloc(count, sizeof *searches->one);
    for (size_t i = 0; i < count && status == RB_OK; i++) {
        struct verb_tune_search *search = &searches->one[searches->count++];
        search->platform = platforms[i / ppn_count % platform_count];
        search->ppn = ppn == NULL ? 0 : (int32_t)ppn->value[i % ppn_count];
        status = verb_tune_search_request(args, collectives[i / ppn_count / platform_count], search,
                                          error);
    }
    return status;
}

/* Refuses before a search what a model can't correct after it. */
static int check_model(const struct recommend_learnt *learnt,
                       const struct verb_tune_searches *searches, struct sup_error *error)
{
    int status = RB_OK;
    for (size_t i = 0; i < searches->count && status == RB_OK; i++) {
        const struct search_request *request = &searches->one[i].search.request;
        struct point setting = request->common;
        point_set_platform(&setting, request->asked);
        for (size_t k = 0; k < request->overlap_count && status == RB_OK; k++) {
            point_set_rule(&setting, POINT_OVERLAP, &request->overlap[k]);
            status = recommend_check_setting(learnt, &setting, error);
        }
    }
    return status;
}

static int run(const struct cli_args *args, const struct recommend_learnt *learnt,
               struct verb_tune_searches *searches, struct decide_tune_result *tuning,
               struct sup_error *error)
{
    int status = read_requests(args, searches, error);
    if (status == RB_OK && learnt != NULL)
        status = check_model(learnt, searches, error);
    for (size_t i = 0; i < searches->count && status == RB_OK; i++)
        status =
            search_grid(&searches->one[i].search.request, &searches->one[i].search.grid, error);
    if (status != RB_OK)
        return status;
    const struct search **all = sup_calloc(searches->count, sizeof *all);
    for (size_t i = 0; i < searches->count; i++)
        all[i] = &searches->one[i].search;
    if (wants_rules(args) || learnt != NULL)
        status = search_curves(all, searches->count, tuning, error);
    else
        search_tables(all, searches->count, tuning);
    free(all);
    return status;
}

int verb_tune_search_run(const struct cli_args *args, const struct recommend_learnt *learnt,
                         struct verb_tune_searches *searches, struct decide_tune_result *tuning)
{
    struct sup_error error;
    const int status = run(args, learnt, searches, tuning, &error);
    return cli_fail(status, &error);
}

void verb_tune_search_free(struct verb_tune_search *search)
{
    search_grid_free(&search->search.grid);
    search_platforms_free(&search->on);
    point_rule_free(&search->order);
    sweep_experiment_free(&search->experiment);
}

void verb_tune_searches_free(struct verb_tune_searches *searches)
{
    for (size_t i = 0; i < searches->count; i++)
        verb_tune_search_free(&searches->one[i]);
    free(searches->one);
    *searches = (struct verb_tune_searches){0};
}
