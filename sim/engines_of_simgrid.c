/* engines_of_simgrid.c - the engines `simgrid` and `smpi`, described for the registry: what is
 * known of them before SimGrid is loaded. */
#include "sim/simgrid/simgrid.h"
#include "sim/smpi/smpi.h"

static bool always(const struct sim_spec *spec)
{
    (void)spec;
    return true;
}

const struct sim_engine s4u_engine = {
    .name = "simgrid",
    .title = "SimGrid",
    .variants = "signals, actors",
    .options = "any of SimGrid's --cfg",
    .needs_process = always,
    .costs = {.start_s = 0.01,
              .host_s = 2e-5,
              .message_s = 2.3e-6,
              .crowd_s = 6.9e-6,
              .operation_s = 3.7e-8,
              .flow_s = 3.3e-7,
              .power = 0.77,
              .connected_s = 5.8e-9,
              .connected_power = 1.77},
    .walks = true,
    .jitters = true,
    .observes = true,
    .counts_links = true,
    .simulate = s4u_simulate,
};

#ifdef ROUNDABOUT_WITH_SMPI
static int find_native(const struct rb_collective_info *collective, const char *name,
                       struct sup_error *error)
{
    const int status = s4u_ready(error);
    return status != RB_OK ? status : simmpi_find_native(collective, name, error);
}

const struct sim_engine simmpi_engine = {
    .name = "smpi",
    .title = "SMPI",
    .options = "any of SimGrid's --cfg",
    .needs_process = always,
    .costs = {.start_s = 0.02,
              .host_s = 2e-5,
              .message_s = 1.6e-5,
              .operation_s = 1.2e-6,
              .byte_s = 6.5e-10},
    .simulate = simmpi_simulate,
    .find_native = find_native,
};
#endif
