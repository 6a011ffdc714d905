/* plot_best_n.c - the best n against p for several m, with the closed form's: one figure. */
#include <inttypes.h>
#include <string.h>

#include "plots/figure/plot.h"
#include "roundabout.h"

enum { MOST_SERIES = 4, MOST_SERIES_ASKED = 8 };

/* Only p where there was an n to choose. */
static void write_series(struct plot_figure *figure, struct plot_plotter *plotter, size_t setting,
                         const char *name, int64_t m_bytes, struct plot_span *p,
                         struct plot_span *n, bool *closed)
{
    const struct plot_choice choice = {setting, name, -1, m_bytes, 2};
    struct sup_list ranks = plot_choose_ranks(plotter, &choice, SIZE_MAX, SIZE_MAX);
    for (size_t i = 0; i < ranks.count; i++) {
        const struct decide_curve *curve = plot_find_curve(plotter->data, setting, choice.algorithm,
                                                           (int32_t)ranks.value[i], m_bytes);
        plot_span_add(p, curve->p);
        plot_span_add(n, (double)curve->best->n);
        fprintf(figure->data, "%" PRId64 " %" PRId32 " %" PRId64 " %.17g ", m_bytes, curve->p,
                curve->best->n, curve->best->time_s);
        if (curve->closed_n > 0) {
            fprintf(figure->data, "%" PRId64 "\n", curve->closed_n);
            plot_span_add(n, (double)curve->closed_n);
            *closed = true;
        } else {
            fputs("NaN\n", figure->data);
        }
    }
    sup_list_free(&ranks);
}

/* A curve of this name and m for any p where there was an n to choose, or NULL. */
static const struct decide_curve *find_any(const struct decide_curves *data, size_t setting,
                                           const char *name, int64_t m_bytes)
{
    for (size_t i = 0; i < data->curve_count; i++) {
        const struct decide_curve *curve = &data->curves[i];
        if (!curve->hidden && curve->setting == setting && curve->m_bytes == m_bytes &&
            curve->p > 1 && curve->count > 1 && strcmp(curve->algorithm, name) == 0)
            return curve;
    }
    return NULL;
}

static int draw_one(struct plot_plotter *plotter, size_t setting, const struct sup_list *sizes)
{
    struct plot_span p = PLOT_EMPTY_SPAN, n = PLOT_EMPTY_SPAN;
    struct plot_figure figure;
    bool closed = false;
    int status =
        plot_figure_begin(&figure, plotter, &plot_best_n, setting, "", plotter->request->focus,
                          "m_bytes, p, best_n, time_s, closed_form_n");
    if (status != RB_OK)
        return status;
    size_t lines = 0;
    for (size_t i = 0; i < sizes->count; i++) {
        const char *focus = plotter->request->focus, *name;
        for (size_t k = 0; (name = plot_variant(plotter->data, setting, focus, k)) != NULL; k++) {
            const struct decide_curve *curve =
                find_any(plotter->data, setting, name, sizes->value[i]);
            char size[32], of[40], title[300];
            if (curve == NULL || lines == PLOT_MOST_LINES)
                continue;
            snprintf(of, sizeof of, "m = %s", sup_format_shown(sizes->value[i], size, sizeof size));
            plot_variant_title(curve, of, title, sizeof title);
            plot_figure_series(&figure, lines++, title);
            write_series(&figure, plotter, setting, name, sizes->value[i], &p, &n, &closed);
            plot_figure_title(&figure, title);
        }
    }
    fprintf(figure.script, "closed_form = %d\n", closed);
    plot_axis_counts(&figure, "x", "number of ranks p", p);
    plot_axis_counts(&figure, "y", "best n", n);
    return plot_figure_finish(&figure, plotter);
}

static int draw(struct plot_plotter *plotter, size_t setting, const char **why)
{
    struct plot_choice choice = {setting, plotter->request->focus, -1, -1, 2};
    struct sup_list ranks = plot_choose_ranks(plotter, &choice, SIZE_MAX, SIZE_MAX);
    struct sup_list sizes = plot_choose_bytes(plotter, &choice, MOST_SERIES, MOST_SERIES_ASKED);
    int status = RB_OK;
    if (ranks.count < 2)
        *why = "it takes two or more p > 1, with two or more n each, of the algorithm in focus "
               "(--focus)";
    else
        status = draw_one(plotter, setting, &sizes);
    sup_list_free(&ranks);
    sup_list_free(&sizes);
    return status;
}

const struct plot_kind plot_best_n = {
    .name = "best-n",
    .title = "best number of blocks n against the number of ranks p",
    .lacks = PLOT_LACKS_SPREAD,
    .draw = draw,
};
