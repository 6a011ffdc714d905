/* rails.h - nodes whose ranks each have a network interface (NIC) of their own.
 *
 * The groups are the nodes: N of them, of J to K ranks. Port 0 of a rank is its NIC, for messages
 * between nodes. Ports 1 to K - 1 are for those inside: a message from place i to place j of a node
 * of k ranks uses port (j - i) mod k at both ends. A rail consists of the ranks of one place of all
 * nodes, and nothing crosses rails, because switches often connect NICs of one place only. Lane j,
 * 0 <= j < J, is a circulant graph (Traeff 2024) over the nodes, whose edges are on rail j. A node
 * of J ranks has to take in everything through J NICs, so that more lanes would gain nothing. Where
 * k ranks share L < k NICs, in the order of places, there are L lanes (radix), and the head of lane
 * l, which sends and receives for its node, is the first place next to NIC l: ceil(l k / L).
 *
 * Plans of this kind need K ports, and have RB_ON_RAILS in their descriptor. They use
 * plan->data.circulant, with the nodes in place of the ranks. */
#pragma once

#include "schedules/circulant/circulant.h"

/* A rank's node and its place there. */
struct rb_rail_place {
    int32_t node, first, size; /* the node, its first rank, how many there are */
    int32_t place;
    int32_t lane; /* whose head it is, or -1 */
};

/* Sets data.circulant: the graph over nodes; rounds = n - 1 + ceil(log2 N), or 0 for one node; and
 * rails, with delay = 0. RB_ENOTSUP with why for fewer than K ports, or if the plan is direct, for
 * fewer than K + N - 2: port 0 and those from K on are then the NIC's, one for each other node.
 * O(1), or O(N) if sizes differ. */
int rb_rails_init(struct rb_plan *plan, bool direct, char *why, size_t why_size);
bool rb_rails_suit(const struct rb_plan *plan); /* .suits: K ports */
bool rb_rails_suit_directly(const struct rb_plan *plan);

struct rb_rail_place rb_rails_place(const struct rb_plan *plan, int32_t rank);
/* The place of a lane's head in a node of this size, and the lane of a place, or -1. */
int32_t rb_rails_lane(const struct rb_plan *plan, int32_t place, int32_t size);

static inline int32_t rb_rails_lanes(const struct rb_plan *plan)
{
    return plan->data.circulant.rails.lanes;
}

/* The nodes' numbers from the root's on: `relative` of this node, and the node of that number. */
int32_t rb_rails_relative(const struct rb_plan *plan, int32_t node);
int32_t rb_rails_node(const struct rb_plan *plan, int32_t relative);

/* Lane rounds are 0 .. n - 2 + ceil(log2 N); there are none for one node. */
static inline bool rb_rails_is_lane_round(const struct rb_plan *plan, int64_t u)
{
    const struct rb_circulant *graph = &plan->data.circulant.graph;
    return graph->p > 1 && u >= 0 && u < plan->n - 1 + graph->q;
}

/* A direct plan's blocks differ in length: the last ones are shorter, because what comes last must
 * still go on inside. Block u < n has n - u parts, or, if blocks rise at the start as well, the
 * least of u + 1, n - u and n / 3 rounded up. The parts in the blocks before u <= n. O(1). */
int64_t rb_rails_before(int64_t n, int64_t u, bool rise);
/* Sets blocks to all of these parts, times a factor. RB_EINVAL with why. */
int rb_rails_cut(struct rb_plan *plan, bool rise, int64_t factor, char *why, size_t why_size);

/* An operation of place `at` of its node on a message to or from a place of the same node, or over
 * the NIC to or from the head of the same lane in another node. In direct plans node a sends to
 * node b over port 0 if b - a mod N is 1, and over port K + d - 2 if it is d > 1. */
struct rb_op rb_rails_inside(const struct rb_rail_place *at, enum rb_op_kind kind, int32_t other,
                             struct rb_range range);
struct rb_op rb_rails_over(const struct rb_plan *plan, const struct rb_rail_place *at,
                           enum rb_op_kind kind, int32_t node, struct rb_range range);

#define RB_BY_RAILS          .info.groups = true, .info.own_nic = true
#define RB_LANES             .info.radix = "L: lanes, one per NIC of a node; by default one per rank"
#define RB_ON_RAILS          RB_BY_RAILS, .suits = rb_rails_suit
#define RB_ON_RAILS_DIRECTLY RB_BY_RAILS, .suits = rb_rails_suit_directly
