/* shares.h - max-min fair shares of links among flows, repaired as flows come and go.
 *
 * A flow crosses links and has a weight. Its rate is its weight times its level. The levels are
 * max-min fair: each flow crosses a full link on which no flow has a higher level; so no rate can
 * rise unless that of a flow with a level as low falls. A link is full if its flows have all its
 * bandwidth together; one that is not shared (SimGrid's FATPIPE), if one of its flows has it.
 *
 * Repair instead of solving anew: what changes starts at the links of flows that came or went, and
 * spreads only where a level really moves. Links are settled in the order of their levels, lowest
 * first, as in plain water-filling; levels below the first change are never looked at. */
#ifndef SIM_FLOW_SHARES_H
#define SIM_FLOW_SHARES_H

#include <stdbool.h>
#include <stdint.h>

#include "platforms/network.h"

struct flow_shares;

/* Links 0 <= l < links with bandwidths above 0; copied. Flows have the numbers 0 .. flows - 1, of
 * which none is there at first. NULL: too many to count. */
struct flow_shares *flow_shares_create(int32_t links, const struct platform_link link[],
                                       int32_t flows);
void flow_shares_destroy(struct flow_shares *shares); /* NULL is fine */

/* Says which `count` >= 1 links a flow that is not there will cross. It takes a share of a link for
 * each time that it crosses it. The flow keeps this route until the next call, also when it is
 * removed and added again. False: too many to count. O(count). */
bool flow_shares_route(struct flow_shares *shares, int32_t flow, int32_t count,
                       const int32_t link[]);
/* The i-th link of its route; -1 beyond the end. */
int32_t flow_shares_link(const struct flow_shares *shares, int32_t flow, int32_t i);

/* Adds a flow that is not there, on its route, with weight > 0. Its rate is 0 until
 * flow_shares_solve. O(count log links). */
void flow_shares_add(struct flow_shares *shares, int32_t flow, double weight);
void flow_shares_remove(struct flow_shares *shares, int32_t flow);

/* Repairs the rates after any number of flows came and went. *changed: the flows whose rates are
 * others than before, each once, valid until the next call; their number is returned. A rate that
 * would move by a relative 1e-12 or less keeps its bits. */
int32_t flow_shares_solve(struct flow_shares *shares, const int32_t **changed);

double flow_shares_rate(const struct flow_shares *shares, int32_t flow);

#endif
