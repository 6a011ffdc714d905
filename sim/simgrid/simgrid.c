/* simgrid.c - the engine `simgrid`: platform, placement, variant, result. */
#define _POSIX_C_SOURCE 200809L

#include "sim/simgrid/simgrid.h"

#include <simgrid/engine.h>
#include <simgrid/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roundabout.h"
#include "sim/engine/jitter.h"
#include "sim/network/links.h"
#include "sim/network/place.h"
#include "support/eta.h"
#include "support/memory.h"

/* ---- What is there ----------------------------------------------------------------------------
 */

int s4u_ready(struct sup_error *error)
{
    (void)error; /* it is linked with this */
    return RB_OK;
}

struct s4u_versions s4u_find_versions(void)
{
    struct s4u_versions versions = {
        .compiled = {SIMGRID_VERSION_MAJOR, SIMGRID_VERSION_MINOR, SIMGRID_VERSION_PATCH}};
    sg_version_get(&versions.running[0], &versions.running[1], &versions.running[2]);
    return versions;
}

/* ---- A platform that SimGrid has loaded, as a network ---------------------------------------- */

enum { MOST_PAIRS = 1 << 18 }; /* pairs whose routes are stored */

struct known_route {
    int64_t first; /* in `links` */
    int32_t count; /* -1: there is none */
    double latency_s, bandwidth;
};

struct source {
    struct s4u_platform *platform;
    struct net_pair_table pairs;
    struct known_route *route; /* by number of the pair */
    int32_t *links;            /* of all known routes */
    int64_t used, room;
};

/* Appends a new pair's route to the stored ones. */
static void keep(struct source *source, int64_t pair, const struct s4u_route *found)
{
    sup_grow(&source->route, (size_t)pair, sizeof *source->route);
    if (source->used + found->count > source->room) {
        source->room = 2 * (source->used + found->count) + 1024;
        source->links =
            sup_reallocarray(source->links, (size_t)source->room, sizeof *source->links);
    }
    if (found->count > 0)
        memcpy(source->links + source->used, found->link,
               (size_t)found->count * sizeof *found->link);
    source->route[pair] =
        (struct known_route){source->used, found->count, found->latency, found->bandwidth};
    source->used += found->count;
}

/* The new pair has no route; why, SimGrid says each time. */
static void keep_none(struct source *source, int64_t pair)
{
    sup_grow(&source->route, (size_t)pair, sizeof *source->route);
    source->route[pair] = (struct known_route){.count = -1};
}

static int find_route(struct platform_network *network, int32_t from, int32_t to, uint64_t key,
                      struct platform_route *route, struct sup_error *error)
{
    struct source *source = network->source;
    struct s4u_route found;
    const int64_t known = source->pairs.count;
    int64_t pair = MOST_PAIRS;
    (void)key; /* SimGrid's routes are the same for all messages */
    if (known < MOST_PAIRS)
        pair = net_pair_table_number(&source->pairs, net_pair_key(from, to));
    if (pair < known && source->route[pair].count >= 0) {
        const struct known_route *kept = &source->route[pair];
        *route = (struct platform_route){source->links + kept->first, kept->count, kept->latency_s,
                                         kept->bandwidth};
        return RB_OK;
    }
    const int status = s4u_find_route(source->platform, from, to, &found, error);
    const bool is_new = pair >= known && pair < MOST_PAIRS;
    if (status != RB_OK && is_new)
        keep_none(source, pair);
    if (status != RB_OK)
        return status;
    if (is_new)
        keep(source, pair, &found);
    *route = (struct platform_route){found.link, found.count, found.latency, found.bandwidth};
    return RB_OK;
}

static void name_link(const struct platform_network *network, int32_t link, char *name, size_t size)
{
    const struct source *source = network->source;
    struct s4u_link description;
    s4u_link_describe(source->platform, link, &description);
    snprintf(name, size, "%s", description.name);
}

static void name_host(const struct platform_network *network, int32_t host, char *name, size_t size)
{
    const struct source *source = network->source;
    snprintf(name, size, "%s", s4u_host_name(source->platform, host));
}

static void destroy(struct platform_network *network)
{
    struct source *source = network->source;
    net_pair_table_free(&source->pairs);
    free(source->route);
    free(source->links);
    free(source);
    free(network->link);
    free(network);
}

struct platform_network *s4u_network_create(struct s4u_platform *platform)
{
    const int32_t links = s4u_link_count(platform);
    struct platform_network *network = sup_calloc(1, sizeof *network);
    struct source *source = sup_calloc(1, sizeof *source);
    *network =
        (struct platform_network){.hosts = s4u_host_count(platform),
                                  .links = links,
                                  .link = sup_calloc((size_t)links + 1, sizeof *network->link),
                                  .find_route = find_route,
                                  .name_link = name_link,
                                  .name_host = name_host,
                                  .destroy = destroy,
                                  .source = source};
    source->platform = platform;
    for (int32_t l = 0; l < links; l++) {
        struct s4u_link description;
        s4u_link_describe(platform, l, &description);
        network->link[l] = (struct platform_link){.bandwidth = description.bandwidth,
                                                  .latency_s = description.latency,
                                                  .shared = description.shared};
    }
    return network;
}

/* ---- The engine ------------------------------------------------------------------------------ */

struct variant {
    const char *name;
    int (*run)(struct s4u_run *run, struct sup_error *error);
};

static const struct variant variants[] = {
    {"signals", s4u_signals},
    {"actors", s4u_actors},
};
enum { SIGNALS, ACTORS, VARIANTS };

enum {
    /* Beyond this many ranks SimGrid 3's list of communications makes signals the slower ones. */
    SIGNALS_MOST_RANKS = 16384,
    /* Beyond this many the pages that guard the actors' stacks would exceed the mappings that Linux
     * allows a process; without them stacks are resident from the start, which takes gigabytes. */
    GUARDED_MOST_RANKS = 30000,
};

static int choose_variant(const struct sim_spec *spec, const struct variant **chosen,
                          struct sup_error *error)
{
    if (spec->sharing != SIM_SHARED)
        return sup_fail(error, RB_EINVAL,
                        "the simgrid engine always shares links: take flow for times without");
    if (spec->variant) {
        for (int32_t i = 0; i < VARIANTS; i++) {
            *chosen = &variants[i];
            if (strcmp(variants[i].name, spec->variant) == 0)
                return RB_OK;
        }
        return sup_fail(error, RB_EINVAL,
                        "the simgrid engine has no variant '%s': there are signals and actors",
                        spec->variant);
    }
    /* In lockstep all actors wait at a barrier in every round, even idle ones, which is too slow
     * for many rounds. */
    const int32_t p = sim_ranks(spec);
    const bool actors = spec->workload == NULL && spec->overlap.rule == SIM_BLOCKING &&
                        p > SIGNALS_MOST_RANKS && p <= GUARDED_MOST_RANKS;
    *chosen = &variants[actors ? ACTORS : SIGNALS];
    return RB_OK;
}

/* The variant's options, then those of the request, so that these win. */
static int load(const struct sim_spec *spec, const struct variant *variant,
                struct s4u_platform **platform, struct sup_error *error)
{
    static const char *const actor_options[] = {"contexts/stack-size:128", "contexts/guard-size:0"};
    /* The usual precision would remove the jitter, and end steps 1 ps too early. */
    static const char precise[] = "surf/precision:1e-18";
    const bool jitters = spec->jitter != 0, walks = spec->workload != NULL;
    int32_t own = 0;
    if (variant == &variants[ACTORS])
        own = sim_ranks(spec) > GUARDED_MOST_RANKS ? 2 : 1;
    const char **options = sup_malloc((size_t)(own + spec->option_count + 2) * sizeof *options);
    for (int32_t i = 0; i < own; i++)
        options[i] = actor_options[i];
    if (jitters || walks)
        options[own++] = precise;
    for (int32_t i = 0; i < spec->option_count; i++)
        options[own + i] = spec->options[i];
    /* A rank has several collectives in flight, so hosts send several messages at a time. */
    const struct s4u_options all = {options, own, own + spec->option_count, spec->ppn > 1 || walks};
    int status = s4u_platform_load(spec->platform, &all, platform, error);
    free(options);
    for (int32_t i = 0; status == RB_OK && jitters && i < s4u_link_count(*platform); i++)
        s4u_link_delay(*platform, i, sim_jitter_factor(spec->jitter, (uint64_t)i));
    return status;
}

/* When all is done: the last rank of a plan; of a workload the last job that doesn't run until
 * others end. */
static void take_times(const struct s4u_run *run, struct sim_result *result)
{
    const bool walks = run->spec->workload != NULL;
    const double *end_s = walks ? result->job_end_s : run->finish_s;
    const int32_t count = walks ? result->jobs : sim_ranks(run->spec);
    for (int32_t i = 0; i < count; i++)
        if (end_s[i] > result->time_s)
            result->time_s = end_s[i];
}

static int replay_on(struct s4u_run *run, const struct variant *variant, struct sim_result *result,
                     struct sup_error *error)
{
    double started = sup_clock_s();
    int status = variant->run(run, error);
    result->wall_s = sup_clock_s() - started;
    if (status)
        return status;
    take_times(run, result);
    if (run->load)
        status = net_take_links(run->load, run->spec, run->host, result, error);
    return status;
}

static int simulate_loaded(const struct sim_spec *spec, const struct variant *variant,
                           struct s4u_platform *platform, struct sim_result *result,
                           struct sup_error *error)
{
    int32_t p = sim_ranks(spec);
    struct platform_network *network = s4u_network_create(platform);
    struct net_link_load load = {0};
    int32_t *host = sup_malloc((size_t)p * sizeof *host);
    double *finish_s = sup_calloc((size_t)p, sizeof *finish_s);
    if (spec->want_links > 0)
        net_link_load_init(&load, network);
    result->hosts = s4u_host_count(platform);
    int status = net_place(spec, network, host, result, error);
    if (status == 0)
        status = net_describe(spec, network, host, result, error);
    if (status)
        goto done;
    struct s4u_run run = {.spec = spec,
                          .platform = platform,
                          .network = network,
                          .host = host,
                          .load = spec->want_links > 0 ? &load : NULL,
                          .finish_s = finish_s,
                          .result = result};
    status = replay_on(&run, variant, result, error);
    if (status == 0 && spec->want_finish) {
        result->finish_s = finish_s;
        finish_s = NULL;
    }
done:
    net_link_load_free(&load);
    platform_network_destroy(network);
    free(finish_s);
    free(host);
    return status;
}

int s4u_simulate(const struct sim_spec *spec, struct sim_result *result, struct sup_error *error)
{
    const struct variant *variant;
    int status = choose_variant(spec, &variant, error);
    if (status)
        return status;
    snprintf(result->variant, sizeof result->variant, "%s", variant->name);
    struct s4u_platform *platform = NULL;
    double started = sup_clock_s();
    status = load(spec, variant, &platform, error);
    result->load_s = sup_clock_s() - started;
    if (status == 0)
        status = simulate_loaded(spec, variant, platform, result, error);
    /* The platform stays: SimGrid can't be stopped and started again, and the process ends. */
    return status;
}
