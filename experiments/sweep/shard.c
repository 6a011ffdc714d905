/* shard.c - see shard.h. */
#include "experiments/sweep/shard.h"

int32_t sweep_shard_of(size_t i, int32_t shards)
{
    return (int32_t)(i % (size_t)shards) + 1;
}

void sweep_shard_keep(struct sweep_points *points, int32_t shard, int32_t shards)
{
    size_t kept = 0;
    for (size_t i = 0; i < points->count; i++)
        if (sweep_shard_of(i, shards) == shard)
            points->point[kept++] = points->point[i];
    points->count = kept;
}
