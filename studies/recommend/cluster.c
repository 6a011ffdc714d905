/* cluster.c - a cluster in words, as a platform, and what the output of other programs says of it
 * (recommend.h): of sinfo (sinfo.c), of ibnetdiscover (ibnet.c), and of lstopo: "Core L#0 + PU L#0"
 * as text, in XML <object type="Core" ...>. The platform reads a topology of NCCL, which begins
 * with <system>. */
#define _POSIX_C_SOURCE 200809L /* getline */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
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

/* ---- From other programs' output ------------------------------------------------------------- */

enum { NO_KIND, SINFO, LSTOPO, IBNET, WIRING };

void recommend_topology_add_name(struct recommend_topology *topology, const char *name,
                                 size_t length)
{
    sup_grow(&topology->name, topology->names, sizeof *topology->name);
    snprintf(topology->name[topology->names++], RECOMMEND_NAME, "%.*s",
             (int)(length < RECOMMEND_NAME ? length : RECOMMEND_NAME - 1), name);
}

void recommend_topology_note(struct recommend_topology *topology, const char *format, ...)
{
    struct recommend_cluster *cluster = topology->cluster;
    va_list values;
    if (cluster->notes == RECOMMEND_CLUSTER_NOTES)
        return;
    char *text = cluster->note[cluster->notes++];
    const int used = snprintf(text, sizeof *cluster->note, "%.100s: ", topology->path);
    va_start(values, format);
    vsnprintf(text + used, sizeof *cluster->note - (size_t)used, format, values);
    va_end(values);
}

static void read_lstopo(struct recommend_topology *topology, const char *line)
{
    static const char *const words[] = {"type=\"Core\"", "Core L#", "Core P#"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (const char *at = line; (at = strstr(at, words[i])) != NULL; at++)
            topology->cores++;
}

static int kind_of(const char *line)
{
    if (recommend_topology_is_ibnet(line))
        return IBNET;
    if (strncmp(line, "Machine (", 9) == 0 || strcmp(line, "Machine") == 0 ||
        strncmp(line, "Machine L#", 10) == 0 || strstr(line, "<topology") != NULL)
        return LSTOPO;
    if (strstr(line, "<system") != NULL)
        return WIRING;
    return recommend_topology_is_sinfo(line) ? SINFO : NO_KIND;
}

static int read_line(struct recommend_topology *topology, char *line)
{
    line[strcspn(line, "\r\n")] = '\0';
    topology->line++;
    if (topology->kind == NO_KIND)
        topology->kind = kind_of(line);
    if (topology->names + topology->adapters + topology->links > 8 * (size_t)RECOMMEND_MOST_NODES ||
        topology->cores > RECOMMEND_MOST_PPN)
        return sup_fail(topology->error, RB_EINVAL, "%s, line %d: more than %d nodes, or %d cores",
                        topology->path, topology->line, RECOMMEND_MOST_NODES, RECOMMEND_MOST_PPN);
    if (topology->kind == SINFO)
        return recommend_topology_read_sinfo(topology, line);
    if (topology->kind == LSTOPO)
        read_lstopo(topology, line);
    else if (topology->kind == IBNET)
        recommend_topology_read_ibnet(topology, line);
    return RB_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static int64_t count_names(struct recommend_topology *topology)
{
    int64_t count = 0;
    if (topology->names > 1)
        qsort(topology->name, topology->names, RECOMMEND_NAME, by_name);
    for (size_t i = 0; i < topology->names; i++)
        count += i == 0 || strcmp(topology->name[i - 1], topology->name[i]) != 0;
    return count;
}

static int take(struct recommend_topology *topology, struct recommend_cluster *cluster)
{
    if (topology->kind == SINFO)
        recommend_topology_end_sinfo(topology);
    if (topology->kind == IBNET)
        recommend_topology_end_ibnet(topology);
    const int64_t nodes = count_names(topology) + topology->counted;
    if (topology->kind == WIRING) {
        cluster->wiring = topology->path;
        return RB_OK;
    }
    if (nodes == 0 && topology->cores == 0)
        return sup_fail(topology->error, RB_EINVAL,
                        "%s: has no nodes or cores: it must be the output of sinfo -N -o \"%%N "
                        "%%c\", lstopo or ibnetdiscover, or NCCL's topology",
                        topology->path);
    if (cluster->nodes == 0)
        cluster->nodes = nodes > RECOMMEND_MOST_NODES ? RECOMMEND_MOST_NODES : (int32_t)nodes;
    if (cluster->gpus && topology->gpus == 0 && cluster->ppn == 0)
        recommend_topology_note(topology,
                                "no GPUs are named, so %d of a node are taken: sinfo -N -o "
                                "\"%%N %%G\" names them, or --ppn",
                                8);
    if (cluster->ppn == 0)
        cluster->ppn = cluster->gpus ? (int32_t)topology->gpus : (int32_t)topology->cores;
    if (cluster->nics == 0 && cluster->gpus)
        cluster->nics = topology->rails > 1 ? topology->rails : 0;
    else if (topology->rails > 1)
        recommend_topology_note(topology,
                                "nodes have %" PRId32
                                " adapters each (rails), and a network such as fat-tree "
                                "has one link for a node: --platform rails:%" PRId64 "x%" PRId32
                                ", with --ppn for the ranks of an adapter, has all",
                                topology->rails, nodes, topology->rails);
    if (cluster->nic == NULL && topology->gbps > 0) {
        snprintf(cluster->read_nic, sizeof cluster->read_nic, "%gGbps", topology->gbps);
        cluster->nic = cluster->read_nic;
    }
    if (cluster->leaf == 0)
        cluster->leaf = topology->leaf;
    return RB_OK;
}

int recommend_read_topology(const char *path, struct recommend_cluster *cluster,
                            struct sup_error *error)
{
    struct recommend_topology topology = {.path = path, .cluster = cluster, .error = error};
    char *line = NULL;
    size_t room = 0;
    int status = RB_OK;
    FILE *stream = sup_got(fopen(path, "r"));
    if (stream == NULL)
        return sup_fail(error, RB_EINVAL, "--topology: %s: %s", path, strerror(errno));
    while (status == RB_OK && sup_got(getline(&line, &room, stream) > 0 ? line : NULL) != NULL)
        status = read_line(&topology, line);
    if (status == RB_OK && ferror(stream))
        status = sup_fail(error, RB_EIO, "--topology: %s: %s", path, strerror(errno));
    if (status == RB_OK)
        status = take(&topology, cluster);
    fclose(stream);
    free(line);
    free(topology.name);
    free(topology.adapter);
    free(topology.link);
    return status;
}
