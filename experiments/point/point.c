/* point.c - one point: made, run, estimated, compared. */
#include "experiments/point/point.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/point/parameters.h"
#include "experiments/point/runs.h"
#include "experiments/point/words.h"
#include "platforms/platform.h"
#include "roundabout.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/options/options.h"
#include "support/units.h"

/* ---- Platforms ------------------------------------------------------------------------------- */

int point_check_file(const char *path, struct sup_error *error)
{
    char ignored[PLATFORM_IGNORED] = "";
    const int status = platform_check_xml(path, ignored, error);
    if (status == RB_OK && ignored[0] != '\0')
        cli_complain(CLI_EXIT_DONE,
                     "note: %s: %s: ignored, because only the computing of SMPI's "
                     "programs obeys it",
                     path, ignored);
    return status;
}

int point_known_platform_look(const char *text, struct point_known_platform *platform,
                              struct sup_error *error)
{
    *platform = (struct point_known_platform){.text = sup_strdup(text)};
    const int status = platform_hash_of(text, platform->hash, error);
    if (status != RB_OK)
        return status;
    if (!platform_is_generated(text))
        return point_check_file(text, error);
    platform->bounds = point_bounds_make(); /* without it, each bound is computed */
    return platform_find_cuts(text, &platform->cuts, error);
}

int point_known_platform_probe(struct point_known_platform *platform, const struct sim_spec *how,
                               const struct sim_engine *engine, struct sup_error *error)
{
    struct rb_plan_spec wanted = {.collective = "bcast", .algorithm = "flat", .p = 2, .n = 1};
    struct rb_layout layout = {.bytes = 1, .element = 1};
    struct rb_plan *plan = NULL;
    struct sim_result result = {0};
    char why[256];

    int status = rb_plan_create(&wanted, &plan, why, sizeof why);
    if (status != RB_OK)
        return sup_fail(error, status, "%s", why);
    struct sim_spec spec = *how;
    spec.plan = plan;
    spec.layout = &layout;
    spec.platform = platform->text;
    spec.ppn = 1;
    spec.placement = (struct sim_placement){.rule = SIM_BLOCK};
    spec.overlap = (struct sim_overlap){.rule = SIM_BLOCKING};
    spec.variant = NULL; /* not every one can do this plan */
    status = sim_run(engine, &spec, &result, error);
    if (status == RB_OK) {
        const struct platform_cuts *cuts = &platform->cuts;
        const bool has_nodes = cuts->node_terminals > 1;
        platform->hosts = result.hosts;
        platform->alpha_s = has_nodes ? cuts->node_latency_s : result.alpha_s;
        platform->beta_s_per_byte =
            has_nodes ? 1 / cuts->node_message_bandwidth : result.beta_s_per_byte;
    }
    sim_result_free(&result);
    rb_plan_destroy(plan);
    return status;
}

int point_known_platform_make(const char *text, const struct sim_spec *how,
                              const struct sim_engine *engine,
                              struct point_known_platform *platform, struct sup_error *error)
{
    int status = point_known_platform_look(text, platform, error);
    if (status == RB_OK)
        status = point_known_platform_probe(platform, how, engine, error);
    if (status != RB_OK)
        point_known_platform_free(platform);
    return status;
}

void point_known_platform_free(struct point_known_platform *platform)
{
    free(platform->text);
    point_bounds_free(platform->bounds);
    *platform = (struct point_known_platform){0};
}

int32_t point_ranks_per_node(const char *platform, int32_t ppn)
{
    int32_t hosts = 1;
    struct sup_error why;
    return platform_find_group(platform, "node", &hosts, &why) == RB_OK ? ppn * hosts : ppn;
}

/* ---- Points ---------------------------------------------------------------------------------- */

void point_resolve(struct point *point)
{
    const struct rb_plan_spec *plan = &point->plan;
    point->collective = plan->collective == NULL ? NULL : rb_collective_find(plan->collective);
    point->algorithm = point->collective == NULL || plan->algorithm == NULL
                           ? NULL
                           : rb_algorithm_find(plan->collective, plan->algorithm);
}

void point_set_platform(struct point *point, const struct point_known_platform *platform)
{
    point->platform = platform;
    point->platform_text = platform->text;
    point->platform_hash = platform->hash;
}

int point_prepare(const struct point *point, struct point_run *run, struct sup_error *error)
{
    char why[400];
    int status;
    *run = (struct point_run){.native = {.collective = point->collective,
                                         .algorithm = sim_native_name(point->plan.algorithm),
                                         .p = point->plan.p,
                                         .root = point->plan.root},
                              .layout = {.bytes = point->m_bytes, .element = point->element_bytes},
                              .spec = {.layout = &run->layout,
                                       .platform = point->platform_text,
                                       .ppn = point->ppn,
                                       .placement = *point->placement_rule,
                                       .overlap = *point->overlap_rule,
                                       .options = point->options,
                                       .option_count = point->option_count,
                                       .variant = point->engine_variant,
                                       .most_s = point->most_s,
                                       .want_links = point->wants_links ? 1 : 0,
                                       .want_hosts = point->placement_rule->search ||
                                                     point->placement_rule->rule == SIM_FILE}};
    status = sup_counts_apply(point->counts_rule, point->collective, point->plan.p, &run->layout,
                              &run->first, error);
    if (status == RB_OK && !point_is_native(point)) {
        struct point_plan plan;
        if ((status = point_find_plan(point, &plan, error)) == RB_OK) {
            plan.spec.first = run->first;
            if ((status = rb_plan_create(&plan.spec, &run->plan, why, sizeof why)) != RB_OK)
                sup_fail(error, status, "%s", why);
        }
        run->choice = plan.choice;
        point_plan_free(&plan);
    }
    if (status != RB_OK)
        return status;
    run->spec.plan = run->plan;
    run->spec.native = run->plan == NULL ? &run->native : NULL;
    status = point_prepare_program(point, run, error);
    return status == RB_OK ? point_prepare_arrival(point, run, error) : status;
}

void point_run_free(struct point_run *run)
{
    sim_result_free(&run->result);
    sim_workload_free(&run->workload);
    free(run->arrival_s);
    free(run->first);
    rb_plan_destroy(run->plan);
    *run = (struct point_run){0};
}

/* Sets the values of a row of results but the spread and the bound. */
static void take(const struct sim_spec *spec, const struct sim_result *result, double alpha_s,
                 double beta_s_per_byte, struct point_outcome *outcome)
{
    const struct rb_plan *plan = spec->plan;
    const bool late = isfinite(outcome->last_arrival_s);
    outcome->done = true;
    outcome->time_s = result->time_s - (late ? outcome->last_arrival_s : 0);
    outcome->rounds = plan != NULL ? rb_plan_rounds(plan) : -1;
    outcome->bound_rounds = plan != NULL ? rb_bound_rounds(plan) : -1;
    outcome->messages = result->messages;
    outcome->moved_bytes = result->bytes;
    outcome->uncontended = result->uncontended;
    outcome->alpha_s = alpha_s;
    outcome->beta_s_per_byte = beta_s_per_byte;
    outcome->wall_s = result->wall_s;
    outcome->load_s = result->load_s;
    outcome->peak_bytes = result->peak_bytes;
    outcome->switch_bytes = spec->want_links > 0 ? result->switch_bytes : -1;
    outcome->fullest_load = spec->want_links > 0 ? result->fullest.load : NAN;
    /* A closed form is of ranks that come together, to nothing else. */
    if (plan == NULL || spec->workload != NULL ||
        rb_plan_cost(plan, spec->layout, alpha_s, beta_s_per_byte, &outcome->closed_form_s) !=
            RB_OK)
        outcome->closed_form_s = NAN;
}

static void take_critical_volume(const struct sim_spec *spec, struct point_outcome *outcome)
{
    const struct rb_plan *plan = spec->plan;
    outcome->c2 = outcome->bound_c2 = outcome->bound_c2_of_rounds = -1;
    outcome->c2_bytes = outcome->untimed_s = NAN;
    if (plan == NULL)
        return;
    const struct rb_plan_only *only = rb_plan_algorithm(plan)->only;
    if (only != NULL && only->untimed_ns > 0)
        outcome->untimed_s = (double)only->untimed_ns * 1e-9;
    if (rb_plan_critical_volume(plan, &outcome->c2) != RB_OK)
        outcome->c2 = -1;
    else if (rb_plan_cost(plan, spec->layout, 0, 1, &outcome->c2_bytes) != RB_OK)
        outcome->c2_bytes = NAN;
    outcome->bound_c2 = rb_bound_critical_volume(plan, INT64_MAX);
    outcome->bound_c2_of_rounds = rb_bound_critical_volume(plan, rb_plan_rounds(plan));
}

void point_outcome_compare(const struct sim_spec *spec, const struct sim_result *result,
                           struct point_outcome *outcome)
{
    const double messages = (double)result->messages;
    take(spec, result, result->alpha_s, result->beta_s_per_byte, outcome);
    /* With several ranks per host, alpha and beta may be those of a message inside a host, and a
     * closed form with them would be meaningless. */
    if (!result->uncontended && spec->ppn > 1)
        outcome->closed_form_s = NAN;
    outcome->time_over_closed_form =
        outcome->closed_form_s > 0 ? outcome->time_s / outcome->closed_form_s : NAN;
    outcome->time_over_bound = point_bound_ratio(outcome->time_s, &outcome->bound);
    outcome->messages_per_s = outcome->wall_s > 0 ? messages / outcome->wall_s : NAN;
    outcome->version = cli_program_version;
    take_critical_volume(spec, outcome);
}

int point_simulate(const struct point *point, struct point_run *run, struct point_outcome *outcome)
{
    const struct point_known_platform *platform = point->platform;
    const bool late = run->arrival_s != NULL;
    *outcome = (struct point_outcome){.bound = {.time_s = NAN},
                                      .last_arrival_s = NAN,
                                      .mean_inside_s = NAN,
                                      .waiting_share = NAN};
    outcome->status = late ? point_run_arrivals(point, run, outcome)
                           : sim_run_copies(point->engine, &run->spec, point->jitter, &run->result,
                                            &outcome->spread, &outcome->error);
    /* Of a file no bound is known, nor of a program. */
    if (outcome->status == RB_OK && platform->cuts.count > 0 && !point_has_program(point))
        outcome->status =
            point_bound_find(&run->spec, point->engine, &platform->cuts, run->result.host,
                             platform->bounds, &outcome->bound, &outcome->error);
    if (outcome->status == RB_OK && late)
        outcome->status = point_bound_arrival(point, run, outcome);
    /* The platform's alpha and beta are known from the probe of two ranks: a point of one rank has
     * no message to show them. */
    if (outcome->status == RB_OK)
        take(&run->spec, &run->result, platform->alpha_s, platform->beta_s_per_byte, outcome);
    return outcome->status;
}

struct point_outcome point_outcome_of(const struct sup_pool_piece *piece)
{
    if (piece->lost == NULL)
        return *(const struct point_outcome *)piece->memory;
    struct point_outcome outcome = {.status = piece->lost_status, .wall_s = piece->wall_s};
    sup_fail(&outcome.error, RB_EFAILED, "%s", piece->lost);
    return outcome;
}

void point_run(const struct point *point, const struct sim_meter *meter,
               struct point_outcome *outcome)
{
    struct point_run run;
    struct sup_error error;
    const int status = point_prepare(point, &run, &error);
    run.spec.meter = meter;
    if (status == RB_OK)
        point_simulate(point, &run, outcome);
    else
        *outcome = (struct point_outcome){.status = status, .error = error};
    point_run_free(&run);
}

int64_t point_whole_blocks(double n, int64_t elements)
{
    if (!(n < (double)elements))
        return elements > 1 ? elements : 1;
    return n < 1.5 ? 1 : (int64_t)floor(n + 0.5);
}

int64_t point_blocks_of_f(double f, int64_t elements, int32_t p)
{
    return point_whole_blocks(sqrt((double)elements * rb_ceil_log2(p)) / f, elements);
}

/* ---- Identity -------------------------------------------------------------------------------- */

int point_order(const struct point *a, const struct point *b)
{
    int order = 0;
    for (int i = 0; i < POINT_PARAMETERS && order == 0; i++)
        order = point_compare(a, b, &point_parameters[i]);
    return order;
}

const char *point_describe(const struct point *point, char *buffer, size_t size)
{
    char bytes[32];
    const bool regular = strcmp(point->counts, "regular") == 0;
    char ways[128];
    snprintf(buffer, size, "%s %s, p = %" PRId32 ", n = %" PRId64 "%s, m = %s, %s%s%s, %s",
             point->plan.collective, point->plan.algorithm, point->plan.p, point->plan.n,
             point_format_ways(&point->plan, ways, sizeof ways),
             sup_format_shown(point->m_bytes, bytes, sizeof bytes), regular ? "" : point->counts,
             regular ? "" : ", ", point->platform_text, point->overlap);
    return buffer;
}

/* ---- A platform's size ----------------------------------------------------------------------- */

/* The largest number that an option gives; 0: the verb has none, or it was not given. */
static int64_t most_given(const struct cli_args *args, const char *name)
{
    const struct cli_option *option = cli_args_option(args, name);
    if (option == NULL || !cli_args_given(args, name))
        return 0;
    if (option->type == CLI_OPT_INT)
        return cli_args_int(args, name);
    const struct sup_list *list = cli_args_list(args, name);
    int64_t most = 0;
    for (size_t i = 0; i < list->count; i++)
        most = list->value[i] > most ? list->value[i] : most;
    return most;
}

char *point_complete_platform(const struct cli_args *args, const char *text)
{
    const bool filters =
        (cli_args_option(args, "search") != NULL && !cli_args_flag(args, "search")) ||
        (cli_args_option(args, "results") != NULL && cli_args_given(args, "results"));
    const int64_t p = most_given(args, "ranks"), ppn = most_given(args, "ppn");
    const int64_t hosts = p > 0 ? (p - 1) / (ppn > 0 ? ppn : 1) + 1 : most_given(args, "nodes");
    char *sized = filters || hosts == 0 ? NULL : platform_smallest(text, (int32_t)hosts);
    if (sized != NULL)
        cli_complain(CLI_EXIT_DONE,
                     "note: --platform %s is %s, the smallest of its kind with at least %" PRId64
                     " host%s",
                     text, sized, hosts, sup_plural(hosts));
    return sized;
}

/* ---- To whom ranks can send at once, and how much -------------------------------------------- */

struct point_neighbours {
    char *platform;
    int32_t p, ports;
    const struct sim_placement *placement;
    struct rb_neighbours on; /* its arrays are: */
    struct rb_pair *pair;
    int32_t *capacity;
    double *bandwidth; /* of each link */
    struct point_neighbours *next;
};

/* Adds the pair if its route has the fewest links yet; those that have more are dropped. number[l]:
 * the number of link l among the neighbours', or -1. */
static int add_pair(struct point_neighbours *to, struct platform_network *network, int32_t number[],
                    const int32_t host[], struct rb_pair pair, int32_t *fewest,
                    struct sup_error *error)
{
    struct platform_route route;
    const int status =
        platform_network_route(network, host[pair.from], host[pair.to], 0, &route, error);
    if (status != RB_OK || route.count > *fewest)
        return status;
    if (route.count < *fewest)
        to->on.pairs = 0;
    *fewest = route.count;
    for (int32_t i = 0; i < RB_PAIR_LINKS; i++) {
        const int32_t link = i < route.count ? route.link[i] : -1;
        pair.link[i] = link < 0 ? -1 : number[link];
        if (link < 0 || pair.link[i] >= 0)
            continue;
        sup_grow(&to->bandwidth, (size_t)to->on.links, sizeof *to->bandwidth);
        to->bandwidth[to->on.links] = network->link[link].bandwidth;
        pair.link[i] = number[link] = to->on.links++;
    }
    sup_grow(&to->pair, (size_t)to->on.pairs, sizeof *to->pair);
    to->pair[to->on.pairs++] = pair;
    return RB_OK;
}

/* Capacities of links of which the widest carries k blocks: returns the largest share of a link's
 * bandwidth that is lost. */
static double divide(struct point_neighbours *to, double widest, int32_t k)
{
    double lost = 0;
    for (int32_t l = 0; l < to->on.links; l++) {
        const double blocks = to->bandwidth[l] / widest * k;
        to->capacity[l] = (int32_t)floor(blocks * (1 + 1e-9));
        lost = fmax(lost, 1 - to->capacity[l] / blocks);
    }
    return lost;
}

/* The least k that loses little, or the best. A link that carries no block is none. */
static void choose_capacities(struct point_neighbours *to)
{
    double widest = 0, least = INFINITY;
    int32_t best = 1, pairs = 0, *out = sup_calloc((size_t)to->p * 2, sizeof *out);
    to->capacity = sup_calloc((size_t)to->on.links + 1, sizeof *to->capacity);
    for (int32_t l = 0; l < to->on.links; l++)
        widest = fmax(widest, to->bandwidth[l]);
    for (int32_t k = 1; k <= 128 && least > 0.05; k++) {
        const double lost = divide(to, widest, k);
        best = lost < least ? k : best;
        least = fmin(lost, least);
    }
    divide(to, widest, best);
    for (int32_t i = 0; i < to->on.pairs; i++) {
        const struct rb_pair pair = to->pair[i];
        bool carries = true;
        for (int32_t l = 0; l < RB_PAIR_LINKS && pair.link[l] >= 0; l++)
            carries = carries && to->capacity[pair.link[l]] > 0;
        if (!carries)
            continue;
        to->pair[pairs++] = pair;
        to->ports = out[pair.from]++ >= to->ports ? out[pair.from] : to->ports;
        to->ports = out[to->p + pair.to]++ >= to->ports ? out[to->p + pair.to] : to->ports;
    }
    for (int32_t l = 0; l < to->on.links; l++)
        to->capacity[l] += to->capacity[l] == 0;
    to->on = (struct rb_neighbours){to->p, to->on.links, to->capacity, pairs, to->pair};
    free(out);
}

static int find(struct point_neighbours *to, const struct platform_hosts *hosts,
                struct sup_error *error)
{
    const struct sim_hosts of = {hosts->count, platform_host_name, hosts};
    int32_t *host = sup_calloc((size_t)to->p, sizeof *host), *number = NULL;
    int32_t fewest = RB_PAIR_LINKS;
    struct platform_network *network = NULL;
    int status = sim_placement_map(to->placement, to->p, 1, &of, host, error);
    if (status == RB_OK)
        status = platform_network_create(to->platform, &network, error);
    if (status == RB_OK) {
        number = sup_malloc((size_t)network->links * sizeof *number);
        memset(number, -1, (size_t)network->links * sizeof *number);
    }
    for (int32_t from = 0; from < to->p && status == RB_OK; from++)
        for (int32_t at = 0; at < to->p && status == RB_OK; at++)
            if (at != from)
                status = add_pair(to, network, number, host,
                                  (struct rb_pair){.from = from, .to = at}, &fewest, error);
    platform_network_destroy(network);
    free(number);
    free(host);
    if (status == RB_OK)
        choose_capacities(to);
    return status;
}

int point_find_neighbours(struct point *point, bool ports_given, struct point_neighbours **kept,
                          struct sup_error *error)
{
    struct platform_hosts hosts;
    const struct sim_placement *placement = point->placement_rule;
    struct point_neighbours *of = *kept;
    int status = RB_OK;
    point->plan.neighbours = NULL;
    if (point->algorithm == NULL || !point->algorithm->neighbours)
        return RB_OK;
    if (!platform_is_generated(point->platform_text) || point->ppn > 1 || placement->search)
        return sup_fail(error, RB_ENOTSUP,
                        "%s plans by neighbours, which are known for one rank per host, without a "
                        "search for hosts, on a generated platform such as torus:4x4x4, not %s",
                        point->plan.algorithm, point->platform_text);
    while (of != NULL && (strcmp(of->platform, point->platform_text) != 0 ||
                          of->p != point->plan.p || of->placement != placement))
        of = of->next;
    if (of == NULL) {
        status = platform_find_hosts(point->platform_text, &hosts, error);
        if (status != RB_OK || hosts.count < point->plan.p)
            return status; /* it has too few, as others say */
        of = sup_calloc(1, sizeof *of);
        *of = (struct point_neighbours){.platform = sup_strdup(point->platform_text),
                                        .p = point->plan.p,
                                        .placement = placement,
                                        .next = *kept};
        *kept = of;
        status = find(of, &hosts, error);
    }
    if (status == RB_OK)
        point->plan.neighbours = &of->on;
    if (status == RB_OK && !ports_given && of->ports > 0 && of->ports <= RB_MAX_PORTS)
        point->plan.ports = of->ports;
    return status;
}

void point_neighbours_free(struct point_neighbours *kept)
{
    for (struct point_neighbours *next; kept != NULL; kept = next) {
        next = kept->next;
        free(kept->platform);
        free(kept->pair);
        free(kept->capacity);
        free(kept->bandwidth);
        free(kept);
    }
}

/* ---- Algorithms of libraries ----------------------------------------------------------------- */

bool point_is_native(const struct point *point)
{
    return sim_native_name(point->plan.algorithm) != NULL && point->engine->find_native != NULL;
}

int point_find_plan(const struct point *point, struct point_plan *plan, struct sup_error *error)
{
    const char *name = sim_native_name(point->plan.algorithm);
    struct point by_hosts = *point;
    *plan = (struct point_plan){.spec = point->plan};
    if (name == NULL)
        return RB_OK;
    const struct mpilib_call call = {.collective = point->plan.collective,
                                     .p = point->plan.p,
                                     .ppn = point->ppn,
                                     .bytes = point->m_bytes,
                                     .element = point->element_bytes,
                                     .irregular = sup_counts_differ(point->counts_rule),
                                     .itself = point->itself};
    int status = mpilib_choose(name, &call, &plan->choice, error);
    if (status != RB_OK)
        return status;
    plan->spec.algorithm = plan->choice.algorithm;
    plan->spec.radix = plan->choice.radix;
    plan->spec.n = plan->choice.n;
    if (!plan->choice.by_hosts)
        return RB_OK;
    by_hosts.plan.groups = "host";
    status = point_find_groups(&by_hosts, &plan->groups, error);
    plan->spec.groups = plan->groups;
    return status;
}

void point_plan_free(struct point_plan *plan)
{
    free(plan->groups);
    *plan = (struct point_plan){0};
}

/* ---- Rules ----------------------------------------------------------------------------------- */

/* A rule that is read by words_parse and written by words_format. */
#define RULE(name, words)                                                                          \
    static int read_##name(const char *word, struct point_rule *rule, char *text, size_t size,     \
                           struct sup_error *error)                                                \
    {                                                                                              \
        const int status = words##_parse(word, &rule->name, error);                                \
        if (status == RB_OK)                                                                       \
            words##_format(&rule->name, text, size);                                               \
        return status;                                                                             \
    }                                                                                              \
    static void set_##name(struct point *point, const struct point_rule *rule)                     \
    {                                                                                              \
        point->name = rule->text;                                                                  \
        point->name##_rule = &rule->name;                                                          \
    }
RULE(counts, sup_counts)
RULE(placement, sim_placement)
RULE(overlap, sim_overlap)
RULE(arrival, sim_arrival)

static int read_program(const char *word, struct point_rule *rule, char *text, size_t size,
                        struct sup_error *error)
{
    (void)rule;
    return point_program_name(word, text, size, error);
}

static void set_program(struct point *point, const struct point_rule *rule)
{
    point->program = rule->text;
}

static const struct kind {
    /* Writes the usual text. */
    int (*read)(const char *word, struct point_rule *rule, char *text, size_t size,
                struct sup_error *error);
    void (*set)(struct point *point, const struct point_rule *rule);
} kinds[POINT_PARAMETERS] = {
    [POINT_COUNTS] = {read_counts, set_counts},
    [POINT_PLACEMENT] = {read_placement, set_placement},
    [POINT_OVERLAP] = {read_overlap, set_overlap},
    [POINT_ARRIVAL] = {read_arrival, set_arrival},
    [POINT_PROGRAM] = {read_program, set_program},
};

bool point_is_rule(enum point_id id)
{
    return kinds[id].read != NULL;
}

int point_rule_read(enum point_id id, const char *word, struct point_rule *rule,
                    struct sup_error *error)
{
    char text[SIM_PLACEMENT_TEXT];
    *rule = (struct point_rule){0};
    const int status = kinds[id].read(word, rule, text, sizeof text, error);
    if (status == RB_OK)
        rule->text = sup_strdup(text);
    return status;
}

void point_rule_free(struct point_rule *rule)
{
    free(rule->text);
    *rule = (struct point_rule){0};
}

void point_set_rule(struct point *point, enum point_id id, const struct point_rule *rule)
{
    kinds[id].set(point, rule);
}
