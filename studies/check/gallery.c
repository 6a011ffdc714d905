/* gallery.c - every algorithm of every collective on a choice of networks: which is fastest where,
 * and what it costs (the page docs/gallery.md). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/point/runs.h"
#include "experiments/point/words.h"
#include "interchange/programs/lower.h"
#include "roundabout.h"
#include "studies/check/check.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/pool.h"

/* Ranks lie in blocks; where a host has several, they share its port, and plans know their hosts.
 */
static const struct network {
    const char *title, *platform, *engine;
    int32_t ppn;
} networks[] = {
    {"crossbar", "crossbar:1024", "flow", 1},   {"fat tree", "fat-tree:1024", "flow", 1},
    {"dragonfly", "dragonfly:1056", "flow", 1}, {"torus", "torus:16x8x8", "flow", 1},
    {"32 per host", "crossbar:32", "flow", 32},
};
enum { NETWORKS = OUT_COUNT_OF(networks), NEXT = 3 }; /* slower times that the page shows */

static const double most_cost_s = 0.5; /* a point whose estimated time is longer is left out */

/* A point, and what came of it. */
struct entry {
    struct point point;
    struct point_outcome outcome; /* not done: the point was left out */
    int32_t network, collective;  /* numbers */
};

struct gallery {
    const struct check_request *request;
    struct point_known_platform platform[NETWORKS];
    struct point_rule rule[POINT_PARAMETERS];
    char groups[NETWORKS][16]; /* for plans */
    struct entry *entry;       /* owned; in the order in which they were added */
    size_t count;
    struct entry **todo; /* owned; those that were run, at last sorted for the page */
    size_t todo_count;
};

/* ---- The points ------------------------------------------------------------------------------ */

static int open_gallery(struct gallery *gallery, struct sup_error *error)
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
    for (size_t i = 0; i < sizeof rules / sizeof *rules && status == RB_OK; i++)
        status = point_rule_read(rules[i].id, rules[i].word, &gallery->rule[rules[i].id], error);
    for (int32_t i = 0; i < NETWORKS && status == RB_OK; i++) {
        const struct network *network = &networks[i];
        snprintf(gallery->groups[i], sizeof gallery->groups[i], "%" PRId32, network->ppn);
        status =
            point_known_platform_make(network->platform, &how, sim_engine_find(network->engine),
                                      &gallery->platform[i], error);
    }
    return status;
}

static void close_gallery(struct gallery *gallery)
{
    for (int32_t i = 0; i < NETWORKS; i++)
        point_known_platform_free(&gallery->platform[i]);
    for (int id = 0; id < POINT_PARAMETERS; id++)
        point_rule_free(&gallery->rule[id]);
    free(gallery->entry);
    free(gallery->todo);
}

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

/* Adds a point, if there is such a plan and, for plans by groups, if hosts have several ranks. */
static int add_point(struct gallery *gallery, const struct rb_algorithm_info *info, int32_t network,
                     int32_t p, int64_t m_bytes, struct sup_error *error)
{
    const struct network *on = &networks[network];
    struct point point = {
        .plan = {.collective = info->collective,
                 .algorithm = info->name,
                 .p = p,
                 .n = 1,
                 .groups = on->ppn > 1 ? gallery->groups[network] : NULL},
        .m_bytes = m_bytes,
        .element_bytes = 1,
        .ppn = on->ppn,
        .engine = sim_engine_find(on->engine),
        .engine_text = on->engine,
        .engine_options = "",
        .wants_links = true,
    };
    if (!sup_plan_is_supported(&point.plan) || (info->groups && on->ppn == 1))
        return RB_OK;
    point_resolve(&point);
    point_set_platform(&point, &gallery->platform[network]);
    for (int id = 0; id < POINT_PARAMETERS; id++)
        if (point_is_rule((enum point_id)id))
            point_set_rule(&point, (enum point_id)id, &gallery->rule[id]);
    point.plan.n = choose_n(info, &point);
    if (point.plan.n > m_bytes)
        point.plan.n = m_bytes;
    const int status = point_estimate(&point, error);
    if (status == RB_ENOTSUP) /* not with groups of these sizes */
        return RB_OK;
    sup_grow(&gallery->entry, gallery->count, sizeof *gallery->entry);
    gallery->entry[gallery->count++] = (struct entry){
        .point = point, .network = network, .collective = number_of(info->collective)};
    return status;
}

static int add_algorithm(struct gallery *gallery, const struct rb_algorithm_info *info,
                         struct sup_error *error)
{
    static int64_t all_p[] = {64, 100, 127, 1024}, all_m[] = {4 << 10, 256 << 10, 16 << 20};
    const struct sup_list usual_p = {all_p, 4}, usual_m = {all_m, 3};
    const struct check_request *request = gallery->request;
    const struct sup_list *p = request->ranks != NULL ? request->ranks : &usual_p;
    const struct sup_list *m = request->bytes != NULL ? request->bytes : &usual_m;
    int status = RB_OK;
    for (size_t i = 0; i < p->count; i++)
        for (size_t j = 0; j < m->count; j++)
            for (int32_t k = 0; k < NETWORKS && status == RB_OK; k++)
                status = add_point(gallery, info, k, (int32_t)p->value[i], m->value[j], error);
    return status;
}

/* The points of all algorithms of collectives that have no instances. */
static int make_points(struct gallery *gallery, struct sup_error *error)
{
    const struct rb_algorithm_info *info;
    int status = open_gallery(gallery, error);
    for (int32_t i = 0; status == RB_OK && (info = rb_algorithm_at(i)) != NULL; i++)
        if (rb_collective_find(info->collective)->instance == NULL)
            status = add_algorithm(gallery, info, error);
    return status;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

static int costly_first(const void *left, const void *right)
{
    const struct entry *a = *(struct entry *const *)left, *b = *(struct entry *const *)right;
    if (a->point.cost_s != b->point.cost_s)
        return a->point.cost_s < b->point.cost_s ? 1 : -1;
    return (a > b) - (a < b);
}

static const struct point *point_at(void *context, size_t i)
{
    const struct gallery *gallery = context;
    return &gallery->todo[i]->point;
}

static int take(void *context, size_t i, const struct point_outcome *outcome,
                struct sup_error *error)
{
    struct gallery *gallery = context;
    char text[160];
    gallery->todo[i]->outcome = *outcome;
    gallery->todo[i]->outcome.time_over_bound = point_bound_ratio(outcome->time_s, &outcome->bound);
    if (outcome->done)
        return RB_OK;
    return sup_fail(error, RB_EFAILED, "%s: %s",
                    point_describe(&gallery->todo[i]->point, text, sizeof text),
                    outcome->error.text);
}

static int run_points(struct gallery *gallery, struct sup_error *error)
{
    gallery->todo = sup_calloc(gallery->count + 1, sizeof(struct entry *));
    for (size_t i = 0; i < gallery->count; i++)
        if (gallery->entry[i].point.cost_s <= most_cost_s)
            gallery->todo[gallery->todo_count++] = &gallery->entry[i];
    qsort(gallery->todo, gallery->todo_count, sizeof *gallery->todo, costly_first);
    struct point_runs runs = {.what = "gallery",
                              .count = gallery->todo_count,
                              .jobs = sup_pool_cores(),
                              .context = gallery,
                              .at = point_at,
                              .done = take};
    point_runs_start(&runs);
    return point_runs_do(&runs, error);
}

/* ---- The report ------------------------------------------------------------------------------ */

static int64_t hundredths(const struct entry *entry)
{
    return llround(100 * entry->outcome.time_over_bound);
}

/* By collective, p, m, network, time; times that are printed alike in the order of listing. */
static int as_shown(const void *left, const void *right)
{
    const struct entry *a = *(struct entry *const *)left, *b = *(struct entry *const *)right;
    const struct point *x = &a->point, *y = &b->point;
    const int64_t keys[][2] = {{a->collective, b->collective}, {x->plan.p, y->plan.p},
                               {x->m_bytes, y->m_bytes},       {a->network, b->network},
                               {hundredths(a), hundredths(b)}, {a - b, 0}};
    for (size_t i = 0; i < OUT_COUNT_OF(keys); i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

#define POINT(member)   OUT_OF(struct entry, point.member)
#define OUTCOME(member) OUT_OF(struct entry, outcome.member)
static const struct out_column columns[] = {
    {"collective", .kind = OUT_WORD, POINT(plan.collective)},
    {"p", .kind = OUT_COUNT, POINT(plan.p)},
    {"m_bytes", .kind = OUT_BYTES, POINT(m_bytes)},
    {"platform", .kind = OUT_WORD, .quoted = true, POINT(platform_text)},
    {"ppn", .kind = OUT_COUNT, POINT(ppn)},
    {"algorithm", .kind = OUT_WORD, POINT(plan.algorithm)},
    {"n", .kind = OUT_COUNT, POINT(plan.n)},
    {"time_s", .kind = OUT_SECONDS, OUTCOME(time_s)},
    {"bound_s", .kind = OUT_SECONDS, OUTCOME(bound.time_s)},
    {"time_over_bound", .kind = OUT_RATIO, OUTCOME(time_over_bound)},
    {"rounds", .kind = OUT_COUNT, OUTCOME(rounds)},
    {"moved_bytes", .kind = OUT_BYTES, OUTCOME(moved_bytes)},
    {"switch_bytes", .kind = OUT_BYTES, OUTCOME(switch_bytes)},
    {"fullest_load", .kind = OUT_RATIO, OUTCOME(fullest_load)},
};
static const struct out_table table = {columns, .width = OUT_COUNT_OF(columns)};

static void print_rows(const struct gallery *gallery)
{
    struct out_rows rows;
    out_rows_begin(&rows, &table, gallery->request->format, gallery->request->stream,
                   json_pack("{s:s, s:s, s:i, s:s}", "check", check_paper_gallery.name, "engine",
                             "flow", "left_out", (int)(gallery->count - gallery->todo_count),
                             "version", cli_program_version),
                   "rows");
    for (size_t i = 0; i < gallery->todo_count; i++) {
        union out_cell cells[OUT_COUNT_OF(columns)];
        out_cells(&table, (const void *const[]){gallery->todo[i]}, cells);
        out_rows_add(&rows, cells);
    }
    out_rows_end(&rows);
}

/* For how many blocks each pair's FIFO must have room; 0: not computed, since the plan moves too
 * many. */
static int64_t fifo_room(const struct entry *entry)
{
    enum { MOST_BLOCKS = 4000000 };
    const struct point *point = &entry->point;
    struct rb_plan *plan = NULL;
    int64_t room = 0;
    if (rb_plan_create(&point->plan, &plan, NULL, 0) != RB_OK)
        sup_no_memory(); /* it was made before */
    const double blocks = (double)rb_plan_blocks(plan) * rb_plan_owners(plan);
    if (blocks * (double)entry->outcome.moved_bytes / (double)point->m_bytes <= MOST_BLOCKS &&
        prg_plan_room(plan, true, &room) == RB_ENOMEM)
        sup_no_memory();
    rb_plan_destroy(plan);
    return room;
}

/* A row of the page: the fastest of todo[first ..], which are for the same task, and the next. */
static void print_task(const struct gallery *gallery, size_t first, size_t count)
{
    struct entry *const *of = &gallery->todo[first];
    const struct point *point = &of[0]->point;
    const struct point_outcome *outcome = &of[0]->outcome;
    char m[32], time[32], room[32];
    size_t ties = 1;
    FILE *stream = gallery->request->stream;
    snprintf(room, sizeof room, "%" PRId64, fifo_room(of[0]));
    while (ties < count && hundredths(of[0]) == hundredths(of[ties]))
        ties++;
    fprintf(stream, "| %" PRId32 " | %s | %s | **%s**", point->plan.p,
            sup_format_shown(point->m_bytes, m, sizeof m), networks[of[0]->network].title,
            point->plan.algorithm);
    if (ties > 1)
        fprintf(stream, ", %s", of[1]->point.plan.algorithm);
    if (ties > 2)
        fprintf(stream, " + %zu", ties - 2);
    fprintf(stream, " | %s | %.2f | %" PRId64 " | %.3g | %.3g | %.3g | %s |",
            sup_format_seconds(outcome->time_s, time, sizeof time), of[0]->outcome.time_over_bound,
            outcome->rounds, (double)outcome->moved_bytes / (double)point->m_bytes,
            (double)outcome->switch_bytes / (double)point->m_bytes, outcome->fullest_load,
            strcmp(room, "0") == 0 ? "–" : room);
    for (size_t i = ties, shown = 0; i < count && shown < NEXT; i++)
        if (hundredths(of[i - 1]) != hundredths(of[i]))
            fprintf(stream, "%s %s %.2f", shown++ == 0 ? "" : ",", of[i]->point.plan.algorithm,
                    of[i]->outcome.time_over_bound);
    fputs(" |\n", stream);
}

static bool same_task(const struct entry *a, const struct entry *b)
{
    return a->collective == b->collective && a->network == b->network &&
           a->point.plan.p == b->point.plan.p && a->point.m_bytes == b->point.m_bytes;
}

/* The algorithms of a collective with points that were left out. */
static void print_left_out(const struct gallery *gallery, int32_t collective)
{
    const char *last = NULL;
    FILE *stream = gallery->request->stream;
    for (size_t i = 0; i < gallery->count; i++) {
        const struct entry *entry = &gallery->entry[i];
        if (entry->collective != collective || entry->outcome.done ||
            last == entry->point.plan.algorithm)
            continue;
        fprintf(stream, "%s %s", last == NULL ? "\nNot simulated at the largest p:" : ",",
                entry->point.plan.algorithm);
        last = entry->point.plan.algorithm;
    }
    fputs(last == NULL ? "" : ".\n", stream);
}

static void print_page(const struct gallery *gallery)
{
    FILE *stream = gallery->request->stream;
    fprintf(stream,
            "# Gallery\n\n"
            "Which algorithm is fastest where, and what that costs. `roundabout check gallery -o "
            "docs/gallery.md` makes this page. With\n`--format csv` it writes all algorithms, for "
            "p = 64 and 127, too ([formats.md](formats.md#check)).\n\n"
            "The engine is `flow` ([flow.md](flow.md)); rounds overlap as in `blocking`, ranks lie "
            "in blocks. The p ranks have hosts of their\nown on `%s`, `%s`, `%s` and `%s`, or are "
            "32 per host on `%s`,\nand then algorithms know their hosts. n is the best by the "
            "closed form, or by the papers' rule with F = 30. In the tables\n\n"
            "- **m** is the size of all data;\n"
            "- **fastest** names the fastest algorithm, a second one that takes as long, and how "
            "many more do;\n"
            "- **of bound** is the time over the least time of any algorithm "
            "([bounds.md](bounds.md)); what agrees to its two decimals takes as long;\n"
            "- **moved** is the bytes between ranks, over m, and **switches** the bytes over links "
            "that are no host's own, counted on\n  each link, over m;\n"
            "- **fullest** is the most that one round asks of a link, over what it can carry: "
            "above 1 messages slow each other;\n"
            "- **FIFO** is the least room in blocks, in a FIFO per pair of ranks, with which the "
            "first algorithm is free of deadlock\n  ([plans.md](plans.md#room-in-fifos)); – where "
            "it moves more than about 4 million blocks;\n"
            "- **next** names an algorithm for each of the next slower times, which are over the "
            "bound.\n\n"
            "Points whose simulation takes more than half a second, by estimate, are left out; the "
            "algorithms are named.\n",
            networks[0].platform, networks[1].platform, networks[2].platform, networks[3].platform,
            networks[4].platform);
    for (size_t i = 0, count; i < gallery->todo_count; i += count) {
        const struct entry *entry = gallery->todo[i];
        const bool begins = i == 0 || gallery->todo[i - 1]->collective != entry->collective;
        for (count = 1;
             i + count < gallery->todo_count && same_task(entry, gallery->todo[i + count]);)
            count++;
        if (begins && i > 0)
            print_left_out(gallery, gallery->todo[i - 1]->collective);
        if (begins)
            fprintf(stream,
                    "\n## %s\n\n| p | m | network | fastest | time | of bound | rounds | moved | "
                    "switches | fullest | FIFO | next |\n"
                    "| ---: | ---: | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | "
                    "--- |\n",
                    entry->point.plan.collective);
        if (gallery->request->ranks != NULL || entry->point.plan.p == 100 ||
            entry->point.plan.p == 1024)
            print_task(gallery, i, count);
    }
    if (gallery->todo_count > 0)
        print_left_out(gallery, gallery->todo[gallery->todo_count - 1]->collective);
}

static int run(const struct check_request *request, struct sup_error *error)
{
    struct gallery gallery = {.request = request};
    int status = make_points(&gallery, error);
    if (status == RB_OK)
        status = run_points(&gallery, error);
    if (status == RB_OK) {
        qsort(gallery.todo, gallery.todo_count, sizeof *gallery.todo, as_shown);
        (request->format == OUT_TEXT ? print_page : print_rows)(&gallery);
    }
    close_gallery(&gallery);
    return status;
}

const struct check_paper check_paper_gallery = {
    .name = "gallery",
    .title = "Every algorithm of every collective on five networks: which is fastest where",
    .options = (const char *const[]){"ranks", "bytes", NULL},
    .run = run,
};
