/* plan_cache.h - the plans that a communicator has used recently, each with this rank's state. A
 * call's set-up is then a look-up, which takes tens of nanoseconds for every p; making a plan takes
 * up to O(p log p). The cache is bounded: the least recently used plan is replaced. This module
 * does not use MPI, and only one thread may use it at a time. */
#pragma once

#include "mpi/executor/script.h"

enum { LIB_CACHED_PLANS = 32 };

/* What tells plans of one communicator apart. */
struct lib_plan_key {
    const struct rb_algorithm_info *algorithm; /* from the registry */
    struct rb_plan_spec plan; /* all but collective, algorithm and p, which the cache fills in;
                                 groups are told apart by their address */
};

struct lib_cached_plan {
    struct lib_plan_key key;
    struct rb_plan *plan;
    struct rb_rank state;
    struct exec_script script; /* of the size that it ran last with, if that was short */
    int64_t used;              /* the look-up that used it last */
};

struct lib_plan_cache {
    int32_t p, rank;
    int32_t rank_by_host; /* in plans by groups (hosts.h) */
    int32_t count;
    int64_t look_ups;
    struct lib_cached_plan cached[LIB_CACHED_PLANS];
};

/* An empty cache for rank `rank` of p, which has the same number in plans by groups. Free with
 * lib_plan_cache_free; a zeroed one is fine. */
void lib_plan_cache_init(struct lib_plan_cache *cache, int32_t p, int32_t rank);
void lib_plan_cache_free(struct lib_plan_cache *cache);

/* The plan of this key, which is made if necessary. *found belongs to the cache and is valid until
 * the next call. RB_EINVAL: the algorithm cannot serve the key; RB_ENOMEM. */
int lib_plan_cache_get(struct lib_plan_cache *cache, const struct lib_plan_key *key,
                       struct lib_cached_plan **found);
