/* library.c - how a library decides, and the blocks of its segments (decide.h). */
#include "experiments/decide/decide.h"

#include "mpi/vendors/names/mpilib.h"
#include "support/memory.h"

const struct rb_algorithm_info *decide_plan_of(const struct decide_library *library,
                                               const struct decide_taken *taken,
                                               const char *collective, int32_t p, int32_t per_node)
{
    const struct mpilib_algorithm *row = mpilib_named(library->library, collective, taken->name);
    if (taken->algorithm == NULL || (row != NULL && !mpilib_serves(row, p, per_node)))
        return NULL;
    return rb_algorithm_find(collective, taken->algorithm);
}

/* For n = 1; NULL: there is none. */
static struct rb_plan *plan_of_one(const struct rb_plan_spec *spec)
{
    struct rb_plan_spec one = *spec;
    struct rb_plan *plan;
    char why[200];
    one.n = 1;
    const int status = rb_plan_create(&one, &plan, why, sizeof why);
    sup_had_memory(status != RB_ENOMEM);
    return status == RB_OK ? plan : NULL;
}

/* Blocks of all data for n = 1; 0: there is no plan. */
static int64_t blocks_of_one(const struct rb_plan_spec *spec)
{
    struct rb_plan *plan = plan_of_one(spec);
    if (plan == NULL)
        return 0;
    const int64_t blocks = rb_plan_blocks(plan) * rb_plan_owners(plan);
    rb_plan_destroy(plan);
    return blocks;
}

int32_t decide_radix(const struct rb_plan_spec *spec)
{
    struct rb_plan *plan = spec->radix == 0 ? plan_of_one(spec) : NULL;
    const int32_t radix = plan == NULL ? spec->radix : rb_plan_radix(plan);
    rb_plan_destroy(plan);
    return radix;
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

int64_t decide_blocks(const struct rb_plan_spec *spec, int64_t m_bytes, int64_t segment_bytes)
{
    const struct rb_algorithm_info *info = rb_algorithm_find(spec->collective, spec->algorithm);
    const int64_t blocks = blocks_of_one(spec);
    if (info == NULL || blocks == 0)
        return 0;
    if (segment_bytes <= 0 || !info->pipelined)
        return 1;
    const int64_t n = ceil_div(ceil_div(m_bytes, blocks), segment_bytes);
    return n > 1 ? n : 1;
}

int64_t decide_segment(const struct rb_plan_spec *spec, int64_t m_bytes, int64_t n)
{
    const int64_t blocks = blocks_of_one(spec);
    return n <= 1 || blocks == 0 ? 0 : ceil_div(ceil_div(m_bytes, blocks), n);
}
