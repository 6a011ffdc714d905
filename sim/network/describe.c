/* describe.c - the part of a result that describes the network. */
#include "describe.h"

#include <stdlib.h>
#include <string.h>

#include "platforms/platform.h"
#include "roundabout.h"
#include "support/memory.h"

/* ---- Contention ------------------------------------------------------------------------------ */

enum { ALL_PAIRS = 128 };

struct check {
    struct platform_network *network;
    int64_t *role; /* per link: 0 none yet, host + 1 it sends for, -(host + 1) it receives for */
    double latency, bandwidth;
    bool started;
};

static bool takes_role(struct check *check, int32_t link, int64_t role)
{
    if (check->role[link] == 0)
        check->role[link] = role;
    return check->role[link] == role;
}

/* Both ends of the route, leaving out links that aren't shared, must be the hosts' own. */
static bool has_own_links(struct check *check, const struct platform_route *route, int32_t from,
                          int32_t to)
{
    int64_t roles[2] = {(int64_t)from + 1, -((int64_t)to + 1)};
    int32_t shared = 0;
    for (int32_t i = 0; i < route->count; i++) {
        if (!check->network->link[route->link[i]].shared)
            continue;
        if (shared == 2 || !takes_role(check, route->link[i], roles[shared]))
            return false;
        shared++;
    }
    return shared == 2;
}

static int look_at(struct check *check, int32_t from, int32_t to, bool *fits,
                   struct sup_error *error)
{
    struct platform_route route;
    int status = platform_network_route(check->network, from, to, 0, &route, error);
    if (status)
        return status;
    if (!check->started) {
        check->started = true;
        check->latency = route.latency_s;
        check->bandwidth = route.bandwidth;
    }
    *fits = route.latency_s == check->latency && route.bandwidth == check->bandwidth &&
            has_own_links(check, &route, from, to);
    return RB_OK;
}

/* The factor between distances; 1 tests all distances. */
static int look_at_distances(struct check *check, int32_t hosts, int32_t factor, bool *fits,
                             struct sup_error *error)
{
    for (int64_t distance = 1; distance < hosts;
         distance = factor == 1 ? distance + 1 : distance * factor)
        for (int32_t from = 0; from < hosts; from++) {
            int status = look_at(check, from, (int32_t)((from + distance) % hosts), fits, error);
            if (status || !*fits)
                return status;
        }
    return RB_OK;
}

/* Sets *uncontended if all routes between different hosts have the same latency and bandwidth, and
 * each consists of one link over which only its source sends, one link over which only its
 * destination receives, and otherwise links that are not shared. Tests all pairs of up to 128
 * hosts; of more hosts, the pairs whose distance is a power of two or of three, from every host;
 * stops at the first pair that differs. True for one host. RB_EFAILED. */
static int net_uncontended(struct platform_network *network, bool *uncontended,
                           struct sup_error *error)
{
    int32_t hosts = network->hosts;
    struct check check = {.network = network};
    check.role = sup_calloc((size_t)network->links + 1, sizeof *check.role);
    *uncontended = true;
    int status;
    if (hosts <= ALL_PAIRS) {
        status = look_at_distances(&check, hosts, 1, uncontended, error);
    } else {
        status = look_at_distances(&check, hosts, 2, uncontended, error);
        if (status == 0 && *uncontended)
            status = look_at_distances(&check, hosts, 3, uncontended, error);
    }
    free(check.role);
    return status;
}

/* ---- The description ------------------------------------------------------------------------- */

/* Where ranks share a host, its route to itself must have a link: SimGrid aborts otherwise. */
static int check_shared_hosts(struct platform_network *network, const int32_t host[], int32_t p,
                              bool *shared, struct sup_error *error)
{
    *shared = false;
    int32_t hosts = network->hosts;
    int32_t *tenant = sup_malloc((size_t)hosts * sizeof *tenant);
    for (int32_t h = 0; h < hosts; h++)
        tenant[h] = -1;
    int status = RB_OK;
    for (int32_t r = 0; r < p && status == 0; r++) {
        int32_t h = host[r];
        if (tenant[h] < 0) {
            tenant[h] = r;
            continue;
        }
        *shared = true;
        struct platform_route route;
        char name[128];
        status = platform_network_route(network, h, h, 0, &route, error);
        if (status == 0 && route.count == 0)
            status = sup_fail(
                error, RB_EINVAL,
                "ranks %d and %d are both on host %s, which has no route to itself: give the "
                "platform a loopback (loopback_bw, loopback_lat), or put one rank on each host",
                tenant[h], r, platform_network_host_name(network, h, name, sizeof name));
    }
    free(tenant);
    return status;
}

static bool begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* A queue of flow's (nic:queue) changes no message that is alone. */
static bool changes_the_network(const struct sim_spec *spec)
{
    for (int32_t i = 0; i < spec->option_count; i++)
        if (!begins(spec->options[i], "contexts/") && !begins(spec->options[i], "smpi/") &&
            !begins(spec->options[i], "nic:"))
            return true;
    struct sup_error unused;
    return !platform_is_generated(spec->platform) &&
           platform_check_flow(spec->platform, &unused) != RB_OK;
}

/* alpha and beta: of ranks 0 and 1, or of hosts 0 and 1 if there is one rank. */
static int find_costs(struct platform_network *network, const int32_t host[], int32_t p,
                      struct sim_result *result, struct sup_error *error)
{
    int32_t from = host[0];
    int32_t to = p > 1 ? host[1] : (from + 1) % result->hosts;
    if (p == 1 && from == to) /* one host, one rank: nothing ever travels */
        return RB_OK;
    struct platform_route route;
    int status = platform_network_route(network, from, to, 0, &route, error);
    if (status)
        return status;
    result->alpha_s = route.latency_s;
    result->beta_s_per_byte = route.bandwidth > 0 ? 1 / route.bandwidth : 0;
    return RB_OK;
}

int net_describe(const struct sim_spec *spec, struct platform_network *network,
                 const int32_t host[], struct sim_result *result, struct sup_error *error)
{
    int32_t p = sim_ranks(spec);
    bool shared = false;
    int status = check_shared_hosts(network, host, p, &shared, error);
    if (status == 0)
        status = find_costs(network, host, p, result, error);
    network->altered = changes_the_network(spec);
    if (status == 0 && !shared && !network->altered)
        status = net_uncontended(network, &result->uncontended, error);
    return status;
}

double net_alone_s(struct platform_network *network, int32_t from, int32_t to, uint64_t key,
                   int64_t bytes)
{
    struct platform_route route;
    struct sup_error unused;
    if (network->altered ||
        platform_network_route(network, from, to, key, &route, &unused) != RB_OK)
        return 0;
    return route.latency_s + (route.bandwidth > 0 ? (double)bytes / route.bandwidth : 0);
}

int net_take_links(struct net_link_load *load, const struct sim_spec *spec, const int32_t host[],
                   struct sim_result *result, struct sup_error *error)
{
    struct net_link_rounds rounds = {.fullest = -1};
    int status = RB_OK;
    if (spec->workload == NULL)
        status =
            net_link_rounds_count(spec->plan, spec->layout, load->network, host, &rounds, error);
    result->switch_bytes = net_link_load_inner(load);
    if (status == RB_OK)
        net_link_load_busiest(load, &rounds, spec->want_links, &result->links, &result->link_count);
    if (status == RB_OK && rounds.fullest >= 0) {
        result->fullest.messages = rounds.fullest_messages;
        result->fullest.load = rounds.load;
        result->fullest.round = rounds.fullest_round;
        platform_network_link_name(load->network, rounds.fullest, result->fullest.link,
                                   sizeof result->fullest.link);
    }
    net_link_rounds_free(&rounds);
    return status;
}
