/* link_load.c - bytes per pair of hosts, and from there per link. */
#define _POSIX_C_SOURCE 200809L
#include "link_load.h"

#include <stdlib.h>
#include <string.h>

#include "sim/engine/tally.h"

enum { MOST_PAIRS = 1 << 18 }; /* about 12 MB */

int s4u_link_load_init(struct s4u_link_load *load, struct s4u_platform *platform)
{
    *load = (struct s4u_link_load){.platform = platform};
    load->pair = calloc(MOST_PAIRS, sizeof *load->pair);
    load->link = calloc((size_t)s4u_link_count(platform) + 1, sizeof *load->link);
    return load->pair && load->link ? RB_OK : RB_ENOMEM;
}

void s4u_link_load_free(struct s4u_link_load *load)
{
    s4u_pair_table_free(&load->pairs);
    free(load->pair);
    free(load->link);
    *load = (struct s4u_link_load){0};
}

static int move_to_links(struct s4u_link_load *load, struct sup_error *error)
{
    for (int64_t i = 0; i < load->pairs.count; i++) {
        uint64_t key = load->pairs.key[i];
        struct s4u_route route;
        int status = s4u_find_route(load->platform, (int32_t)(key >> 32),
                                    (int32_t)(key & UINT32_MAX), &route, error);
        if (status)
            return status;
        for (int32_t k = 0; k < route.count; k++) {
            sim_tally_add_part(&load->link[route.link[k]].bytes, load->pair[i].bytes);
            load->link[route.link[k]].messages += load->pair[i].messages;
        }
        load->pair[i] = (struct s4u_link_traffic){0};
    }
    s4u_pair_table_clear(&load->pairs);
    return RB_OK;
}

int s4u_link_load_add(struct s4u_link_load *load, int32_t from, int32_t to, int64_t bytes,
                      struct sup_error *error)
{
    if (load->pairs.count == MOST_PAIRS) {
        int status = move_to_links(load, error);
        if (status)
            return status;
    }
    int64_t number = s4u_pair_table_number(&load->pairs, s4u_pair_key(from, to));
    if (number < 0)
        return sup_fail(error, RB_ENOMEM, "no memory for the links' loads");
    sim_tally_add_part(&load->pair[number].bytes, bytes);
    load->pair[number].messages++;
    return RB_OK;
}

struct candidate {
    int32_t link;
    double busy_s; /* what its traffic takes at full bandwidth */
};

static int busier_first(const void *a, const void *b)
{
    const struct candidate *x = a;
    const struct candidate *y = b;
    if (x->busy_s != y->busy_s)
        return x->busy_s > y->busy_s ? -1 : 1;
    return x->link < y->link ? -1 : 1;
}

static int describe(const struct s4u_link_load *load, const struct s4u_link_rounds *rounds,
                    int32_t number, struct sim_link *link)
{
    struct s4u_link description;
    s4u_link_describe(load->platform, number, &description);
    *link = (struct sim_link){.name = strdup(description.name),
                              .bytes = load->link[number].bytes,
                              .messages = load->link[number].messages,
                              .most_in_round = rounds->most[number],
                              .bandwidth = description.bandwidth};
    return link->name ? RB_OK : RB_ENOMEM;
}

static int32_t find_candidates(const struct s4u_link_load *load, struct candidate candidates[])
{
    int32_t found = 0;
    for (int32_t i = 0; i < s4u_link_count(load->platform); i++) {
        if (load->link[i].messages == 0)
            continue;
        struct s4u_link description;
        s4u_link_describe(load->platform, i, &description);
        candidates[found++] =
            (struct candidate){i, (double)load->link[i].bytes / description.bandwidth};
    }
    qsort(candidates, (size_t)found, sizeof *candidates, busier_first);
    return found;
}

int s4u_link_load_busiest(struct s4u_link_load *load, const struct s4u_link_rounds *rounds,
                          int32_t wanted, struct sim_link **links, int32_t *count,
                          struct sup_error *error)
{
    *count = 0;
    *links = NULL;
    int status = move_to_links(load, error);
    if (status)
        return status;
    struct candidate *candidates =
        malloc(((size_t)s4u_link_count(load->platform) + 1) * sizeof *candidates);
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
