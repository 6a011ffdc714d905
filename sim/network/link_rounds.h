/* link_rounds.h - counts the messages of one round on each link, to find out whether a plan is free
 * of contention on these hosts. The counts come from the plan and the routes alone and hold for
 * every overlap rule; in lockstep these messages share the link at the same time. Adaptive routing
 * is taken to route the messages of a round in the order of their senders. */
#ifndef SIM_NETWORK_LINK_ROUNDS_H
#define SIM_NETWORK_LINK_ROUNDS_H

#include "platforms/network.h"
#include "sim/engine/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

struct net_link_rounds {
    int32_t *most;   /* per link: the largest number of messages of one round; owned */
    int32_t fullest; /* the shared link with the highest load in a round, the first of several; -1:
                      * no link is used */
    int64_t fullest_round; /* the first */
    int32_t fullest_messages;
    double load; /* the bandwidth that these messages could use, each that of its route, divided by
                  * the link's bandwidth; up to 1 they do not slow each other */
};

/* host[r] for each rank of the plan; layout as for rb_layout_round. O(messages x links
 * of a route), memory O(p + links). RB_EFAILED if there is no route. */
int net_link_rounds_count(const struct rb_plan *plan, const struct rb_layout *layout,
                          struct platform_network *network, const int32_t host[],
                          struct net_link_rounds *rounds, struct sup_error *error);
/* One round of a plan. Arrays by number of the link have values for these links only. */
struct net_round {
    int64_t round;
    int32_t count;
    const int32_t *link;     /* those that carry a message in this round */
    const int32_t *messages; /* by number of the link */
    const double *load;      /* by number of the link, as struct net_link_rounds has it */
};
typedef void net_round_visitor(void *context, const struct net_round *round);
/* Shows all rounds in their order, idle ones too. As net_link_rounds_count. */
int net_link_rounds_visit(const struct rb_plan *plan, const struct rb_layout *layout,
                          struct platform_network *network, const int32_t host[],
                          net_round_visitor *visit, void *context, struct sup_error *error);

void net_link_rounds_free(struct net_link_rounds *rounds); /* safe on a zeroed struct */

#ifdef __cplusplus
}
#endif
#endif
