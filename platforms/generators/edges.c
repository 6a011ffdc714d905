/* edges.c - a network from a list of its cables, as users of ns-3's HPCC and of SimAI post them.
 *
 * The first line counts nodes, switches and links (HPCC: Li et al., HPCC: High precision congestion
 * control, 2019), or nodes, GPUs of a server, NVSwitches, switches, links and then names the GPU
 * (SimAI's gen_Topo_Template.py). The numbers of the switches follow, NVSwitches first, and for
 * each link a line with two nodes, bandwidth, latency and error rate, such as
 * 0 320 100Gbps 1000ns 0. Both programs read no further, and neither does this. Text behind # is
 * ignored.
 *
 * Nodes that are no switches are hosts, in the order of their numbers, and do not forward. Routes
 * have the fewest hops; of several next cables the destination's number, or a hash, chooses one. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/generator.h"
#include "platforms/graph.h"
#include "roundabout.h"
#include "support/csv.h"
#include "support/data_files.h"
#include "support/memory.h"
#include "support/units.h"

enum { MOST_NODES = 2 * PLATFORM_MOST_HOSTS, MOST_CABLES = 1 << 23, WORDS = 6 };
enum { HASH, MOST = 2 }; /* in a shape, of 64 bits each */
enum { SHORTEST, ECMP };

static const struct platform_option options[] = {
    {"routing", "shortest",
     "what chooses among routes of fewest hops: shortest (the destination's number), ecmp:SEED (a "
     "hash of source and destination)"},
    {"loopback-bandwidth", "25GBps",
     "bandwidth between ranks on the same host; not shared between messages"},
    {"loopback-latency", "200ns", "latency between ranks on the same host"},
    PLATFORM_MEMORY_OPTIONS,
    {NULL, NULL, NULL}};

static const struct platform_rule rules[] = {
    [SHORTEST] = {.name = "shortest"}, [ECMP] = {.name = "ecmp", .seeded = true}, {.name = NULL}};

struct cable {
    int32_t end[2];
    double bandwidth, latency_s;
};

struct edges {
    int32_t nodes, switches, cables, hosts, server; /* GPUs of a server; 0: unknown */
    int32_t *number; /* of each node of the file: hosts first; -1: a host, not numbered yet */
    int32_t *node;   /* the node of the file */
    struct cable *cable;
    struct platform_graph *graph;
    int32_t lossy; /* the first line with an error rate; 0: none */
    bool more;     /* lines that are not read */
};

static void destroy_edges(struct edges *edges)
{
    if (edges == NULL)
        return;
    free(edges->number);
    free(edges->node);
    free(edges->cable);
    platform_graph_destroy(edges->graph);
    free(edges);
}

/* ---- Reading ---- */

/* The words of the next line that has any; 0 at the end, one more than `most` for too many. */
static int32_t next_words(struct sup_lines *lines, char *word[], int32_t most)
{
    static const char blanks[] = " \t\r\f\v";
    while (sup_lines_next(lines)) {
        char *at = lines->line;
        int32_t count = 0;
        at[strcspn(at, "#")] = '\0';
        for (at += strspn(at, blanks); *at != '\0'; at += strspn(at, blanks)) {
            if (count == most)
                return most + 1;
            word[count++] = at;
            at += strcspn(at, blanks);
            if (*at != '\0')
                *at++ = '\0';
        }
        if (count > 0)
            return count;
    }
    return 0;
}

static int take_int(const struct sup_lines *lines, const char *what, const char *text,
                    int32_t least, int32_t most, int32_t *value, struct sup_error *error)
{
    struct sup_error why;
    int64_t number = 0;
    if (sup_parse_int(text, least, most, &number, &why) != RB_OK)
        return sup_fail(error, RB_EINVAL, "%s:%" PRId32 ": %s: %s", lines->path, lines->at, what,
                        why.text);
    *value = (int32_t)number;
    return RB_OK;
}

static int read_counts(struct sup_lines *lines, struct edges *edges, struct sup_error *error)
{
    char *word[WORDS];
    int32_t inner = 0;
    const int32_t count = next_words(lines, word, WORDS);
    const bool simai = count == 6;
    if (count != 3 && !simai)
        return sup_fail(error, RB_EINVAL,
                        "%s:%" PRId32 ": the first line of a list of cables has the numbers of "
                        "nodes, switches and links, or as SimAI's of nodes, GPUs per server, "
                        "NVSwitches, switches, links, and the GPU's name",
                        lines->path, lines->at);
    int status = take_int(lines, "nodes", word[0], 1, MOST_NODES, &edges->nodes, error);
    if (status == RB_OK && simai)
        status = take_int(lines, "GPUs per server", word[1], 0, MOST_NODES, &edges->server, error);
    if (status == RB_OK && simai)
        status = take_int(lines, "NVSwitches", word[2], 0, edges->nodes - 1, &inner, error);
    if (status == RB_OK)
        status = take_int(lines, "switches", word[simai ? 3 : 1], 0, edges->nodes - 1 - inner,
                          &edges->switches, error);
    if (status == RB_OK)
        status =
            take_int(lines, "links", word[simai ? 4 : 2], 0, MOST_CABLES, &edges->cables, error);
    edges->switches += inner;
    edges->hosts = edges->nodes - edges->switches;
    if (status == RB_OK && edges->hosts > PLATFORM_MOST_HOSTS)
        return sup_fail(error, RB_EINVAL, "%s:%" PRId32 ": more than %d hosts", lines->path,
                        lines->at, PLATFORM_MOST_HOSTS);
    return status;
}

/* Switches may be on several lines. */
static int read_switches(struct sup_lines *lines, struct edges *edges, struct sup_error *error)
{
    char **word = sup_malloc(((size_t)edges->switches + 1) * sizeof *word);
    int32_t *number = edges->number, found = 0, next[2] = {0, edges->hosts};
    int status = RB_OK;
    while (status == RB_OK && found < edges->switches) {
        const int32_t count = next_words(lines, word, edges->switches - found);
        if (count == 0 || count > edges->switches - found)
            status =
                sup_fail(error, RB_EINVAL,
                         "%s:%" PRId32 ": %s switches than the %" PRId32 " of the first line",
                         lines->path, lines->at, count == 0 ? "fewer" : "more", edges->switches);
        for (int32_t i = 0; i < count && status == RB_OK; i++, found++) {
            int32_t node = 0;
            status = take_int(lines, "switch", word[i], 0, edges->nodes - 1, &node, error);
            if (status == RB_OK && number[node] >= 0)
                status = sup_fail(error, RB_EINVAL, "%s:%" PRId32 ": switch %" PRId32 " twice",
                                  lines->path, lines->at, node);
            number[node] = 0;
        }
    }
    for (int32_t n = 0; n < edges->nodes; n++) {
        number[n] = next[number[n] >= 0]++;
        if (status == RB_OK)
            edges->node[number[n]] = n;
    }
    free(word);
    return status;
}

/* ns-3 also writes Gb/s. */
static int take_bandwidth(char *text, double *bandwidth, struct sup_error *error)
{
    char *slash = strstr(text, "/s");
    if (slash != NULL && slash[2] == '\0')
        *slash = 'p';
    return sup_parse_bandwidth(text, bandwidth, error);
}

static int read_cable(struct sup_lines *lines, struct edges *edges, struct cable *cable,
                      struct sup_error *error)
{
    char *word[5];
    struct sup_error why = {.text = ""};
    double lost = 0;
    int32_t node[2] = {0};
    const int32_t count = next_words(lines, word, 5);
    if (count == 0)
        return sup_fail(error, RB_EINVAL,
                        "%s:%" PRId32 ": the file ends after %td of the %" PRId32
                        " links of the first line",
                        lines->path, lines->at, cable - edges->cable, edges->cables);
    if (count != 5)
        return sup_fail(error, RB_EINVAL,
                        "%s:%" PRId32 ": a link has two nodes, bandwidth, latency and error rate, "
                        "such as 0 320 100Gbps 1us 0",
                        lines->path, lines->at);
    for (int i = 0; i < 2; i++) {
        const int status = take_int(lines, "node", word[i], 0, edges->nodes - 1, &node[i], error);
        if (status != RB_OK)
            return status;
        cable->end[i] = edges->number[node[i]];
    }
    if (node[0] == node[1])
        return sup_fail(error, RB_EINVAL, "%s:%" PRId32 ": a link from node %" PRId32 " to itself",
                        lines->path, lines->at, node[0]);
    if (take_bandwidth(word[2], &cable->bandwidth, &why) != RB_OK ||
        sup_parse_seconds(word[3], &cable->latency_s, &why) != RB_OK ||
        sup_parse_real(word[4], &lost, &why) != RB_OK)
        return sup_fail(error, RB_EINVAL, "%s:%" PRId32 ": %s", lines->path, lines->at, why.text);
    if (!(lost >= 0 && lost <= 1))
        return sup_fail(error, RB_EINVAL, "%s:%" PRId32 ": error rate %s is not in 0..1",
                        lines->path, lines->at, word[4]);
    if (lost > 0 && edges->lossy == 0)
        edges->lossy = lines->at;
    return RB_OK;
}

SUP_COMPARE(by_ends, int64_t, SUP_ORDER(*a, *b));

static int refuse_twice(const char *path, const struct edges *edges, struct sup_error *error)
{
    int64_t *pair = sup_malloc(((size_t)edges->cables + 1) * sizeof *pair), twice = -1;
    for (int32_t c = 0; c < edges->cables; c++) {
        const int32_t a = edges->cable[c].end[0], b = edges->cable[c].end[1];
        pair[c] = (int64_t)(a < b ? a : b) << 32 | (a < b ? b : a);
    }
    qsort(pair, (size_t)edges->cables, sizeof *pair, by_ends);
    for (int32_t c = 1; c < edges->cables && twice < 0; c++)
        twice = pair[c] == pair[c - 1] ? pair[c] : -1;
    free(pair);
    return twice < 0 ? RB_OK
                     : sup_fail(error, RB_EINVAL,
                                "%s: nodes %" PRId32 " and %" PRId32
                                " have two links: give one with the bandwidth of both",
                                path, edges->node[twice >> 32], edges->node[twice & INT32_MAX]);
}

/* ---- Is everything joined? ---- */

/* Hosts at one set of joined switches are joined. If not all are, all pairs must be looked at. */
static int check_joined(const char *path, const struct edges *edges, struct sup_error *error)
{
    const int32_t hosts = edges->hosts, nodes = edges->nodes;
    const double most_steps = 1e10;
    int32_t *part = sup_malloc((size_t)nodes * sizeof *part), best = 0, at = 0;
    int32_t *cables = sup_calloc((size_t)nodes, sizeof *cables); /* to hosts, of a part */
    bool *cut_off = sup_malloc((size_t)hosts * sizeof *cut_off);
    for (int32_t n = 0; n < nodes; n++)
        part[n] = n;
    for (int32_t c = 0; c < edges->cables; c++) {
        const int32_t *end = edges->cable[c].end;
        if (edges->switches == 0 || (end[0] >= hosts && end[1] >= hosts))
            platform_part_join(part, end[0], end[1]);
    }
    for (int32_t c = 0; c < edges->cables; c++)
        for (int i = 0; i < 2; i++)
            if (edges->cable[c].end[i] < hosts)
                cables[platform_part_of(part, edges->cable[c].end[1 - i])]++;
    for (int32_t n = 0; n < nodes; n++)
        best = cables[n] > cables[best] ? n : best;
    for (int32_t h = 0; h < hosts; h++)
        cut_off[h] = hosts > 1;
    for (int32_t c = 0; c < edges->cables; c++)
        for (int i = 0; i < 2; i++)
            if (edges->cable[c].end[i] < hosts &&
                platform_part_of(part, edges->cable[c].end[1 - i]) == best)
                cut_off[edges->cable[c].end[i]] = false;
    while (at < hosts && !cut_off[at])
        at++;
    if (at < hosts && (double)hosts * (nodes + 2.0 * edges->cables) < most_steps &&
        platform_graph_longest(edges->graph, hosts, cut_off) >= 0)
        at = hosts;
    for (int32_t h = hosts - 1; at < hosts && h >= 0; h--)
        at = cut_off[h] ? h : at;
    free(part);
    free(cables);
    free(cut_off);
    return at == hosts ? RB_OK
                       : sup_fail(error, RB_EINVAL,
                                  "%s: no route joins host %" PRId32
                                  " of the file to all others; hosts do not forward",
                                  path, edges->node[at]);
}

static void make_graph(struct edges *edges)
{
    const size_t room = (2 * (size_t)edges->cables + 1) * sizeof(int32_t);
    int32_t *from = sup_malloc(room), *to = sup_malloc(room);
    for (int32_t l = 0; l < 2 * edges->cables; l++) {
        from[l] = edges->cable[l / 2].end[l % 2];
        to[l] = edges->cable[l / 2].end[1 - l % 2];
    }
    edges->graph = platform_graph_create(edges->nodes, 2 * edges->cables, from, to);
    if (edges->switches > 0)
        platform_graph_only_ends(edges->graph, edges->hosts);
    free(from);
    free(to);
}

/* The caller destroys *made, also after a failure. */
static int read_edges(const char *path, struct edges **made, uint64_t *hash,
                      struct sup_error *error)
{
    struct edges *edges = *made = sup_calloc(1, sizeof *edges);
    struct sup_lines lines = {0};
    char *rest[1];
    int status = sup_input("topology", path, error);
    if (status == RB_OK)
        status = sup_lines_read(&lines, path, error);
    if (status == RB_OK) {
        *hash = sup_hash_bytes(SUP_HASH_START, lines.next, strlen(lines.next));
        status = read_counts(&lines, edges, error);
    }
    if (status == RB_OK) {
        edges->number = sup_malloc((size_t)edges->nodes * sizeof *edges->number);
        memset(edges->number, 0xff, (size_t)edges->nodes * sizeof *edges->number);
        edges->node = sup_calloc((size_t)edges->nodes, sizeof *edges->node);
        edges->cable = sup_calloc((size_t)edges->cables + 1, sizeof *edges->cable);
        status = read_switches(&lines, edges, error);
    }
    for (int32_t c = 0; c < edges->cables && status == RB_OK; c++)
        status = read_cable(&lines, edges, &edges->cable[c], error);
    if (status == RB_OK) {
        edges->more = next_words(&lines, rest, 1) > 0;
        make_graph(edges);
        status = refuse_twice(path, edges, error);
    }
    if (status == RB_OK)
        status = check_joined(path, edges, error);
    free(lines.text);
    return status;
}

/* ---- The network ---- */

/* A host's widest link; what a message at least waits; and the most that all links of a host have.
 */
static void look_at_hosts(const struct edges *edges, struct platform_cluster *cluster)
{
    double *sum = sup_calloc((size_t)edges->nodes, sizeof *sum);
    double widest = 0, most = 0, least_s = INFINITY;
    for (int32_t c = 0; c < edges->cables; c++) {
        const struct cable *cable = &edges->cable[c];
        const bool both = cable->end[0] < edges->hosts && cable->end[1] < edges->hosts;
        for (int i = 0; i < 2; i++) {
            if (cable->end[i] >= edges->hosts)
                continue;
            sum[cable->end[i]] += cable->bandwidth;
            most = fmax(most, sum[cable->end[i]]);
            widest = fmax(widest, cable->bandwidth);
            least_s = fmin(least_s, (both ? 1 : 2) * cable->latency_s);
        }
    }
    free(sum);
    cluster->bandwidth = widest > 0 ? widest : 1e9; /* of one host without links */
    cluster->latency_s = isinf(least_s) ? 0 : least_s;
    memcpy(&cluster->shape[MOST], &most, sizeof most);
}

static int shape(const struct platform_request *request, struct platform_cluster *cluster,
                 struct sup_error *error)
{
    struct edges *edges = NULL;
    uint64_t hash = 0;
    int status = platform_request_routing(request, rules, &cluster->routing, error);
    if (status == RB_OK && strlen(request->size) >= sizeof cluster->file)
        status = sup_fail(error, RB_EINVAL, "%s: the path is too long", request->size);
    if (status == RB_OK)
        status = read_edges(request->size, &edges, &hash, error);
    if (status == RB_OK) {
        snprintf(cluster->file, sizeof cluster->file, "%s", request->size);
        memcpy(&cluster->shape[HASH], &hash, sizeof hash);
        cluster->hosts = edges->hosts;
        cluster->latency_per_hop = cluster->inner_links = true;
        look_at_hosts(edges, cluster);
        if (edges->server > 1 && edges->hosts % edges->server == 0) {
            cluster->share = "node";
            cluster->sharers = edges->server;
        }
        snprintf(cluster->taken, sizeof cluster->taken,
                 "%.180s: %" PRId32 " host%s, %" PRId32 " switch%s, %" PRId32 " cable%s",
                 request->size, edges->hosts, sup_plural(edges->hosts), edges->switches,
                 edges->switches == 1 ? "" : "es", edges->cables, sup_plural(edges->cables));
        snprintf(cluster->note, sizeof cluster->note, "%.250s", cluster->taken);
        if (edges->lossy > 0)
            sup_append(cluster->taken, sizeof cluster->taken, "; ",
                       "error rates (first in line %" PRId32 ") are ignored", edges->lossy);
        if (edges->more)
            sup_append(cluster->taken, sizeof cluster->taken, "; ",
                       "lines behind the last link are ignored");
    }
    destroy_edges(edges);
    return status;
}

static const struct edges *edges_of(const struct platform_network *network)
{
    return network->source;
}

static int32_t find_way(const struct platform_network *network, int32_t from, int32_t to,
                        uint64_t key, int32_t way[])
{
    const uint64_t choice = network->routing.rule == SHORTEST
                                ? (uint64_t)to
                                : platform_route_hash(&network->routing, from, to, key);
    const int32_t count = platform_graph_way(edges_of(network)->graph, from, to, choice, way);
    for (int32_t i = 0; i < count; i++)
        way[i] += network->hosts;
    return count;
}

static void find_ends(const struct platform_network *network, int32_t link, int32_t ends[2])
{
    platform_graph_ends(edges_of(network)->graph, (link - network->hosts) / 2 * 2, ends);
}

/* Nodes have the numbers of the file. */
static void name_link(const struct platform_network *network, int32_t link, char *name, size_t size)
{
    const bool back = (link - network->hosts) % 2 == 1;
    int32_t ends[2];
    find_ends(network, link, ends);
    snprintf(name, size, "link_from_node-%" PRId32 "_to_node-%" PRId32,
             edges_of(network)->node[ends[back]], edges_of(network)->node[ends[!back]]);
}

static void destroy(struct platform_network *network)
{
    destroy_edges(network->source);
    free(network->way);
    free(network->link);
    free(network);
}

static int lay(const struct platform_cluster *cluster, struct platform_network **made)
{
    struct edges *edges = NULL;
    struct sup_error unused;
    uint64_t hash = 0;
    int status = read_edges(cluster->file, &edges, &hash, &unused);
    if (status == RB_OK && memcmp(&cluster->shape[HASH], &hash, sizeof hash) != 0)
        status = RB_EINVAL;
    if (status == RB_OK)
        status = platform_network_alloc(cluster, edges->hosts + 2 * (int64_t)edges->cables,
                                        edges->nodes, made);
    if (status != RB_OK) {
        destroy_edges(edges);
        return status;
    }
    for (int32_t l = 0; l < 2 * edges->cables; l++) {
        (*made)->link[edges->hosts + l].bandwidth = edges->cable[l / 2].bandwidth;
        (*made)->link[edges->hosts + l].latency_s = edges->cable[l / 2].latency_s;
    }
    (*made)->source = edges;
    (*made)->destroy = destroy;
    return RB_OK;
}

/* All links of a host together, of the host that has most. */
static void cut(const struct platform_cluster *cluster, struct platform_cuts *cuts)
{
    memcpy(&cuts->cut[0].bandwidth, &cluster->shape[MOST], sizeof cuts->cut[0].bandwidth);
}

const struct platform_maker platform_edges = {
    .face = {.name = "edges",
             .title = "a list of cables from a file, as ns-3's and SimAI's users have them",
             .sizes = "edges:FILE, or FILE alone",
             .options = options},
    .shape = shape,
    PLATFORM_FORMULA(lay, find_way, name_link, find_ends, NULL),
    .cut = cut,
};
