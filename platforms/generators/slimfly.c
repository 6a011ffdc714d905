/* slimfly.c - any two routers are joined, or have a neighbour in common, with nearly as few cables
 * as that takes (Besta, Hoefler, Slim Fly: a cost effective low-diameter network topology, 2014,
 * after McKay, Miller, Siran, A note on large graphs of diameter two and given maximum degree,
 * 1998).
 *
 * For an odd prime q = 4w + 1 or 4w - 1 there are routers (0, x, y) and (1, m, c), of numbers
 * modulo q. Powers of xi give all but 0; X is 1, xi^2, .. xi^(2w - 2) and the same negative, X' is
 * xi X. Joined are (0, x, y) and (0, x, y') if y' - y is in X, (1, m, c) and (1, m, c') if c' - c
 * is in X', and (0, x, y) and (1, m, c) if y = m x + c. Routes have the fewest hops; of several
 * neighbours in common the destination's number chooses. */
#include <stdio.h>
#include <stdlib.h>

#include "platforms/generator.h"
#include "platforms/graph.h"
#include "roundabout.h"
#include "support/memory.h"

static const struct platform_option options[] = {
    {"hosts", NULL, "hosts of a router; derived: half as many as its cables, rounded up"},
    PLATFORM_LINK_OPTIONS("1us", PLATFORM_LATENCY_HELP)};

enum { Q, HOSTS }; /* in a shape */

/* A router's cables to others. */
static int32_t degree_of(int32_t q)
{
    return q + 2 * ((q + 1) / 4);
}

/* The least xi, or 0 if q is no prime. */
static int32_t primitive_of(int32_t q)
{
    for (int32_t xi = 2; xi < q; xi++) {
        int32_t order = 1;
        for (int32_t power = xi; power != 1 && order < q; power = power * xi % q)
            order++;
        if (order == q - 1)
            return xi;
    }
    return 0;
}

/* The q of so many hosts, `each` at a router or, for 0, as many as are derived; 0: there is none.
 */
static int32_t find_q(int32_t hosts, int32_t each)
{
    for (int32_t q = 3;; q += 2) {
        const int64_t found = 2LL * q * q * (each > 0 ? each : (degree_of(q) + 1) / 2);
        if (found >= hosts)
            return found == hosts && primitive_of(q) > 0 ? q : 0;
    }
}

static bool fits(int32_t hosts, const void *each)
{
    return find_q(hosts, *(const int32_t *)each) > 0;
}

static int shape(const struct platform_request *request, struct platform_cluster *cluster,
                 struct sup_error *error)
{
    int32_t each = 0;
    int status = platform_request_hosts(request, 1, &cluster->hosts, error);
    if (status == RB_OK)
        status = platform_request_int(request, "hosts", 1, &each, error);
    if (status != RB_OK)
        return status;
    const int32_t q = find_q(cluster->hosts, each);
    if (q == 0)
        return platform_refuse_size(request, cluster->hosts, fits, &each, error);
    cluster->inner_links = true;
    cluster->share = "router";
    cluster->sharers = cluster->shape[HOSTS] = cluster->hosts / (2 * q * q);
    cluster->groups = 2 * q;
    cluster->shape[Q] = q;
    snprintf(cluster->note, sizeof cluster->note,
             "%d hosts, %d at each of %d routers, which have %d cables to others; q = %d",
             cluster->hosts, cluster->sharers, 2 * q * q, degree_of(q), q);
    return RB_OK;
}

/* Router (0, x, y) is x q + y, and (1, m, c) is q^2 + m q + c; a cable's two links follow each
 * other. */
static struct platform_graph *join_routers(int32_t q, int32_t links)
{
    const int32_t half = q * q, xi = primitive_of(q);
    int32_t *from = sup_malloc(2 * (size_t)links * sizeof *from), *to = from + links;
    bool *differ = sup_calloc(2 * (size_t)q, sizeof *differ); /* X, then X' */
    for (int32_t i = 0, power = 1; i < (q + 1) / 4; i++, power = power * xi % q * xi % q) {
        differ[power] = differ[q - power] = true;
        differ[q + power * xi % q] = differ[2 * q - power * xi % q] = true;
    }
    for (int32_t router = 0, l = 0; router < 2 * half; router++)
        for (int32_t i = 1; i < (router < half ? 2 * q : q); i++) {
            const int32_t y = router % q, m = i - q; /* from 0 on: to the other half */
            if (m < 0 && (y + i >= q || !differ[router / half * q + i]))
                continue;
            from[l] = to[l + 1] = router;
            to[l] = from[l + 1] =
                m < 0 ? router + i : half + m * q + (y + (q - m) * (router / q)) % q;
            l += 2;
        }
    struct platform_graph *graph = platform_graph_create(2 * half, links, from, to);
    free(from);
    free(differ);
    return graph;
}

static int32_t find_way(const struct platform_network *network, int32_t from, int32_t to,
                        uint64_t key, int32_t way[])
{
    const int32_t hosts = network->hosts, each = network->shape[HOSTS];
    int32_t count = 1;
    (void)key;
    way[0] = hosts + 2 * from;
    if (from / each != to / each)
        count += platform_graph_way(network->graph, from / each, to / each, (uint64_t)to, way + 1);
    for (int32_t i = 1; i < count; i++)
        way[i] += 3 * hosts;
    way[count] = hosts + 2 * to + 1;
    return count + 1;
}

static void find_ends(const struct platform_network *network, int32_t link, int32_t ends[2])
{
    platform_graph_ends(network->graph, (link - 3 * network->hosts) / 2 * 2, ends);
}

static void name_link(const struct platform_network *network, int32_t link, char *name, size_t size)
{
    platform_name_switch_link(network, link, network->shape[HOSTS], name, size);
}

static int lay(const struct platform_cluster *cluster, struct platform_network **made)
{
    const int32_t q = cluster->shape[Q];
    const int64_t links = 2LL * q * q * degree_of(q);
    const int status = platform_network_alloc(cluster, 3LL * cluster->hosts + links, 4, made);
    if (status == RB_OK)
        (*made)->graph = join_routers(q, (int32_t)links);
    return status;
}

static void cut(const struct platform_cluster *cluster, struct platform_cuts *cuts)
{
    platform_cuts_add(cuts, "router", cluster->shape[HOSTS],
                      cluster->bandwidth * degree_of(cluster->shape[Q]));
}

const struct platform_maker platform_slimfly = {
    .face = {.name = "slimfly",
             .title = "a Slim Fly: any two routers joined, or by way of a third one",
             .sizes = "slimfly:N, N = 2 q x q x hosts, q an odd prime",
             .options = options},
    .shape = shape,
    PLATFORM_FORMULA(lay, find_way, name_link, find_ends, NULL),
    .cut = cut,
};
