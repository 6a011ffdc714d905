/* plot_heat.c - time over n and p, relative to the best n of each p, as a heat map: one figure per
 * m. */
#include <inttypes.h>
#include <math.h>

#include "plots/figure/plot.h"
#include "roundabout.h"

enum { MOST_ROWS = 16, MOST_ROWS_ASKED = 40, MOST_ROW_TICKS = 12 };

/* A cell reaches half way, on the logarithmic axis, to its neighbours; outwards as far as inwards.
 */
static void write_row(struct plot_figure *figure, const struct decide_curve *curve, size_t row,
                      struct plot_span *n, struct plot_span *relative)
{
    for (size_t i = 0; i < curve->count; i++) {
        const struct decide_sample *sample = &curve->samples[i];
        double here = (double)sample->n;
        double below = i > 0 ? sqrt(here * (double)sample[-1].n) : 0;
        double above = i + 1 < curve->count ? sqrt(here * (double)sample[1].n) : 0;
        below = i > 0 ? below : here * here / above;
        above = i + 1 < curve->count ? above : here * here / below;
        plot_span_add(n, below);
        plot_span_add(n, above);
        plot_span_add(relative, sample->time_s / curve->best->time_s);
        fprintf(figure->data, "%zu %" PRId32 " %" PRId64 " %.6g %.6g %.17g %.17g %d\n", row,
                curve->p, sample->n, below, above, sample->time_s,
                sample->time_s / curve->best->time_s, sample == curve->best);
    }
}

static int draw_one(struct plot_plotter *plotter, size_t setting, int64_t m_bytes,
                    const struct sup_list *ranks)
{
    const char *focus = plotter->request->focus;
    struct plot_span n = PLOT_EMPTY_SPAN, relative = PLOT_EMPTY_SPAN;
    char size[32], shown[32], part[40], label[128];
    struct plot_figure figure;

    sup_format_bytes(m_bytes, size, sizeof size);
    snprintf(part, sizeof part, "m%s", size);
    snprintf(label, sizeof label, "%s, m = %s", focus,
             sup_format_shown(m_bytes, shown, sizeof shown));
    int status =
        plot_figure_begin(&figure, plotter, &plot_heat, setting, part, label,
                          "row, p, n, cell_from_n, cell_to_n, time_s, time_by_best, is_best");
    if (status != RB_OK)
        return status;
    plot_figure_series(&figure, 0, label);
    fputs("set ytics (", figure.script);
    for (size_t i = 0; i < ranks->count; i++) {
        int32_t p = (int32_t)ranks->value[i];
        write_row(&figure, plot_find_curve(plotter->data, setting, focus, p, m_bytes), i, &n,
                  &relative);
        /* If there are too many rows for labels, only every second or third row gets a tick. */
        if (i % (1 + (ranks->count - 1) / MOST_ROW_TICKS) == 0)
            fprintf(figure.script, "%s\"%" PRId32 "\" %zu", i == 0 ? "" : ", ", p, i);
    }
    fprintf(figure.script, ")\nrows = %zu\n", ranks->count);
    plot_axis_counts(&figure, "x", "number of blocks n", n);
    plot_axis_relative(&figure, "time / time at best n", relative.high);
    return plot_figure_finish(&figure, plotter);
}

static int draw(struct plot_plotter *plotter, size_t setting, const char **why)
{
    struct plot_choice choice = {setting, plotter->request->focus, -1, -1, 2};
    struct sup_list sizes = plot_choose_bytes(plotter, &choice, PLOT_FIGURES, SIZE_MAX);
    const int64_t before = plotter->made;
    int status = RB_OK;
    for (size_t i = 0; i < sizes.count && status == RB_OK; i++) {
        choice.m_bytes = sizes.value[i];
        struct sup_list ranks = plot_choose_ranks(plotter, &choice, MOST_ROWS, MOST_ROWS_ASKED);
        if (ranks.count >= 2)
            status = draw_one(plotter, setting, sizes.value[i], &ranks);
        sup_list_free(&ranks);
    }
    if (status == RB_OK && plotter->made == before)
        *why = "it takes two or more p > 1, with two or more n each, of the algorithm in focus "
               "(--focus)";
    sup_list_free(&sizes);
    return status;
}

const struct plot_kind plot_heat = {
    .name = "heat",
    .title = "time over n and p, relative to the best n of each p",
    .of_settings = true,
    .lacks = PLOT_LACKS_Y | PLOT_LACKS_LEGEND | PLOT_LACKS_SPREAD | PLOT_LACKS_SERIES,
    .repeats = true,
    .draw = draw,
};
