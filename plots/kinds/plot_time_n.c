/* plot_time_n.c - time against n for several p, the optimum of each marked: one figure per m. */
#include <inttypes.h>

#include "plots/figure/plot.h"
#include "roundabout.h"

enum { MOST_SERIES = 5, MOST_SERIES_ASKED = 8 };

static void write_series(struct plot_figure *figure, const struct decide_curve *curve, size_t i,
                         bool one_p, struct plot_span *n, struct plot_span *time_s)
{
    char of[32], title[300];
    snprintf(of, sizeof of, "p = %" PRId32, curve->p);
    plot_variant_title(curve, one_p ? "" : of, title, sizeof title);
    if (title[0] == '\0')
        snprintf(title, sizeof title, "%s", of);
    plot_figure_series(figure, i, title);
    plot_figure_title(figure, title);
    for (size_t j = 0; j < curve->count; j++) {
        const struct decide_sample *sample = &curve->samples[j];
        plot_span_add(n, (double)sample->n);
        plot_span_add(time_s, sample->time_s);
        fprintf(figure->data, "%" PRId32 " %" PRId64 " %.17g %d", curve->p, sample->n,
                sample->time_s, sample == curve->best);
        plot_figure_spread(figure, sample, time_s);
    }
    plot_figure_end(figure, (double)curve->samples[curve->count - 1].n,
                    curve->samples[curve->count - 1].time_s);
}

static int draw_one(struct plot_plotter *plotter, size_t setting, int64_t m_bytes,
                    const struct sup_list *ranks)
{
    struct plot_span n = PLOT_EMPTY_SPAN, time_s = PLOT_EMPTY_SPAN;
    const char *focus = plotter->request->focus;
    char size[32], shown[32], part[40], label[128];
    struct plot_figure figure;

    sup_format_bytes(m_bytes, size, sizeof size);
    snprintf(part, sizeof part, "m%s", size);
    snprintf(label, sizeof label, "%s, m = %s", focus,
             sup_format_shown(m_bytes, shown, sizeof shown));
    int status = plot_figure_begin(&figure, plotter, &plot_time_n, setting, part, label,
                                   "p, n, time_s, is_best, time_low_s, time_high_s");
    if (status != RB_OK)
        return status;
    size_t lines = 0;
    for (size_t i = 0; i < ranks->count; i++) {
        const char *name;
        for (size_t k = 0; (name = plot_variant(plotter->data, setting, focus, k)) != NULL; k++) {
            const struct decide_curve *curve =
                plot_find_curve(plotter->data, setting, name, (int32_t)ranks->value[i], m_bytes);
            if (curve != NULL && curve->count > 1 && lines < PLOT_MOST_LINES)
                write_series(&figure, curve, lines++, ranks->count == 1, &n, &time_s);
        }
    }
    plot_name_ends(&figure, lines);
    plot_axis_counts(&figure, "x", "number of blocks n", n);
    plot_axis_time(&figure, time_s);
    return plot_figure_finish(&figure, plotter);
}

static int draw(struct plot_plotter *plotter, size_t setting, const char **why)
{
    struct plot_choice choice = {setting, plotter->request->focus, -1, -1, 2};
    struct sup_list sizes = plot_choose_bytes(plotter, &choice, PLOT_FIGURES, SIZE_MAX);
    int status = RB_OK;

    if (sizes.count == 0)
        *why = "it takes two or more n for some p > 1 of the algorithm in focus (--focus)";
    for (size_t i = 0; i < sizes.count && status == RB_OK; i++) {
        choice.m_bytes = sizes.value[i];
        struct sup_list ranks = plot_choose_ranks(plotter, &choice, MOST_SERIES, MOST_SERIES_ASKED);
        status = draw_one(plotter, setting, sizes.value[i], &ranks);
        sup_list_free(&ranks);
    }
    sup_list_free(&sizes);
    return status;
}

const struct plot_kind plot_time_n = {
    .name = "time-n",
    .title = "time against the number of blocks n, for several p",
    .draw = draw,
};
