/* known_platform.h - the platforms of an experiment: checked and probed once, loaded often. */
#ifndef RB_EXPERIMENTS_POINT_KNOWN_PLATFORM_H
#define RB_EXPERIMENTS_POINT_KNOWN_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/engine/engine.h"
#include "support/error.h"

struct rb_known_platform {
    char *text; /* as written in the experiment */
    char hash[17];
    int32_t hosts;
    double alpha_s;         /* of the route from the first host to the second */
    double beta_s_per_byte; /* likewise */
};

/* Checks the platform and asks the engine for hosts, alpha and beta by one message between two
 * ranks, which also shows whether platform, engine, variant and options go together. */
int rb_known_platform_make(const char *text, const struct rb_sim_spec *how,
                           const struct rb_engine *engine, struct rb_known_platform *platform,
                           struct rb_error *error);
/* Safe on a zeroed struct. */
void rb_known_platform_free(struct rb_known_platform *platform);

#endif
