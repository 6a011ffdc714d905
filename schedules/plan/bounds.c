/* bounds.c - closed-form costs, the block count that minimises them, and lower bounds. */
#include <math.h>

#include "plan.h"

int32_t rb_ceil_log2(int64_t p)
{
    int32_t q = 0;
    while (q < 62 && ((int64_t)1 << q) < p)
        q++;
    return q;
}

int32_t rb_ceil_log(int64_t p, int64_t base)
{
    int32_t q = 0;
    for (int64_t reached = 1; reached < p; q++)
        if (__builtin_mul_overflow(reached, base, &reached))
            return q + 1;
    return q;
}

int rb_plan_cost(const struct rb_plan *plan, const struct rb_layout *layout, double alpha_s,
                 double beta_s_per_byte, double *time_s)
{
    *time_s = 0;
    if (plan->algorithm->cost == NULL || layout->first != NULL)
        return RB_ENOTSUP;
    if (plan->p > 1)
        *time_s = plan->algorithm->cost(plan, (double)layout->bytes, alpha_s, beta_s_per_byte);
    return RB_OK;
}

/* Time of `per_block` n + `fixed` rounds of alpha + beta m / n each, in units of alpha; bytes_alpha
 * is beta m / alpha. */
static double pipeline_time(double per_block, double fixed, double n, double bytes_alpha)
{
    return (per_block * n + fixed) * (1 + bytes_alpha / n);
}

/* The real minimum of pipeline_time is at sqrt(fixed beta m / (per_block alpha)); the integer one
 * is next to it because the function is convex. */
static int64_t best_pipeline_n(double per_block, double fixed, int64_t most, double bytes,
                               double alpha_s, double beta_s_per_byte)
{
    if (most <= 1 || fixed <= 0 || beta_s_per_byte <= 0)
        return 1;
    if (alpha_s <= 0)
        return most;
    const double bytes_alpha = bytes * (beta_s_per_byte / alpha_s);
    const double optimum = floor(sqrt(fixed / per_block * bytes_alpha));
    if (optimum < 1)
        return 1;
    if (optimum >= (double)most)
        return most;
    const double here = pipeline_time(per_block, fixed, optimum, bytes_alpha);
    const double above = pipeline_time(per_block, fixed, optimum + 1, bytes_alpha);
    return (int64_t)optimum + (above < here ? 1 : 0);
}

static bool are_costs(int64_t bytes, double alpha_s, double beta_s_per_byte)
{
    return bytes >= 0 && alpha_s >= 0 && beta_s_per_byte >= 0 && isfinite(alpha_s) &&
           isfinite(beta_s_per_byte);
}

int rb_best_n(const struct rb_plan_spec *spec, int64_t bytes, double alpha_s,
              double beta_s_per_byte, int64_t *n)
{
    *n = 1;
    if (!are_costs(bytes, alpha_s, beta_s_per_byte))
        return RB_EINVAL;
    struct rb_plan_spec one = *spec;
    one.n = 1;
    struct rb_plan *plan;
    int status = rb_plan_create(&one, &plan, NULL, 0);
    if (status != RB_OK)
        return status;
    if (plan->algorithm->info.only != NULL)
        *n = plan->n;
    if (plan->algorithm->pipeline != NULL && plan->p > 1) {
        int64_t per_block, fixed;
        plan->algorithm->pipeline(plan, &per_block, &fixed);
        int64_t most = bytes < RB_MAX_BLOCKS ? bytes : RB_MAX_BLOCKS;
        *n = best_pipeline_n((double)per_block, (double)fixed, most, (double)bytes, alpha_s,
                             beta_s_per_byte);
    }
    rb_plan_destroy(plan);
    return RB_OK;
}

int rb_best_radix(const struct rb_plan_spec *spec, int64_t bytes, double alpha_s,
                  double beta_s_per_byte, bool power_of_two, int32_t *radix)
{
    const struct rb_algorithm *algorithm =
        rb_algorithm_named(spec->collective, spec->algorithm, NULL, 0);
    const struct rb_layout layout = {.bytes = bytes, .element = 1};
    double best_s = INFINITY;
    *radix = 0;
    if (!are_costs(bytes, alpha_s, beta_s_per_byte))
        return RB_EINVAL;
    if (algorithm != NULL && algorithm->info.radix == NULL)
        return RB_ENOTSUP;
    struct rb_plan_spec with = *spec;
    for (with.radix = 2; with.radix <= spec->p || with.radix == 2;
         with.radix = power_of_two ? 2 * with.radix : with.radix + 1) {
        struct rb_plan *plan;
        double time_s;
        if (!rb_plan_is_supported(&with))
            continue;
        int status = rb_plan_create(&with, &plan, NULL, 0);
        if (status == RB_OK)
            status = rb_plan_cost(plan, &layout, alpha_s, beta_s_per_byte, &time_s);
        rb_plan_destroy(plan);
        if (status != RB_OK)
            return status;
        if (*radix == 0 || time_s < best_s) {
            best_s = time_s;
            *radix = with.radix;
        }
    }
    return RB_OK;
}

int64_t rb_bound_pipeline(const struct rb_plan *plan, int64_t n)
{
    return plan->p == 1 ? 0 : (n - 1) / plan->ports + rb_ceil_log(plan->p, plan->ports + 1);
}

int64_t rb_bound_each_once(const struct rb_plan *plan)
{
    int64_t moves; /* n p^2 may be more than an int64_t holds */
    if (__builtin_mul_overflow(plan->blocks * plan->owners, (int64_t)(plan->p - 1), &moves))
        return INT64_MAX;
    return moves;
}

int64_t rb_bound_to_root(const struct rb_plan *plan)
{
    return plan->blocks * (plan->p - 1);
}

/* A plan by place as its collective's names have it: its bounds are those of any plan. */
static struct rb_plan by_name(const struct rb_plan *plan)
{
    const struct rb_collective_info *info = &plan->collective->info;
    struct rb_plan named = *plan;
    if (plan->algorithm->bytes != NULL) {
        named.owners = info->distributed ? plan->p : 1;
        named.parts = info->personalized ? plan->p : 1;
        named.blocks = plan->n * named.parts;
    }
    return named;
}

static int64_t bound_rounds_of(const struct rb_plan *plan, int64_t n)
{
    const struct rb_plan named = by_name(plan);
    return plan->collective->bound_rounds == NULL ? -1 : plan->collective->bound_rounds(&named, n);
}

int64_t rb_bound_rounds(const struct rb_plan *plan)
{
    const struct rb_algorithm *algorithm = plan->algorithm;
    const bool pipelined = algorithm->info.pipelined && !algorithm->partly_pipelined;
    if (algorithm->least != NULL)
        return algorithm->least(plan);
    return bound_rounds_of(plan, pipelined ? plan->n : 1);
}

int64_t rb_bound_rounds_packed(const struct rb_plan *plan)
{
    return bound_rounds_of(plan, 1);
}

int64_t rb_bound_moves(const struct rb_plan *plan)
{
    const struct rb_plan named = by_name(plan);
    return plan->collective->bound_moves == NULL ? -1 : plan->collective->bound_moves(&named);
}

int64_t rb_bound_whole(const struct rb_plan *plan, int64_t rounds)
{
    (void)rounds;
    return plan->blocks;
}

int64_t rb_bound_others(const struct rb_plan *plan, int64_t rounds)
{
    (void)rounds;
    return rb_bound_to_root(plan);
}

int64_t rb_bound_critical_volume(const struct rb_plan *plan, int64_t rounds)
{
    if (plan->collective->bound_moves == NULL)
        return -1;
    if (plan->p == 1)
        return 0;
    const struct rb_plan named = by_name(plan);
    const int64_t busiest = plan->collective->bound_busiest != NULL
                                ? plan->collective->bound_busiest(&named, rounds)
                                : rb_ceil_divide(rb_bound_moves(plan), plan->p);
    /* By place, several ports may lead to one rank: the FIFOs of other programs. */
    const bool by_place = plan->algorithm->bytes != NULL;
    return rb_ceil_divide(busiest, by_place ? plan->ports : rb_used_ports(&named));
}

int rb_plan_critical_volume(const struct rb_plan *plan, int64_t *blocks)
{
    *blocks = 0;
    if (plan->algorithm->cost == NULL)
        return RB_ENOTSUP;
    if (plan->p > 1) { /* a byte per block, and a second per byte */
        const double bytes = (double)plan->owners * (double)plan->blocks;
        *blocks = (int64_t)floor(plan->algorithm->cost(plan, bytes, 0, 1) + 0.5);
    }
    return RB_OK;
}
