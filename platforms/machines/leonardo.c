/* leonardo.c - Leonardo (CINECA): 22 cells with nodes and one for input and output, a Dragonfly+ of
 * HDR InfiniBand (Turisini, Amati, Cestari, LEONARDO: A Pan-European Pre-Exascale Supercomputer for
 * HPC and AI Applications, 2023; De Sensi et al., Exploring GPU-to-GPU Communication: Insights into
 * Supercomputer Interconnects, 2024; nodes and leaf switches: data/pico/alloc/leonardo-nodes.csv).
 *
 * Nodes are called lrdn0001 to lrdn4992. Racks of one kind have the same pattern: which of a rack's
 * leaf switches its first node is at, its second one, ... Worked example: lrdn0009 is the ninth
 * node of the first rack, whose pattern has a 2 there: it is at the third leaf switch of cell 1. */
#include <stdio.h>
#include <string.h>

#include "platforms/generator.h"

enum { NODES = 4992, LEAVES = 18, LEAF_TERMINALS = 40, BOOSTER_NODES = 3456 };

static const struct platform_option options[] = {
    {"groups", "23", "19 Booster cells, a hybrid one, 2 data-centric ones and 1 without nodes"},
    {"leaves", "18", "of a Booster cell: 6 racks with 3 leaf switches each"},
    {"hosts", "40",
     "terminals of a leaf switch: 10 nodes in Booster cells, 38 or 40 in data-centric ones"},
    {"spines", "18", "of a cell: De Sensi et al. 2024"},
    {"global", "18",
     "each spine switch has a cable to each of the 22 other cells: De Sensi et al. 2024"},
    {"bandwidth", "25GBps", "HDR, 200 Gb/s; of a node: two of its four HDR100 ports, as UCX uses"},
    {"latency", "1us", "a guess: 0.6 us of the adapters and 90 ns for each of 4 switches (NVIDIA)"},
    {NULL, NULL, NULL}};

static const char *const fixed[] = {"groups", "leaves", "hosts", NULL};

/* Racks that are alike: the cell and the leaf switch of their first one, how many of their racks a
 * cell has, and how many leaf switches a rack. */
static const struct kind {
    int32_t first_node, racks, cell, racks_of_cell, leaf, leaves;
    const char *pattern;
} kinds[] = {
    {0, 114, 0, 6, 0, 3, "000000002222001122221111111122"},
    {3420, 2, 19, 2, 0, 3, "000000002222001122"},
    {3456, 6, 19, 6, 6, 2, "000000000000000000000000001001001001100100100100"},
    {3744, 16, 20, 8, 0, 2,
     "000000000000000000000000001001001001100100100100111111111111111111111111111111"},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static const struct kind *kind_of(int32_t node)
{
    int32_t k = KINDS - 1;
    while (kinds[k].first_node > node)
        k--;
    return &kinds[k];
}

static int32_t terminal(int32_t node)
{
    const struct kind *kind = kind_of(node);
    const int32_t size = (int32_t)strlen(kind->pattern);
    const int32_t rack = (node - kind->first_node) / size;
    const int32_t place = (node - kind->first_node) % size;
    const int32_t leaf =
        kind->leaf + rack % kind->racks_of_cell * kind->leaves + (kind->pattern[place] - '0');
    int32_t before = 0; /* nodes of the rack at the same leaf switch */
    for (int32_t i = 0; i < place; i++)
        before += kind->pattern[i] == kind->pattern[place];
    return ((kind->cell + rack / kind->racks_of_cell) * LEAVES + leaf) * LEAF_TERMINALS + before;
}

/* A data-centric node has one HDR100 port. */
static double share(int32_t node)
{
    return node < BOOSTER_NODES ? 1 : 0.5;
}

static void name(const struct platform_hosts *hosts, int32_t node, char *text, size_t size)
{
    (void)hosts;
    snprintf(text, size, "lrdn%04d", (int)node + 1);
}

static bool name_part(const char *what, int32_t part, char *text, size_t size)
{
    if (strcmp(what, "group") == 0)
        snprintf(text, size, "cell %d", (int)part + 1);
    else if (strcmp(what, "leaf") == 0)
        snprintf(text, size, "cell %d leaf %d", (int)(part / LEAVES) + 1, (int)(part % LEAVES) + 1);
    else
        return false;
    return true;
}

const struct platform_machine platform_leonardo = {
    .face = {.name = "leonardo",
             .title =
                 "Leonardo at CINECA: Dragonfly+ of HDR InfiniBand; hosts lrdn0001 to lrdn4992",
             .sizes = "leonardo, 4992 nodes; leonardo:N, the first N of them",
             .options = options,
             .base = "dragonfly+"},
    .base = &platform_dragonfly_plus,
    .whole = "4992",
    .terminals = "16560",
    .nodes = NODES,
    .fixed = fixed,
    .terminal = terminal,
    .share = share,
    .name = name,
    .name_part = name_part,
};
