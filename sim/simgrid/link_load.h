/* link_load.h - the load of each link: adds a message's bytes to all links of its route.
 *
 * Messages are first summed per pair of hosts, so that a route is looked up once per pair and not
 * once per message. Memory is bounded, because the sums are added to the links when there are too
 * many pairs. */
#ifndef SIM_SIMGRID_LINK_LOAD_H
#define SIM_SIMGRID_LINK_LOAD_H

#include "link_rounds.h"
#include "pair_table.h"
#include "sim/engine/engine.h"
#include "simgrid_platform.h"

#ifdef __cplusplus
extern "C" {
#endif

struct s4u_link_traffic {
    int64_t bytes;
    int64_t messages;
};

struct s4u_link_load {
    struct s4u_platform *platform;
    struct s4u_pair_table pairs;
    struct s4u_link_traffic *pair; /* by number of the pair */
    struct s4u_link_traffic *link; /* by number of the link */
};

/* RB_ENOMEM. The platform must outlive it. */
int s4u_link_load_init(struct s4u_link_load *load, struct s4u_platform *platform);
void s4u_link_load_free(struct s4u_link_load *load); /* safe on a zeroed struct */

/* Adds one message between two hosts. RB_ENOMEM, RB_EFAILED if there is no route. */
int s4u_link_load_add(struct s4u_link_load *load, int32_t from, int32_t to, int64_t bytes,
                      struct sup_error *error);

/* Up to `wanted` links that carried messages, busiest (most bytes per bandwidth) first, allocated,
 * with allocated names, and the most messages of a round that each carries. RB_ENOMEM, RB_EFAILED.
 */
int s4u_link_load_busiest(struct s4u_link_load *load, const struct s4u_link_rounds *rounds,
                          int32_t wanted, struct sim_link **links, int32_t *count,
                          struct sup_error *error);

#ifdef __cplusplus
}
#endif
#endif
