#include "experiments/search/search_grid.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/point/lower_bound.h"
#include "platforms/platform.h"
#include "support/eta.h"
#include "support/memory.h"
#include "support/options/options.h"
#include "support/pool.h"
#include "support/units.h"

const char *const search_verdict_names[SEARCH_VERDICTS] = {
    "not asked", "yes", "other n", "other algorithm", "too large", "failed", "partly", "left out"};
const char *const search_state_names[SEARCH_STATES] = {"waiting", "yes", "excluded", "no: limit",
                                                       "no: failed"};

/* The estimate for a curve is that of so many simulations near its best n. */
enum { SIMULATIONS = 8 };

/* ---- Where ----------------------------------------------------------------------------------- */

/* There are platforms and rules of routing that simgrid doesn't have. It reads files itself. */
static int try_simgrid(const char *text, struct search_platforms *found)
{
    const struct sim_spec plain = {0};
    struct point_known_platform probed = {0};
    int status = RB_OK;
    if (platform_is_generated(text))
        status = point_known_platform_make(text, &plain, sim_engine_find("simgrid"), &probed,
                                           &found->unconfirmed);
    point_known_platform_free(&probed);
    return status == RB_EINVAL ? RB_OK : status;
}

int search_find_platforms(const char *text, int32_t ppn, bool late, const struct sim_spec *how,
                          struct search_platforms *found, struct sup_error *error)
{
    const struct sim_engine *model = sim_engine_find("model");
    const struct sim_spec plain = {0};
    struct platform_links links = {.contended = true};
    struct sup_error why;
    char crossbar[160], latency[32], bandwidth[32];
    int status = RB_OK;
    if (platform_is_generated(text))
        status = platform_find_links(text, &links, &why);
    if (status == RB_OK && (links.contended || late || (ppn > 1 && how->option_count == 0))) {
        status =
            point_known_platform_make(text, &plain, sim_engine_find("flow"), &found->asked, &why);
        snprintf(crossbar, sizeof crossbar, "crossbar:%" PRId32 ",latency=%ss,bandwidth=%sBps",
                 found->asked.hosts, sup_format_real(found->asked.alpha_s, latency, sizeof latency),
                 sup_format_real(1 / found->asked.beta_s_per_byte, bandwidth, sizeof bandwidth));
        if (status == RB_OK && (status = try_simgrid(text, found)) != RB_OK)
            why = found->unconfirmed;
        text = links.contended ? crossbar : text;
    }
    if (status == RB_OK)
        status = point_known_platform_make(text, &plain, model, &found->model, &why);
    if (status == RB_EIO && !platform_is_generated(text))
        status = RB_EINVAL;
    if (status != RB_OK)
        return sup_fail(error, status, "--platform: %s", why.text);
    if (how->option_count == 0)
        return RB_OK;
    point_known_platform_free(&found->model);
    status = point_known_platform_make(text, how, model, &found->model, &why);
    return status == RB_OK ? RB_OK : sup_fail(error, status, "--engine-option: %s", why.text);
}

void search_platforms_free(struct search_platforms *found)
{
    point_known_platform_free(&found->model);
    point_known_platform_free(&found->asked);
}

int search_find_order(struct search_request *request, struct point_rule *order,
                      struct sup_error *error)
{
    const struct point *common = &request->common;
    const struct sim_placement *placement = common->placement_rule;
    const bool in_blocks = placement->rule == SIM_BLOCK && !placement->search;
    /* Groups of ranks that are near each other are of no use to a scan, whose result depends on the
     * ranks' order, where random places have torn it up: then hosts can change places. */
    const bool is_scattered = placement->rule == SIM_RANDOM && !placement->search &&
                              (common->ppn > 1 || point_is_scan(common->plan.collective));
    struct platform_network *network = NULL;
    char text[SIM_PLACEMENT_TEXT];
    if (!search_is_named(request) || !(in_blocks || is_scattered) ||
        platform_network_create(request->asked->text, &network, NULL) != RB_OK)
        return RB_OK;
    const bool wants_order = is_scattered || network->damaged;
    platform_network_destroy(network);
    if (!wants_order)
        return RB_OK;
    request->order = order;
    snprintf(text, sizeof text, "search:1%s%s", in_blocks ? "" : ":",
             in_blocks ? "" : common->placement);
    return point_rule_read(POINT_PLACEMENT, text, order, error);
}

/* ---- The curves ------------------------------------------------------------------------------ */

/* RB_EINVAL or RB_ENOTSUP, and why, if the algorithm has no plan for this p or these groups. */
static int check_plan(const struct point *point, struct sup_error *error)
{
    struct rb_plan_spec spec = point->plan;
    spec.n = 1;
    struct rb_plan *plan;
    char why[400];
    const int status = rb_plan_create(&spec, &plan, why, sizeof why);
    if (status != RB_OK)
        return sup_fail(error, status, "--algorithm: %s", why);
    rb_plan_destroy(plan);
    return RB_OK;
}

/* On the platform that is asked about. Where ranks have one link, a plan by neighbours is a ring by
 * another name. */
static int find_neighbours(const struct search_request *request, struct point *point,
                           struct search_grid *search, struct sup_error *error)
{
    struct point asked = *point;
    point_set_platform(&asked, request->asked);
    const int status = point_find_neighbours(&asked, false, &search->neighbours, error);
    const struct rb_neighbours *found = asked.plan.neighbours;
    if (status == RB_OK && found != NULL && found->pairs > 0 && !request->algorithms_named &&
        found->pair[0].link[1] >= 0 && found->links <= 2 * found->ranks)
        return sup_fail(error, RB_ENOTSUP, "--algorithm: %s is for hosts of several links",
                        asked.plan.algorithm);
    point->plan = asked.plan;
    return status;
}

/* By the word for the groups, "router", rather than their sizes. */
static void name_curve(struct search_curve *curve, const char *groups)
{
    struct rb_plan_spec named = curve->point.plan;
    char word[29]; /* of a long list the beginning */
    named.groups = NULL;
    if (groups != NULL) {
        snprintf(word, sizeof word, "%.28s", groups);
        named.groups = word;
    }
    point_curve_name(&named, curve->name, sizeof curve->name);
    curve->groups = groups;
}

/* All rules of one algorithm at one (p, m). */
static int add_curves(const struct search_request *request, struct point point, const char *groups,
                      struct search_grid *search, struct sup_error *error)
{
    struct sup_error why;
    if (groups != NULL && (request->groups_named || strcmp(groups, "node") == 0))
        point_set_ports(&point);
    int status = find_neighbours(request, &point, search, &why);
    if (status == RB_OK)
        status = check_plan(&point, &why);
    const bool is_asked = request->algorithms_named && (groups == NULL || request->groups_named);
    if (status != RB_OK && status != RB_ENOMEM && !is_asked) {
        if (search->left_out++ == 0 || request->algorithms_named)
            search->why = why;
        return RB_OK;
    }
    if (status != RB_OK)
        return sup_fail(error, status, "%s", why.text);
    for (size_t i = 0; i < request->overlap_count; i++) {
        point_set_rule(&point, POINT_OVERLAP, &request->overlap[i]);
        struct search_curve *curve = &search->curves[search->curve_count++];
        curve->point = point;
        name_curve(curve, groups);
        if (request->order == NULL)
            continue;
        struct search_curve *in_order = &search->curves[search->curve_count++];
        *in_order = *curve;
        in_order->plain = request->give_up > 0 && request->common.placement_rule->rule == SIM_RANDOM
                              ? curve
                              : NULL;
        point_set_rule(&in_order->point, POINT_PLACEMENT, request->order);
        snprintf(in_order->name, sizeof in_order->name, "%.57s:order", curve->name);
    }
    return RB_OK;
}

/* If no radix is named. A pipeline through hosts that ranks share also has so many ranks at a port
 * at once, fewer than a host has (schedules/patterns/lanes.h). For more bytes than this their
 * exchange at the end costs more than start-ups do. */
enum { OWN_RADICES = 5, MOST_BYTES_OF_LANES = 1 << 22 };
static const int32_t own_radices[OWN_RADICES] = {0, 2, 3, 4, 6};

static bool suits_hosts(const struct point *point, const char *groups, int32_t radix)
{
    return groups != NULL && strcmp(groups, "host") == 0 && point->algorithm->pipelined &&
           point->m_bytes <= MOST_BYTES_OF_LANES && radix < point->ppn;
}

/* With each radix. */
static int add_radices(const struct search_request *request, struct point point, const char *groups,
                       struct search_grid *search, struct sup_error *error)
{
    const struct sup_list *named = request->radix;
    int status = RB_OK;
    if (point.algorithm == NULL || point.algorithm->radix == NULL)
        return add_curves(request, point, groups, search, error);
    for (size_t i = 0; i < (named == NULL ? OWN_RADICES : named->count) && status == RB_OK; i++) {
        point.plan.radix = named == NULL ? own_radices[i] : (int32_t)named->value[i];
        if (named != NULL || i == 0 || suits_hosts(&point, groups, own_radices[i]))
            status = add_curves(request, point, groups, search, error);
    }
    return status;
}

/* With each way to group the ranks from the first one on. If each is alone, an algorithm that plans
 * by groups is circulant, or a tree, by another name. */
static int add_algorithm(const struct search_request *request, struct point point, size_t first,
                         struct search_grid *search, struct sup_error *error)
{
    const struct point_groupings *groupings = &search->groupings;
    const size_t before = search->curve_count;
    const int64_t left_out = search->left_out;
    const bool by_groups = point.algorithm != NULL && point.algorithm->groups;
    int status = RB_OK;
    for (size_t i = first; by_groups && i < groupings->count && status == RB_OK; i++) {
        point.plan.groups = groupings->way[i].sizes;
        if (point_groups_suit(point.algorithm, point.plan.groups))
            status = add_radices(request, point, groupings->way[i].name, search, error);
    }
    point.plan.groups = NULL;
    const bool is_refused = search->curve_count == before && search->left_out > left_out;
    if (status == RB_OK && is_refused && request->algorithms_named)
        return sup_fail(error, RB_ENOTSUP, "%s", search->why.text);
    return status == RB_OK && search->curve_count == before &&
                   (!by_groups || request->algorithms_named)
               ? add_radices(request, point, NULL, search, error)
               : status;
}

/* The ways to group the point's ranks on the platform that is asked about. */
static int add_groupings(const struct search_request *request, struct point point,
                         struct search_grid *search, struct sup_error *error)
{
    point_set_platform(&point, request->asked);
    return point_add_groupings(&point, request->groups, request->groups_count,
                               request->groups_named, &search->groupings, error);
}

static int make_curves(const struct search_request *request, struct search_grid *search,
                       struct sup_error *error)
{
    const size_t cases = request->p->count * request->m_bytes->count;
    search->cases = sup_calloc(cases + 1, sizeof *search->cases);
    const size_t ways = (request->groups_count + 1) *
                        (request->radix == NULL ? OWN_RADICES : request->radix->count) *
                        (request->order == NULL ? 1 : 2);
    search->curves =
        sup_calloc(cases * request->algorithm_count * ways * request->overlap_count + 1,
                   sizeof *search->curves);
    size_t first = 0; /* of the ways to group this p's ranks */
    int status = RB_OK;
    for (size_t i = 0; i < cases && status == RB_OK; i++) {
        struct search_case *a_case = &search->cases[search->case_count++];
        struct point point = request->common;
        point.plan.p = (int32_t)request->p->value[i / request->m_bytes->count];
        point.m_bytes = request->m_bytes->value[i % request->m_bytes->count];
        a_case->first = search->curve_count;
        if (i % request->m_bytes->count == 0) {
            first = search->groupings.count;
            status = add_groupings(request, point, search, error);
        }
        for (size_t k = 0; k < request->algorithm_count && status == RB_OK; k++) {
            point.plan.algorithm = request->algorithm[k];
            point_resolve(&point);
            status = add_algorithm(request, point, first, search, error);
        }
        a_case->count = search->curve_count - a_case->first;
        if (status == RB_OK && a_case->count == 0)
            status = sup_fail(error, RB_EINVAL, "%s", search->why.text);
    }
    return status;
}

/* ---- Searching ------------------------------------------------------------------------------- */

struct found {
    struct search_found found;
    struct search_bound bound; /* with the least time only */
    int status;
    struct sup_error error;
};

/* A worker's. */
struct memory {
    _Atomic int64_t simulations; /* of all its curves, for the progress line */
    struct found found;          /* of the current curve */
};

struct order {
    size_t curve;
    double cost_s;
};

typedef int finder(const struct point *point, double limit_s, _Atomic int64_t *tried,
                   struct search_found *found, struct sup_error *error);

struct searching {
    const struct search_grid *search;
    double limit_s;
    finder *find;         /* NULL: only the least time */
    size_t count;         /* of curves */
    struct order *order;  /* of these: the costliest first */
    struct found *result; /* of each curve */
    struct sup_eta *eta;  /* of the curves, in that order */
    struct cli_bar bar;
};

static void search_pieces(void *context, struct sup_pool_worker *worker, void *memory_)
{
    const struct searching *searching = context;
    struct memory *memory = memory_;
    for (size_t i; sup_pool_next(worker, &i);) {
        struct found *found = &memory->found;
        const struct point *point = &searching->search->curves[searching->order[i].curve].point;
        memset(found, 0, sizeof *found);
        found->status = searching->find == NULL
                            ? search_least_time(point, &found->bound, &found->found, &found->error)
                            : searching->find(point, searching->limit_s, &memory->simulations,
                                              &found->found, &found->error);
    }
}

static int take_found(void *context, const struct sup_pool_piece *piece, struct sup_error *error)
{
    struct searching *searching = context;
    const struct memory *memory = piece->memory;
    if (piece->lost != NULL)
        return sup_fail(error, piece->lost_status, "%s", piece->lost);
    searching->result[searching->order[piece->i].curve] = memory->found;
    sup_eta_done(searching->eta, piece->i, piece->wall_s);
    return RB_OK;
}

static bool show_search(void *context, const struct sup_pool *pool)
{
    struct searching *searching = context;
    int64_t simulations = 0;
    char note[64];
    if (!cli_bar_is_due(&searching->bar))
        return false;
    for (int32_t w = 0; w < pool->workers; w++) {
        const struct memory *memory = sup_pool_memory(pool, w);
        simulations += atomic_load(&memory->simulations);
    }
    snprintf(note, sizeof note, "%" PRId64 " simulations", simulations);
    cli_bar_show(&searching->bar, sup_eta_pool_left_s(searching->eta, pool, NULL), note);
    return false;
}

SUP_COMPARE(costliest_first, struct order, SUP_ORDER(b->cost_s, a->cost_s),
            SUP_ORDER(a->curve, b->curve));

/* Of simulations near the closed form's n. */
static double curve_cost_s(const struct point *curve)
{
    struct point point = *curve;
    struct rb_plan_spec spec = point.plan;
    spec.n = 1;
    if (rb_best_n(&spec, point.m_bytes, point.platform->alpha_s, point.platform->beta_s_per_byte,
                  &point.plan.n) != RB_OK ||
        point_estimate(&point, NULL) != RB_OK)
        return 0;
    return SIMULATIONS * point.cost_s;
}

/* Curves of an algorithm are of a kind: its searches are as long. */
static void line_up(struct searching *searching)
{
    const struct search_curve *curves = searching->search->curves;
    for (size_t i = 0; i < searching->count && searching->find != NULL; i++)
        searching->order[i].cost_s = curve_cost_s(&curves[searching->order[i].curve].point);
    qsort(searching->order, searching->count, sizeof *searching->order, costliest_first);
    for (size_t i = 0; i < searching->count; i++)
        sup_eta_describe(searching->eta, i, searching->order[i].cost_s,
                         (uintptr_t)curves[searching->order[i].curve].point.algorithm);
}

static int run_search(const struct search_request *request, struct searching *searching,
                      struct sup_error *error)
{
    const size_t count = searching->count;
    struct sup_pool pool = {.count = count,
                            .workers =
                                (size_t)request->jobs < count ? request->jobs : (int32_t)count,
                            .memory_size = sizeof(struct memory),
                            .context = searching,
                            .work = search_pieces,
                            .done = take_found,
                            .tick = show_search};
    if (count == 0)
        return RB_OK;
    searching->eta = sup_eta_create(count, pool.workers, 0);
    if (searching->eta == NULL)
        return sup_fail(error, RB_ENOMEM, "out of memory");
    line_up(searching);
    cli_bar_start(&searching->bar, "search", 0);
    const int status = sup_pool_run(&pool, error);
    cli_bar_end(&searching->bar);
    sup_eta_destroy(searching->eta);
    sup_pool_free(&pool);
    return status;
}

/* Of the curves that are marked; NULL: of all. */
static int find_curves(const struct search_request *request, struct search_grid *search,
                       const bool marked[], finder *find, struct sup_error *error)
{
    struct searching searching = {
        .search = search,
        .limit_s = request->search_most_s,
        .find = find,
        .order = sup_calloc(search->curve_count + 1, sizeof(struct order)),
        .result = sup_calloc(search->curve_count + 1, sizeof(struct found))};
    for (size_t i = 0; i < search->curve_count; i++)
        if (marked == NULL || marked[i])
            searching.order[searching.count++].curve = i;
    int status = run_search(request, &searching, error);
    for (size_t k = 0; k < searching.count && status == RB_OK; k++) {
        struct search_curve *curve = &search->curves[searching.order[k].curve];
        const struct found *found = &searching.result[searching.order[k].curve];
        curve->found = found->found;
        curve->point.plan.n = found->found.n;
        if (find == NULL) {
            curve->bound = found->bound;
            curve->least_s = found->found.time_s;
        }
        if (found->status != RB_OK)
            status = sup_fail(error, found->status, "%s %s: %s", curve->point.plan.collective,
                              curve->point.plan.algorithm, found->error.text);
    }
    free(searching.result);
    free(searching.order);
    return status;
}

int search_by_model(const struct search_request *request, struct search_grid *search,
                    const bool marked[], struct sup_error *error)
{
    return find_curves(request, search, marked, search_first_n, error);
}

/* Of equals the first one. */
static bool is_faster(double time_s, double than_s)
{
    return time_s < than_s * (1 - SEARCH_TIE);
}

static void choose(const struct search_request *request, const struct search_grid *search,
                   struct search_case *a_case)
{
    const struct search_curve *curves = search->curves + a_case->first;
    double winner_s = INFINITY, runner_up_s = INFINITY;
    a_case->winner = a_case->runner_up = NULL;
    for (size_t i = 0; i < a_case->count; i++) {
        const double time_s = search_best(request, &curves[i]).time_s;
        if (is_faster(time_s, winner_s)) {
            winner_s = time_s;
            a_case->winner = &curves[i];
        }
    }
    for (size_t i = 0; i < a_case->count && a_case->winner != NULL; i++) {
        const double time_s = search_best(request, &curves[i]).time_s;
        if (curves[i].point.plan.algorithm != a_case->winner->point.plan.algorithm &&
            is_faster(time_s, runner_up_s)) {
            runner_up_s = time_s;
            a_case->runner_up = &curves[i];
        }
    }
}

static void choose_all(const struct search_request *request, struct search_grid *search)
{
    for (size_t i = 0; i < search->case_count; i++)
        choose(request, search, &search->cases[i]);
}

/* ---- Public ---------------------------------------------------------------------------------- */

int search_grid(const struct search_request *request, struct search_grid *search,
                struct sup_error *error)
{
    *search = (struct search_grid){0};
    const double started_s = sup_clock_s();
    int status = make_curves(request, search, error);
    if (status == RB_OK)
        status =
            find_curves(request, search, NULL, search_is_named(request) ? NULL : search_n, error);
    const double searched_s = sup_clock_s();
    if (status == RB_OK && search_is_named(request))
        status = search_named(request, search, error);
    if (status == RB_OK)
        choose_all(request, search);
    if (status == RB_OK && request->arrival != NULL) {
        status = search_late(request, search, error);
        choose_all(request, search);
    }
    if (status == RB_OK && request->copies > 0) {
        status = search_jitter(request, search, error);
        choose_all(request, search);
    }
    const double simulated_s = sup_clock_s();
    if (status == RB_OK)
        status = search_confirm(request, search, error);
    search->search_s = searched_s - started_s;
    search->named_s = simulated_s - searched_s;
    search->confirm_s = sup_clock_s() - simulated_s;
    return status;
}

void search_grid_free(struct search_grid *search)
{
    free(search->cases);
    free(search->curves);
    point_groupings_free(&search->groupings);
    point_neighbours_free(search->neighbours);
    free(search->runs);
    *search = (struct search_grid){0};
}
