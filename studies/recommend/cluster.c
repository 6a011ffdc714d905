/* cluster.c - from words for a cluster to a platform (recommend.h). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/platform.h"
#include "studies/recommend/recommend.h"
#include "support/memory.h"
#include "support/units.h"

/* Generators whose sizes are the sides of a grid; of others the size is the number of hosts. */
static const struct grid {
    const char *name;
    int sides;
} grids[] = {{"torus", 3}, {"mesh", 2}, {"tofu", 3}, {"hyperx", 2}};

enum { MOST_TRIES = 1 << 16 };

static int check_network(const char *name, struct sup_error *error)
{
    enum { MOST = 64 };
    const char *names[MOST];
    size_t count = 0;
    char hint[SUP_HINT_SIZE];
    const struct platform_generator *generator;
    for (int32_t i = 0; count < MOST && (generator = platform_generator_at(i)) != NULL; i++) {
        if (generator->base == NULL && strcmp(generator->name, name) == 0)
            return RB_OK;
        if (generator->base == NULL)
            names[count++] = generator->name;
    }
    return sup_fail(error, RB_EINVAL, "--network: there is no \"%s\": %s", name,
                    sup_hint(name, names, count, "roundabout platform list names them", hint));
}

enum { MOST_NICS = 8 };

static int32_t nics_of(const struct recommend_cluster *cluster)
{
    int32_t nics = MOST_NICS;
    if (cluster->nics > 0 || cluster->wiring != NULL)
        return cluster->nics;
    if (cluster->ppn > 0 && cluster->gpus)
        return cluster->ppn;
    while (cluster->ppn > 0 && cluster->ppn % nics != 0)
        nics--;
    return nics;
}

static char *rails_of(const struct recommend_cluster *cluster)
{
    char nics[16] = "";
    if (nics_of(cluster) > 0)
        snprintf(nics, sizeof nics, "x%" PRId32, nics_of(cluster));
    return sup_format("rails:%" PRId32 "%s%s%s", cluster->nodes, nics,
                      cluster->wiring != NULL ? ",topology=" : "",
                      cluster->wiring != NULL ? cluster->wiring : "");
}

/* The i-th shape, from the smallest on: sides grow in turn, 2x2x2, 3x2x2, 3x3x2, ...; a fat-tree
 * whose leaf switches are known comes first. */
static char *shape_at(const struct recommend_cluster *cluster, int32_t i)
{
    const char *name = cluster->network;
    const int32_t leaves = cluster->leaf > 1 ? (cluster->nodes - 1) / cluster->leaf + 1 : 0;
    if (strcmp(name, "rails") == 0)
        return rails_of(cluster);
    if (i == 0 && leaves > 1 && strcmp(name, "fat-tree") == 0)
        return sup_format("%s:%" PRId64 ",down=%" PRId32 "x%" PRId32, name,
                          (int64_t)leaves * cluster->leaf, cluster->leaf, leaves);
    for (size_t k = 0; k < sizeof grids / sizeof *grids; k++) {
        const int32_t sides = grids[k].sides, a = 2 + i / sides, more = i % sides;
        if (strcmp(grids[k].name, name) == 0)
            return sides == 2 ? sup_format("%s:%" PRId32 "x%" PRId32, name, a + (more > 0), a)
                              : sup_format("%s:%" PRId32 "x%" PRId32 "x%" PRId32, name,
                                           a + (more > 0), a + (more > 1), a);
    }
    return sup_format("%s:%" PRId32, name, (cluster->nodes < 2 ? 2 : cluster->nodes) + i);
}

static char *text_at(const struct recommend_cluster *cluster, int32_t i)
{
    char *shape = shape_at(cluster, i);
    char *text = sup_format("%s%s%s%s%s", shape, cluster->nic != NULL ? ",bandwidth=" : "",
                            cluster->nic != NULL ? cluster->nic : "",
                            cluster->latency != NULL ? ",latency=" : "",
                            cluster->latency != NULL ? cluster->latency : "");
    free(shape);
    return text;
}

static int check_words(const struct recommend_cluster *cluster, struct sup_error *error)
{
    double value;
    struct sup_error why;
    if (check_network(cluster->network, error) != RB_OK)
        return RB_EINVAL;
    if (cluster->nic != NULL && sup_parse_bandwidth(cluster->nic, &value, &why) != RB_OK)
        return sup_fail(error, RB_EINVAL, "--nic: %s", why.text);
    if (strcmp(cluster->network, "rails") != 0 && (cluster->wiring != NULL || cluster->nics > 0))
        return sup_fail(error, RB_EINVAL,
                        "%s: %s has one link for a node: --network rails has several",
                        cluster->wiring != NULL ? cluster->wiring : "--nics", cluster->network);
    if (cluster->latency != NULL && sup_parse_seconds(cluster->latency, &value, &why) != RB_OK)
        return sup_fail(error, RB_EINVAL, "--latency: %s", why.text);
    return RB_OK;
}

int recommend_platform(const struct recommend_cluster *cluster, char **text,
                       struct sup_error *error)
{
    struct platform_links links;
    struct sup_error why = {""}, first = {""};
    *text = NULL;
    if (check_words(cluster, error) != RB_OK)
        return RB_EINVAL;
    const int32_t tries = strcmp(cluster->network, "rails") == 0 ? 1 : MOST_TRIES;
    for (int32_t i = 0; i < tries; i++) {
        *text = text_at(cluster, i);
        if (platform_find_links(*text, &links, &why) == RB_OK && links.hosts >= cluster->nodes)
            return RB_OK;
        if (first.text[0] == '\0')
            first = why;
        free(*text);
    }
    *text = NULL;
    if (cluster->wiring != NULL)
        return sup_fail(error, RB_EINVAL, "--topology: %s", first.text);
    return sup_fail(error, RB_EINVAL, "--network: no %s for %" PRId32 " nodes: %s",
                    cluster->network, cluster->nodes, first.text);
}
