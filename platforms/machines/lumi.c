/* lumi.c - LUMI-G, the GPU partition of LUMI (CSC): a dragonfly of Slingshot-11 switches, a group
 * in each of 24 cabinets (LUMI's user guide, Network and interconnect; De Sensi, Di Girolamo,
 * McMahon, Roweth, Hoefler, An In-Depth Analysis of the Slingshot Interconnect, 2020; nodes and
 * cabinets: data/pico/alloc).
 *
 * Nodes are called nid005000 to nid007977. Cabinets x1100 to x1105, x1200 to x1205, ... have 8
 * chassis of 8 blades of 2 nodes, but no blade 7 in chassis 5 and 7, which leaves 124 nodes; the
 * last cabinet has 126. Four nodes share a switch, as a chassis with 16 nodes has 4 switches: which
 * ones is a guess. Worked example: nid006718 is node 106 of cabinet x1301 (the 14th), whose chassis
 * 5 lacks 2 nodes before it, so it is in place 108, blade 6 of chassis 6: x1301c6s6b0n0. */
#include <stdio.h>
#include <string.h>

#include "platforms/generator.h"

enum {
    FIRST_NAME = 5000,
    CABINETS = 24,
    CABINET_NODES = 124,
    CABINET_TERMINALS = 128,
    NODES = CABINETS * CABINET_NODES + 2,
    FIRST_GAP = 94, /* terminals without nodes: 94 and 95, and 126 and 127 */
    ROW = 6         /* cabinets */
};

static const struct platform_option options[] = {
    {"groups", "24", "a group is a cabinet: LUMI's user guide"},
    {"routers", "32", "of a group: LUMI's user guide"},
    {"hosts", "4", "128 terminals of a cabinet at 32 switches, each node at one of its switches"},
    {"global", "20",
     "276 TB/s between all of 276 pairs, 50 GB/s in both directions of a cable: LUMI's user guide"},
    {"spread", "yes", "cables end at different switches"},
    {"bandwidth", "25GBps", "200 Gb/s; of a node: one of its four adapters, as one process uses"},
    {"latency", "2us",
     "a guess: adapters and 3 or 4 switches of 350 ns each (De Sensi et al. 2020)"},
    {NULL, NULL, NULL}};

static const char *const fixed[] = {"groups", "routers", "hosts", NULL};

static int32_t terminal(int32_t node)
{
    const int32_t last = CABINETS - 1;
    const int32_t cabinet = node / CABINET_NODES < last ? node / CABINET_NODES : last;
    const int32_t place = node - cabinet * CABINET_NODES;
    return cabinet * CABINET_TERMINALS + place + (place >= FIRST_GAP ? 2 : 0);
}

static void name(const struct platform_hosts *hosts, int32_t node, char *text, size_t size)
{
    (void)hosts;
    snprintf(text, size, "nid%06d", (int)node + FIRST_NAME);
}

static bool name_part(const char *what, int32_t part, char *text, size_t size)
{
    const int32_t routers = 32;
    const int32_t group = strcmp(what, "router") == 0 ? part / routers : part;
    const int cabinet = 1100 + 100 * (group / ROW) + group % ROW;
    if (strcmp(what, "group") == 0)
        snprintf(text, size, "x%d", cabinet);
    else if (strcmp(what, "router") == 0)
        snprintf(text, size, "x%dc%d switch %d", cabinet, (int)(part % routers / 4),
                 (int)(part % 4));
    else
        return false;
    return true;
}

const struct platform_machine platform_lumi = {
    .face = {.name = "lumi",
             .title = "LUMI-G at CSC: dragonfly of Slingshot-11; hosts nid005000 to nid007977",
             .sizes = "lumi, 2978 nodes; lumi:N, the first N of them",
             .options = options,
             .base = "dragonfly"},
    .base = &platform_dragonfly,
    .whole = "2978",
    .terminals = "3072",
    .nodes = NODES,
    .fixed = fixed,
    .terminal = terminal,
    .name = name,
    .name_part = name_part,
};
