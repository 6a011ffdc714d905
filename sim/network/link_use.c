/* link_use.c - see link_use.h. */
#include "link_use.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "link_rounds.h"
#include "support/memory.h"

enum { BINS = SIM_CONTENTION_BINS };

void net_link_use_init(struct net_link_use *use, struct platform_network *network)
{
    *use = (struct net_link_use){.network = network};
    use->carried = sup_calloc((size_t)network->links + 1, sizeof *use->carried);
}

void net_link_use_free(struct net_link_use *use)
{
    for (int32_t l = 0; use->carried != NULL && l < use->network->links; l++)
        free(use->carried[l]);
    free(use->carried);
    *use = (struct net_link_use){0};
}

/* Makes room for the time to_s. */
static void widen_bins(struct net_link_use *use, double to_s)
{
    if (use->bin_s == 0)
        use->bin_s = to_s / BINS;
    while (to_s > use->bin_s * BINS) {
        use->bin_s *= 2;
        for (int32_t l = 0; l < use->network->links; l++) {
            double *bin = use->carried[l];
            for (int32_t i = 0; bin != NULL && i < BINS; i++)
                bin[i] = i < BINS / 2 ? bin[2 * i] + bin[2 * i + 1] : 0;
        }
    }
}

static int32_t bin_at(const struct net_link_use *use, double moment_s)
{
    const double bin = moment_s / use->bin_s;
    return bin < BINS ? (int32_t)bin : BINS - 1;
}

/* The last bin gets what the others leave, so that the sum is right. */
static void spread(const struct net_link_use *use, double carried[], double from_s, double to_s,
                   double bytes)
{
    const int32_t last = bin_at(use, to_s);
    double rest = bytes;
    for (int32_t i = bin_at(use, from_s); i < last; i++) {
        const double begin_s = fmax(from_s, i * use->bin_s);
        const double part = bytes * fmax((i + 1) * use->bin_s - begin_s, 0) / (to_s - from_s);
        carried[i] += part;
        rest -= part;
    }
    carried[last] += rest;
}

void net_link_use_add(struct net_link_use *use, const struct platform_route *route, double from_s,
                      double to_s, double bytes)
{
    if (bytes == 0 || !(to_s > 0))
        return;
    widen_bins(use, to_s);
    for (int32_t i = 0; i < route->count; i++) {
        double **carried = &use->carried[route->link[i]];
        if (*carried == NULL)
            *carried = sup_calloc(BINS, sizeof **carried);
        spread(use, *carried, from_s, to_s, bytes);
    }
}

/* ---- The result ------------------------------------------------------------------------------ */

struct placed {
    int32_t link;
    struct platform_place place;
};

static int by_place(const void *left, const void *right)
{
    const struct platform_place *a = &((const struct placed *)left)->place;
    const struct platform_place *b = &((const struct placed *)right)->place;
    if (a->level != b->level)
        return a->level < b->level ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

/* A moment that rounding has put behind the end belongs to the last bin. */
static double *end_at(double carried[], int32_t bins)
{
    for (int32_t i = bins; carried != NULL && bins > 0 && i < BINS; i++)
        carried[bins - 1] += carried[i];
    return carried;
}

/* The shared links by level. */
static int32_t place_links(const struct platform_network *network, struct placed placed[])
{
    int32_t count = 0;
    for (int32_t l = 0; l < network->links; l++) {
        if (!network->link[l].shared)
            continue;
        placed[count].link = l;
        platform_network_place(network, l, &placed[count++].place);
    }
    if (count > 0)
        qsort(placed, (size_t)count, sizeof *placed, by_place);
    return count;
}

/* level_of[link]: in the result's list of levels, or -1. */
static void take_levels(struct net_link_use *use, struct sim_contention *contention,
                        int32_t level_of[])
{
    struct platform_network *network = use->network;
    const size_t room = (size_t)network->links + 1;
    struct placed *placed = sup_malloc(room * sizeof *placed);
    const int32_t count = place_links(network, placed);
    for (int32_t i = 0; i < count; i++)
        contention->levels += i == 0 || placed[i].place.level != placed[i - 1].place.level;
    contention->link = sup_calloc((size_t)count + 1, sizeof *contention->link);
    contention->level = sup_calloc((size_t)contention->levels + 1, sizeof *contention->level);
    int32_t level = -1;
    for (int32_t i = 0; i < count; i++) {
        struct sim_carrier *link = &contention->link[contention->links++];
        const int32_t number = placed[i].link;
        if (i == 0 || placed[i].place.level != placed[i - 1].place.level) {
            contention->level[++level].first = i;
            memcpy(contention->level[level].name, placed[i].place.name,
                   sizeof contention->level[level].name);
        }
        contention->level[level].count++;
        level_of[number] = level;
        *link = (struct sim_carrier){.level = level,
                                     .bandwidth = network->link[number].bandwidth,
                                     .carried = end_at(use->carried[number], contention->bins)};
        use->carried[number] = NULL;
        platform_network_link_name(network, number, link->name, sizeof link->name);
    }
    free(placed);
}

struct by_level {
    struct sim_contention *contention;
    const int32_t *level_of;
};

static void take_round(void *context, const struct net_round *round)
{
    const struct by_level *by_level = context;
    const struct sim_contention *contention = by_level->contention;
    const int64_t column = round->round / contention->column_rounds;
    for (int32_t i = 0; i < round->count; i++) {
        const int32_t link = round->link[i], level = by_level->level_of[link];
        if (level < 0)
            continue;
        struct sim_round_load *most = &contention->round[column * contention->levels + level];
        if (round->load[link] > most->load)
            *most = (struct sim_round_load){round->load[link], round->messages[link]};
    }
}

static int take_rounds(const struct sim_spec *spec, struct platform_network *network,
                       const int32_t host[], const int32_t level_of[],
                       struct sim_contention *contention, struct sup_error *error)
{
    struct by_level by_level = {contention, level_of};
    contention->rounds = rb_plan_rounds(spec->plan);
    contention->column_rounds =
        contention->rounds > 0 ? (contention->rounds - 1) / SIM_CONTENTION_COLUMNS + 1 : 1;
    contention->columns =
        (int32_t)((contention->rounds + contention->column_rounds - 1) / contention->column_rounds);
    contention->round = sup_calloc((size_t)contention->columns * (size_t)contention->levels + 1,
                                   sizeof *contention->round);
    return net_link_rounds_visit(spec->plan, spec->layout, network, host, take_round, &by_level,
                                 error);
}

int net_link_use_take(struct net_link_use *use, const struct sim_spec *spec, const int32_t host[],
                      struct sim_result *result, struct sup_error *error)
{
    struct platform_network *network = use->network;
    struct sim_contention *contention = sup_calloc(1, sizeof *contention);
    int32_t *level_of = sup_malloc(((size_t)network->links + 1) * sizeof *level_of);
    result->contention = contention;
    for (int32_t l = 0; l < network->links; l++)
        level_of[l] = -1;
    contention->time_s = result->time_s;
    contention->bin_s = use->bin_s > 0 ? use->bin_s : result->time_s;
    if (use->bin_s > 0) /* up to the end, but for rounding */
        contention->bins = (int32_t)fmin(ceil(result->time_s / use->bin_s * (1 - 1e-12)), BINS);
    take_levels(use, contention, level_of);
    const int status = take_rounds(spec, network, host, level_of, contention, error);
    free(level_of);
    return status;
}
