/* gallery.c - every algorithm of every collective on a choice of networks: which is fastest where,
 * and what it costs (the page docs/gallery.md). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "interchange/programs/lower.h"
#include "roundabout.h"
#include "studies/check/check.h"
#include "support/memory.h"

static const struct check_network networks[] = {
    {"crossbar", "crossbar:1024", "flow", 1},   {"fat tree", "fat-tree:1024", "flow", 1},
    {"dragonfly", "dragonfly:1056", "flow", 1}, {"torus", "torus:16x8x8", "flow", 1},
    {"32 per host", "crossbar:32", "flow", 32},
};
enum { NETWORKS = OUT_COUNT_OF(networks), NEXT = 3 }; /* slower times that the page shows */

struct gallery {
    const struct check_request *request;
    struct check_points points; /* todo: sorted for the page */
};

/* ---- The points ------------------------------------------------------------------------------ */

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
                status = check_points_add(&gallery->points, info, k,
                                          &(struct rb_plan_spec){.p = (int32_t)p->value[i]},
                                          m->value[j], error);
    return status;
}

/* The points of all algorithms of collectives that have no instances. */
static int make_points(struct gallery *gallery, struct sup_error *error)
{
    const struct rb_algorithm_info *info;
    int status = check_points_open(&gallery->points, error);
    for (int32_t i = 0; status == RB_OK && (info = rb_algorithm_at(i)) != NULL; i++)
        if (rb_collective_find(info->collective)->instance == NULL)
            status = add_algorithm(gallery, info, error);
    return status;
}

/* ---- The report ------------------------------------------------------------------------------ */

static int64_t hundredths(const struct check_entry *entry)
{
    return check_hundredths(entry->outcome.time_over_bound);
}

/* By collective, p, m, network, time; times that are printed alike in the order of listing. */
static int as_shown(const void *left, const void *right)
{
    const struct check_entry *a = *(struct check_entry *const *)left,
                             *b = *(struct check_entry *const *)right;
    const struct point *x = &a->point, *y = &b->point;
    return SUP_FIRST(SUP_ORDER(a->collective, b->collective), SUP_ORDER(x->plan.p, y->plan.p),
                     SUP_ORDER(x->m_bytes, y->m_bytes), SUP_ORDER(a->network, b->network),
                     SUP_ORDER(hundredths(a), hundredths(b)), SUP_ORDER(a, b));
}

#define POINT(member)   OUT_OF(struct check_entry, point.member)
#define OUTCOME(member) OUT_OF(struct check_entry, outcome.member)
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
                             "flow", "left_out",
                             (int)(gallery->points.count - gallery->points.todo_count), "version",
                             cli_program_version),
                   "rows");
    for (size_t i = 0; i < gallery->points.todo_count; i++) {
        union out_cell cells[OUT_COUNT_OF(columns)];
        out_cells(&table, (const void *const[]){gallery->points.todo[i]}, cells);
        out_rows_add(&rows, cells);
    }
    out_rows_end(&rows);
}

/* For how many blocks each pair's FIFO must have room; 0: not computed, since the plan moves too
 * many. */
static int64_t fifo_room(const struct check_entry *entry)
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
    struct check_entry *const *of = &gallery->points.todo[first];
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

static bool same_task(const struct check_entry *a, const struct check_entry *b)
{
    return a->collective == b->collective && a->network == b->network &&
           a->point.plan.p == b->point.plan.p && a->point.m_bytes == b->point.m_bytes;
}

/* The algorithms of a collective with points that were left out. */
static void print_left_out(const struct gallery *gallery, int32_t collective)
{
    const char *last = NULL;
    FILE *stream = gallery->request->stream;
    for (size_t i = 0; i < gallery->points.count; i++) {
        const struct check_entry *entry = &gallery->points.entry[i];
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
    for (size_t i = 0, count; i < gallery->points.todo_count; i += count) {
        const struct check_entry *entry = gallery->points.todo[i];
        const bool begins = i == 0 || gallery->points.todo[i - 1]->collective != entry->collective;
        for (count = 1; i + count < gallery->points.todo_count &&
                        same_task(entry, gallery->points.todo[i + count]);)
            count++;
        if (begins && i > 0)
            print_left_out(gallery, gallery->points.todo[i - 1]->collective);
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
    if (gallery->points.todo_count > 0)
        print_left_out(gallery, gallery->points.todo[gallery->points.todo_count - 1]->collective);
}

static int run(const struct check_request *request, struct sup_error *error)
{
    struct gallery gallery = {.request = request,
                              .points = {.what = "gallery",
                                         .network = networks,
                                         .networks = NETWORKS,
                                         .most_cost_s = 0.5,
                                         .wants_links = true}};
    int status = make_points(&gallery, error);
    if (status == RB_OK)
        status = check_points_run(&gallery.points, 0, error);
    if (status == RB_OK) {
        qsort(gallery.points.todo, gallery.points.todo_count, sizeof *gallery.points.todo,
              as_shown);
        (request->format == OUT_TEXT ? print_page : print_rows)(&gallery);
    }
    check_points_close(&gallery.points);
    return status;
}

const struct check_paper check_paper_gallery = {
    .name = "gallery",
    .title = "Every algorithm of every collective on five networks: which is fastest where",
    .options = (const char *const[]){"ranks", "bytes", NULL},
    .run = run,
};
