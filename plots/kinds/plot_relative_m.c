/* plot_relative_m.c - time against m of each algorithm at its best n, divided by that of the
 * fastest. It shows which algorithm is best for which m, and by how much. One figure per p. */
#include <inttypes.h>

#include "plots/figure/plot.h"
#include "roundabout.h"

static double least_time(const struct tune_curves *data, size_t setting, int32_t p, int64_t m_bytes)
{
    double least_s = INFINITY;
    for (size_t i = 0; i < data->curve_count; i++) {
        const struct tune_curve *curve = &data->curves[i];
        if (curve->setting == setting && curve->p == p && curve->m_bytes == m_bytes)
            least_s = fmin(least_s, curve->best->time_s);
    }
    return least_s;
}

struct ranges {
    struct plot_span m, slower;
};

static void write_series(struct plot_figure *figure, size_t setting, const char *algorithm,
                         int32_t p, const struct sup_list *sizes, struct ranges *ranges)
{
    const struct tune_curves *data = figure->plotter->data;
    for (size_t i = 0; i < sizes->count; i++) {
        const struct tune_curve *curve =
            plot_find_curve(data, setting, algorithm, p, sizes->value[i]);
        if (curve == NULL)
            continue;
        const double slower = curve->best->time_s / least_time(data, setting, p, sizes->value[i]);
        plot_span_add(&ranges->m, (double)curve->m_bytes);
        plot_span_add(&ranges->slower, slower);
        plot_figure_word(figure, plot_base_name(curve));
        fprintf(figure->data, " %" PRId64 " %" PRId64 " %.17g %.17g\n", curve->m_bytes,
                curve->best->n, curve->best->time_s, slower);
    }
}

static int draw_one(struct plot_plotter *plotter, size_t setting, int32_t p,
                    const struct sup_list *sizes)
{
    const char *instance = plotter->data->settings[setting].plan.instance;
    struct ranges ranges = {PLOT_EMPTY_SPAN, PLOT_EMPTY_SPAN};
    struct plot_lines lines;
    struct plot_figure figure;
    char part[32], label[256];

    snprintf(part, sizeof part, "p%" PRId32, p);
    if (instance != NULL)
        snprintf(label, sizeof label, "%s", instance);
    else
        snprintf(label, sizeof label, "p = %" PRId32 ", each at its best n", p);
    plot_choose_lines(plotter, setting, p, &lines);
    if (lines.count < 2)
        return RB_OK;
    int status = plot_figure_begin(&figure, plotter, &plot_relative_m, setting, part, label,
                                   "algorithm, m_bytes, best_n, time_s, time_by_least");
    if (status != RB_OK)
        return status;
    plot_note_lines(&figure, &lines);
    for (size_t i = 0; i < lines.count; i++) {
        const char *algorithm = lines.line[i].curve->algorithm;
        plot_figure_series(&figure, i, plot_line_title(&lines, i));
        write_series(&figure, setting, algorithm, p, sizes, &ranges);
        plot_figure_title(&figure, plot_line_title(&lines, i));
    }
    plot_axis_sizes(&figure, plotter, setting, p, ranges.m, PLOT_BYTES_TICKS);
    plot_axis_slower(&figure, ranges.slower.high);
    return plot_figure_finish(&figure, plotter);
}

static int draw(struct plot_plotter *plotter, size_t setting, const char **why)
{
    const int status = plot_draw_ranks(plotter, setting, draw_one, why);
    if (*why != NULL)
        *why = "it takes two or more algorithms, and m > 0, for some p > 1";
    return status;
}

const struct plot_kind plot_relative_m = {
    .name = "relative-m",
    .title = "time against the message size m by that of the fastest, for each algorithm",
    .of_one_p = true,
    .lacks = PLOT_LACKS_SPREAD,
    .draw = draw,
};
