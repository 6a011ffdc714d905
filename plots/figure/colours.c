/* colours.c - see colours.h. */
#include "plots/figure/colours.h"

#include <stdlib.h>

#include "sim/observe/recording.h"
#include "support/memory.h"

void plot_colours_init(struct plot_colours *colours, const struct sim_spec *spec)
{
    const size_t most = (size_t)rb_plan_max_ops(spec->plan) + 1;
    *colours = (struct plot_colours){spec, sup_calloc(most, sizeof *colours->ops)};
}

void plot_colours_free(struct plot_colours *colours)
{
    free(colours->ops);
    *colours = (struct plot_colours){0};
}

const char *plot_colours_name(const struct sim_spec *spec)
{
    return rb_plan_owners(spec->plan) > 1 ? "owner" : "block";
}

int64_t plot_colours_count(const struct sim_spec *spec)
{
    const int32_t owners = rb_plan_owners(spec->plan);
    return owners > 1 ? owners : rb_plan_blocks(spec->plan);
}

int64_t plot_colour_of(const struct plot_colours *colours, const struct sim_message *message)
{
    if (obs_message_ops(colours->spec, message, false, colours->ops) == 0)
        return 0; /* never, of a message that an engine has shown */
    const struct rb_range *at = &colours->ops[0].at;
    return rb_plan_owners(colours->spec->plan) > 1 ? at->owner : at->first;
}
