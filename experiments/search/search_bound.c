/* search_bound.c - see search_bound.h. */
#include "experiments/search/search_bound.h"

#include <math.h>

/* Rounds and volume of the closed form for one n. */
struct closed_form {
    int64_t rounds, blocks, owners; /* blocks per owner */
    double volume;                  /* bytes; NAN: there is no closed form */
};

static int ask(const struct point *point, int64_t n, struct closed_form *form,
               struct sup_error *error)
{
    const struct rb_layout layout = {.bytes = point->m_bytes, .element = point->element_bytes};
    struct rb_plan_spec spec = point->plan;
    spec.n = n;
    struct rb_plan *plan;
    char why[400];
    const int status = rb_plan_create(&spec, &plan, why, sizeof why);
    if (status != RB_OK)
        return sup_fail(error, status, "%s", why);
    *form = (struct closed_form){.rounds = rb_plan_rounds(plan),
                                 .blocks = rb_plan_blocks(plan),
                                 .owners = rb_plan_owners(plan)};
    if (rb_plan_cost(plan, &layout, 0, 1, &form->volume) != RB_OK)
        form->volume = NAN;
    rb_plan_destroy(plan);
    return RB_OK;
}

static bool same(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

/* Several rounds of a rank may be in flight. */
static bool overlaps(const struct point *point)
{
    const struct sim_overlap *overlap = point->overlap_rule;
    return !(overlap->rule == SIM_LOCKSTEP || overlap->rule == SIM_BLOCKING ||
             (overlap->rule == SIM_WINDOW && overlap->window == 1));
}

/* form[i] is for i + 1 blocks. */
static void read_forms(const struct point *point, const struct closed_form form[3],
                       struct search_bound *bound)
{
    const double m = (double)point->m_bytes;
    bool linear = form[2].rounds - form[1].rounds == form[1].rounds - form[0].rounds;
    /* Volume = limit + shrinking / n, if some rounds move all blocks at once and the others one. */
    const double shrinking = 2 * (form[0].volume - form[1].volume);
    const double limit = form[0].volume - shrinking;
    bool single = true, constant = true;
    for (int i = 0; i < 3; i++) {
        single = single && same(form[i].volume * (i + 1), (double)form[i].rounds * m);
        constant = constant && same(form[i].volume, form[0].volume);
    }
    bound->per_block = form[1].rounds - form[0].rounds;
    bound->rest = form[0].rounds - bound->per_block;
    bound->packed = !single;
    bound->mixed = !single && !constant && shrinking > 0 &&
                   same(form[2].volume, limit + shrinking / 3) &&
                   !rb_algorithm_find(point->plan.collective, point->plan.algorithm)->groups;
    bound->volume = single ? (double)bound->per_block * m : !bound->mixed ? form[0].volume : limit;
    bound->shrinking = bound->mixed ? shrinking : 0;
    if (bound->mixed && m > 0) { /* as if all shares were as short as the shortest */
        const double part = (double)(bound->least_share * bound->element) *
                            (double)(form[0].blocks * form[0].owners) / m;
        bound->volume *= part;
        bound->shrinking *= part;
    }
    bound->known =
        bound->plain && linear && (single || constant || bound->mixed) && bound->rest >= 0;
}

/* Every rank's data reach every rank combined; and no port is busy in both passes. */
static bool may_be_two_passes(const struct point *point, const struct search_bound *bound)
{
    const struct rb_collective_info *collective = point->collective;
    return collective->reducing && !collective->rooted && !collective->distributed &&
           (!bound->packed || bound->mixed);
}

int search_bound_make(const struct point *point, struct search_bound *bound,
                      struct sup_error *error)
{
    struct closed_form form[3];
    for (int i = 0; i < 3; i++) {
        const int status = ask(point, i + 1, &form[i], error);
        if (status != RB_OK)
            return status;
    }
    const int64_t elements = point->m_bytes / point->element_bytes;
    const int64_t shares = form[0].blocks * form[0].owners;
    *bound = (struct search_bound){.plain = point->ppn == 1 && point->option_count == 0 &&
                                            point->plan.ports == 1 &&
                                            point->platform->cuts.node_terminals <= 1,
                                   .even = point->counts_rule->rule == RB_COUNTS_REGULAR,
                                   .element = point->element_bytes,
                                   .least_share = elements / shares,
                                   .most_share = elements / shares + (elements % shares > 0),
                                   .alpha_s = point->platform->alpha_s,
                                   .beta_s_per_byte = point->platform->beta_s_per_byte};
    read_forms(point, form, bound);
    bound->known = bound->known && bound->even;
    bound->tight = bound->known && !(overlaps(point) && may_be_two_passes(point, bound));
    bound->part = bound->tight ? 1 : 0.5;
    return RB_OK;
}

double search_least_share(const struct point_known_platform *asked,
                          const struct point_known_platform *searched)
{
    if (asked->cuts.count == 0)
        return 0;
    const double latency = asked->cuts.latency_s / searched->alpha_s;
    const double bandwidth = 1 / (asked->cuts.message_bandwidth * searched->beta_s_per_byte);
    return fmin(1, fmin(latency, bandwidth));
}

int64_t search_most_n(const struct search_bound *bound)
{
    return bound->most_share > 1 ? bound->most_share : 1;
}

double search_bound(const struct search_bound *bound, int64_t least, int64_t most)
{
    if (!bound->known)
        return 0;
    const double rounds = (double)bound->per_block * (double)least + (double)bound->rest;
    const int64_t shortest = bound->least_share / most;
    double rest = bound->packed ? 0 : (double)bound->rest * (double)(shortest * bound->element);
    if (bound->mixed && bound->least_share > 0)
        rest = bound->shrinking * (double)shortest / (double)bound->least_share;
    return bound->part *
           (rounds * bound->alpha_s + bound->beta_s_per_byte * (bound->volume + rest));
}

/* Where messages hold several blocks, or don't take alpha + beta b, a block's cost is its length:
 * the ratio is then that of the shortest messages. */
double search_growth(const struct search_bound *bound, int64_t from, int64_t n)
{
    if (!bound->even)
        return (double)from / (double)n;
    const double start = bound->plain && !bound->packed ? bound->alpha_s : 0;
    const double shorter = (double)(bound->least_share / n * bound->element);
    const double longer =
        (double)((bound->most_share / from + (bound->most_share % from > 0)) * bound->element);
    const double cost = start + bound->beta_s_per_byte * longer;
    return cost > 0 ? (start + bound->beta_s_per_byte * shorter) / cost : 0;
}
