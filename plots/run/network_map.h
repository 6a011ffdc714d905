/* network_map.h - the network of a run, each link in the colour of its load: as a picture for
 * papers, and for the page of a run, over time. */
#ifndef PLOTS_RUN_NETWORK_MAP_H
#define PLOTS_RUN_NETWORK_MAP_H

#include <jansson.h>

#include "plots/figure/plot.h"
#include "sim/engine/engine.h"

struct diag_network_map {
    const char *platform;            /* of a generator or machine */
    struct plot_figure_text text;    /* origin and labels */
    const struct plot_look *look;    /* NULL: the usual one */
    const struct sim_result *result; /* with the traffic of all links */
};

/* RB_EINVAL unless the file's name ends in .svg, and the platform can be drawn. */
int diag_network_map_check(const char *file, const char *platform, struct sup_error *error);
/* Writes the picture as SVG. Load is a link's share of the simulated time in which it would carry
 * its bytes at full bandwidth. Write errors show in the stream. As platform_map_create. */
int diag_network_map_draw(const struct diag_network_map *picture, FILE *stream,
                          struct sup_error *error);
/* What such a picture lacks: a set of enum plot_lack. */
unsigned diag_network_map_lacks(void);

/* The same picture with the loads over time, for a page; NULL if the platform can't be drawn. */
json_t *diag_network_map_json(const char *platform, const struct sim_contention *contention);

#endif
