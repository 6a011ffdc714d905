/* plot_regret_map.c - how much each algorithm loses to the fastest one for each p and m, a panel
 * per algorithm. */
#include "plots/figure/plot.h"

static int draw(struct plot_plotter *plotter, size_t setting, const char **why)
{
    return plot_map_draw(plotter, &plot_regret_map, setting, why);
}

const struct plot_kind plot_regret_map = {
    .name = "regret-map",
    .title = "time of each algorithm over m and p, by that of the fastest",
    .lacks = PLOT_LACKS_AXES | PLOT_LACKS_LEGEND | PLOT_LACKS_SPREAD | PLOT_LACKS_SERIES,
    .draw = draw,
};
