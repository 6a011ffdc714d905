/* topology.c - what of a cluster the output of other programs says (recommend.h): of sinfo
 * (sinfo.c), of ibnetdiscover (ibnet.c), and of lstopo: "Core L#0 + PU L#0" as text, in XML <object
 * type="Core" ...>. The platform reads a topology of NCCL, which begins with <system>. */
#define _POSIX_C_SOURCE 200809L /* getline */
#include "studies/recommend/topology.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory.h"

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
