/* plot_time_m.c - time against m of each algorithm at its best n, and below it the speed-up of the
 * algorithm in focus over the best of the others: one figure per p. A dashed grey line is the bound
 * that no algorithm can beat, where it is known. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "plots/figure/plot.h"
#include "roundabout.h"

struct ranges {
    struct plot_span m, time_s, speedup;
};

/* Returns the last curve. */
static const struct decide_curve *write_series(struct plot_figure *figure,
                                               const struct decide_curves *data, size_t setting,
                                               const char *algorithm, int32_t p,
                                               const struct sup_list *sizes, struct ranges *ranges)
{
    const struct decide_curve *last = NULL;
    for (size_t i = 0; i < sizes->count; i++) {
        const struct decide_curve *curve =
            plot_find_curve(data, setting, algorithm, p, sizes->value[i]);
        if (curve == NULL)
            continue;
        last = curve;
        const struct decide_curve *rival = decide_best_rival(data, curve);
        double speedup = rival == NULL ? NAN : rival->best->time_s / curve->best->time_s;
        plot_span_add(&ranges->m, (double)curve->m_bytes);
        plot_span_add(&ranges->time_s, curve->best->time_s);
        plot_figure_word(figure, plot_base_name(curve));
        fprintf(figure->data, " %" PRId64 " %" PRId64 " %.17g ", curve->m_bytes, curve->best->n,
                curve->best->time_s);
        if (rival == NULL) {
            fputs("- NaN", figure->data);
        } else {
            plot_figure_word(figure, plot_base_name(rival));
            fprintf(figure->data, " %.17g", speedup);
        }
        plot_figure_spread(figure, curve->best, &ranges->time_s);
        if (plot_is_of(curve, figure->plotter->request->focus) && rival != NULL)
            plot_span_add(&ranges->speedup, speedup);
    }
    return last;
}

/* True if the bound is that of all settings that are drawn together. */
static bool is_common(const struct decide_curves *data, const struct decide_curve *curve)
{
    bool common = true;
    for (size_t i = 0; i < data->curve_count && common; i++)
        common =
            !decide_same_case(&data->curves[i], curve) || data->curves[i].bound_s == curve->bound_s;
    return common;
}

/* The last series. Returns whether there is any. */
static bool write_bound(struct plot_figure *figure, const struct decide_curves *data,
                        size_t setting, int32_t p, const struct sup_list *sizes, size_t series,
                        struct ranges *ranges)
{
    bool any = false;
    for (size_t i = 0; i < sizes->count; i++) {
        const struct decide_curve *curve = plot_find_curve(data, setting, NULL, p, sizes->value[i]);
        if (curve == NULL || !(curve->bound_s > 0) || !is_common(data, curve))
            continue;
        if (!any)
            plot_figure_series(figure, series, "bound");
        any = true;
        plot_span_add(&ranges->time_s, curve->bound_s);
        fprintf(figure->script, "end_x[%zu] = %" PRId64 "\nend_y[%zu] = %.9g\n", series + 1,
                curve->m_bytes, series + 1, curve->bound_s);
        fprintf(figure->data, "bound %" PRId64 " 0 %.17g - NaN", curve->m_bytes, curve->bound_s);
        plot_figure_spread(figure, NULL, NULL);
    }
    return any;
}

static int draw_one(struct plot_plotter *plotter, size_t setting, int32_t p,
                    const struct sup_list *sizes)
{
    struct ranges ranges = {PLOT_EMPTY_SPAN, PLOT_EMPTY_SPAN, PLOT_EMPTY_SPAN};
    struct plot_lines lines;
    char part[32], label[64];
    struct plot_figure figure;
    int focused = 0;

    snprintf(part, sizeof part, "p%" PRId32, p);
    snprintf(label, sizeof label, "p = %" PRId32 ", each at its best n", p);
    int status = plot_figure_begin(
        &figure, plotter, &plot_time_m, setting, part, label,
        "algorithm, m_bytes, best_n, time_s, best_rival, speedup, time_low_s, time_high_s");
    if (status != RB_OK)
        return status;
    plot_choose_lines(plotter, setting, p, &lines);
    plot_note_lines(&figure, &lines);
    for (size_t i = 0; i < lines.count; i++) {
        const char *algorithm = lines.line[i].curve->algorithm;
        const char *title = plot_line_title(&lines, i);
        plot_figure_series(&figure, i, title);
        const struct decide_curve *last =
            write_series(&figure, plotter->data, setting, algorithm, p, sizes, &ranges);
        plot_figure_algorithm(&figure, title, algorithm);
        if (last != NULL)
            plot_figure_end(&figure, (double)last->m_bytes, last->best->time_s);
        focused += lines.line[i].in_focus;
    }
    bool panel = ranges.speedup.low <= ranges.speedup.high;
    int ticks;
    const bool bounded =
        write_bound(&figure, plotter->data, setting, p, sizes, lines.count, &ranges);
    figure.panel = panel ? 0.45 : 1;
    ticks = plot_name_ends(&figure, lines.count + bounded);
    if (panel && !figure.ends) { /* a slide has room for names or for a second panel */
        figure.panel = 1;
        ticks = plot_name_ends(&figure, lines.count + bounded);
        panel = !figure.ends;
        figure.panel = panel ? 0.45 : 1;
    }
    fprintf(figure.script, "speedup_panel = %d\nbounded = %d\nfocused = %d\n", panel, bounded,
            focused);
    if (panel)
        plot_axis_around_one(&figure, "speedup_axis", "speed-up", ranges.speedup);
    plot_axis_sizes(&figure, plotter, setting, p, ranges.m, ticks);
    plot_axis_time(&figure, ranges.time_s);
    return plot_figure_finish(&figure, plotter);
}

static int draw(struct plot_plotter *plotter, size_t setting, const char **why)
{
    return plot_draw_ranks(plotter, setting, draw_one, why);
}

const struct plot_kind plot_time_m = {
    .name = "time-m",
    .title = "time against the message size m, for each algorithm at its best n",
    .of_each = true,
    .of_one_p = true,
    .draw = draw,
};
