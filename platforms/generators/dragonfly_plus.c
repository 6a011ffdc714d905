/* dragonfly_plus.c - groups of leaf and spine switches, every leaf joined to every spine of its
 * group; cables between the spines of any two groups (Shpiner, Haramaty, Eliad, Zdornov, Gafni,
 * Zahavi, Dragonfly+: Low cost topology for scaling datacenters, 2017; for example Leonardo).
 *
 * Minimal routes: up to a spine; if the destination is in another group, over a cable to one of its
 * spines; down. A group deals its cables out to its spines in turn, by the other group. k chooses
 * the spine or the cable: by default the destination's number, with ecmp a hash of both hosts.
 *
 * A detour goes over a random third group. If the spine where it enters that has no cable to the
 * destination's group, it goes down to a leaf and up to one that has. Worked example,
 * dragonfly+:18,groups=3,leaves=3,spines=3,hosts=2,global=3: each spine has one cable to each other
 * group; host 0 to host 17: leaf 0, spine 2 (17 mod 3), spine 2 of group 2, leaf 8. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "platforms/generator.h"
#include "roundabout.h"

static const struct platform_option options[] = {
    {"groups", NULL, "groups; derived: nearly as many as leaf switches in a group"},
    {"leaves", NULL, "leaf switches of a group; derived: nearly as many as hosts of one"},
    {"hosts", NULL, "hosts of a leaf switch; derived"},
    {"spines", NULL, "spine switches of a group; derived: as many as hosts of a leaf switch"},
    {"global", NULL,
     "cables between two groups; derived: a group's cables together carry what its hosts can send"},
    {"routing", "minimal",
     "minimal (the destination chooses), ecmp:SEED (a hash); over a random third group: "
     "valiant:SEED (each message), valiant-pairs:SEED (each pair of hosts); the less loaded of "
     "both: ugal:SEED, ugal-l:SEED"},
    PLATFORM_PORTS_OPTION,
    PLATFORM_LINK_OPTIONS("1us", PLATFORM_LATENCY_HELP)};

enum { MINIMAL, ECMP };
static const struct platform_rule rules[] = {[MINIMAL] = {.name = "minimal"},
                                             [ECMP] = {.name = "ecmp", .seeded = true},
                                             PLATFORM_DETOUR_RULES};

/* In a shape. */
enum { GROUPS, LEAVES, SPINES, HOSTS, GLOBAL };
enum { LONGEST = 8 };       /* route, over a third group and a leaf of it */
enum { MOST_PARTS = 1024 }; /* groups, or leaves of a group, that are derived */

struct sizes {
    int32_t groups, leaves, hosts; /* 0: derived */
};

/* How far from groups = leaves = hosts. */
static double oddness(const struct sizes *found)
{
    const double groups = log((double)found->groups / found->leaves);
    const double hosts = log((double)found->hosts / found->leaves);
    return groups * groups + hosts * hosts;
}

static bool allows(const struct sizes *asked, const struct sizes *found)
{
    if ((asked->groups > 0 && asked->groups != found->groups) ||
        (asked->leaves > 0 && asked->leaves != found->leaves) ||
        (asked->hosts > 0 && asked->hosts != found->hosts))
        return false;
    /* Without a fixed size, very uneven shapes are rejected. */
    return asked->groups > 0 || asked->leaves > 0 || asked->hosts > 0 || oddness(found) < 4;
}

/* Tries the ways to divide a group's hosts over leaf switches, and keeps the least odd. */
static void divide_group(int32_t groups, int32_t group_hosts, const struct sizes *asked,
                         struct sizes *best)
{
    int32_t least = 1, most = group_hosts < MOST_PARTS ? group_hosts : MOST_PARTS;
    if (asked->leaves > 0)
        least = most = asked->leaves;
    else if (asked->hosts > 0)
        least = most = group_hosts / asked->hosts;
    for (int32_t leaves = least; leaves >= 1 && leaves <= most; leaves++) {
        const struct sizes found = {groups, leaves, group_hosts / leaves};
        if (group_hosts % leaves == 0 && allows(asked, &found) &&
            (best->groups == 0 || oddness(&found) < oddness(best)))
            *best = found;
    }
}

static bool divides(int32_t part, int32_t hosts)
{
    return part == 0 || hosts % part == 0;
}

static bool find(int32_t hosts, const struct sizes *asked, struct sizes *best)
{
    int32_t least = 2, most = hosts < MOST_PARTS ? hosts : MOST_PARTS;
    *best = (struct sizes){0};
    if (!divides(asked->groups, hosts) || !divides(asked->leaves, hosts) ||
        !divides(asked->hosts, hosts))
        return false;
    if (asked->groups > 0)
        least = most = asked->groups;
    else if (asked->leaves > 0 && asked->hosts > 0)
        least = most = hosts / asked->leaves / asked->hosts;
    for (int32_t groups = least; groups >= 2 && groups <= most; groups++)
        if (hosts % groups == 0)
            divide_group(groups, hosts / groups, asked, best);
    return best->groups != 0;
}

static bool fits(int32_t hosts, const void *data)
{
    struct sizes found;
    return find(hosts, data, &found);
}

static int shape(const struct platform_request *request, struct platform_cluster *cluster,
                 struct sup_error *error)
{
    struct sizes asked = {0}, found;
    int32_t spines = 0, global = 0;
    const struct platform_number numbers[] = {
        {"groups", 2, &asked.groups}, {"leaves", 1, &asked.leaves}, {"hosts", 1, &asked.hosts},
        {"spines", 1, &spines},       {"global", 1, &global},       {0}};
    int status = platform_request_hosts(request, 1, &cluster->hosts, error);
    if (status == RB_OK)
        status = platform_request_ints(request, numbers, error);
    if (status == RB_OK)
        status = platform_request_routing(request, rules, &cluster->routing, error);
    if (status == RB_OK)
        status = platform_request_ports(request, &cluster->ports, error);
    if (status != RB_OK)
        return status;
    if (!find(cluster->hosts, &asked, &found))
        return platform_refuse_size(request, cluster->hosts, fits, &asked, error);
    if (spines == 0)
        spines = found.hosts;
    if (global == 0)
        global = (found.leaves * found.hosts + found.groups - 2) / (found.groups - 1);
    cluster->inner_links = true;
    cluster->share = "leaf";
    cluster->sharers = found.hosts;
    cluster->groups = found.groups;
    snprintf(cluster->note, sizeof cluster->note,
             "%" PRId32 " hosts: %" PRId32 " groups of %" PRId32 " leaf switches with %" PRId32
             " hosts each and %" PRId32 " spine switches; %" PRId32 " cables between two groups",
             cluster->hosts, found.groups, found.leaves, found.hosts, spines, global);
    const int32_t values[] = {found.groups, found.leaves, spines, found.hosts, global};
    memcpy(cluster->shape, values, sizeof values);
    return RB_OK;
}

/* ---- Routes ----------------------------------------------------------------------------------
 *
 * After the hosts' own links come those between leaves and spines, by leaf, up and down in turn,
 * then those between groups (generator.h). Leaves and spines count through all groups in names,
 * from 0 in each group here. */

static struct platform_group_cables cables_of(const int32_t shape[])
{
    return (struct platform_group_cables){shape[GROUPS], shape[SPINES], shape[GLOBAL]};
}

/* A message on its way: the links so far, and the switch where it is. */
struct trip {
    const struct platform_network *network;
    int32_t *link;
    int32_t count;
    int32_t group, at; /* leaf or spine */
};

static int32_t leaf_link(const struct trip *trip, int32_t leaf, int32_t spine)
{
    const int32_t *shape = trip->network->shape;
    return 3 * trip->network->hosts +
           2 * ((trip->group * shape[LEAVES] + leaf) * shape[SPINES] + spine);
}

static void go_up(struct trip *trip, int32_t spine)
{
    trip->link[trip->count++] = leaf_link(trip, trip->at, spine);
    trip->at = spine;
}

static void go_down(struct trip *trip, int32_t leaf)
{
    trip->link[trip->count++] = leaf_link(trip, leaf, trip->at) + 1;
    trip->at = leaf;
}

static void cross(struct trip *trip, int32_t group, int32_t cable)
{
    const int32_t *shape = trip->network->shape;
    const struct platform_group_cables cables = cables_of(shape);
    trip->link[trip->count++] = 3 * trip->network->hosts +
                                2 * shape[GROUPS] * shape[LEAVES] * shape[SPINES] +
                                platform_cable_link(&cables, trip->group, group, cable);
    trip->at = platform_cable_switch(&cables, group, trip->group, cable);
    trip->group = group;
}

/* From a leaf to a spine of the other group. */
static void go_to_group(struct trip *trip, int32_t group, uint64_t k)
{
    const struct platform_group_cables cables = cables_of(trip->network->shape);
    const int32_t cable = (int32_t)(k % (uint64_t)cables.cables);
    go_up(trip, platform_cable_switch(&cables, trip->group, group, cable));
    cross(trip, group, cable);
}

/* From a spine to a spine of the other group. */
static void go_on_to_group(struct trip *trip, int32_t group, uint64_t k)
{
    const int32_t *shape = trip->network->shape;
    const struct platform_group_cables cables = cables_of(shape);
    const int32_t cable = platform_cable_choose(&cables, trip->group, trip->at, group, k);
    const int32_t spine = platform_cable_switch(&cables, trip->group, group, cable);
    if (spine != trip->at) {
        go_down(trip, (int32_t)((k >> 16) % (uint64_t)shape[LEAVES]));
        go_up(trip, spine);
    }
    cross(trip, group, cable);
}

static void go_inside(struct trip *trip, int32_t group, int32_t leaf, uint64_t k, bool detour)
{
    const int32_t *shape = trip->network->shape;
    if (group == trip->group) {
        if (leaf != trip->at)
            go_up(trip, (int32_t)(k % (uint64_t)shape[SPINES]));
        else
            return;
    } else if (detour && shape[GROUPS] > 2) {
        go_to_group(trip, platform_third(k, shape[GROUPS], trip->group, group), k >> 32);
        go_on_to_group(trip, group, k >> 24);
    } else {
        go_to_group(trip, group, k);
    }
    go_down(trip, leaf);
}

static int32_t find_way(const struct platform_network *network, int32_t from, int32_t to,
                        uint64_t key, int32_t link[])
{
    const int32_t *shape = network->shape;
    const int32_t leaf = from / shape[HOSTS], to_leaf = to / shape[HOSTS];
    const bool detour = platform_takes_detour(&network->routing, key);
    struct trip trip = {network, link, 0, leaf / shape[LEAVES], leaf % shape[LEAVES]};
    uint64_t k = (uint64_t)to;
    if (detour || network->routing.rule == ECMP)
        k = platform_route_hash(&network->routing, from, to, key);
    link[trip.count++] = network->hosts + 2 * from;
    go_inside(&trip, to_leaf / shape[LEAVES], to_leaf % shape[LEAVES], k, detour);
    link[trip.count++] = network->hosts + 2 * to + 1;
    return trip.count;
}

/* All leaves, then all spines. */
static void find_ends(const struct platform_network *network, int32_t link, int32_t ends[2])
{
    const int32_t *shape = network->shape, leaves = shape[GROUPS] * shape[LEAVES];
    const struct platform_group_cables cables = cables_of(shape);
    const int32_t inner = (link - 3 * network->hosts) / 2, global = inner - leaves * shape[SPINES];
    int32_t i, j;
    if (global < 0) {
        ends[0] = inner / shape[SPINES];
        ends[1] = leaves + ends[0] / shape[LEAVES] * shape[SPINES] + inner % shape[SPINES];
        return;
    }
    platform_pair_find(shape[GROUPS], global / cables.cables, &i, &j);
    ends[0] =
        leaves + i * shape[SPINES] + platform_cable_switch(&cables, i, j, global % cables.cables);
    ends[1] =
        leaves + j * shape[SPINES] + platform_cable_switch(&cables, j, i, global % cables.cables);
}

static void name_link(const struct platform_network *network, int32_t link, char *name, size_t size)
{
    const int32_t *shape = network->shape, hosts = network->hosts;
    const int32_t leaves = shape[GROUPS] * shape[LEAVES];
    const int32_t number = (link - hosts) / 2, global = number - hosts - leaves * shape[SPINES];
    const char *way = (link - hosts) % 2 == 0 ? "UP" : "DOWN";
    int32_t ends[2];
    if (number < hosts) {
        snprintf(name, size, "link_from_host-%d_to_leaf-%d_%s", number, number / shape[HOSTS], way);
        return;
    }
    find_ends(network, link, ends);
    if (global < 0)
        snprintf(name, size, "link_from_leaf-%d_to_spine-%d_%s", ends[0], ends[1] - leaves, way);
    else
        snprintf(name, size, "link_from_spine-%d_to_spine-%d_cable-%d_%s", ends[0] - leaves,
                 ends[1] - leaves, global % shape[GLOBAL], way);
}

static void place(const struct platform_network *network, int32_t link,
                  struct platform_place *place)
{
    const int32_t *shape = network->shape;
    const struct platform_group_cables cables = cables_of(shape);
    const int32_t inner = link - 3 * network->hosts;
    const int32_t global = inner - 2 * shape[GROUPS] * shape[LEAVES] * shape[SPINES];
    if (global < 0) {
        place->level += inner % 2 == 0 ? 0 : 2;
        snprintf(place->name, sizeof place->name, inner % 2 == 0 ? "leaf up" : "leaf down");
    } else {
        place->level++;
        snprintf(place->name, sizeof place->name, "global");
        place->order = platform_cable_order(&cables, global);
    }
}

static int lay(const struct platform_cluster *cluster, struct platform_network **made)
{
    const int32_t *shape = cluster->shape;
    const int64_t groups = shape[GROUPS];
    const int64_t inner = 2 * groups * shape[LEAVES] * shape[SPINES];
    const int64_t links =
        3 * (int64_t)cluster->hosts + inner + groups * (groups - 1) * shape[GLOBAL];
    return platform_network_alloc(cluster, links, LONGEST, made);
}

static void cut(const struct platform_cluster *cluster, struct platform_cuts *cuts)
{
    const int32_t *shape = cluster->shape;
    const int64_t cables = (int64_t)(shape[GROUPS] - 1) * shape[GLOBAL];
    platform_cuts_add(cuts, "leaf", shape[HOSTS], cluster->bandwidth * shape[SPINES]);
    platform_cuts_add(cuts, "group", (int64_t)shape[LEAVES] * shape[HOSTS],
                      cluster->bandwidth * (double)cables);
}

const struct platform_maker platform_dragonfly_plus = {
    .face = {.name = "dragonfly+",
             .title = "groups of leaf and spine switches, the spines of every two groups joined",
             .sizes = "dragonfly+:N, N = groups x leaves x hosts",
             .options = options},
    .shape = shape,
    PLATFORM_FORMULA(lay, find_way, name_link, find_ends, place),
    .cut = cut,
};
