/* simgrid.h - the engine on SimGrid's flow model: contention on real topologies. */
#ifndef RB_SIM_SIMGRID_SIMGRID_H
#define RB_SIM_SIMGRID_SIMGRID_H

#include "link_load.h"
#include "sim/engine/engine.h"
#include "sim/engine/tally.h"
#include "simgrid_platform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a variant is given and what it finds out. */
struct rb_simgrid_run {
    const struct rb_sim_spec *spec;
    struct rb_simgrid *platform;
    const int32_t *host;       /* per rank */
    struct rb_link_load *load; /* NULL: not wanted */
    double *finish_s;          /* per rank, zero at the start */
    int64_t messages;
    rb_tally bytes;
};

/* Shows a message to the spec's observer, if there is one. */
static inline void rb_simgrid_show(const struct rb_simgrid_run *run,
                                   const struct rb_sim_message *message)
{
    if (run->spec->observer)
        run->spec->observer->message(run->spec->observer->context, message);
}

/* One run per process. RB_EINVAL for what the variant can't do, RB_EWRONG for a plan that doesn't
 * end, RB_EFAILED for a message that was lost, RB_ENOMEM. */
int rb_simgrid_actors(struct rb_simgrid_run *run, struct rb_error *error);
int rb_simgrid_signals(struct rb_simgrid_run *run, struct rb_error *error);

#ifdef __cplusplus
}
#endif
#endif
