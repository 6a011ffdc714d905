/* plot_time_m.c - time against m of each algorithm at its best n, and below it the speed-up of the
 * algorithm in focus over the best of the others: one figure per p. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/plot/plot.h"
#include "roundabout.h"

enum { MOST_FIGURES = 3, MOST_SERIES = 10, MOST_RADICES = 6 };

struct ranges {
    struct rb_span m, time_s, speedup;
};

struct line {
    const struct rb_curve *curve; /* any of this algorithm's */
    bool in_focus;
};
struct lines {
    struct line line[MOST_SERIES];
    size_t count;
};

/* Adds this one unless it is there, or there is no room. */
static void add_line(struct lines *lines, const struct rb_curve *curve, bool in_focus)
{
    for (size_t i = 0; i < lines->count; i++)
        if (lines->line[i].curve->algorithm == curve->algorithm)
            return;
    if (lines->count < MOST_SERIES)
        lines->line[lines->count++] = (struct line){curve, in_focus};
}

/* By name and radix, the one in focus before all. */
static int compare_lines(const void *left, const void *right)
{
    const struct line *a = left, *b = right;
    if (a->in_focus != b->in_focus)
        return a->in_focus ? -1 : 1;
    const int order = strcmp(a->curve->plan_algorithm, b->curve->plan_algorithm);
    return order != 0 ? order
                      : (a->curve->radix > b->curve->radix) - (a->curve->radix < b->curve->radix);
}

/* Of the algorithms with radices some of these. */
static int add_radices(const struct rb_plotter *plotter, size_t setting, int32_t p,
                       struct lines *lines)
{
    const struct rb_curves *data = plotter->data;
    const size_t most = plotter->request->all_radices ? MOST_SERIES : MOST_RADICES;
    const char *algorithm;
    struct rb_list radices;
    int status = RB_OK;
    for (size_t i = 0; (algorithm = rb_radix_algorithm(data, setting, i)) != NULL; i++) {
        status = rb_choose_radices(plotter, setting, algorithm, p, most, &radices);
        for (size_t j = 0; j < radices.count; j++)
            for (size_t k = 0; k < data->curve_count; k++) {
                const struct rb_curve *curve = &data->curves[k];
                if (curve->setting == setting && curve->p == p &&
                    curve->plan_algorithm == algorithm && curve->radix == radices.value[j])
                    add_line(lines, curve, false);
            }
        rb_list_free(&radices);
        if (status != RB_OK)
            break;
    }
    return status;
}

/* The algorithms of a setting and p. The one in focus has a place, whatever there is. */
static int choose_lines(const struct rb_plotter *plotter, size_t setting, int32_t p,
                        struct lines *lines)
{
    const struct rb_curves *data = plotter->data;
    *lines = (struct lines){0};
    for (int focus = 1; focus >= 0; focus--)
        for (size_t i = 0; i < data->curve_count; i++) {
            const struct rb_curve *curve = &data->curves[i];
            const bool in_focus = strcmp(curve->algorithm, plotter->request->focus) == 0;
            if (curve->setting == setting && curve->p == p &&
                (focus ? in_focus : curve->radix == 0))
                add_line(lines, curve, in_focus);
        }
    const int status = add_radices(plotter, setting, p, lines);
    qsort(lines->line, lines->count, sizeof lines->line[0], compare_lines);
    return status;
}

static void write_series(struct rb_figure *figure, const struct rb_curves *data, size_t setting,
                         const char *algorithm, int32_t p, const struct rb_list *sizes,
                         struct ranges *ranges)
{
    for (size_t i = 0; i < sizes->count; i++) {
        const struct rb_curve *curve = rb_find_curve(data, setting, algorithm, p, sizes->value[i]);
        if (curve == NULL)
            continue;
        const struct rb_curve *rival = rb_best_rival(data, curve);
        double speedup = rival == NULL ? NAN : rival->best->time_s / curve->best->time_s;
        rb_span_add(&ranges->m, (double)curve->m_bytes);
        rb_span_add(&ranges->time_s, curve->best->time_s);
        fprintf(figure->data, "%s %" PRId64 " %" PRId64 " %.17g ", algorithm, curve->m_bytes,
                curve->best->n, curve->best->time_s);
        if (rival == NULL)
            fputs("- NaN\n", figure->data);
        else
            fprintf(figure->data, "%s %.17g\n", rival->algorithm, speedup);
        if (strcmp(algorithm, figure->plotter->request->focus) == 0 && rival != NULL)
            rb_span_add(&ranges->speedup, speedup);
    }
}

static int draw_one(struct rb_plotter *plotter, size_t setting, int32_t p,
                    const struct rb_list *sizes)
{
    struct ranges ranges = {RB_EMPTY_SPAN, RB_EMPTY_SPAN, RB_EMPTY_SPAN};
    struct lines lines;
    char part[32], label[64];
    struct rb_figure figure;

    snprintf(part, sizeof part, "p%" PRId32, p);
    snprintf(label, sizeof label, "p = %" PRId32 ", each at its best n", p);
    int status = rb_figure_begin(&figure, plotter, &rb_plot_time_m, setting, part, label,
                                 "algorithm, m in bytes, best n, time in seconds, best rival, "
                                 "speed-up over it");
    if (status != RB_OK)
        return status;
    status = choose_lines(plotter, setting, p, &lines);
    if (status != RB_OK) {
        rb_figure_discard(&figure);
        return status;
    }
    fputs("titles = \"", figure.script);
    for (size_t i = 0; i < lines.count; i++) {
        const char *algorithm = lines.line[i].curve->algorithm;
        rb_figure_series(&figure, i, algorithm);
        write_series(&figure, plotter->data, setting, algorithm, p, sizes, &ranges);
        fprintf(figure.script, "%s%s", i == 0 ? "" : " ", algorithm);
    }
    bool panel = ranges.speedup.low <= ranges.speedup.high;
    fprintf(figure.script, "\"\nspeedup_panel = %d\n", panel);
    if (panel)
        rb_axis_speedup(figure.script, ranges.speedup);
    rb_axis_sizes(figure.script, plotter, setting, p, ranges.m, RB_BYTES_TICKS);
    rb_axis_time(figure.script, ranges.time_s);
    return rb_figure_finish(&figure, plotter);
}

static int draw(struct rb_plotter *plotter, size_t setting, const char **why)
{
    const struct rb_plot_request *request = plotter->request;
    struct rb_choice choice = {setting, NULL, -1, -1, 1};
    struct rb_list ranks = {0}, sizes;
    int64_t before = plotter->made;

    int status = rb_choose_ranks(plotter, &choice, &ranks);
    if (!request->all_ranks)
        rb_thin(&ranks, MOST_FIGURES);
    for (size_t i = 0; i < ranks.count && status == RB_OK; i++) {
        choice.p = (int32_t)ranks.value[i];
        status = rb_choose_bytes(plotter, &choice, &sizes);
        if (status == RB_OK && sizes.count >= 2)
            status = draw_one(plotter, setting, choice.p, &sizes);
        rb_list_free(&sizes);
    }
    if (status == RB_OK && plotter->made == before)
        *why = "it takes two or more m > 0 for some p > 1";
    rb_list_free(&ranks);
    return status;
}

const struct rb_plot_kind rb_plot_time_m = {
    .name = "time-m",
    .title = "time against the message size m, for each algorithm at its best n",
    .of_one_p = true,
    .draw = draw,
};
