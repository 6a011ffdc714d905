/* marenostrum5.c - the accelerated partition of MareNostrum 5 (BSC): 7 islands of 160 nodes, a
 * fat-tree of NDR InfiniBand with less bandwidth between islands than inside (Banchelli et al.,
 * Introducing MareNostrum5, 2025; De Sensi et al., Bine Trees, 2025).
 *
 * Nodes are called as01r1b01 to as07r5b32: 7 islands of 5 racks of 32 nodes. An island is one
 * switch here, because no traffic inside it meets a bottleneck. A node has four NDR200 ports and a
 * process uses one of them, so the 160 x 4 ports of an island have 320 uplinks. */
#include <stdio.h>
#include <string.h>

#include "platforms/generator.h"

enum { RACKS = 5, RACK_NODES = 32, NODES = 7 * RACKS * RACK_NODES };

static const struct platform_option options[] = {
    {"levels", "2", "islands, and what joins them"},
    {"down", "160x7", "160 nodes of each of 7 islands: node names, and De Sensi et al. 2025"},
    {"up", "320", "half of the 640 ports of an island's nodes: 2:1, De Sensi et al. 2025"},
    {"radix", "512", "an island is one switch"},
    {"bandwidth", "25GBps", "NDR200; of a node: one of its four ports (UCX_MAX_RNDV_RAILS=1)"},
    {"latency", "1us", "a guess, as for leonardo"},
    {NULL, NULL, NULL}};

static const char *const fixed[] = {"levels", "down", "radix", NULL};

static void name(const struct platform_hosts *hosts, int32_t node, char *text, size_t size)
{
    (void)hosts;
    snprintf(text, size, "as%02dr%db%02d", (int)(node / RACK_NODES / RACKS) + 1,
             (int)(node / RACK_NODES % RACKS) + 1, (int)(node % RACK_NODES) + 1);
}

static bool name_part(const char *what, int32_t part, char *text, size_t size)
{
    if (strcmp(what, "leaf") != 0)
        return false;
    snprintf(text, size, "island as%02d", (int)part + 1);
    return true;
}

const struct platform_machine platform_marenostrum5 = {
    .face = {.name = "marenostrum5",
             .title = "the accelerated partition of MareNostrum 5 at BSC: fat-tree of NDR "
                      "InfiniBand; hosts as01r1b01 to as07r5b32",
             .sizes = "marenostrum5, 1120 nodes; marenostrum5:N, the first N of them",
             .options = options,
             .base = "fat-tree"},
    .base = &platform_fat_tree,
    .whole = "1120",
    .terminals = "1120",
    .nodes = NODES,
    .fixed = fixed,
    .name = name,
    .name_part = name_part,
};
