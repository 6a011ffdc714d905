/* gaps.c - how far the best plan of each collective is from the lower bound, over p, ranks per host
 * and sizes: a map of where better plans or better bounds hide (docs/bounds.md).
 *
 * Every algorithm is simulated with the n of its closed form, and with some radices if it has any.
 * The n of those that are nearly as fast as the fastest is then doubled, halved, and so on in
 * smaller steps, as long as that makes them faster. On a platform that the user names, the search
 * of tune --search (experiments/search/search_grid.h) finds the best plan, with the groups that the
 * platform has. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/search/search_grid.h"
#include "roundabout.h"
#include "studies/check/check.h"
#include "support/memory.h"
#include "support/pool.h"

static const struct check_network networks[] = {
    {"1", "crossbar:1024", "model", 1},
    {"4", "crossbar:256", "flow", 4},
    {"32", "crossbar:32", "flow", 32},
};
/* On a platform that is named. */
static const struct {
    const char *title, *placement, *order; /* order: of the hosts, where one was found */
    int32_t ppn;
} ways[] = {{"1", "block", "search:1", 1},
            {"1, random:1", "random:1", "search:1:random:1", 1},
            {"32", "block", "search:1", 32},
            {"32, random:1", "random:1", "search:1:random:1", 32}};
enum { NETWORKS = OUT_COUNT_OF(networks), WAYS = OUT_COUNT_OF(ways), WORST = 10, STEPS = 7 };
static const double most_search_s = 4; /* of an algorithm; its longest run has a fourth */
static const double step[STEPS] = {2, 2, 2, 1.41, 1.19, 1, 1}; /* 1: the next n */
static const double near = 1.5; /* the n of slower algorithms is not varied */
#define FINE_SIZES "64B,1KiB,8KiB,64KiB,1MiB,16MiB,128MiB"

struct cell {
    const struct rb_collective_info *collective;
    int32_t p, network;
    int64_t m;
    struct check_entry best; /* not done: none */
    int64_t left_out;        /* algorithms without a time */
    const char *title;       /* ranks per host, and their placement */
    const char *placement;
    const char *groups; /* of the best, on a platform that is named; NULL: none */
};

struct gaps {
    const struct check_request *request;
    const struct sup_list *p, *m;
    struct check_points points; /* of one collective at a time */
    struct cell *cell;
    size_t count;
};

static bool is_of(const struct check_entry *entry, const struct cell *cell)
{
    return entry->point.plan.p == cell->p && entry->network == cell->network &&
           entry->point.m_bytes == cell->m;
}

static bool same_curve(const struct check_entry *a, const struct check_entry *b)
{
    return a->point.algorithm == b->point.algorithm && a->point.plan.radix == b->point.plan.radix;
}

/* The fastest in the cell, of all or of one curve; or NULL. */
static const struct check_entry *fastest(const struct gaps *gaps, const struct cell *cell,
                                         const struct check_entry *curve)
{
    const struct check_entry *best = NULL;
    for (size_t i = 0; i < gaps->points.count; i++) {
        const struct check_entry *entry = &gaps->points.entry[i];
        if (entry->outcome.done && is_of(entry, cell) &&
            (curve == NULL || same_curve(entry, curve)) &&
            (best == NULL || entry->outcome.time_s < best->outcome.time_s))
            best = entry;
    }
    return best;
}

/* ---- The points ------------------------------------------------------------------------------ */

static int add_algorithms(struct gaps *gaps, const struct cell *cell, struct sup_error *error)
{
    static const int32_t radices[] = {0, 2, 3, 4, 8};
    const struct rb_algorithm_info *info;
    int status = RB_OK;
    for (int32_t i = 0; status == RB_OK && (info = rb_algorithm_at(i)) != NULL; i++) {
        const size_t some = info->radix != NULL ? OUT_COUNT_OF(radices) : 1;
        for (size_t j = 0; j < some && status == RB_OK; j++)
            if (strcmp(info->collective, cell->collective->name) == 0)
                status = check_points_add(&gaps->points, info, cell->network,
                                          &(struct rb_plan_spec){.p = cell->p, .radix = radices[j]},
                                          cell->m, error);
    }
    return status;
}

/* Adds this n of the curve, unless it was tried. */
static int add_n(struct gaps *gaps, const struct cell *cell, struct check_entry like, int64_t n,
                 struct sup_error *error)
{
    for (size_t i = 0; i < gaps->points.count; i++) {
        const struct check_entry *entry = &gaps->points.entry[i];
        if (is_of(entry, cell) && same_curve(entry, &like) && entry->point.plan.n == n)
            return RB_OK;
    }
    like.point.plan.n = n;
    return check_points_add(&gaps->points, like.point.algorithm, cell->network, &like.point.plan,
                            cell->m, error);
}

/* Adds the neighbours in n of what is nearly the fastest. */
static int add_neighbours(struct gaps *gaps, const struct cell *cell, size_t known, double factor,
                          struct sup_error *error)
{
    const struct check_entry *best = fastest(gaps, cell, NULL);
    const double most_s = best != NULL ? near * best->outcome.time_s : 0;
    int status = RB_OK;
    for (size_t i = 0; i < known && status == RB_OK; i++) {
        const struct check_entry like = gaps->points.entry[i]; /* the array may move */
        const double n = (double)like.point.plan.n;
        if (!is_of(&like, cell) || !like.point.algorithm->pipelined || !like.outcome.done ||
            like.outcome.time_s > most_s || fastest(gaps, cell, &like) != &gaps->points.entry[i])
            continue;
        status = add_n(gaps, cell, like, (int64_t)fmax(n + 1, ceil(n * factor)), error);
        if (status == RB_OK && n > 1)
            status = add_n(gaps, cell, like, (int64_t)fmin(n - 1, floor(n / factor)), error);
    }
    return status;
}

static void keep_best(struct gaps *gaps, struct cell *cell)
{
    const struct rb_algorithm_info *last = NULL;
    const struct check_entry *best = fastest(gaps, cell, NULL);
    if (best != NULL)
        cell->best = *best;
    for (size_t i = 0; i < gaps->points.count; i++) {
        const struct check_entry *entry = &gaps->points.entry[i];
        if (!is_of(entry, cell) || entry->outcome.done || entry->point.algorithm == last ||
            fastest(gaps, cell, entry) != NULL)
            continue;
        cell->left_out++;
        last = entry->point.algorithm;
    }
}

/* All cells of a collective: cell[0] .. cell[count - 1]. */
static int fill(struct gaps *gaps, struct cell *cell, size_t count, struct sup_error *error)
{
    int status = RB_OK;
    for (size_t i = 0; i < count && status == RB_OK; i++)
        status = add_algorithms(gaps, &cell[i], error);
    if (status == RB_OK)
        status = check_points_run(&gaps->points, 0, error);
    for (int pass = 0; pass < STEPS && status == RB_OK; pass++) {
        const size_t known = gaps->points.count;
        for (size_t i = 0; i < count && status == RB_OK; i++)
            status = add_neighbours(gaps, &cell[i], known, step[pass], error);
        if (status == RB_OK)
            status = check_points_run(&gaps->points, known, error);
    }
    for (size_t i = 0; i < count && status == RB_OK; i++)
        keep_best(gaps, &cell[i]);
    free(gaps->points.entry);
    gaps->points.entry = NULL;
    gaps->points.count = 0;
    return status;
}

/* Of none, no two plans do the same. */
static bool is_mapped(const struct gaps *gaps, const struct rb_collective_info *collective)
{
    const char *asked = gaps->request->collective;
    return collective->instance == NULL && strcmp(collective->name, "none") != 0 &&
           (asked == NULL || strcmp(asked, collective->name) == 0);
}

/* One host's ranks share no port with others. */
static void add_cells(struct gaps *gaps, const struct rb_collective_info *collective)
{
    for (size_t i = 0; i < gaps->p->count; i++)
        for (int32_t network = 0; network < NETWORKS; network++)
            for (size_t j = 0; j < gaps->m->count; j++) {
                const int32_t p = (int32_t)gaps->p->value[i];
                if (p <= networks[network].ppn)
                    continue;
                sup_grow(&gaps->cell, gaps->count, sizeof *gaps->cell);
                gaps->cell[gaps->count++] = (struct cell){.collective = collective,
                                                          .p = p,
                                                          .network = network,
                                                          .m = gaps->m->value[j],
                                                          .title = networks[network].title,
                                                          .placement = "block"};
            }
}

/* ---- On a platform that is named ------------------------------------------------------------- */

static size_t list_algorithms(const struct rb_collective_info *collective, const char ***name)
{
    const struct rb_algorithm_info *info;
    size_t count = 0;
    *name = NULL;
    for (int32_t i = 0; (info = rb_algorithm_at(i)) != NULL; i++)
        if (strcmp(info->collective, collective->name) == 0) {
            sup_grow(name, count, sizeof **name);
            (*name)[count++] = info->name;
        }
    return count;
}

static void add_case(struct gaps *gaps, const struct search_request *request,
                     const struct search_grid *grid, const struct search_case *a_case, size_t way)
{
    const struct point *point = &grid->curves[a_case->first].point;
    struct cell cell = {.collective = rb_collective_find(point->plan.collective),
                        .p = point->plan.p,
                        .network = (int32_t)way,
                        .m = point->m_bytes,
                        .title = ways[way].title,
                        .placement = ways[way].placement};
    for (size_t i = 0; i < a_case->count; i++) {
        const enum search_state state = grid->curves[a_case->first + i].named.state;
        cell.left_out += state == SEARCH_OVER_LIMIT || state == SEARCH_NOT_DONE;
    }
    if (a_case->winner != NULL) {
        const struct decide_sample best = search_best(request, a_case->winner);
        struct point_outcome *outcome = &cell.best.outcome;
        cell.best.point = a_case->winner->point;
        cell.best.point.plan.n = best.n;
        cell.best.point.engine_text =
            search_is_named(request) ? request->named_engine->name : point->engine_text;
        cell.groups = a_case->winner->groups;
        if (cell.best.point.placement_rule->search)
            cell.placement = ways[way].order;
        *outcome = (struct point_outcome){.done = true, .time_s = best.time_s};
        outcome->bound = search_bound_of(request, a_case);
        outcome->time_over_bound = point_bound_ratio(best.time_s, &outcome->bound);
    }
    sup_grow(&gaps->cell, gaps->count, sizeof *gaps->cell);
    gaps->cell[gaps->count++] = cell;
}

/* The p that a platform's hosts can have, of those that are asked for, or as many as it has. */
static struct sup_list ranks_on(const struct gaps *gaps, int64_t room, int64_t p[])
{
    struct sup_list list = {p, 0};
    if (gaps->request->ranks == NULL)
        p[list.count++] = room < CHECK_MOST_RANKS ? room : CHECK_MOST_RANKS;
    for (size_t i = 0; gaps->request->ranks != NULL && i < gaps->p->count; i++)
        if (gaps->p->value[i] <= room)
            p[list.count++] = gaps->p->value[i];
    return list;
}

/* The rules of placement are read anew for each. */
static int search_way(struct gaps *gaps, const struct rb_collective_info *collective, size_t way,
                      const struct search_platforms *on, struct sup_error *error)
{
    const char **algorithm;
    struct search_request request = {
        .common = {.plan = {.collective = collective->name, .ports = 1},
                   .element_bytes = 1,
                   .ppn = ways[way].ppn,
                   .engine = sim_engine_find("model"),
                   .engine_text = "model",
                   .engine_options = ""},
        .algorithm_count = list_algorithms(collective, &algorithm),
        .groups = point_group_words,
        .groups_count = POINT_GROUP_WORDS,
        .m_bytes = gaps->m,
        .overlap = &gaps->points.rule[POINT_OVERLAP],
        .overlap_count = 1,
        .named_engine = sim_engine_find("flow"),
        .asked = on->asked.text != NULL ? &on->asked : &on->model,
        .search_most_s = most_search_s,
        .give_up = near,
        .jobs = sup_pool_cores()};
    const int32_t hosts = on->model.hosts;
    int64_t *p = sup_calloc(gaps->p->count + 1, sizeof *p);
    const struct sup_list ranks = ranks_on(gaps, (int64_t)hosts * ways[way].ppn, p);
    struct point_rule placement = {0}, order = {0};
    struct search_grid grid = {0};
    int status = point_rule_read(POINT_PLACEMENT, ways[way].placement, &placement, error);
    request.algorithm = (const char *const *)algorithm;
    request.p = &ranks;
    point_set_platform(&request.common, &on->model);
    for (int id = 0; id < POINT_PARAMETERS; id++)
        if (point_is_rule((enum point_id)id))
            point_set_rule(&request.common, (enum point_id)id, &gaps->points.rule[id]);
    point_set_rule(&request.common, POINT_PLACEMENT, &placement);
    if (search_is_named(&request))
        request.least_share =
            search_least_share(request.asked, request.common.platform, ways[way].ppn);
    if (status == RB_OK)
        status = search_find_order(&request, &order, error);
    if (status == RB_OK && ranks.count > 0)
        status = search_grid(&request, &grid, error);
    for (size_t i = 0; i < grid.case_count && status == RB_OK; i++)
        add_case(gaps, &request, &grid, &grid.cases[i], way);
    search_grid_free(&grid);
    point_rule_free(&placement);
    point_rule_free(&order);
    free(algorithm);
    free(p);
    return status;
}

static int search_all(struct gaps *gaps, struct sup_error *error)
{
    const struct sim_spec how = {0};
    const struct rb_collective_info *collective;
    struct search_platforms on[WAYS] = {0};
    struct cli_bar bar;
    int64_t parts = 0, part = 0;
    for (int32_t i = 0; (collective = rb_collective_at(i)) != NULL; i++)
        parts += is_mapped(gaps, collective) ? WAYS : 0;
    cli_bar_start_parts(&bar, "gaps", parts);
    int status = check_points_open(&gaps->points, error);
    for (size_t way = 0; way < WAYS && status == RB_OK; way++)
        status = search_find_platforms(gaps->request->platform, ways[way].ppn, false, &how,
                                       &on[way], error);
    for (int32_t i = 0; status == RB_OK && (collective = rb_collective_at(i)) != NULL; i++)
        for (size_t way = 0; way < WAYS && status == RB_OK && is_mapped(gaps, collective); way++) {
            cli_bar_part(&bar, part++);
            status = search_way(gaps, collective, way, &on[way], error);
        }
    cli_bar_end(&bar);
    for (size_t way = 0; way < WAYS; way++)
        search_platforms_free(&on[way]);
    return status;
}

static int fill_all(struct gaps *gaps, struct sup_error *error)
{
    const struct rb_collective_info *collective;
    int status = check_points_open(&gaps->points, error);
    for (int32_t i = 0; status == RB_OK && (collective = rb_collective_at(i)) != NULL; i++) {
        const size_t first = gaps->count;
        if (!is_mapped(gaps, collective))
            continue;
        add_cells(gaps, collective);
        status = fill(gaps, gaps->cell + first, gaps->count - first, error);
    }
    return status;
}

/* ---- The report ------------------------------------------------------------------------------ */

#define CELL(member) OUT_OF(struct cell, member)
static const struct out_column columns[] = {
    {"collective", .kind = OUT_WORD, CELL(best.point.plan.collective)},
    {"p", .kind = OUT_COUNT, CELL(p)},
    {"ppn", .kind = OUT_COUNT, CELL(best.point.ppn)},
    {"m_bytes", .kind = OUT_BYTES, CELL(m)},
    {"engine", .kind = OUT_WORD, CELL(best.point.engine_text)},
    {"algorithm", .kind = OUT_WORD, CELL(best.point.plan.algorithm)},
    {"radix", .kind = OUT_COUNT, CELL(best.point.plan.radix)},
    {"n", .kind = OUT_COUNT, CELL(best.point.plan.n)},
    {"time_s", .kind = OUT_SECONDS, CELL(best.outcome.time_s)},
    {"bound_s", .kind = OUT_SECONDS, CELL(best.outcome.bound.time_s)},
    {"time_over_bound", .kind = OUT_RATIO, CELL(best.outcome.time_over_bound)},
    {"left_out", .kind = OUT_COUNT, CELL(left_out)},
    {"placement", .kind = OUT_WORD, CELL(placement)},
    {"groups", .kind = OUT_WORD, CELL(groups)},
};
static const struct out_table table = {columns, .width = OUT_COUNT_OF(columns)};

static void print_rows(const struct gaps *gaps)
{
    struct out_rows rows;
    out_rows_begin(
        &rows, &table, gaps->request->format, gaps->request->stream,
        json_pack("{s:s, s:s}", "check", check_paper_gaps.name, "version", cli_program_version),
        "rows");
    for (size_t i = 0; i < gaps->count; i++) {
        union out_cell cells[OUT_COUNT_OF(columns)];
        if (!gaps->cell[i].best.outcome.done)
            continue;
        out_cells(&table, (const void *const[]){&gaps->cell[i]}, cells);
        out_rows_add(&rows, cells);
    }
    out_rows_end(&rows);
}

static const struct {
    const char *square;
    double most;
} heat[] = {{"🟩", 1.2}, {"🟨", 1.6}, {"🟧", 2.5}, {"🟥", INFINITY}};

static double ratio_of(const struct cell *cell)
{
    return cell->best.outcome.done ? cell->best.outcome.time_over_bound : NAN;
}

static void print_cell(const struct cell *cell, FILE *stream)
{
    const double ratio = ratio_of(cell);
    size_t i = 0;
    if (isnan(ratio)) {
        fputs(" – |", stream);
        return;
    }
    while (check_hundredths(ratio) > check_hundredths(heat[i].most) && !isinf(heat[i].most))
        i++;
    fprintf(stream, " %s %.2f%s |", heat[i].square, ratio, cell->left_out > 0 ? "*" : "");
}

static void print_table(const struct gaps *gaps, size_t first, size_t end)
{
    FILE *stream = gaps->request->stream;
    char m[32];
    fprintf(stream, "\n**%s**\n\n| p | ranks per host |", gaps->cell[first].collective->name);
    for (size_t j = 0; j < gaps->m->count; j++)
        fprintf(stream, " %s |", sup_format_shown(gaps->m->value[j], m, sizeof m));
    fputs("\n| ---: | ---: |", stream);
    for (size_t j = 0; j < gaps->m->count; j++)
        fputs(" --- |", stream);
    for (size_t i = first; i < end; i++) {
        const struct cell *cell = &gaps->cell[i];
        if ((i - first) % gaps->m->count == 0)
            fprintf(stream, "\n| %" PRId32 " | %s |", cell->p, cell->title);
        print_cell(cell, stream);
    }
    fputc('\n', stream);
}

SUP_COMPARE(worst_first, struct cell *,
            SUP_ORDER(check_hundredths(ratio_of(*b)), check_hundredths(ratio_of(*a))),
            SUP_ORDER(*a, *b));

/* Of the cells in which every algorithm has a time. */
static void print_worst(const struct gaps *gaps)
{
    FILE *stream = gaps->request->stream;
    struct cell **by_ratio = sup_calloc(gaps->count + 1, sizeof(struct cell *));
    size_t count = 0;
    for (size_t i = 0; i < gaps->count; i++)
        if (!isnan(ratio_of(&gaps->cell[i])) && gaps->cell[i].left_out == 0)
            by_ratio[count++] = &gaps->cell[i];
    qsort(by_ratio, count, sizeof *by_ratio, worst_first);
    fputs("\nThe worst without a star:\n\n| collective | p | ranks per host | m | best plan | n | "
          "time | of bound "
          "| what binds |\n| --- | ---: | ---: | ---: | --- | ---: | ---: | ---: | --- |\n",
          stream);
    for (size_t i = 0; i < count && i < WORST; i++) {
        const struct check_entry *best = &by_ratio[i]->best;
        const char *groups = by_ratio[i]->groups;
        char m[32], time[32], radix[24] = "";
        if (best->point.plan.radix > 0)
            snprintf(radix, sizeof radix, ", radix %" PRId32, best->point.plan.radix);
        fprintf(stream,
                "| %s | %" PRId32 " | %s | %s | `%s`%s%s%s | %" PRId64 " | %s | %.2f | %s |\n",
                best->point.plan.collective, by_ratio[i]->p, by_ratio[i]->title,
                sup_format_shown(by_ratio[i]->m, m, sizeof m), best->point.plan.algorithm, radix,
                groups != NULL ? ", groups " : "", groups != NULL ? groups : "", best->point.plan.n,
                sup_format_seconds(best->outcome.time_s, time, sizeof time),
                best->outcome.time_over_bound, best->outcome.bound.part);
    }
    free(by_ratio);
}

static void print_map(const struct gaps *gaps)
{
    FILE *stream = gaps->request->stream;
    fputs("The time of the best plan over the bound.", stream);
    for (size_t i = 0; i < OUT_COUNT_OF(heat); i++)
        if (isinf(heat[i].most))
            fprintf(stream, " %s: more.", heat[i].square);
        else
            fprintf(stream, " %s: at most %.1f.", heat[i].square, heat[i].most);
    fputs(" A star: some algorithms have\nno time, because their simulation would take long.\n",
          stream);
    for (size_t first = 0, end; first < gaps->count; first = end) {
        for (end = first + 1;
             end < gaps->count && gaps->cell[end].collective == gaps->cell[first].collective;)
            end++;
        print_table(gaps, first, end);
    }
    print_worst(gaps);
    if (gaps->request->platform != NULL && gaps->request->bytes == NULL)
        fputs("\nThese are two sizes of many: -m " FINE_SIZES " maps all of them.\n", stream);
}

static int run(const struct check_request *request, struct sup_error *error)
{
    static int64_t all_p[] = {16, 100, 127, 1000};
    static int64_t all_m[] = {64, 1 << 10, 8 << 10, 64 << 10, 1 << 20, 16 << 20, 128 << 20};
    static int64_t few_m[] = {64 << 10, 16 << 20}; /* of a search */
    static const struct sup_list usual_p = {all_p, OUT_COUNT_OF(all_p)},
                                 usual_m = {all_m, OUT_COUNT_OF(all_m)},
                                 coarse_m = {few_m, OUT_COUNT_OF(few_m)};
    struct gaps gaps = {
        .request = request,
        .p = request->ranks != NULL ? request->ranks : &usual_p,
        .m = request->bytes != NULL      ? request->bytes
             : request->platform != NULL ? &coarse_m
                                         : &usual_m,
        .points = {.what = "gaps", .network = networks, .networks = NETWORKS, .most_cost_s = 0.3}};
    const int status =
        request->platform != NULL ? search_all(&gaps, error) : fill_all(&gaps, error);
    if (status == RB_OK)
        (request->format == OUT_TEXT ? print_map : print_rows)(&gaps);
    check_points_close(&gaps.points);
    free(gaps.cell);
    return status;
}

const struct check_paper check_paper_gaps = {
    .name = "gaps",
    .title = "The best plan over the lower bound, over p, ranks per host and sizes",
    .options = (const char *const[]){"ranks", "bytes", "platform", "collective", NULL},
    .run = run,
};
