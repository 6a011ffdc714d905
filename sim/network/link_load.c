/* link_load.c - see link_load.h. */
#define _POSIX_C_SOURCE 200809L
#include "link_load.h"

#include <stdlib.h>
#include <string.h>

#include "sim/engine/tally.h"

int net_link_load_init(struct net_link_load *load, struct platform_network *network)
{
    *load = (struct net_link_load){.network = network};
    load->link = calloc((size_t)network->links + 1, sizeof *load->link);
    return load->link ? RB_OK : RB_ENOMEM;
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

static int describe(const struct net_link_load *load, const struct net_link_rounds *rounds,
                    int32_t number, struct sim_link *link)
{
    char name[NET_NAME];
    platform_network_link_name(load->network, number, name, sizeof name);
    *link = (struct sim_link){.name = strdup(name),
                              .bytes = load->link[number].bytes,
                              .messages = load->link[number].messages,
                              .most_in_round = rounds->most[number],
                              .bandwidth = load->network->link[number].bandwidth};
    return link->name ? RB_OK : RB_ENOMEM;
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

int net_link_load_busiest(struct net_link_load *load, const struct net_link_rounds *rounds,
                          int32_t wanted, struct sim_link **links, int32_t *count,
                          struct sup_error *error)
{
    *count = 0;
    *links = NULL;
    struct candidate *candidates = malloc(((size_t)load->network->links + 1) * sizeof *candidates);
    if (!candidates)
        goto no_memory;
    int32_t found = find_candidates(load, candidates);
    if (found > wanted)
        found = wanted;
    *links = calloc((size_t)found + 1, sizeof **links);
    if (!*links)
        goto no_memory;
    for (; *count < found; (*count)++)
        if (describe(load, rounds, candidates[*count].link, &(*links)[*count]))
            goto no_memory;
    free(candidates);
    return RB_OK;
no_memory: /* the result owns what is in *links */
    free(candidates);
    return sup_fail(error, RB_ENOMEM, "no memory for the busiest links");
}
