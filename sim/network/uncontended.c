/* uncontended.c - gives each link the one role it may have, and looks for a second. */
#include "describe.h"

#include <stdlib.h>

#include "roundabout.h"
#include "support/memory.h"

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

int net_uncontended(struct platform_network *network, bool *uncontended, struct sup_error *error)
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
