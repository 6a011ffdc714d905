#include "plan_cache.h"

void lib_plan_cache_init(struct lib_plan_cache *cache, int32_t p, int32_t rank)
{
    *cache = (struct lib_plan_cache){.p = p, .rank = rank, .rank_by_host = rank};
}

static void release(struct lib_cached_plan *cached)
{
    exec_script_free(&cached->script);
    rb_plan_destroy(cached->plan);
}

void lib_plan_cache_free(struct lib_plan_cache *cache)
{
    for (int32_t i = 0; i < cache->count; i++)
        release(&cache->cached[i]);
    *cache = (struct lib_plan_cache){0};
}

static bool same_key(const struct lib_plan_key *a, const struct lib_plan_key *b)
{
    return a->algorithm == b->algorithm && a->plan.n == b->plan.n && a->plan.root == b->plan.root &&
           a->plan.ordered == b->plan.ordered && a->plan.radix == b->plan.radix &&
           a->plan.groups == b->plan.groups;
}

/* A free place, or that of the plan that was not used for longest. */
static struct lib_cached_plan *make_room(struct lib_plan_cache *cache)
{
    if (cache->count < LIB_CACHED_PLANS)
        return &cache->cached[cache->count++];
    struct lib_cached_plan *oldest = &cache->cached[0];
    for (int32_t i = 1; i < LIB_CACHED_PLANS; i++)
        if (cache->cached[i].used < oldest->used)
            oldest = &cache->cached[i];
    release(oldest);
    return oldest;
}

int lib_plan_cache_get(struct lib_plan_cache *cache, const struct lib_plan_key *key,
                       struct lib_cached_plan **found)
{
    const int64_t now = ++cache->look_ups;
    for (int32_t i = 0; i < cache->count; i++)
        if (same_key(&cache->cached[i].key, key)) {
            cache->cached[i].used = now;
            *found = &cache->cached[i];
            return RB_OK;
        }
    struct rb_plan_spec spec = key->plan;
    spec.collective = key->algorithm->collective;
    spec.algorithm = key->algorithm->name;
    spec.p = cache->p;
    struct rb_plan *plan;
    const int status = rb_plan_create(&spec, &plan, NULL, 0);
    if (status != RB_OK)
        return status == RB_ENOTSUP ? RB_EINVAL : status;
    struct lib_cached_plan *made = make_room(cache);
    *made = (struct lib_cached_plan){.key = *key, .plan = plan, .used = now};
    rb_plan_rank(plan, key->plan.groups != NULL ? cache->rank_by_host : cache->rank, &made->state);
    *found = made;
    return RB_OK;
}
