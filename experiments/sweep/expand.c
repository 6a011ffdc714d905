/* expand.c - an experiment expanded to its points.
 *
 * Every parameter with values is a dimension. Instances, radices and block counts come last, since
 * they depend on the rest. */
#include "experiments/sweep/experiment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/point/words.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/options/common_options.h"

/* ---- Dimensions ---- */

/* A point being made, with its grid and the experiment's platforms. */
struct making {
    const struct sweep_grid *grid;
    const struct point_known_platform *platforms;
    size_t platform_count;
    struct point point;
};

static void set_platform(struct making *making, const char *text)
{
    for (size_t i = 0; i < making->platform_count; i++)
        if (strcmp(making->platforms[i].text, text) == 0)
            point_set_platform(&making->point, &making->platforms[i]);
}

static void set_engine(struct point *point, const struct sweep_engine_choice *choice)
{
    point->engine = choice->engine;
    point->engine_text = choice->text;
    point->engine_variant = choice->variant;
}

/* Sets the values that depend on others, or that are equal for all points of a grid. */
static const bool no_dimension[POINT_PARAMETERS] = {
    [POINT_N] = true, [POINT_RADIX] = true, [POINT_ENGINE_OPTIONS] = true};

/* How many values a parameter has in the grid; 0: it is no dimension. */
static size_t count_values(const struct sweep_grid *grid, int id)
{
    if (no_dimension[id])
        return 0;
    if (id == POINT_ENGINE)
        return grid->engine_count;
    if (point_is_rule((enum point_id)id))
        return grid->rule[id].count;
    return point_parameters[id].type == POINT_TEXT ? grid->text[id].count : grid->number[id].count;
}

static void choose_value(struct making *making, int id, size_t i)
{
    const struct sweep_grid *grid = making->grid;
    const struct point_parameter *parameter = &point_parameters[id];
    if (id == POINT_ENGINE)
        set_engine(&making->point, &grid->engine[i]);
    else if (id == POINT_PLATFORM)
        set_platform(making, grid->text[id].name[i]);
    else if (point_is_rule((enum point_id)id))
        point_set_rule(&making->point, (enum point_id)id, &grid->rule[id].rule[i]);
    else if (parameter->type == POINT_TEXT)
        point_set_text(&making->point, parameter, grid->text[id].name[i]);
    else
        point_set_number(&making->point, parameter, grid->number[id].value[i]);
    if (id == POINT_ALGORITHM)
        point_resolve(&making->point);
}

enum { MOST_POINTS = 10000000 };

/* Where the points are collected. */
struct collecting {
    const struct sweep_experiment *experiment;
    size_t grid; /* the number of the one being expanded */
    struct sweep_points *points;
    struct cli_bar bar;
    int64_t seen; /* combinations that were expanded */
    bool noted;   /* that groups or ports were set */
    struct sup_error *error;
};

/* True if there is such a plan for this p. Native algorithms support every p. */
static bool fits(const struct point *point)
{
    return point->algorithm == NULL || sup_plan_is_supported(&point->plan);
}

static int add_point(struct collecting *to, const struct point *point)
{
    struct sweep_points *points = to->points;
    if ((++to->seen & 1023) == 0)
        cli_bar_update(&to->bar, to->seen, NULL);
    if (!fits(point)) {
        points->unfit++;
        return RB_OK;
    }
    sup_grow(&points->point, points->count, sizeof *points->point);
    struct sup_error why;
    struct point *added = &points->point[points->count];
    *added = *point;
    const int status = point_estimate(added, &why);
    if (status != RB_OK) {
        struct point other = *point; /* with one block, to find out whether the block counts are
                                      * the reason */
        other.plan.n = 1;
        const bool of_blocks = point->plan.n > 1 && point_estimate(&other, NULL) == RB_OK;
        return sweep_experiment_blame(to->experiment, to->grid, of_blocks ? "blocks" : "algorithms",
                                      0, to->error, "%s", why.text);
    }
    points->count++;
    return RB_OK;
}

static int best_n(const struct collecting *to, const struct point *point, int64_t *best)
{
    if (strcmp(point->counts, "regular") != 0)
        return sweep_experiment_blame(
            to->experiment, to->grid, "blocks", 0, to->error,
            "of-optimum: there is no closed form for %s counts; give block counts or of-G",
            point->counts);
    int status = rb_best_n(&point->plan, point->m_bytes, point->platform->alpha_s,
                           point->platform->beta_s_per_byte, best);
    if (status != RB_OK)
        return sweep_experiment_blame(
            to->experiment, to->grid, "blocks", 0, to->error,
            "of-optimum: %s has no closed form; give it block counts, of-F or of-G",
            point->plan.algorithm);
    return RB_OK;
}

/* The points of all block counts, the rest being chosen. */
static int add_block_counts(struct collecting *to, struct making *making)
{
    const struct sweep_grid *grid = making->grid;
    struct point *point = &making->point;
    const struct rb_algorithm_info *algorithm = point->algorithm;
    int64_t elements = point->m_bytes / point->element_bytes, best = 1;
    int status = RB_OK;

    point->plan.n = 1;
    if (algorithm != NULL && algorithm->only != NULL && algorithm->only->n > 0)
        point->plan.n = algorithm->only->n;
    if (algorithm == NULL || !algorithm->pipelined) /* NULL: a native one */
        return add_point(to, point);
    for (size_t i = 0; status == RB_OK && i < grid->number[POINT_N].count; i++) {
        point->plan.n = grid->number[POINT_N].value[i];
        to->points->with_empty +=
            fits(point) &&
            point->plan.n > cli_most_blocks(point->collective, point->plan.p, elements,
                                            strcmp(point->counts, "regular") == 0);
        status = add_point(to, point);
    }
    if (status == RB_OK && grid->n_optimum.count > 0 && fits(point))
        status = best_n(to, point, &best);
    for (size_t i = 0; status == RB_OK && i < grid->n_optimum.count; i++) {
        point->plan.n = point_whole_blocks(grid->n_optimum.value[i] * (double)best, elements);
        status = add_point(to, point);
    }
    for (size_t i = 0; status == RB_OK && i < grid->n_f.count; i++) {
        point->plan.n = point_blocks_of_f(grid->n_f.value[i], elements, point->plan.p);
        status = add_point(to, point);
    }
    return status;
}

/* The points of all radices and block counts, the rest being chosen. */
static int add_radices(struct collecting *to, struct making *making)
{
    const struct sweep_grid *grid = making->grid;
    struct point *point = &making->point;
    const struct rb_algorithm_info *algorithm = point->algorithm;
    int status = RB_OK;

    point->plan.radix = 0;
    if (algorithm == NULL || algorithm->radix == NULL ||
        (!grid->all_radices && grid->number[POINT_RADIX].count == 0))
        return add_block_counts(to, making);
    for (size_t i = 0; status == RB_OK && i < grid->number[POINT_RADIX].count; i++) {
        point->plan.radix = (int32_t)grid->number[POINT_RADIX].value[i];
        status = add_block_counts(to, making);
    }
    for (int32_t r = 2; status == RB_OK && grid->all_radices && r <= point->plan.p; r++) {
        point->plan.radix = r;
        status = add_block_counts(to, making);
    }
    return status;
}

/* The points of all instances, radices and block counts, the rest being chosen. */
static int add_instances(struct collecting *to, struct making *making)
{
    const struct cli_texts *instances = &making->grid->instance;
    int status = RB_OK;

    making->point.plan.instance = NULL;
    if (instances->count == 0)
        return add_radices(to, making);
    for (size_t i = 0; status == RB_OK && i < instances->count; i++) {
        making->point.plan.instance = instances->text[i];
        status = add_radices(to, making);
    }
    return status;
}

/* ---- Counting ---- */

/* How many plans an algorithm has for all p together, by its instances, radices and block counts:
 * those that add_instances makes. */
static double count_plans(const struct sweep_grid *grid, const struct rb_algorithm_info *algorithm)
{
    const struct sup_list *ranks = &grid->number[POINT_P];
    const bool blocks = algorithm != NULL && algorithm->pipelined;
    const bool radices = algorithm != NULL && algorithm->radix != NULL &&
                         (grid->all_radices || grid->number[POINT_RADIX].count > 0);
    const size_t instances = grid->instance.count, given = grid->number[POINT_RADIX].count;
    double of_p = 0;
    for (size_t i = 0; i < ranks->count; i++)
        of_p += !radices            ? 1
                : grid->all_radices ? (double)given + fmax((double)ranks->value[i] - 1, 0)
                                    : (double)given;
    return of_p * (double)(instances > 0 ? instances : 1) *
           (blocks ? (double)(grid->number[POINT_N].count + grid->n_optimum.count + grid->n_f.count)
                   : 1);
}

/* All combinations of a grid's values, before any is made. */
static double count_grid(const struct sweep_grid *grid)
{
    struct making making = {.grid = grid, .point = {.plan.collective = grid->collective->name}};
    double plans = 0, others = 1;
    for (size_t i = 0; i < count_values(grid, POINT_ALGORITHM); i++) {
        choose_value(&making, POINT_ALGORITHM, i);
        plans += count_plans(grid, making.point.algorithm);
    }
    for (int id = 0; id < POINT_PARAMETERS; id++)
        if (id != POINT_ALGORITHM && id != POINT_P && count_values(grid, id) > 0)
            others *= (double)count_values(grid, id);
    return plans * others;
}

/* Of all grids, which must not be too many; then progress is measured by them. */
static int count_all(struct collecting *to)
{
    double all = 0;
    for (size_t i = 0; i < to->experiment->grid_count; i++) {
        all += count_grid(&to->experiment->grid[i]);
        if (all > MOST_POINTS)
            return sweep_experiment_blame(to->experiment, i, "ranks", 0, to->error,
                                          "the experiment has more than %d points", MOST_POINTS);
    }
    cli_bar_start(&to->bar, "points", (int64_t)all);
    return RB_OK;
}

/* ---- Expansion ---- */

static int check_hosts(const struct collecting *to, const struct point *point)
{
    int32_t needed = (point->plan.p - 1) / point->ppn + 1;
    if (needed <= point->platform->hosts)
        return RB_OK;
    return sweep_experiment_blame(to->experiment, to->grid, "ranks", 0, to->error,
                                  "%d ranks at %d per host need %d hosts; %s has %d", point->plan.p,
                                  point->ppn, needed, point->platform->text,
                                  point->platform->hosts);
}

/* Takes the text over; returns one like it that lives as long as the points. */
static const char *keep_groups(struct sweep_names *kept, char *text)
{
    for (size_t i = 0; i < kept->count; i++)
        if (strcmp(kept->name[i], text) == 0) {
            free(text);
            return kept->name[i];
        }
    sup_grow(&kept->name, kept->count, sizeof *kept->name);
    return kept->name[kept->count++] = text;
}

/* The points of all values that depend on the rest, which is chosen. */
static int add_rest(struct collecting *to, const struct making *chosen)
{
    struct making making = *chosen;
    const struct sup_list *ports = &making.grid->number[POINT_PORTS];
    const bool is_given =
        making.grid->text[POINT_GROUPS].count > 0 || ports->count > 1 || ports->value[0] > 1;
    char *groups, note[POINT_NOTE];
    struct sup_error why;
    int status = check_hosts(to, &making.point);
    if (status != RB_OK)
        return status;
    if (making.point.algorithm == NULL ||
        (!making.point.algorithm->groups &&
         (making.point.plan.groups == NULL || strchr(making.point.plan.groups, '@') == NULL)))
        making.point.plan.groups = NULL;
    if (point_complete(&making.point, is_given, &groups, &to->points->neighbours, note, &why) !=
        RB_OK)
        return sweep_experiment_blame(to->experiment, to->grid, "groups", 0, to->error, "%s",
                                      why.text);
    if (note[0] != '\0' && !to->noted)
        cli_complain(CLI_EXIT_DONE, "%s", note);
    to->noted = to->noted || note[0] != '\0';
    if (groups != NULL)
        making.point.plan.groups = keep_groups(&to->points->groups, groups);
    return add_instances(to, &making);
}

/* Chooses values for the parameter id and those after it, in all ways. */
static int expand(struct collecting *to, struct making *making, int id)
{
    while (id < POINT_PARAMETERS && count_values(making->grid, id) == 0)
        id++;
    if (id == POINT_PARAMETERS)
        return add_rest(to, making);
    int status = RB_OK;
    const struct rb_algorithm_info *algorithm = making->point.algorithm;
    if (id == POINT_BYTES && algorithm != NULL && algorithm->only != NULL &&
        algorithm->only->bytes >= 0) { /* whatever the experiment says */
        const int64_t element_bytes = making->point.element_bytes;
        making->point.m_bytes = algorithm->only->bytes;
        making->point.element_bytes = 1;
        status = expand(to, making, id + 1);
        making->point.element_bytes = element_bytes;
        return status;
    }
    for (size_t i = 0; status == RB_OK && i < count_values(making->grid, id); i++) {
        choose_value(making, id, i);
        status = expand(to, making, id + 1);
    }
    return status;
}

static int expand_grid(struct collecting *to, size_t i)
{
    const struct sweep_grid *grid = &to->experiment->grid[i];
    struct making making = {
        .grid = grid,
        .platforms = to->points->platform,
        .platform_count = to->points->platform_count,
        .point = {.plan.collective = grid->collective->name,
                  .element_bytes = grid->element_bytes,
                  .options = (const char *const *)grid->text[POINT_ENGINE_OPTIONS].name,
                  .option_count = (int32_t)grid->text[POINT_ENGINE_OPTIONS].count,
                  .engine_options = grid->engine_options},
    };
    to->grid = i;
    return expand(to, &making, 0);
}

/* The grid's platforms that no grid before it has. */
static int probe_platforms(struct collecting *to, size_t i)
{
    const struct sweep_grid *grid = &to->experiment->grid[i];
    struct sweep_points *points = to->points;
    struct sim_spec how = {.options = (const char *const *)grid->text[POINT_ENGINE_OPTIONS].name,
                           .option_count = (int32_t)grid->text[POINT_ENGINE_OPTIONS].count,
                           .variant = grid->engine[0].variant};
    struct sup_error why;

    for (size_t k = 0; k < grid->text[POINT_PLATFORM].count; k++) {
        size_t known = 0;
        while (known < points->platform_count &&
               strcmp(points->platform[known].text, grid->text[POINT_PLATFORM].name[k]) != 0)
            known++;
        if (known < points->platform_count)
            continue;
        const char *text = grid->text[POINT_PLATFORM].name[k];
        struct point_known_platform *made = &points->platform[known];
        const int status =
            point_known_platform_make(text, &how, grid->engine[0].engine, made, &why);
        sup_had_memory(status != RB_ENOMEM);
        if (status != RB_OK) {
            struct sim_spec plain = how; /* to find out whether the options are the reason */
            plain.option_count = 0;
            const bool of_options = how.option_count > 0 &&
                                    point_known_platform_make(text, &plain, grid->engine[0].engine,
                                                              made, NULL) == RB_OK;
            if (of_options)
                point_known_platform_free(made);
            return sweep_experiment_blame(to->experiment, i,
                                          of_options ? "engine-options" : "platforms",
                                          of_options ? 0 : k, to->error, "%s", why.text);
        }
        points->platform_count++;
    }
    return RB_OK;
}

/* ---- Order ---- */

static int by_identity(const void *a, const void *b)
{
    return point_order(a, b);
}

SUP_COMPARE(costliest_first, struct point, SUP_ORDER(b->cost_s, a->cost_s), point_order(a, b));

static void drop_repeats(struct sweep_points *points)
{
    size_t kept = 0;
    for (size_t i = 0; i < points->count; i++)
        if (kept == 0 || point_order(&points->point[kept - 1], &points->point[i]) != 0)
            points->point[kept++] = points->point[i];
    points->repeated = points->count - kept;
    points->count = kept;
}

int sweep_points_make(const struct sweep_experiment *experiment, struct sweep_points *points,
                      struct sup_error *error)
{
    struct collecting to = {.experiment = experiment, .points = points, .error = error};
    size_t most = 0;
    int status = RB_OK;

    *points = (struct sweep_points){0};
    for (size_t i = 0; i < experiment->grid_count; i++)
        most += experiment->grid[i].text[POINT_PLATFORM].count;
    /* Points keep addresses of platforms, so that there is room for all from the start. */
    points->platform = sup_calloc(most, sizeof *points->platform);
    for (size_t i = 0; status == RB_OK && i < experiment->grid_count; i++)
        status = probe_platforms(&to, i);
    if (status == RB_OK)
        status = count_all(&to);
    for (size_t i = 0; status == RB_OK && i < experiment->grid_count; i++)
        status = expand_grid(&to, i);
    cli_bar_end(&to.bar);
    if (status == RB_OK && points->count == 0)
        status =
            sweep_experiment_blame(experiment, 0, "ranks", 0, error,
                                   "none of these algorithms has plans for these p (and radices, "
                                   "which are at most p): roundabout list says which they take");
    if (status != RB_OK) {
        sweep_points_free(points);
        return status;
    }
    qsort(points->point, points->count, sizeof *points->point, by_identity);
    drop_repeats(points);
    qsort(points->point, points->count, sizeof *points->point, costliest_first);
    return RB_OK;
}

void sweep_points_free(struct sweep_points *points)
{
    for (size_t i = 0; i < points->platform_count; i++)
        point_known_platform_free(&points->platform[i]);
    for (size_t i = 0; i < points->groups.count; i++)
        free(points->groups.name[i]);
    free(points->groups.name);
    point_neighbours_free(points->neighbours);
    free(points->platform);
    free(points->point);
    *points = (struct sweep_points){0};
}

/* ---- A sweep divided among machines ---------------------------------------------------------- */

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

/* ---- How long a sweep will take, by estimate ------------------------------------------------- */

/* The worker that is free first gets work of so many seconds. free_s[w] is when a worker is free; a
 * heap: free_s[0] is the earliest. O(log workers). */
static void give_work(double free_s[], int32_t workers, double work_s)
{
    free_s[0] += work_s;
    for (int32_t at = 0, child; (child = 2 * at + 1) < workers; at = child) {
        child += child + 1 < workers && free_s[child + 1] < free_s[child];
        if (free_s[at] <= free_s[child])
            return;
        const double later = free_s[at];
        free_s[at] = free_s[child];
        free_s[child] = later;
    }
}

double sweep_duration(const struct sweep_points *points, int32_t jobs)
{
    double *free_s = sup_calloc((size_t)jobs, sizeof *free_s), seconds = 0;
    for (size_t i = 0; i < points->count; i++) {
        seconds = fmax(seconds, free_s[0] + points->point[i].cost_s);
        give_work(free_s, jobs, points->point[i].cost_s);
    }
    free(free_s);
    return seconds;
}
