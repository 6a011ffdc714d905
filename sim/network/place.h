/* place.h - which host each rank is on, for engines that have a network: by a rule, by a file that
 * names hosts, or by a search. */
#pragma once

#include <stdint.h>

#include "platforms/network.h"
#include "sim/engine/engine.h"

/* Fills host[r] for each rank of the spec's workload, plan or native collective, and of the result
 * host, host_names and searched where they are asked for. As sim_placement_map and
 * net_order_search; RB_EINVAL too for a search without a plan. */
int net_place(const struct sim_spec *spec, struct platform_network *network, int32_t host[],
              struct sim_result *result, struct sup_error *error);

/* ---- Numbers of pairs ------------------------------------------------------------------------ */

/* Numbers keys in the order in which they are first seen: a hash table. */

struct net_pair_table {
    uint64_t *key; /* in order of number; owned */
    int64_t count;
    int64_t *bucket;      /* number + 1, or 0 for an empty one; owned */
    int64_t bucket_count; /* a power of two; there is room for half as many keys */
};

/* The key's number, 0 <= number < count; a new key gets number count, and count grows by one. Keys
 * are any values. O(1) on average. */
int64_t net_pair_table_number(struct net_pair_table *table, uint64_t key);
void net_pair_table_clear(struct net_pair_table *table); /* keeps the room */
void net_pair_table_free(struct net_pair_table *table);  /* safe on a zeroed struct */

/* Two ranks or hosts as one key. */
static inline uint64_t net_pair_key(int32_t a, int32_t b)
{
    return (uint64_t)(uint32_t)a << 32 | (uint32_t)b;
}
