/* shard.h - a sweep divided among machines. */
#ifndef EXPERIMENTS_SWEEP_SHARD_H
#define EXPERIMENTS_SWEEP_SHARD_H

#include <stddef.h>
#include <stdint.h>

#include "experiments/sweep/expand.h"

/* The number, from 1, of the shard that has the i-th point, from 0. Every N-th point of the
 * costliest-first order belongs to the same shard, so shards cost about the same, and the first one
 * costs most. */
int32_t sweep_shard_of(size_t i, int32_t shards);

/* Leaves only the points of one shard. */
void sweep_shard_keep(struct sweep_points *points, int32_t shard, int32_t shards);

#endif
