/* known_platform.h - the platforms of an experiment: checked and probed once, loaded often. */
#ifndef EXPERIMENTS_POINT_KNOWN_PLATFORM_H
#define EXPERIMENTS_POINT_KNOWN_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "experiments/point/lower_bound.h"
#include "platforms/network.h"
#include "sim/engine/engine.h"
#include "support/error.h"

struct point_known_platform {
    char *text; /* as written in the experiment */
    char hash[17];
    int32_t hosts;
    double alpha_s;              /* of the route from the first host to the second; where hosts of
                                  * a node are nearer to each other, of one between nodes */
    double beta_s_per_byte;      /* likewise */
    struct platform_cuts cuts;   /* of a file 0, which are not known */
    struct point_bounds *bounds; /* of this platform; owned; of a file NULL */
};

/* platform_check_xml, with a note on standard error of what is ignored. */
int point_check_file(const char *path, struct sup_error *error);

/* The two steps of point_known_platform_make: checks the platform, with its hash and cuts; and
 * probes it. The caller frees it, also on failure. */
int point_known_platform_look(const char *text, struct point_known_platform *platform,
                              struct sup_error *error);
int point_known_platform_probe(struct point_known_platform *platform, const struct sim_spec *how,
                               const struct sim_engine *engine, struct sup_error *error);

/* Checks the platform and gets hosts, alpha and beta from the engine by simulating one message
 * between two ranks. This also tests that platform, engine, variant and options are compatible. */
int point_known_platform_make(const char *text, const struct sim_spec *how,
                              const struct sim_engine *engine,
                              struct point_known_platform *platform, struct sup_error *error);
/* Ranks of a node where each host has so many: of GPUs, each of which is a host (rails), a node has
 * several. */
int32_t point_ranks_per_node(const char *platform, int32_t ppn);
/* Safe on a zeroed struct. */
void point_known_platform_free(struct point_known_platform *platform);

#endif
