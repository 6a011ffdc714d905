/* colours.h - the colours of messages in pictures and traces: by the first block that a message
 * carries or, if every rank owns data, by the owner. */
#ifndef PLOTS_FIGURE_COLOURS_H
#define PLOTS_FIGURE_COLOURS_H

#include "sim/observe/diagnosis.h"

struct plot_colours {
    const struct sim_spec *spec;
    struct rb_op *ops; /* room for a message's; owned */
};

/* The spec must outlive the colours. */
void plot_colours_init(struct plot_colours *colours, const struct sim_spec *spec);
void plot_colours_free(struct plot_colours *colours); /* safe on a zeroed struct */

/* "block", or "owner". */
const char *plot_colours_name(const struct sim_spec *spec);
/* The number of colours, which are 0 .. count - 1. */
int64_t plot_colours_count(const struct sim_spec *spec);
/* The colour of a message. O(log p + max_ops). */
int64_t plot_colour_of(const struct plot_colours *colours, const struct sim_message *message);

#endif
