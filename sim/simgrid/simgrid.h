/* simgrid.h - the engine on SimGrid's flow model: contention on real topologies. */
#ifndef SIM_SIMGRID_SIMGRID_H
#define SIM_SIMGRID_SIMGRID_H

#include "link_load.h"
#include "sim/engine/engine.h"
#include "sim/engine/tally.h"
#include "simgrid_platform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a variant is given and what it finds out. */
struct s4u_run {
    const struct sim_spec *spec;
    struct s4u_platform *platform;
    const int32_t *host;        /* per rank */
    struct s4u_link_load *load; /* NULL: not wanted */
    double *finish_s;           /* per rank, zero at the start */
    int64_t messages;
    sim_tally bytes;
};

/* Shows a message to the spec's observer, if there is one. */
static inline void s4u_show(const struct s4u_run *run, const struct sim_message *message)
{
    if (run->spec->observer)
        run->spec->observer->message(run->spec->observer->context, message);
}

/* One run per process. RB_EINVAL for what the variant can't do, RB_EWRONG for a plan that doesn't
 * end, RB_EFAILED for a message that was lost, RB_ENOMEM. */
int s4u_actors(struct s4u_run *run, struct sup_error *error);
int s4u_signals(struct s4u_run *run, struct sup_error *error);

#ifdef __cplusplus
}
#endif
#endif
