/* link_load.c - see link_load.h. */
#define _POSIX_C_SOURCE 200809L
#include "link_load.h"

#include <stdlib.h>
#include <string.h>

#include "sim/engine/tally.h"
#include "support/memory.h"

void net_link_load_init(struct net_link_load *load, struct platform_network *network)
{
    *load = (struct net_link_load){.network = network};
    load->link = sup_calloc((size_t)network->links + 1, sizeof *load->link);
}

void net_link_load_free(struct net_link_load *load)
{
    free(load->link);
    *load = (struct net_link_load){0};
}

void net_link_load_add(struct net_link_load *load, const struct platform_route *route,
                       int64_t bytes)
{
    for (int32_t i = 0; i < route->count; i++) {
        struct net_traffic *traffic = &load->link[route->link[i]];
        sim_tally_add_part(&traffic->bytes, bytes);
        traffic->messages++;
    }
}

int net_link_load_add_between(struct net_link_load *load, int32_t from, int32_t to, uint64_t key,
                              int64_t bytes, struct sup_error *error)
{
    struct platform_route route;
    const int status = platform_network_route(load->network, from, to, key, &route, error);
    if (status == RB_OK)
        net_link_load_add(load, &route, bytes);
    return status;
}

int64_t net_link_load_inner(const struct net_link_load *load)
{
    const struct platform_network *network = load->network;
    const int32_t inner = network->find_way == NULL ? 0
                          : network->own_links      ? 3 * network->hosts
                                                    : network->hosts;
    int64_t bytes = 0;
    for (int32_t i = inner; i < network->links - network->memory_links; i++)
        sim_tally_add_part(&bytes, load->link[i].bytes);
    return bytes;
}

struct candidate {
    int32_t link;
    double busy_s; /* the time of its traffic at full bandwidth */
};

static int busier_first(const void *a, const void *b)
{
    const struct candidate *x = a;
    const struct candidate *y = b;
    if (x->busy_s != y->busy_s)
        return x->busy_s > y->busy_s ? -1 : 1;
    return x->link < y->link ? -1 : 1;
}

static void describe(const struct net_link_load *load, const struct net_link_rounds *rounds,
                     int32_t number, struct sim_link *link)
{
    char name[NET_NAME];
    platform_network_link_name(load->network, number, name, sizeof name);
    *link = (struct sim_link){.name = sup_strdup(name),
                              .bytes = load->link[number].bytes,
                              .messages = load->link[number].messages,
                              .most_in_round = rounds->most[number],
                              .bandwidth = load->network->link[number].bandwidth};
}

static int32_t find_candidates(const struct net_link_load *load, struct candidate candidates[])
{
    int32_t found = 0;
    for (int32_t i = 0; i < load->network->links; i++) {
        if (load->link[i].messages == 0)
            continue;
        const double busy_s = (double)load->link[i].bytes / load->network->link[i].bandwidth;
        candidates[found++] = (struct candidate){i, busy_s};
    }
    qsort(candidates, (size_t)found, sizeof *candidates, busier_first);
    return found;
}

void net_link_load_busiest(struct net_link_load *load, const struct net_link_rounds *rounds,
                           int32_t wanted, struct sim_link **links, int32_t *count)
{
    struct candidate *candidates =
        sup_malloc(((size_t)load->network->links + 1) * sizeof *candidates);
    const int32_t found = find_candidates(load, candidates);
    *count = found < wanted ? found : wanted;
    *links = sup_calloc((size_t)*count + 1, sizeof **links);
    for (int32_t i = 0; i < *count; i++)
        describe(load, rounds, candidates[i].link, &(*links)[i]);
    free(candidates);
}
