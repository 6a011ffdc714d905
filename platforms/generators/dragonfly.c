/* dragonfly.c - groups of fully connected routers, every two groups joined by one fat link or by
 * several links at different routers (Kim, Dally, Scott, Abts, Technology-driven, highly-scalable
 * dragonfly topology, 2008, which also has the routing rules).
 *
 * Minimal routes: host up, at most one local link to the router that has the way to the other
 * group, at most one global link, at most one local link, host down. Router j of group i has the
 * global link to group j, so there are at most as many groups as routers in a group. Where links
 * are spread, a group deals them out to its routers in turn, and a message takes one at its own
 * router if there is one.
 *
 * SimGrid divides a group into chassis and routes wrongly inside a group from the second chassis
 * on; with one chassis per group, as here, all routes are right (tests/platforms/test_platforms.c
 * walks them). Worked example, dragonfly:18, 3 groups x 3 routers x 2 hosts: host 0 (group 0,
 * router 0) to host 17 (group 2, router 2): local link to router 2, global link to group 2 router
 * 0, local link to its router 2. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "platforms/generator.h"
#include "roundabout.h"

static const struct platform_option options[] = {
    {"groups", NULL, "groups, at most as many as routers in a group; derived: nearly as many"},
    {"routers", NULL, "routers of a group, all linked to each other; derived"},
    {"hosts", NULL, "hosts of a router; derived: about half as many as routers in a group"},
    {"global", NULL,
     "bandwidth between two groups, in links; derived: a group's links together carry what its "
     "hosts can send"},
    {"local", "1", "bandwidth between two routers of a group, in links"},
    {"spread", "no",
     "yes: the links between two groups are cables of their own at different routers; no: one "
     "cable has their bandwidth"},
    {"routing", "minimal", PLATFORM_DETOUR_RULES_HELP},
    PLATFORM_PORTS_OPTION,
    PLATFORM_LINK_OPTIONS("1us", PLATFORM_LATENCY_HELP)};

static const struct platform_rule rules[] = {{.name = "minimal"}, PLATFORM_DETOUR_RULES};

/* In a shape. */
enum { GROUPS, ROUTERS, HOSTS, GLOBAL, LOCAL, SPREAD };
enum { LONGEST = 7 }; /* route, over a third group */

struct dragonfly {
    int32_t groups, routers, hosts; /* 0: derived */
    bool spread;
};

static bool is_free(const struct dragonfly *asked)
{
    return asked->groups == 0 && asked->routers == 0 && asked->hosts == 0;
}

static bool allows(const struct dragonfly *asked, const struct dragonfly *found)
{
    if ((asked->groups > 0 && asked->groups != found->groups) ||
        (asked->routers > 0 && asked->routers != found->routers) ||
        (asked->hosts > 0 && asked->hosts != found->hosts) ||
        (found->groups > found->routers && !asked->spread))
        return false;
    /* Without a fixed size, very uneven shapes are rejected. */
    return !is_free(asked) || (found->groups <= found->routers && found->hosts <= found->routers &&
                               4 * found->hosts >= found->routers);
}

/* How far from groups = routers = 2 hosts, which keeps all kinds of links about equally busy. */
static double oddness(const struct dragonfly *found)
{
    double groups = log((double)found->routers / found->groups);
    double hosts = log(2.0 * found->hosts / found->routers);
    return groups * groups + hosts * hosts;
}

/* Tries the ways to divide a group's hosts over routers, and keeps the least odd. */
static void divide_group(int32_t groups, int32_t group_hosts, const struct dragonfly *asked,
                         struct dragonfly *best)
{
    int32_t least = asked->spread ? 2 : groups, most = is_free(asked) ? 2 * groups : group_hosts;
    if (asked->routers > 0)
        least = most = asked->routers;
    else if (asked->hosts > 0)
        least = most = group_hosts / asked->hosts;
    for (int32_t routers = least; routers >= 1 && routers <= most && routers <= group_hosts;
         routers++) {
        const struct dragonfly found = {groups, routers, group_hosts / routers, asked->spread};
        if (group_hosts % routers == 0 && allows(asked, &found) &&
            (best->groups == 0 || oddness(&found) < oddness(best)))
            *best = found;
    }
}

/* Faults that no choice of the other values can mend, so that not all sizes are tried. */
static bool can_fit(int32_t hosts, const struct dragonfly *asked)
{
    return (asked->groups == 0 || (hosts % asked->groups == 0 &&
                                   (asked->spread || asked->groups <= hosts / asked->groups))) &&
           (asked->routers == 0 || hosts % asked->routers == 0) &&
           (asked->hosts == 0 || hosts % asked->hosts == 0);
}

static bool find(int32_t hosts, const struct dragonfly *asked, struct dragonfly *best)
{
    *best = (struct dragonfly){0};
    if (!can_fit(hosts, asked))
        return false;
    /* With spread cables there may be more groups than routers, if they are asked for. */
    const int32_t given = asked->groups > 0 || asked->routers == 0 || asked->hosts == 0
                              ? asked->groups
                              : hosts / asked->routers / asked->hosts;
    if (given > 1 && hosts % given == 0)
        divide_group(given, hosts / given, asked, best);
    for (int32_t groups = 2; given == 0 && (int64_t)groups * groups <= hosts; groups++)
        if (hosts % groups == 0)
            divide_group(groups, hosts / groups, asked, best);
    return best->groups != 0;
}

static bool fits(int32_t hosts, const void *data)
{
    struct dragonfly found;
    return find(hosts, data, &found);
}

static int shape(const struct platform_request *request, struct platform_cluster *cluster,
                 struct sup_error *error)
{
    struct dragonfly asked = {0}, found;
    int32_t global = 0, local;
    const struct platform_number numbers[] = {
        {"groups", 2, &asked.groups}, {"routers", 2, &asked.routers}, {"hosts", 1, &asked.hosts},
        {"global", 1, &global},       {"local", 1, &local},           {0}};
    int status = platform_request_hosts(request, 1, &cluster->hosts, error);
    if (status == RB_OK)
        status = platform_request_ints(request, numbers, error);
    if (status == RB_OK)
        status = platform_request_bool(request, "spread", &asked.spread, error);
    if (status == RB_OK)
        status = platform_request_routing(request, rules, &cluster->routing, error);
    if (status == RB_OK)
        status = platform_request_ports(request, &cluster->ports, error);
    if (status != RB_OK)
        return status;
    if (!asked.spread && asked.routers > 0 && asked.groups > asked.routers)
        return sup_fail(error, RB_EINVAL,
                        "dragonfly: groups: %" PRId32
                        " groups need as many routers in a group, not "
                        "routers=%" PRId32 ", or spread=yes",
                        asked.groups, asked.routers);
    if (!find(cluster->hosts, &asked, &found))
        return platform_refuse_size(request, cluster->hosts, fits, &asked, error);
    if (global == 0)
        global = (found.routers * found.hosts + found.groups - 2) / (found.groups - 1);
    const bool is_simgrids = cluster->routing.rule == 0 && !asked.spread && cluster->ports == 0;
    cluster->topology = is_simgrids ? "DRAGONFLY" : NULL;
    cluster->inner_links = true;
    cluster->share = "router";
    cluster->sharers = found.hosts;
    cluster->groups = found.groups;
    snprintf(cluster->parameters, sizeof cluster->parameters,
             "%" PRId32 ",%" PRId32 ";1,1;%" PRId32 ",%" PRId32 ";%" PRId32, found.groups, global,
             found.routers, local, found.hosts);
    snprintf(cluster->note, sizeof cluster->note,
             "%" PRId32 " hosts: %" PRId32 " groups of %" PRId32 " routers with %" PRId32
             " hosts each; %" PRId32 " %s between two groups, %" PRId32 " between two routers",
             cluster->hosts, found.groups, found.routers, found.hosts, global,
             asked.spread ? "links at different routers" : "links' bandwidth", local);
    const int32_t values[] = {found.groups, found.routers, found.hosts,
                              global,       local,         asked.spread};
    memcpy(cluster->shape, values, sizeof values);
    return RB_OK;
}

/* ---- Routes ----------------------------------------------------------------------------------
 *
 * After the hosts' own links come those between two routers of a group, group by group, then those
 * between groups, by pairs (generator.h). */

static int32_t local_links(const int32_t shape[])
{
    return shape[ROUTERS] * (shape[ROUTERS] - 1);
}

static struct platform_group_cables cables_of(const int32_t shape[])
{
    return (struct platform_group_cables){shape[GROUPS], shape[ROUTERS],
                                          shape[SPREAD] ? shape[GLOBAL] : 1};
}

/* A message on its way: the links so far, and where it is. */
struct trip {
    const struct platform_network *network;
    int32_t *link;
    int32_t count;
    int32_t group, router;
};

static void go_to_router(struct trip *trip, int32_t router)
{
    const int32_t *shape = trip->network->shape;
    if (router != trip->router)
        trip->link[trip->count++] = 3 * trip->network->hosts + trip->group * local_links(shape) +
                                    platform_pair_link(shape[ROUTERS], trip->router, router);
    trip->router = router;
}

/* Over the one cable to that group, whose ends are at the router with the other group's number; or
 * over the cable that k chooses. */
static void go_to_group(struct trip *trip, int32_t group, uint64_t k)
{
    const int32_t *shape = trip->network->shape;
    const struct platform_group_cables cables = cables_of(shape);
    const int32_t first = 3 * trip->network->hosts + shape[GROUPS] * local_links(shape);
    int32_t cable = 0, leave = group, enter = trip->group;
    if (shape[SPREAD]) {
        cable = platform_cable_choose(&cables, trip->group, trip->router, group, k);
        leave = platform_cable_switch(&cables, trip->group, group, cable);
        enter = platform_cable_switch(&cables, group, trip->group, cable);
    }
    go_to_router(trip, leave);
    trip->link[trip->count++] = first + platform_cable_link(&cables, trip->group, group, cable);
    trip->group = group;
    trip->router = enter;
}

/* Valiant's detour: between groups over a third group, within a group over a third router. */
static void go_astray(struct trip *trip, int32_t group, int32_t router, uint64_t k)
{
    const int32_t *shape = trip->network->shape;
    if (group != trip->group && shape[GROUPS] > 2)
        go_to_group(trip, platform_third(k, shape[GROUPS], trip->group, group), k >> 32);
    else if (group == trip->group && router != trip->router && shape[ROUTERS] > 2)
        go_to_router(trip, platform_third(k, shape[ROUTERS], trip->router, router));
}

static int32_t find_way(const struct platform_network *network, int32_t from, int32_t to,
                        uint64_t key, int32_t link[])
{
    const int32_t *shape = network->shape, group_hosts = shape[ROUTERS] * shape[HOSTS];
    const int32_t group = to / group_hosts, router = to / shape[HOSTS] % shape[ROUTERS];
    struct trip trip = {network, link, 0, from / group_hosts, from / shape[HOSTS] % shape[ROUTERS]};
    link[trip.count++] = network->hosts + 2 * from;
    if (platform_takes_detour(&network->routing, key))
        go_astray(&trip, group, router, platform_route_hash(&network->routing, from, to, key));
    if (trip.group != group)
        go_to_group(&trip, group,
                    shape[SPREAD] ? platform_hash_numbers(0, (uint64_t)from, (uint64_t)to) : 0);
    go_to_router(&trip, router);
    link[trip.count++] = network->hosts + 2 * to + 1;
    return trip.count;
}

/* Routers count through all groups. */
static void find_ends(const struct platform_network *network, int32_t link, int32_t ends[2])
{
    const int32_t *shape = network->shape, routers = shape[ROUTERS];
    const struct platform_group_cables cables = cables_of(shape);
    const int32_t locals = local_links(shape) / 2, local = (link - 3 * network->hosts) / 2;
    const int32_t global = local - shape[GROUPS] * locals, cable = global % cables.cables;
    int32_t i, j;
    if (global < 0) {
        platform_pair_find(routers, local % locals, &i, &j);
        ends[0] = local / locals * routers + i;
        ends[1] = local / locals * routers + j;
        return;
    }
    platform_pair_find(shape[GROUPS], global / cables.cables, &i, &j);
    ends[0] = i * routers + (shape[SPREAD] ? platform_cable_switch(&cables, i, j, cable) : j);
    ends[1] = j * routers + (shape[SPREAD] ? platform_cable_switch(&cables, j, i, cable) : i);
}

/* SimGrid's names. */
static void name_link(const struct platform_network *network, int32_t link, char *name, size_t size)
{
    const int32_t *shape = network->shape, routers = shape[ROUTERS];
    const int32_t number = (link - network->hosts) / 2, hosts = network->hosts;
    const char *way = (link - hosts) % 2 == 0 ? "UP" : "DOWN";
    int32_t ends[2];
    if (number < hosts) {
        snprintf(name, size, "local_link_from_router_%d_to_node_%d_%d_%s", number / shape[HOSTS],
                 number % shape[HOSTS], number, way);
        return;
    }
    find_ends(network, link, ends);
    if (number - hosts < shape[GROUPS] * local_links(shape) / 2)
        snprintf(name, size, "green_link_in_chassis_0_between_routers_%d_and_%d_%d_%s",
                 ends[0] % routers, ends[1] % routers, number, way);
    else
        snprintf(name, size, "blue_link_between_group_%d_and_%d_routers_%d_and_%d_%d_%s",
                 ends[0] / routers, ends[1] / routers, ends[0], ends[1], number, way);
}

static void place(const struct platform_network *network, int32_t link,
                  struct platform_place *place)
{
    const int32_t *shape = network->shape;
    const struct platform_group_cables cables = cables_of(shape);
    const int32_t local = link - 3 * network->hosts;
    const int32_t global = local - shape[GROUPS] * local_links(shape);
    if (global < 0) {
        snprintf(place->name, sizeof place->name, "local");
        place->order = local / local_links(shape) * (int64_t)local_links(shape) +
                       platform_pair_order(shape[ROUTERS], local % local_links(shape));
    } else {
        place->level++;
        snprintf(place->name, sizeof place->name, "global");
        place->order = platform_cable_order(&cables, global);
    }
}

static int lay(const struct platform_cluster *cluster, struct platform_network **made)
{
    const int32_t *shape = cluster->shape;
    const int64_t locals = (int64_t)shape[GROUPS] * shape[ROUTERS] * (shape[ROUTERS] - 1);
    const int64_t hosts = cluster->hosts, links = 3 * hosts + locals;
    const int32_t cables = shape[SPREAD] ? shape[GLOBAL] : 1;
    const int64_t globals = (int64_t)shape[GROUPS] * (shape[GROUPS] - 1) * cables;
    const int status = platform_network_alloc(cluster, links + globals, LONGEST, made);
    if (status != RB_OK)
        return status;
    for (int64_t l = 3 * hosts; l < links + globals; l++)
        (*made)->link[l].bandwidth *= l < links ? shape[LOCAL] : shape[GLOBAL] / cables;
    return RB_OK;
}

/* A router with a link to another group has most; some have none. Where links are spread, the first
 * ones may have one more. */
static void cut(const struct platform_cluster *cluster, struct platform_cuts *cuts)
{
    const int32_t *shape = cluster->shape;
    const int64_t routers = shape[ROUTERS], groups = shape[GROUPS], hosts = shape[HOSTS];
    const int64_t local = (routers - 1) * shape[LOCAL], all = (groups - 1) * shape[GLOBAL];
    const int64_t global = shape[SPREAD] ? (all + routers - 1) / routers : shape[GLOBAL];
    platform_cuts_add(cuts, "router", hosts, cluster->bandwidth * (double)(local + global));
    platform_cuts_add(cuts, "group", routers * hosts, cluster->bandwidth * (double)all);
}

const struct platform_maker platform_dragonfly = {
    .face = {.name = "dragonfly",
             .title = "groups of fully connected routers, every two groups joined",
             .sizes = "dragonfly:N, N = groups x routers x hosts with groups <= routers",
             .options = options},
    .shape = shape,
    PLATFORM_FORMULA(lay, find_way, name_link, find_ends, place),
    .cut = cut,
};
