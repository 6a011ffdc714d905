/* fugaku.c - Fugaku (RIKEN): Tofu interconnect D, a torus in six dimensions (Ajima et al., The Tofu
 * Interconnect D, 2018). Jobs get a torus of one to three dimensions of any shape: its neighbours
 * are neighbours in the machine. So fugaku:8x8x8 is such a job, and fugaku:24x23x24x2x3x2 is the
 * whole machine.
 *
 * Hosts are called by their coordinates, the first number first: fugaku-0-0-0, fugaku-1-0-0, ... */
#include <stdio.h>

#include "platforms/generator.h"

static const struct platform_option options[] = {
    {"ports", "6", "a node's six network interfaces: Ajima et al. 2018"},
    {"bandwidth", "6.8GBps", "a link, in each direction: Ajima et al. 2018"},
    {"latency", "490ns", "of a put of 8 bytes to a neighbour: Ajima et al. 2018"},
    {NULL, NULL, NULL}};

static const char *const fixed[] = {NULL};

static void name(const struct platform_hosts *hosts, int32_t node, char *text, size_t size)
{
    snprintf(text, size, "fugaku");
    for (int32_t i = 0; i < hosts->sides; node /= hosts->side[i++])
        sup_append(text, size, "-", "%d", (int)(node % hosts->side[i]));
}

const struct platform_machine platform_fugaku = {
    .face = {.name = "fugaku",
             .title = "Fugaku at RIKEN: Tofu-D, a torus; hosts fugaku-0-0-0, fugaku-1-0-0, ...",
             .sizes = "fugaku, 24x23x24x2x3x2 nodes; fugaku:AxBxC, a job's torus, or its number of "
                      "dimensions may differ",
             .options = options,
             .base = "tofu"},
    .base = &platform_tofu,
    .whole = "24x23x24x2x3x2",
    .fixed = fixed,
    .name = name,
};
