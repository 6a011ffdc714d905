/* neighbours.c - to whom the ranks of a point can send at once, and how much, by its platform. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/point/words.h"
#include "platforms/platform.h"
#include "support/memory.h"

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
