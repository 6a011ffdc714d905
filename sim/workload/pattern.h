/* pattern.h - point-to-point messages by a pattern: plans of one round, in which a rank sends and
 * receives all its messages side by side, each on a port of its own. The plans name no data. */
#ifndef SIM_WORKLOAD_PATTERN_H
#define SIM_WORKLOAD_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "roundabout.h"
#include "support/error.h"

enum sim_pattern_kind {
    SIM_HALO,   /* each rank with its neighbours on a grid, the last dimension counting fastest */
    SIM_PAIRS,  /* rank r with rank r xor `distance`, if it exists */
    SIM_MATRIX, /* as a list says */
};
enum { SIM_MOST_DIMENSIONS = 8 };
struct sim_grid {
    int32_t extent[SIM_MOST_DIMENSIONS], dimensions;
};

struct sim_sent {
    int32_t from, to; /* not the same */
    int64_t bytes;
    int32_t port; /* set by sim_pattern_make */
};

struct sim_pattern {
    enum sim_pattern_kind kind;
    struct sim_grid grid;  /* of SIM_HALO */
    bool periodic;         /* the ends of a dimension are neighbours */
    int32_t distance;      /* of SIM_PAIRS, >= 1 */
    int64_t bytes;         /* of each message, but of SIM_MATRIX */
    struct sim_sent *sent; /* of SIM_MATRIX; owned */
    size_t count;
};

/* Makes the plan among p ranks, which a grid has, and a list doesn't exceed. The pattern must
 * outlive the plan, which the caller destroys. RB_EINVAL: a rank would have more than RB_MAX_PORTS
 * messages. O(p + messages of a list). */
int sim_pattern_make(struct sim_pattern *pattern, int32_t p, struct rb_plan **plan,
                     struct sup_error *error);

#endif
