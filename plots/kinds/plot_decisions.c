/* plot_decisions.c - which algorithm is the fastest for each p and m, and by how much. */
#include "plots/figure/plot.h"

static int draw(struct plot_plotter *plotter, size_t setting, const char **why)
{
    return plot_map_draw(plotter, &plot_decisions, setting, why);
}

const struct plot_kind plot_decisions = {
    .name = "decisions",
    .title = "the fastest algorithm over m and p, and its gain",
    .lacks = PLOT_LACKS_AXES | PLOT_LACKS_SPREAD,
    .draw = draw,
};
