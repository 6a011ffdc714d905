/* network.c - the common part of all networks that are known by formula. */
#include "network.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generator.h"
#include "graph.h"
#include "roundabout.h"
#include "support/memory.h"

/* The route's links, into network->way. */
static int32_t find_links(struct platform_network *network, int32_t from, int32_t to, uint64_t key)
{
    const int32_t each = network->memory_links / network->hosts;
    const int32_t memory = network->links - network->memory_links;
    int32_t *way = network->way, count = 0;
    if (from == to) {
        way[count++] = from;
        for (int32_t i = 0; i < each; i++)
            way[count++] = memory + each * from + i;
        return count;
    }
    if (each < 2)
        return network->find_way(network, from, to, key, way);
    way[0] = memory + 2 * from;
    count = 1 + network->find_way(network, from, to, key, way + 1);
    way[count] = memory + 2 * to + 1;
    return count + 1;
}

static int find_route(struct platform_network *network, int32_t from, int32_t to, uint64_t key,
                      struct platform_route *route, struct sup_error *error)
{
    (void)error; /* there is always a route */
    route->link = network->way;
    route->count = find_links(network, from, to, key);
    route->latency_s = 0;
    route->bandwidth = INFINITY;
    for (int32_t i = 0; i < route->count; i++) {
        const struct platform_link *link = platform_network_link(network, route->link[i]);
        route->latency_s += link->latency_s;
        if (link->bandwidth < route->bandwidth)
            route->bandwidth = link->bandwidth;
    }
    return RB_OK;
}

static bool are_alike(const struct platform_link *a, const struct platform_link *b)
{
    return a->bandwidth == b->bandwidth && a->latency_s == b->latency_s && a->shared == b->shared &&
           a->failed == b->failed && a->slow == b->slow;
}

void platform_network_settle(struct platform_network *network)
{
    if (network->kind != NULL || network->find_route != find_route)
        return;
    uint8_t *kind = sup_malloc((size_t)network->links);
    int32_t kinds = 0;
    for (int32_t l = 0, k; l < network->links; l++) {
        const struct platform_link *link = &network->link[l];
        for (k = 0; k < kinds && !are_alike(&network->of_kind[k], link); k++)
            ;
        if (k == PLATFORM_MOST_KINDS) {
            free(kind);
            return;
        }
        if (k == kinds)
            network->of_kind[kinds++] = *link;
        kind[l] = (uint8_t)k;
    }
    network->kind = kind;
    free(network->link);
    network->link = NULL;
}

/* The load of a link beyond what it can carry, if one more message comes, in messages. */
static double queue_of(const struct platform_network *network, int32_t link,
                       const int32_t in_flight[])
{
    const double capacity =
        platform_network_link(network, link)->bandwidth / network->link_bandwidth;
    return fmax((in_flight[link] + 1) / capacity - 1, 0);
}

/* UGAL's measure of a route: its hops between switches times its queue. The hosts' own links are on
 * all routes. */
static double weigh(struct platform_network *network, int32_t from, int32_t to, uint64_t key,
                    const int32_t in_flight[])
{
    const int32_t hops = network->find_way(network, from, to, key, network->way) - 2;
    double queue = 0;
    for (int32_t i = 1; i <= hops; i++)
        if (i == 1 || network->routing.load == PLATFORM_FULLEST_LINK)
            queue = fmax(queue, queue_of(network, network->way[i], in_flight));
    return hops * queue;
}

uint64_t platform_network_choose(struct platform_network *network, int32_t from, int32_t to,
                                 uint64_t key, const int32_t in_flight[])
{
    if (network->routing.load == PLATFORM_NO_LOAD || from == to)
        return key;
    const double minimal = weigh(network, from, to, key, in_flight);
    if (minimal == 0 || minimal <= weigh(network, from, to, key | PLATFORM_DETOUR, in_flight))
        return key;
    return key | PLATFORM_DETOUR;
}

void platform_name_switch_link(const struct platform_network *network, int32_t link,
                               int32_t switch_hosts, char *name, size_t size)
{
    const int32_t hosts = network->hosts, host = (link - hosts) / 2;
    const char *way = (link - hosts) % 2 == 0 ? "UP" : "DOWN";
    int32_t ends[2];
    if (link < 3 * hosts) {
        snprintf(name, size, "link_from_host-%d_to_switch-%d_%s", host, host / switch_hosts, way);
        return;
    }
    network->find_ends(network, link, ends);
    snprintf(name, size, "link_from_switch-%d_to_switch-%d_%s", ends[0], ends[1], way);
}

static void name_link(const struct platform_network *network, int32_t link, char *name, size_t size)
{
    const int32_t each = network->memory_links / network->hosts;
    const int32_t memory = link - (network->links - network->memory_links);
    if (memory >= 0)
        snprintf(name, size, "%s_memory_%d%s", network->zone, memory / each,
                 each == 1         ? ""
                 : memory % 2 == 0 ? "_read"
                                   : "_write");
    else if (link < network->hosts)
        snprintf(name, size, "%s_link_%d_loopback", network->zone, link);
    else
        network->name_inner(network, link, name, size);
}

const char *platform_generated_host_name(const void *context, int32_t host, char *name, size_t size)
{
    (void)context;
    snprintf(name, size, "host-%d", host);
    return name;
}

static void name_host(const struct platform_network *network, int32_t host, char *name, size_t size)
{
    platform_generated_host_name(network, host, name, size);
}

static void destroy(struct platform_network *network)
{
    platform_graph_destroy(network->graph);
    free(network->way);
    free(network->link);
    free(network);
}

int platform_network_alloc(const struct platform_cluster *cluster, int64_t links, int32_t longest,
                           struct platform_network **made)
{
    const bool has_own = !cluster->latency_per_hop;
    const int32_t hosts = cluster->hosts, ports = cluster->ports > 1 ? cluster->ports : 1;
    struct platform_network *network;
    if (links > PLATFORM_MOST_LINKS)
        return RB_EINVAL;
    network = sup_calloc(1, sizeof *network);
    snprintf(network->zone, sizeof network->zone, "%s", cluster->name);
    network->hosts = hosts;
    network->links = (int32_t)links;
    network->link = sup_malloc((size_t)links * sizeof *network->link);
    network->way = sup_malloc(((size_t)longest + 3) * sizeof *network->way); /* with memories */
    network->find_route = find_route;
    network->name_link = name_link;
    network->name_host = name_host;
    network->destroy = destroy;
    network->find_way = cluster->maker->find_way;
    network->name_inner = cluster->maker->name_link;
    network->find_ends = cluster->maker->find_ends;
    network->place_inner = cluster->maker->place;
    network->own_links = has_own;
    network->nics = has_own ? hosts : 0;
    network->sharers = cluster->sharers;
    memcpy(network->shape, cluster->shape, sizeof cluster->shape);
    network->routing = cluster->routing;
    network->link_bandwidth = cluster->bandwidth;
    for (int32_t l = 0; l < network->links; l++) {
        struct platform_link *link = &network->link[l];
        *link = (struct platform_link){.bandwidth = cluster->bandwidth, .shared = true};
        if (l < hosts)
            *link = (struct platform_link){.bandwidth = cluster->loopback_bandwidth,
                                           .latency_s = cluster->loopback_latency_s};
        else if (!has_own)
            link->latency_s = cluster->latency_s;
        else if (l < 3 * hosts)
            *link = (struct platform_link){.bandwidth = cluster->bandwidth * ports,
                                           .latency_s = cluster->latency_s / 2,
                                           .shared = true};
    }
    *made = network;
    return RB_OK;
}

int platform_network_add_memory(const struct platform_cluster *cluster,
                                struct platform_network *network)
{
    const int32_t more = network->hosts * (cluster->memory_of_all ? 2 : 1);
    if (network->links > PLATFORM_MOST_LINKS - more)
        return RB_EINVAL;
    network->link =
        sup_realloc(network->link, ((size_t)network->links + (size_t)more) * sizeof *network->link);
    for (int32_t i = 0; i < more; i++)
        network->link[network->links++] =
            (struct platform_link){.bandwidth = cluster->memory_bandwidth, .shared = true};
    network->memory_links = more;
    return RB_OK;
}

void platform_network_destroy(struct platform_network *network)
{
    if (network == NULL)
        return;
    free(network->kind);
    network->destroy(network);
}

const char *platform_network_link_name(const struct platform_network *network, int32_t link,
                                       char *name, size_t size)
{
    network->name_link(network, link, name, size);
    return name;
}

const char *platform_network_host_name(const struct platform_network *network, int32_t host,
                                       char *name, size_t size)
{
    network->name_host(network, host, name, size);
    return name;
}

bool platform_network_ends(const struct platform_network *network, int32_t link, int32_t ends[2])
{
    const int32_t hosts = network->hosts, own = link - hosts;
    const int32_t memory = link - (network->links - network->memory_links);
    ends[0] = ends[1] = -1;
    if (network->find_way == NULL || platform_network_link(network, link)->failed)
        return false;
    if (memory >= 0 || own < 0) {
        ends[0] = ends[1] = own < 0 ? link : memory / (network->memory_links / hosts);
    } else if (network->own_links && own < 2 * hosts) {
        const int32_t host = own / 2;
        const int32_t terminal = network->terminal == NULL ? host : network->terminal[host];
        ends[0] = host;
        ends[1] = hosts + (network->sharers > 0 ? terminal / network->sharers : 0);
    } else if (network->find_ends == NULL) {
        ends[0] = ends[1] = hosts;
    } else {
        network->find_ends(network, link, ends);
        for (int i = 0; i < 2 && network->own_links; i++)
            ends[i] += hosts;
        if (network->nics > hosts && link < network->nics + 2 * hosts)
            ends[0] = (link - network->nics) / 2;
    }
    if (own % 2 == 1 && own > 0 && memory < 0) {
        const int32_t from = ends[1];
        ends[1] = ends[0];
        ends[0] = from;
    }
    return true;
}

int32_t platform_network_nodes(const struct platform_network *network)
{
    int32_t last = network->hosts - 1, ends[2];
    for (int32_t l = 0; l < network->links; l++)
        for (int i = 0; i < 2 && platform_network_ends(network, l, ends); i++)
            last = ends[i] > last ? ends[i] : last;
    return last + 1;
}

enum { LOOPBACKS, UP, INNER, DOWN = 1000, MEMORY }; /* levels */

static void set_place(struct platform_place *place, int32_t level, const char *name)
{
    place->level = level;
    snprintf(place->name, sizeof place->name, "%s", name);
}

void platform_network_place(const struct platform_network *network, int32_t link,
                            struct platform_place *place)
{
    const int32_t hosts = network->hosts;
    *place = (struct platform_place){.level = INNER, .name = "network", .order = link};
    if (network->find_way == NULL)
        return;
    if (link >= network->links - network->memory_links)
        set_place(place, MEMORY, "memory");
    else if (link < hosts)
        set_place(place, LOOPBACKS, "loopback");
    else if (network->own_links && link < 3 * hosts)
        set_place(place, (link - hosts) % 2 == 0 ? UP : DOWN,
                  (link - hosts) % 2 == 0 ? "host up" : "host down");
    else if (network->place_inner != NULL)
        network->place_inner(network, link, place);
}

/* ---- What rules of routing have in common: hashes and detours -------------------------------- */

/* SplitMix64's finalizer (Steele, Lea, Flood, Fast splittable pseudorandom number generators,
 * 2014). */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

uint64_t platform_hash_numbers(uint64_t seed, uint64_t a, uint64_t b)
{
    const uint64_t step = UINT64_C(0x9e3779b97f4a7c15);
    return mix(mix(mix(seed + step) + a + step) + b + step);
}

bool platform_takes_detour(const struct platform_routing *routing, uint64_t key)
{
    return routing->detours && (routing->load == PLATFORM_NO_LOAD || (key & PLATFORM_DETOUR) != 0);
}

uint64_t platform_route_hash(const struct platform_routing *routing, int32_t from, int32_t to,
                             uint64_t key)
{
    const uint64_t pair = (uint64_t)(uint32_t)from << 32 | (uint32_t)to;
    return platform_hash_numbers(routing->seed, routing->per_message ? key : 0, pair);
}

int32_t platform_third(uint64_t k, int32_t count, int32_t a, int32_t b)
{
    const int32_t low = a < b ? a : b, high = a < b ? b : a;
    int32_t third = (int32_t)((k & UINT32_MAX) * (uint64_t)(count - 2) >> 32);
    third += third >= low;
    return third + (third >= high);
}

/* ---- How fast a part of a platform can exchange data with the rest --------------------------- */

void platform_cuts_add(struct platform_cuts *cuts, const char *name, int64_t terminals,
                       double bandwidth)
{
    if (terminals < 2 || terminals >= cuts->who.terminals || cuts->count == PLATFORM_MOST_CUTS)
        return;
    struct platform_cut *cut = &cuts->cut[cuts->count++];
    cut->terminals = (int32_t)terminals;
    cut->bandwidth = bandwidth;
    if (name == NULL)
        snprintf(cut->name, sizeof cut->name, "block of %d hosts", (int)terminals);
    else
        snprintf(cut->name, sizeof cut->name, "%s", name);
}

/* The cables of a host along a side, of the host that has most. */
static int32_t cables_along(int32_t side)
{
    return side > 2 ? 2 : side - 1;
}

int32_t platform_cuts_hops(const struct platform_cuts *cuts, int32_t from, int32_t to)
{
    const struct platform_grid *grid = &cuts->grid;
    int32_t hops = 0;
    for (int32_t i = 0; i < grid->sides; i++) {
        const int32_t side = grid->side[i], apart = abs(from % side - to % side);
        hops += grid->wraps && side - apart < apart ? side - apart : apart;
        from /= side;
        to /= side;
    }
    return grid->sides > 0 ? hops : 1;
}

/* Where a line comes on a way to and fro over all lines, in which the last one's are passed
 * forwards along each side. */
static int32_t to_and_fro(const int32_t side[], int32_t sides, int32_t last, int32_t line)
{
    int32_t below = 1, place = 0;
    for (int32_t i = 0; i < sides; below *= side[i++]) {
        const int32_t at = line / below % side[i], turns = at - last / below % side[i];
        place = at * below + (turns % 2 != 0 ? below - 1 - place : place);
    }
    return place;
}

/* A grid of lines, in the order of that way, of which each has so many parts, but the last. */
struct lines {
    int32_t side, full, rest;
};

/* Round whole lines: all parts but the first of each, to and fro, and back by their first ones.
 * There is room between two of them for two others, and behind the last. */
static int64_t round_lines(const struct lines *of, int32_t x, int32_t line)
{
    if (of->full == 1)
        return 4 * (int64_t)x;
    return x == 0 ? 4 * ((int64_t)of->side * of->full + of->full - line)
                  : 4 * ((int64_t)line * of->side + (line % 2 == 0 ? x : of->side - x));
}

/* The parts of the line that is not whole come in pairs, between two of the line before it. */
static int64_t beside_lines(const struct lines *of, int32_t x)
{
    const int32_t line = of->full - 1, first = x & ~1;
    const bool back = line % 2 != 0;
    if (of->full > 1 && !back && x < 2) /* those two don't follow one another */
        return x == 0 ? 4 * (int64_t)of->side * of->full : round_lines(of, 1, line) + 1;
    return back ? round_lines(of, first + 1, line) + 2 - (x - first)
                : round_lines(of, first, line) + 1 + (x - first);
}

/* Some of one line, there and back if its ends are more than two apart. */
static int64_t on_line(const struct lines *of, int32_t x)
{
    const bool near = of->rest <= 3 || of->side - of->rest < 2;
    return near ? x : x % 2 == 0 ? x / 2 : of->rest - 1 - x / 2;
}

static int64_t on_cycle(const struct lines *of, int32_t x, int32_t line)
{
    return of->full == 0     ? on_line(of, x)
           : line < of->full ? round_lines(of, x, line)
                             : beside_lines(of, x);
}

int64_t platform_cuts_cycle(const struct platform_cuts *cuts, int32_t terminals, int32_t count,
                            int32_t number)
{
    const struct platform_grid *grid = &cuts->grid;
    int32_t first = 0;
    for (int64_t below = 1; first < grid->sides && below < terminals; first++)
        below *= grid->side[first];
    if (first >= grid->sides)
        return number;
    const struct lines of = {grid->side[first], count / grid->side[first],
                             count % grid->side[first]};
    const int32_t last = (count - 1) / of.side, further = grid->sides - first - 1;
    const int32_t *side = grid->side + first + 1;
    const int64_t end = on_cycle(&of, (count - 1) % of.side, to_and_fro(side, further, last, last));
    const int64_t at =
        on_cycle(&of, number % of.side, to_and_fro(side, further, last, number / of.side));
    return at <= end ? at + 8 * ((int64_t)count + of.side) : at;
}

/* A block has `width` layers of a side, and all of the sides before. */
void platform_cuts_add_grid(struct platform_cuts *cuts, const int32_t side[], int32_t sides,
                            bool wraps, double bandwidth)
{
    int64_t layer = 1; /* hosts */
    cuts->grid.sides = sides;
    cuts->grid.wraps = wraps;
    memcpy(cuts->grid.side, side, (size_t)sides * sizeof *side);
    for (int32_t i = 0; i < sides; layer *= side[i++]) {
        int32_t beyond = 0; /* cables of a host along the sides that follow */
        for (int32_t j = i + 1; j < sides; j++)
            beyond += cables_along(side[j]);
        if (i + 1 < sides)
            platform_cuts_add(cuts, NULL, layer * side[i],
                              bandwidth * (double)(layer * side[i] * beyond));
        for (int32_t width = (side[i] + 1) / 2; width > 1; width = (width + 1) / 2) {
            /* Of the inner sides only those that the width divides: others reach around. */
            if (i + 1 < sides && side[i] % width != 0)
                break;
            const int32_t faces = wraps || width < (side[i] + 1) / 2 ? 2 : 1;
            platform_cuts_add(cuts, NULL, layer * width,
                              bandwidth * (double)(layer * (faces + (int64_t)width * beyond)));
        }
    }
}

/* ---- Maximum flows, by Dinic's algorithm ----------------------------------------------------- */

void platform_arcs_free(struct platform_arcs *arcs)
{
    free(arcs->from);
    free(arcs->to);
    free(arcs->bandwidth);
    *arcs = (struct platform_arcs){0};
}

bool platform_arcs_find(const struct platform_network *network, struct platform_arcs *arcs)
{
    const size_t most = (size_t)network->links;
    *arcs = (struct platform_arcs){.hosts = network->hosts,
                                   .nodes = platform_network_nodes(network),
                                   .from = sup_malloc(most * sizeof *arcs->from),
                                   .to = sup_malloc(most * sizeof *arcs->to),
                                   .bandwidth = sup_malloc(most * sizeof *arcs->bandwidth)};
    bool known = true;
    for (int32_t l = network->hosts; l < network->links - network->memory_links && known; l++) {
        const struct platform_link *link = platform_network_link(network, l);
        int32_t ends[2];
        known = platform_network_ends(network, l, ends) || link->failed;
        if (!known || link->failed || ends[0] == ends[1])
            continue;
        arcs->from[arcs->count] = ends[0];
        arcs->to[arcs->count] = ends[1];
        arcs->bandwidth[arcs->count++] = link->bandwidth;
    }
    if (!known)
        platform_arcs_free(arcs);
    return known;
}

/* ---- Flows ----------------------------------------------------------------------------------- */

/* Node `nodes` is the source, from which an edge leads to each node. Edge e and its backward edge
 * e ^ 1 follow each other: first those of the arcs, then those of the source. */
struct flow {
    const struct platform_arcs *arcs;
    double *left;                /* per edge: what it can still carry; owned */
    int32_t *to, *next;          /* per edge: its head, and the next one of its tail; owned */
    int32_t *first, *level, *at; /* per node; owned, with: */
    int32_t *queue;
    double least; /* so little doesn't count */
};

static void begin(struct flow *flow, const struct platform_arcs *arcs)
{
    const int32_t nodes = arcs->nodes + 1, edges = 2 * (arcs->count + arcs->nodes);
    *flow = (struct flow){.arcs = arcs,
                          .left = sup_malloc((size_t)edges * sizeof *flow->left),
                          .to = sup_malloc(2 * (size_t)edges * sizeof *flow->to),
                          .first = sup_malloc(4 * (size_t)nodes * sizeof *flow->first)};
    flow->next = flow->to + edges;
    flow->level = flow->first + nodes;
    flow->at = flow->level + nodes;
    flow->queue = flow->at + nodes;
    memset(flow->first, 0xff, (size_t)nodes * sizeof *flow->first); /* -1 */
    for (int32_t e = 0; e < edges; e++) {
        const int32_t arc = e / 2, own = arc - arcs->count;
        const int32_t tail = own < 0 ? arcs->from[arc] : arcs->nodes;
        const int32_t head = own < 0 ? arcs->to[arc] : own;
        flow->to[e] = e % 2 == 0 ? head : tail;
        flow->next[e] = flow->first[e % 2 == 0 ? tail : head];
        flow->first[e % 2 == 0 ? tail : head] = e;
    }
}

/* Levels by hops from the source over edges that have room; false: the sink has none. */
static bool find_levels(struct flow *flow, int32_t sink)
{
    const int32_t source = flow->arcs->nodes;
    int32_t queued = 1;
    for (int32_t n = 0; n <= source; n++) {
        flow->level[n] = n == source ? 0 : -1;
        flow->at[n] = flow->first[n];
    }
    flow->queue[0] = source;
    for (int32_t i = 0; i < queued; i++)
        for (int32_t e = flow->first[flow->queue[i]]; e >= 0; e = flow->next[e]) {
            if (flow->left[e] <= flow->least || flow->level[flow->to[e]] >= 0)
                continue;
            flow->level[flow->to[e]] = flow->level[flow->queue[i]] + 1;
            flow->queue[queued++] = flow->to[e];
        }
    return flow->level[sink] >= 0;
}

/* What of `room` gets from the node to the sink, level by level. As deep as there are levels. */
static double push(struct flow *flow, int32_t node, int32_t sink, double room)
{
    double sent = 0;
    if (node == sink)
        return room;
    for (int32_t e; (e = flow->at[node]) >= 0; flow->at[node] = flow->next[e]) {
        if (flow->left[e] <= flow->least || flow->level[flow->to[e]] != flow->level[node] + 1)
            continue;
        const double got = push(flow, flow->to[e], sink, fmin(flow->left[e], room - sent));
        flow->left[e] -= got;
        flow->left[e ^ 1] += got;
        sent += got;
        if (room - sent <= flow->least)
            break; /* the edge may have room left */
    }
    return sent;
}

/* True if the weights, in `worst` seconds, get to the sink. If not, the nodes with levels are a set
 * that is worse. */
static bool reaches(struct flow *flow, const double weight[], double worst, int32_t sink)
{
    const struct platform_arcs *arcs = flow->arcs;
    double wanted = 0, sent = 0;
    for (int32_t a = 0; a < arcs->count + arcs->nodes; a++) {
        const int32_t node = a - arcs->count;
        flow->left[2 * a] = node < 0 ? arcs->bandwidth[a] * worst : weight[node];
        flow->left[2 * a + 1] = 0;
        wanted += node < 0 ? 0 : weight[node];
    }
    flow->least = wanted * 1e-13;
    while (wanted - sent > 1e-10 * wanted && find_levels(flow, sink))
        sent += push(flow, arcs->nodes, sink, wanted - sent);
    return wanted - sent <= 1e-10 * wanted;
}

/* ---- Sets ------------------------------------------------------------------------------------ */

static double seconds_to_leave(const struct platform_arcs *arcs, const double weight[],
                               const bool in[])
{
    double bytes = 0, bytes_per_s = 0;
    for (int32_t n = 0; n < arcs->nodes; n++)
        bytes += in[n] ? weight[n] : 0;
    for (int32_t a = 0; a < arcs->count; a++)
        bytes_per_s += in[arcs->from[a]] && !in[arcs->to[a]] ? arcs->bandwidth[a] : 0;
    return bytes > 0 ? bytes / bytes_per_s : 0;
}

double platform_worst_set(const struct platform_arcs *arcs, const double weight[],
                          const bool sink[], int64_t work, bool in[])
{
    struct flow flow;
    const size_t size = (size_t)arcs->nodes * sizeof *in;
    bool *set = sup_malloc(size);
    double *enters = sup_calloc((size_t)arcs->nodes, sizeof *enters); /* bytes per second */
    double all = 0, most = 0, narrowest = INFINITY;
    int32_t sinks = 0, shown = 0; /* to the last `shown` sinks in a row everything gets */
    int32_t lone = 0;             /* the first set lacks this sink alone */
    begin(&flow, arcs);
    for (int32_t a = 0; a < arcs->count; a++) {
        enters[arcs->to[a]] += arcs->bandwidth[a];
        narrowest = fmin(narrowest, arcs->bandwidth[a]);
    }
    for (int32_t n = 0; n < arcs->nodes; n++)
        all += weight[n];
    for (int32_t n = 0; n < arcs->nodes; n++) {
        const bool is_worse = (all - weight[n]) * enters[lone] > (all - weight[lone]) * enters[n];
        lone = sink[n] && (sinks == 0 || is_worse) ? n : lone;
        sinks += sink[n];
        most = sink[n] ? fmax(most, (all - weight[n]) / narrowest) : most;
    }
    for (int32_t n = 0; n < arcs->nodes; n++)
        in[n] = n != lone;
    double worst = seconds_to_leave(arcs, weight, in);
    /* No set is worse than `most`, as each is left by an arc. */
    for (int32_t n = lone; shown < sinks && worst * (1 + 1e-12) < most && work > 0;
         n = n + 1 < arcs->nodes ? n + 1 : 0) {
        if (!sink[n])
            continue;
        work -= arcs->count;
        shown++;
        if (reaches(&flow, weight, worst, n))
            continue;
        for (int32_t i = 0; i < arcs->nodes; i++)
            set[i] = flow.level[i] >= 0;
        const double found = seconds_to_leave(arcs, weight, set);
        if (found > worst) {
            worst = found;
            memcpy(in, set, size);
            shown = 0;
        }
    }
    free(set);
    free(enters);
    free(flow.left);
    free(flow.to);
    free(flow.first);
    return worst;
}
