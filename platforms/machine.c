/* machine.c - nodes of real machines on the terminals of generated networks (platform.h,
 * generator.h).
 *
 * A machine's nodes have numbers of their own and leave terminals empty, so its network is that of
 * all terminals without the empty ones' links: routes are those from terminal to terminal. */
#include <stdlib.h>
#include <string.h>

#include "generator.h"
#include "support/memory.h"

/* The number before some hosts failed. */
static int32_t whole_number(const struct platform_hosts *hosts, int32_t host)
{
    for (int32_t i = 0; i < hosts->gones && hosts->gone[i] <= host; i++)
        host++;
    return host;
}

int32_t platform_host_terminal(const struct platform_hosts *hosts, int32_t host)
{
    host = whole_number(hosts, host);
    return hosts->machine == NULL || hosts->machine->terminal == NULL
               ? host
               : hosts->machine->terminal(host);
}

const char *platform_host_name(const void *context, int32_t host, char *name, size_t size)
{
    const struct platform_hosts *hosts = context;
    host = whole_number(hosts, host);
    if (hosts->machine == NULL)
        return platform_generated_host_name(NULL, host, name, size);
    hosts->machine->name(hosts, host, name, size);
    return name;
}

const char *platform_part_name(const struct platform_hosts *hosts, const char *what, int32_t part,
                               char *name, size_t size)
{
    const struct platform_machine *machine = hosts->machine;
    if (machine == NULL || machine->name_part == NULL ||
        !machine->name_part(what, part, name, size))
        snprintf(name, size, "%s %d", what, part);
    return name;
}

bool platform_machine_links_differ(const struct platform_hosts *hosts)
{
    const struct platform_machine *machine = hosts->machine;
    if (machine == NULL || machine->share == NULL)
        return false;
    for (int32_t h = 0; h < hosts->count; h++)
        if (machine->share(whole_number(hosts, h)) != 1)
            return true;
    return false;
}

/* ---- The network ----------------------------------------------------------------------------- */

struct source {
    struct platform_hosts hosts;
    struct platform_network *terminals; /* owned: the generator's, without its links */
    int32_t terminal[];                 /* of each host */
};

static const struct source *source_of(const struct platform_network *network)
{
    return network->source;
}

/* After the loopbacks and the hosts' own links, links are the same, but for their numbers. */
static int32_t terminals_link(const struct platform_network *network, int32_t link)
{
    return link + 3 * (source_of(network)->terminals->hosts - network->hosts);
}

static int32_t find_way(const struct platform_network *network, int32_t from, int32_t to,
                        uint64_t key, int32_t way[])
{
    const struct source *source = source_of(network);
    const int32_t count = source->terminals->find_way(source->terminals, source->terminal[from],
                                                      source->terminal[to], key, way);
    const int32_t empty = source->terminals->hosts - network->hosts;
    way[0] = network->hosts + 2 * from;
    for (int32_t i = 1; i + 1 < count; i++)
        way[i] -= 3 * empty;
    way[count - 1] = network->hosts + 2 * to + 1;
    return count;
}

static void name_link(const struct platform_network *network, int32_t link, char *name, size_t size)
{
    const struct source *source = source_of(network);
    char host[64];
    if (link >= 3 * network->hosts) {
        source->terminals->name_inner(source->terminals, terminals_link(network, link), name, size);
        return;
    }
    const int32_t own = link - network->hosts;
    platform_host_name(&source->hosts, own / 2, host, sizeof host);
    snprintf(name, size, "link_from_%s_%s", host, own % 2 == 0 ? "UP" : "DOWN");
}

static void name_host(const struct platform_network *network, int32_t host, char *name, size_t size)
{
    platform_host_name(&source_of(network)->hosts, host, name, size);
}

static void place(const struct platform_network *network, int32_t link,
                  struct platform_place *place)
{
    const struct source *source = source_of(network);
    if (source->terminals->place_inner != NULL)
        source->terminals->place_inner(source->terminals, terminals_link(network, link), place);
}

static void find_ends(const struct platform_network *network, int32_t link, int32_t ends[2])
{
    const struct platform_network *terminals = source_of(network)->terminals;
    terminals->find_ends(terminals, terminals_link(network, link), ends);
}

static void destroy(struct platform_network *network)
{
    struct source *source = network->source;
    if (source != NULL)
        platform_network_destroy(source->terminals);
    free(source);
    free(network->way);
    free(network->link);
    free(network);
}

/* The hosts' loopbacks and own links, of which all are alike but for a machine's share, and then
 * the other links. */
static void take_links(struct platform_network *network, const struct platform_network *terminals,
                       const struct platform_hosts *hosts)
{
    const int32_t count = network->hosts;
    for (int32_t h = 0; h < count; h++) {
        const double share = hosts->machine->share == NULL ? 1 : hosts->machine->share(h);
        network->link[h] = terminals->link[0];
        for (int32_t i = 0; i < 2; i++) {
            network->link[count + 2 * h + i] = terminals->link[terminals->hosts + i];
            network->link[count + 2 * h + i].bandwidth *= share;
        }
    }
    memcpy(network->link + 3 * (size_t)count, terminals->link + 3 * (size_t)terminals->hosts,
           (size_t)(network->links - 3 * count) * sizeof *network->link);
}

struct platform_network *platform_machine_network(const struct platform_hosts *hosts,
                                                  struct platform_network *terminals)
{
    struct platform_network *network = sup_malloc(sizeof *network);
    struct source *source =
        sup_malloc(sizeof *source + (size_t)hosts->count * sizeof source->terminal[0]);
    *network = *terminals;
    *source = (struct source){.hosts = *hosts, .terminals = terminals};
    for (int32_t h = 0; h < hosts->count; h++)
        source->terminal[h] = platform_host_terminal(hosts, h);
    network->hosts = hosts->count;
    network->nics = terminals->nics == terminals->hosts ? hosts->count : terminals->nics;
    network->links = terminals->links - 3 * (terminals->hosts - hosts->count);
    network->link = sup_malloc((size_t)network->links * sizeof *network->link);
    terminals->way = NULL; /* it is the network's */
    network->source = source;
    network->terminal = source->terminal;
    if (hosts->machine->terminals !=
        NULL) /* otherwise each host is in the terminal of its number */
        network->find_way = find_way;
    network->name_inner = name_link;
    network->name_host = name_host;
    network->place_inner = place;
    network->find_ends = terminals->find_ends == NULL ? NULL : find_ends;
    network->destroy = destroy;
    take_links(network, terminals, hosts);
    return network;
}
