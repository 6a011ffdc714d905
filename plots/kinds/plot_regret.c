/* plot_regret.c - the regret of the papers' rule for n with the fitted F or G, against p (or
 * against m if there is one p): one figure. */
#include <inttypes.h>
#include <stdlib.h>

#include "plots/figure/plot.h"
#include "roundabout.h"
#include "support/memory.h"

enum { MOST_SERIES = 4, MOST_SERIES_ASKED = 8 };

/* The curves are in one array, sorted by p and m. */
SUP_COMPARE(by_ranks_and_bytes, struct decide_regret, SUP_ORDER(a->curve, b->curve));

static size_t write_series(struct plot_figure *figure, const struct decide_fit *fit, int64_t value,
                           bool over_ranks, struct plot_span *x)
{
    size_t outside = 0;
    for (size_t i = 0; i < fit->count; i++) {
        const struct decide_regret *point = &fit->points[i];
        const struct decide_curve *curve = point->curve;
        if ((over_ranks ? curve->m_bytes : curve->p) != value)
            continue;
        plot_span_add(x, over_ranks ? (double)curve->p : (double)curve->m_bytes);
        fprintf(figure->data, "%" PRId32 " %" PRId64 " %" PRId64 " ", curve->p, curve->m_bytes,
                point->n);
        if (!point->outside)
            fprintf(figure->data, "%.17g %.17g\n", point->time_s, point->share);
        else
            fputs("NaN NaN\n", figure->data);
        outside += point->outside;
    }
    return outside;
}

static int draw_one(struct plot_plotter *plotter, size_t setting, const struct decide_fit *fit,
                    const struct sup_list *series, bool over_ranks)
{
    struct plot_span x = PLOT_EMPTY_SPAN;
    struct plot_figure figure;
    char label[96];
    size_t outside = 0;

    snprintf(label, sizeof label, "%s, %c = %.3g", plotter->request->focus,
             decide_setting_constant(&plotter->data->settings[setting]), fit->f);
    int status = plot_figure_begin(&figure, plotter, &plot_regret, setting, "", label,
                                   "p, m_bytes, rule_n, time_s, regret");
    if (status != RB_OK)
        return status;
    for (size_t i = 0; i < series->count; i++) {
        char size[32], title[40];
        if (over_ranks)
            snprintf(title, sizeof title, "m = %s",
                     sup_format_shown(series->value[i], size, sizeof size));
        else
            snprintf(title, sizeof title, "p = %" PRId64, series->value[i]);
        plot_figure_series(&figure, i, title);
        outside += write_series(&figure, fit, series->value[i], over_ranks, &x);
        plot_figure_title(&figure, title);
    }
    fprintf(figure.script, "median = %.9g\nover_ranks = %d\n", fit->median, over_ranks);
    if (outside > 0)
        fprintf(figure.script,
                "# %zu points are missing: its n is outside of the n that were run\n", outside);
    if (over_ranks)
        plot_axis_counts(&figure, "x", "number of ranks p", x);
    else
        plot_axis_bytes(&figure, "x", "message size m", x, PLOT_BYTES_TICKS);
    return plot_figure_finish(&figure, plotter);
}

static int draw(struct plot_plotter *plotter, size_t setting, const char **why)
{
    const struct plot_request *request = plotter->request;
    const struct plot_choice choice = {setting, request->focus, -1, -1, 2};
    const struct decide_tune_request tune = {.focus = request->focus,
                                             .tolerance = DECIDE_TUNE_TOLERANCE};
    struct sup_list ranks = plot_choose_ranks(plotter, &choice, SIZE_MAX, SIZE_MAX);
    const bool over_ranks = ranks.count > 1;
    struct sup_list series =
        over_ranks ? plot_choose_bytes(plotter, &choice, MOST_SERIES, MOST_SERIES_ASKED)
                   : plot_choose_ranks(plotter, &choice, MOST_SERIES, MOST_SERIES_ASKED);
    struct decide_fit fit;

    int status = decide_tune_fit_setting(plotter->data, setting, &tune, &fit, NULL, plotter->error);
    if (status == RB_OK && fit.count - fit.outside < 2) {
        *why = "it takes two or more pairs of p > 2 and m, with the rule's n within those run, of "
               "the algorithm in focus (--focus)";
    } else if (status == RB_OK) {
        qsort(fit.points, fit.count, sizeof *fit.points, by_ranks_and_bytes);
        status = draw_one(plotter, setting, &fit, &series, over_ranks);
    }
    sup_list_free(&ranks);
    sup_list_free(&series);
    decide_fit_free(&fit);
    return status;
}

const struct plot_kind plot_regret = {
    .name = "regret",
    .title = "regret of the rule for n with the fitted F or G",
    .of_settings = true,
    .lacks = PLOT_LACKS_Y | PLOT_LACKS_SPREAD,
    .draw = draw,
};
