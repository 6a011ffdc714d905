/* damage.c - what has failed or is slow in a generated network: the options `fail` and `slow`.
 *
 * A list names parts, joined by +: of cables `link:NAME`, of hosts `host:17` or `host:NAME`, of
 * network interfaces `nic:17`, of switches `switch:3`, or by what the generator's hosts share
 * `leaf:3`; or some of all by a hash, `links:5%:SEED` or `hosts:3:SEED`. A slow part is followed by
 * what is left of its bandwidth: `host:17:10%`. Both directions of a cable are hit. With a host or
 * a switch go all its links; hosts that fail, or lose all links to failed switches, are no hosts of
 * the platform: a scheduler leaves them out, and the others are numbered on.
 *
 * A route stays as it is while it is whole. Otherwise it has the fewest links; of several next ones
 * the destination's number chooses, as d-mod-k does, and where routes have a seed, their hash. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generator.h"
#include "graph.h"
#include "roundabout.h"
#include "support/memory.h"
#include "support/units.h"

/* What is left of the bandwidth of each part of the whole network: 1, or less, or 0. */
struct damage {
    const struct platform_cluster *cluster;
    const struct platform_network *whole;
    double *link, *node;
    int32_t nodes, (*ends)[2]; /* of each link */
    int32_t *cable, cables;    /* the first link of each between switches */
    struct sup_error *error;
    const char *option, *item; /* being read, for messages */
};

static int refuse(const struct damage *damage, const char *what, const char *text)
{
    return sup_fail(damage->error, RB_EINVAL, "%s: %s: '%s': %s%s", damage->cluster->name,
                    damage->option, damage->item, what, text);
}

/* ---- Parts ----------------------------------------------------------------------------------- */

enum part { LINK, SWITCH, HOST, NIC, SHARED, PARTS };
static const char *const part_names[SHARED] = {"link", "switch", "host", "nic"};

static int32_t count_of(const struct damage *damage, enum part part)
{
    const struct platform_network *whole = damage->whole;
    const int32_t counts[PARTS] = {damage->cables, damage->nodes - whole->hosts, whole->hosts,
                                   whole->nics > 0 ? whole->hosts : 0,
                                   damage->cluster->hosts /
                                       (whole->sharers > 0 ? whole->sharers : 1)};
    return counts[part];
}

static void lower(double *share, double to)
{
    *share = to < *share ? to : *share;
}

static void hit_cable(struct damage *damage, int32_t link, double share)
{
    const int32_t hosts = damage->whole->hosts;
    lower(&damage->link[link], share);
    lower(&damage->link[hosts + ((link - hosts) ^ 1)], share);
}

static void hit(struct damage *damage, enum part part, int32_t number, double share)
{
    const struct platform_network *whole = damage->whole;
    if (part == LINK || part == NIC)
        hit_cable(damage, part == LINK ? damage->cable[number] : whole->nics + 2 * number, share);
    else if (part == HOST)
        lower(&damage->node[number], share);
    else if (part == SWITCH || strcmp(damage->cluster->share, "node") != 0)
        lower(&damage->node[whole->hosts + number], share);
    for (int32_t h = 0; part == SHARED && h < whole->hosts; h++) /* a node is its hosts */
        if (h / whole->sharers == number && strcmp(damage->cluster->share, "node") == 0)
            lower(&damage->node[h], share);
}

/* The cable one of whose links has this name, with or without its direction; or a host. */
static int hit_name(struct damage *damage, enum part part, const char *text, double share)
{
    const struct platform_network *whole = damage->whole;
    const size_t length = strlen(text);
    char name[128];
    for (int32_t l = whole->hosts; part == LINK && l < whole->links; l++) {
        platform_network_link_name(whole, l, name, sizeof name);
        const char *rest = name + length;
        if (!whole->link[l].shared || strncmp(name, text, length) != 0 ||
            (*rest != '\0' && strcmp(rest, "_UP") != 0 && strcmp(rest, "_DOWN") != 0))
            continue;
        hit_cable(damage, l, share);
        return RB_OK;
    }
    for (int32_t h = 0; part == HOST && h < whole->hosts; h++)
        if (strcmp(platform_network_host_name(whole, h, name, sizeof name), text) == 0) {
            hit(damage, HOST, h, share);
            return RB_OK;
        }
    if (part == LINK)
        platform_network_link_name(whole, whole->links - 1, name, sizeof name);
    return refuse(damage, part == LINK ? "no link has this name: one is " : "no host has this name",
                  part == LINK ? name : "");
}

/* So many parts, as a hash chooses: a share is rounded, but to one at least. */
static int hit_some(struct damage *damage, enum part part, char *text, double share)
{
    char *seed = strchr(text, ':');
    const int32_t all = count_of(damage, part);
    struct sup_error why;
    int64_t key = 1, count = 0;
    double percent;
    if (seed != NULL)
        *seed = '\0';
    if (seed != NULL && sup_parse_int(seed + 1, 0, INT64_MAX, &key, &why) != RB_OK)
        return refuse(damage, "seed: ", why.text);
    if (all == 0)
        return refuse(damage, "the platform has none", "");
    const size_t length = strlen(text);
    if (length > 0 && text[length - 1] == '%') {
        text[length - 1] = '\0';
        if (sup_parse_real(text, &percent, &why) != RB_OK || !(percent > 0 && percent <= 100))
            return refuse(damage, "give more than 0 % and at most 100 %", "");
        count = llrint(fmax(1, all * percent / 100));
    } else if (sup_parse_int(text, 1, all, &count, &why) != RB_OK) {
        return refuse(damage, "give a share in % or a number: ", why.text);
    }
    int32_t *number = sup_malloc((size_t)all * sizeof *number);
    for (int32_t i = 0; i < all; i++)
        number[i] = i;
    for (int32_t i = 0; i < count; i++) {
        const uint64_t random = platform_hash_numbers((uint64_t)key, (uint64_t)part, (uint64_t)i);
        const int32_t other = i + (int32_t)(random % (uint64_t)(all - i));
        const int32_t chosen = number[other];
        number[other] = number[i];
        hit(damage, part, chosen, share);
    }
    free(number);
    return RB_OK;
}

/* "links:5%:1", or of slow ones "links:5%:1:25%". */
static int take_item(struct damage *damage, char *item, bool slow)
{
    const char *shared = damage->cluster->share == NULL ? "" : damage->cluster->share;
    char *last = strrchr(item, ':'), *rest = strchr(item, ':');
    struct sup_error why;
    double share = 0;
    int64_t number;
    if (slow && last != NULL && last != rest) {
        const size_t length = strlen(last);
        const bool percent = last[length - 1] == '%';
        last[percent ? length - 1 : length] = '\0';
        if (sup_parse_real(last + 1, &share, &why) != RB_OK ||
            !(share > 0 && share < (percent ? 100 : 1)))
            return refuse(damage,
                          "what is left of the bandwidth is more than 0, less than 1 or 100 %", "");
        share /= percent ? 100 : 1;
        *last = '\0';
    } else if (slow || rest == NULL) {
        return refuse(damage, "write ",
                      slow ? "PART:WHICH:SHARE, as in host:17:10% or links:5%:1:25%"
                           : "PART:WHICH, as in host:17 or links:5%:1");
    }
    *rest++ = '\0';
    for (int32_t part = LINK; part < PARTS; part++) {
        const char *name = part == SHARED ? shared : part_names[part];
        const size_t length = strlen(name);
        const char *plural = strcmp(name, "switch") == 0 ? "es" : "s";
        const bool leaves = strcmp(name, "leaf") == 0 && strcmp(item, "leaves") == 0;
        if (length == 0 || (strncmp(item, name, length) != 0 && !leaves))
            continue;
        if (leaves || strcmp(item + length, plural) == 0)
            return hit_some(damage, (enum part)part, rest, share);
        if (item[length] != '\0')
            continue;
        if (part != LINK && sup_parse_int(rest, 0, INT32_MAX, &number, &why) == RB_OK) {
            if (number >= count_of(damage, (enum part)part))
                return refuse(damage, "there are fewer, numbered from 0", "");
            hit(damage, (enum part)part, (int32_t)number, share);
            return RB_OK;
        }
        return part == LINK || part == HOST ? hit_name(damage, (enum part)part, rest, share)
                                            : refuse(damage, "", why.text);
    }
    return refuse(damage, "parts are link, host, nic, switch, and links:, hosts:, .. by a share",
                  "");
}

static int take_list(struct damage *damage, const char *option, const char *text)
{
    char *copy = sup_strdup(text), *item = copy;
    int status = RB_OK;
    damage->option = option;
    while (item != NULL && status == RB_OK) {
        char *next = strchr(item, '+'), *whole;
        if (next != NULL)
            *next++ = '\0';
        damage->item = whole = sup_strdup(item);
        status = take_item(damage, item, strcmp(option, "slow") == 0);
        free(whole);
        item = next;
    }
    free(copy);
    return status;
}

/* ---- Hosts ----------------------------------------------------------------------------------- */

/* The failed hosts, and those all of whose links lead to failed switches. */
static int find_gone(struct damage *damage, struct platform_hosts *who)
{
    const int32_t hosts = damage->whole->hosts;
    int32_t *links = sup_calloc((size_t)hosts, sizeof *links);
    for (int32_t l = hosts; l < damage->whole->links; l++) {
        const int32_t *ends = damage->ends[l];
        if (ends[0] < hosts && damage->node[ends[0]] > 0 && damage->node[ends[1]] > 0)
            links[ends[0]]++;
    }
    int32_t gone = 0;
    for (int32_t h = 0; h < hosts; h++)
        if (links[h] == 0 && gone++ < PLATFORM_MOST_GONE)
            who->gone[gone - 1] = h;
    free(links);
    damage->item = damage->cluster->fail;
    if (gone == hosts || gone > PLATFORM_MOST_GONE)
        return refuse(damage, gone == hosts ? "no host is left" : "more than 256 hosts fail", "");
    who->gones = gone;
    who->count = hosts - gone;
    return RB_OK;
}

/* Refuses a network that falls apart, and names hosts that the largest part lacks. */
static int check_whole(struct damage *damage, const struct platform_network *network)
{
    const int32_t nodes = platform_network_nodes(network);
    int32_t *above = sup_malloc((size_t)nodes * sizeof *above), ends[2], largest = 0, apart = 0;
    int32_t *hosts = sup_calloc((size_t)nodes, sizeof *hosts);
    char names[200] = "", name[64];
    for (int32_t n = 0; n < nodes; n++)
        above[n] = n;
    for (int32_t l = network->hosts; l < network->links; l++)
        if (platform_network_ends(network, l, ends))
            platform_part_join(above, ends[0], ends[1]);
    for (int32_t h = 0; h < network->hosts; h++)
        hosts[platform_part_of(above, h)]++;
    for (int32_t n = 0; n < nodes; n++)
        largest = hosts[n] > hosts[largest] ? n : largest;
    for (int32_t h = 0; h < network->hosts; h++) {
        if (platform_part_of(above, h) == largest || ++apart > 8)
            continue;
        platform_network_host_name(network, h, name, sizeof name);
        sup_append(names, sizeof names, ", ", "%s", name);
    }
    free(above);
    free(hosts);
    return apart == 0 ? RB_OK
                      : sup_fail(damage->error, RB_EINVAL,
                                 "%s: the network falls apart: %" PRId32 " of %" PRId32
                                 " hosts are cut off: %s%s; fail=host:.. leaves hosts out",
                                 damage->cluster->name, apart, network->hosts, names,
                                 apart > 8 ? ", .." : "");
}

/* ---- The network ----------------------------------------------------------------------------- */

struct source {
    struct platform_network *whole; /* owned */
    int32_t *host, *number;         /* the whole network's of each of ours, and back, or -1 */
    int32_t *inner, *outer;         /* links, in the same way */
    int32_t *terminal;
    struct platform_graph *graph;
};

static const struct source *source_of(const struct platform_network *network)
{
    return network->source;
}

static int32_t find_way(const struct platform_network *network, int32_t from, int32_t to,
                        uint64_t key, int32_t way[])
{
    const struct source *source = source_of(network);
    const struct platform_network *whole = source->whole;
    int32_t count = whole->find_way(whole, source->host[from], source->host[to], key, way);
    for (int32_t i = 0; i < count; i++) {
        way[i] = source->outer[way[i]];
        if (way[i] < 0 || platform_network_link(network, way[i])->failed) {
            count = platform_graph_way(source->graph, from, to,
                                       network->routing.seed > 0
                                           ? platform_route_hash(&network->routing, from, to, key)
                                           : (uint64_t)source->host[to],
                                       way);
            assert(count > 0);
            return count;
        }
    }
    return count;
}

static void name_link(const struct platform_network *network, int32_t link, char *name, size_t size)
{
    const struct source *source = source_of(network);
    source->whole->name_inner(source->whole, source->inner[link], name, size);
}

static void name_host(const struct platform_network *network, int32_t host, char *name, size_t size)
{
    source_of(network)->whole->name_host(source_of(network)->whole, source_of(network)->host[host],
                                         name, size);
}

static void place(const struct platform_network *network, int32_t link,
                  struct platform_place *place)
{
    const struct source *source = source_of(network);
    if (source->whole->place_inner != NULL)
        source->whole->place_inner(source->whole, source->inner[link], place);
}

static void find_ends(const struct platform_network *network, int32_t link, int32_t ends[2])
{
    const struct source *source = source_of(network);
    source->whole->find_ends(source->whole, source->inner[link], ends);
    for (int i = 0; i < 2 && !network->own_links; i++)
        ends[i] = ends[i] < source->whole->hosts ? source->number[ends[i]]
                                                 : ends[i] - source->whole->hosts + network->hosts;
}

static void destroy(struct platform_network *network)
{
    struct source *source = network->source;
    platform_network_destroy(source->whole);
    platform_graph_destroy(source->graph);
    free(source->host);
    free(source->number);
    free(source->inner);
    free(source->outer);
    free(source->terminal);
    free(source);
    free(network->way);
    free(network->link);
    free(network);
}

/* Links of hosts that are gone are left out, those of the others keep their order. */
static void number_all(const struct damage *damage, const struct platform_hosts *who,
                       struct platform_network *network, struct source *source)
{
    const struct platform_network *whole = damage->whole;
    const size_t hosts = (size_t)whole->hosts, links = (size_t)whole->links;
    source->host = sup_malloc(hosts * sizeof(int32_t));
    source->number = sup_malloc(hosts * sizeof(int32_t));
    source->terminal = sup_malloc(hosts * sizeof(int32_t));
    source->inner = sup_malloc(links * sizeof(int32_t));
    source->outer = sup_malloc(links * sizeof(int32_t));
    network->link = sup_malloc(links * sizeof *network->link);
    network->hosts = network->links = 0;
    for (int32_t h = 0; h < whole->hosts; h++) {
        source->terminal[network->hosts] = whole->terminal == NULL ? h : whole->terminal[h];
        source->host[network->hosts] = h;
        const int32_t before = h - network->hosts;
        const bool is_gone = before < who->gones && who->gone[before] == h;
        source->number[h] = is_gone ? -1 : network->hosts++;
    }
    for (int32_t l = 0; l < whole->links; l++) {
        const int32_t *ends = damage->ends[l], own = l - whole->nics;
        const bool is_own = l < whole->hosts * (whole->own_links ? 3 : 1) ||
                            (whole->nics > 0 && own >= 0 && own < 2 * whole->hosts);
        const int32_t host = ends[0] < whole->hosts ? ends[0] : ends[1];
        source->outer[l] = -1;
        if (is_own && source->number[host] < 0)
            continue;
        double share = damage->link[l];
        for (int i = 0; i < 2 && l >= whole->hosts; i++)
            lower(&share, damage->node[ends[i]]);
        struct platform_link *link = &network->link[network->links];
        *link = whole->link[l];
        link->failed = share == 0 && link->shared;
        link->slow = share > 0 && share < 1 && link->shared;
        link->bandwidth *= link->slow ? share : 1;
        source->inner[network->links] = l;
        source->outer[l] = network->links++;
    }
    if (whole->nics > 0)
        network->nics = whole->nics / whole->hosts * network->hosts;
}

static struct platform_graph *graph_of(const struct platform_network *network)
{
    const size_t links = (size_t)network->links;
    int32_t *from = sup_malloc(2 * links * sizeof *from), *to = from + links, ends[2];
    for (int32_t l = 0; l < network->links; l++) {
        platform_network_ends(network, l, ends);
        from[l] = ends[0] == ends[1] ? -1 : ends[0];
        to[l] = ends[1];
    }
    const int32_t nodes = platform_network_nodes(network);
    struct platform_graph *graph = platform_graph_create(nodes, network->links, from, to);
    if (!network->own_links && nodes > network->hosts) /* a list of cables */
        platform_graph_only_ends(graph, network->hosts);
    free(from);
    return graph;
}

int platform_damage(const struct platform_cluster *cluster, struct platform_network **made,
                    struct platform_hosts *who, struct sup_error *error)
{
    struct platform_network *whole = *made, *network = NULL;
    struct damage damage = {.cluster = cluster, .whole = whole, .error = error};
    const size_t links = (size_t)whole->links;
    damage.nodes = platform_network_nodes(whole);
    damage.ends = sup_malloc(links * sizeof *damage.ends);
    damage.cable = sup_malloc(links * sizeof *damage.cable);
    damage.link = sup_malloc((links + (size_t)damage.nodes) * sizeof *damage.link);
    damage.node = damage.link + links;
    for (int32_t l = 0; l < whole->links; l++) {
        platform_network_ends(whole, l, damage.ends[l]);
        if (l >= whole->hosts && (l - whole->hosts) % 2 == 0 && whole->link[l].shared &&
            (damage.nodes == whole->hosts ||
             (damage.ends[l][0] >= whole->hosts && damage.ends[l][1] >= whole->hosts)))
            damage.cable[damage.cables++] = l;
    }
    for (size_t i = 0; i < links + (size_t)damage.nodes; i++)
        damage.link[i] = 1;
    int status = cluster->slow[0] == '\0' ? RB_OK : take_list(&damage, "slow", cluster->slow);
    if (status == RB_OK && cluster->fail[0] != '\0')
        status = take_list(&damage, "fail", cluster->fail);
    if (status == RB_OK)
        status = find_gone(&damage, who);
    if (status == RB_OK) {
        struct source *source = sup_calloc(1, sizeof *source);
        network = sup_malloc(sizeof *network);
        *network = *whole;
        *made = network;
        network->source = source;
        source->whole = whole;
        number_all(&damage, who, network, source);
        network->way = sup_malloc(((size_t)damage.nodes + 64) * sizeof *network->way);
        network->damaged = true;
        network->terminal = source->terminal;
        network->find_way = find_way;
        network->name_inner = name_link;
        network->name_host = name_host;
        network->place_inner = place;
        network->find_ends = whole->find_ends == NULL ? NULL : find_ends;
        network->destroy = destroy;
        source->graph = graph_of(network);
        status = check_whole(&damage, network);
    }
    free(damage.ends);
    free(damage.cable);
    free(damage.link);
    return status;
}
