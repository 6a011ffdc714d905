/* cuts.c - see cuts.h. */
#include "cuts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void platform_cuts_add(struct platform_cuts *cuts, const char *name, int64_t terminals,
                       double bandwidth)
{
    if (terminals < 2 || terminals >= cuts->who.terminals || cuts->count == PLATFORM_MOST_CUTS)
        return;
    struct platform_cut *cut = &cuts->cut[cuts->count++];
    cut->terminals = (int32_t)terminals;
    cut->bandwidth = bandwidth;
    if (name == NULL)
        snprintf(cut->name, sizeof cut->name, "block of %d hosts", (int)terminals);
    else
        snprintf(cut->name, sizeof cut->name, "%s", name);
}

/* The cables of a host along a side, of the host that has most. */
static int32_t cables_along(int32_t side)
{
    return side > 2 ? 2 : side - 1;
}

int32_t platform_cuts_hops(const struct platform_cuts *cuts, int32_t from, int32_t to)
{
    const struct platform_grid *grid = &cuts->grid;
    int32_t hops = 0;
    for (int32_t i = 0; i < grid->sides; i++) {
        const int32_t side = grid->side[i], apart = abs(from % side - to % side);
        hops += grid->wraps && side - apart < apart ? side - apart : apart;
        from /= side;
        to /= side;
    }
    return grid->sides > 0 ? hops : 1;
}

/* A block has `width` layers of a side, and all of the sides before. */
void platform_cuts_add_grid(struct platform_cuts *cuts, const int32_t side[], int32_t sides,
                            bool wraps, double bandwidth)
{
    int64_t layer = 1; /* hosts */
    cuts->grid.sides = sides;
    cuts->grid.wraps = wraps;
    memcpy(cuts->grid.side, side, (size_t)sides * sizeof *side);
    for (int32_t i = 0; i < sides; layer *= side[i++]) {
        int32_t beyond = 0; /* cables of a host along the sides that follow */
        for (int32_t j = i + 1; j < sides; j++)
            beyond += cables_along(side[j]);
        if (i + 1 < sides)
            platform_cuts_add(cuts, NULL, layer * side[i],
                              bandwidth * (double)(layer * side[i] * beyond));
        for (int32_t width = (side[i] + 1) / 2; width > 1; width = (width + 1) / 2) {
            /* Of the inner sides only those that the width divides: others reach around. */
            if (i + 1 < sides && side[i] % width != 0)
                break;
            const int32_t faces = wraps || width < (side[i] + 1) / 2 ? 2 : 1;
            platform_cuts_add(cuts, NULL, layer * width,
                              bandwidth * (double)(layer * (faces + (int64_t)width * beyond)));
        }
    }
}
