#include "studies/check/check.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/point/runs.h"
#include "roundabout.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/pool.h"

int check_points_open(struct check_points *points, struct sup_error *error)
{
    const struct sim_spec how = {.ppn = 1};
    static const struct {
        enum point_id id;
        const char *word;
    } rules[] = {{POINT_COUNTS, "regular"},
                 {POINT_PLACEMENT, "block"},
                 {POINT_OVERLAP, "blocking"},
                 {POINT_ARRIVAL, "together"},
                 {POINT_PROGRAM, "alone"}};
    int status = RB_OK;
    points->platform = sup_calloc((size_t)points->networks, sizeof *points->platform);
    points->groups = sup_calloc((size_t)points->networks, sizeof *points->groups);
    for (size_t i = 0; i < sizeof rules / sizeof *rules && status == RB_OK; i++)
        status = point_rule_read(rules[i].id, rules[i].word, &points->rule[rules[i].id], error);
    for (int32_t i = 0; i < points->networks && status == RB_OK; i++) {
        const struct check_network *network = &points->network[i];
        snprintf(points->groups[i], sizeof points->groups[i], "%" PRId32, network->ppn);
        status = point_known_platform_make(
            network->platform, &how, sim_engine_find(network->engine), &points->platform[i], error);
    }
    return status;
}

void check_points_close(struct check_points *points)
{
    for (int32_t i = 0; points->platform != NULL && i < points->networks; i++)
        point_known_platform_free(&points->platform[i]);
    for (int id = 0; id < POINT_PARAMETERS; id++)
        point_rule_free(&points->rule[id]);
    free(points->platform);
    free(points->groups);
    free(points->entry);
    free(points->todo);
}

/* ---- The points ------------------------------------------------------------------------------ */

/* The best n by the closed form; without one, by the papers' rule for elements of 4 bytes. */
static int64_t choose_n(const struct rb_algorithm_info *info, const struct point *point)
{
    enum { F = 30 };
    int64_t n = 1;
    if (info->pipelined && rb_best_n(&point->plan, point->m_bytes, point->platform->alpha_s,
                                     point->platform->beta_s_per_byte, &n) != RB_OK)
        n = point_blocks_of_f(F, point->m_bytes / 4, point->plan.p);
    return n;
}

static int32_t number_of(const char *collective)
{
    int32_t i = 0;
    while (strcmp(rb_collective_at(i)->name, collective) != 0)
        i++;
    return i;
}

int check_points_add(struct check_points *points, const struct rb_algorithm_info *info,
                     int32_t network, const struct rb_plan_spec *plan, int64_t m_bytes,
                     struct sup_error *error)
{
    const struct check_network *on = &points->network[network];
    struct point point = {
        .plan = *plan,
        .m_bytes = m_bytes,
        .element_bytes = 1,
        .ppn = on->ppn,
        .engine = sim_engine_find(on->engine),
        .engine_text = on->engine,
        .engine_options = "",
        .wants_links = points->wants_links,
    };
    point.plan.collective = info->collective;
    point.plan.algorithm = info->name;
    point.plan.groups = on->ppn > 1 ? points->groups[network] : NULL;
    point.plan.n = 1;
    if (!sup_plan_is_supported(&point.plan) || (info->groups && on->ppn == 1))
        return RB_OK;
    point_resolve(&point);
    point_set_platform(&point, &points->platform[network]);
    for (int id = 0; id < POINT_PARAMETERS; id++)
        if (point_is_rule((enum point_id)id))
            point_set_rule(&point, (enum point_id)id, &points->rule[id]);
    point.plan.n = plan->n > 0 ? plan->n : choose_n(info, &point);
    if (point.plan.n > m_bytes)
        point.plan.n = m_bytes;
    const int status = point_estimate(&point, error);
    if (status == RB_ENOTSUP) /* not with groups of these sizes */
        return RB_OK;
    sup_grow(&points->entry, points->count, sizeof *points->entry);
    points->entry[points->count++] = (struct check_entry){
        .point = point, .network = network, .collective = number_of(info->collective)};
    return status;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

SUP_COMPARE(costly_first, struct check_entry *, SUP_ORDER((*b)->point.cost_s, (*a)->point.cost_s),
            SUP_ORDER(*a, *b));

static const struct point *point_at(void *context, size_t i)
{
    const struct check_points *points = context;
    return &points->todo[i]->point;
}

static int take(void *context, size_t i, const struct point_outcome *outcome,
                struct sup_error *error)
{
    struct check_points *points = context;
    char text[160];
    points->todo[i]->outcome = *outcome;
    points->todo[i]->outcome.time_over_bound = point_bound_ratio(outcome->time_s, &outcome->bound);
    if (outcome->done)
        return RB_OK;
    return sup_fail(error, RB_EFAILED, "%s: %s",
                    point_describe(&points->todo[i]->point, text, sizeof text),
                    outcome->error.text);
}

int check_points_run(struct check_points *points, size_t first, struct sup_error *error)
{
    free(points->todo);
    points->todo = sup_calloc(points->count - first + 1, sizeof(struct check_entry *));
    points->todo_count = 0;
    for (size_t i = first; i < points->count; i++)
        if (points->entry[i].point.cost_s <= points->most_cost_s)
            points->todo[points->todo_count++] = &points->entry[i];
    qsort(points->todo, points->todo_count, sizeof *points->todo, costly_first);
    struct point_runs runs = {.what = points->what,
                              .count = points->todo_count,
                              .jobs = sup_pool_cores(),
                              .context = points,
                              .at = point_at,
                              .done = take};
    point_runs_start(&runs);
    return point_runs_do(&runs, error);
}

int64_t check_hundredths(double time_over_bound)
{
    return llround(100 * time_over_bound);
}
