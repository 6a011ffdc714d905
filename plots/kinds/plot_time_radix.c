/* plot_time_radix.c - time against the radix of an algorithm for several m, the best of each
 * marked: one figure per algorithm and p (Bruck et al. 1997, Figure 6). */
#include <inttypes.h>

#include "plots/figure/plot.h"
#include "roundabout.h"

enum { MOST_SERIES = 5, MOST_SERIES_ASKED = 8, FEW_RADICES = 16 };

static bool is_of(const struct decide_curve *curve, size_t setting, const char *algorithm,
                  int32_t p, int64_t m_bytes)
{
    return curve->setting == setting && curve->p == p && curve->m_bytes == m_bytes &&
           curve->radix > 0 && curve->plan_algorithm == algorithm;
}

static size_t radices_at(const struct decide_curves *data, size_t setting, const char *algorithm,
                         int32_t p, int64_t m_bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < data->curve_count; i++)
        count += is_of(&data->curves[i], setting, algorithm, p, m_bytes);
    return count;
}

/* Of the m, those at which the most radices were run, or if the user chose all with two or more. */
static void keep_sizes(const struct plot_plotter *plotter, size_t setting, const char *algorithm,
                       int32_t p, struct sup_list *sizes)
{
    const bool all = plotter->request->all_bytes;
    size_t least = 2, kept = 0;
    for (size_t i = 0; i < sizes->count && !all; i++) {
        const size_t radices = radices_at(plotter->data, setting, algorithm, p, sizes->value[i]);
        least = radices > least ? radices : least;
    }
    for (size_t i = 0; i < sizes->count; i++)
        if (radices_at(plotter->data, setting, algorithm, p, sizes->value[i]) >= least)
            sizes->value[kept++] = sizes->value[i];
    sizes->count = kept;
    sup_list_thin(sizes, all ? MOST_SERIES_ASKED : MOST_SERIES);
}

struct ranges {
    struct plot_span radix, time_s;
};

/* The curves of a case are in the order of rising radix. */
static void write_series(struct plot_figure *figure, size_t setting, const char *algorithm,
                         int32_t p, int64_t m_bytes, struct ranges *ranges)
{
    const struct decide_curves *data = figure->plotter->data;
    const struct decide_curve *best = NULL;
    for (size_t i = 0; i < data->curve_count; i++) {
        const struct decide_curve *curve = &data->curves[i];
        if (is_of(curve, setting, algorithm, p, m_bytes) &&
            (best == NULL || curve->best->time_s < best->best->time_s))
            best = curve;
    }
    for (size_t i = 0; i < data->curve_count; i++) {
        const struct decide_curve *curve = &data->curves[i];
        if (!is_of(curve, setting, algorithm, p, m_bytes))
            continue;
        plot_span_add(&ranges->radix, curve->radix);
        plot_span_add(&ranges->time_s, curve->best->time_s);
        fprintf(figure->data, "%" PRId64 " %" PRId32 " %.17g %d", m_bytes, curve->radix,
                curve->best->time_s, curve == best);
        plot_figure_spread(figure, curve->best, &ranges->time_s);
    }
}

static int draw_one(struct plot_plotter *plotter, size_t setting, const char *algorithm, int32_t p,
                    const struct sup_list *sizes)
{
    struct ranges ranges = {PLOT_EMPTY_SPAN, PLOT_EMPTY_SPAN};
    char part[80], label[128], title[64];
    struct plot_figure figure;
    size_t most = 0;

    snprintf(part, sizeof part, "%s-p%" PRId32, algorithm, p);
    snprintf(label, sizeof label, "%s, p = %" PRId32, algorithm, p);
    int status = plot_figure_begin(&figure, plotter, &plot_time_radix, setting, part, label,
                                   "m_bytes, radix, time_s, is_best, time_low_s, time_high_s");
    if (status != RB_OK)
        return status;
    for (size_t i = 0; i < sizes->count; i++) {
        plot_format_size(plotter, p, (double)sizes->value[i], title, sizeof title);
        plot_figure_series(&figure, i, title);
        write_series(&figure, setting, algorithm, p, sizes->value[i], &ranges);
        const size_t radices = radices_at(plotter->data, setting, algorithm, p, sizes->value[i]);
        most = radices > most ? radices : most;
        plot_figure_title(&figure, title);
    }
    fprintf(figure.script, "few = %d\n", most <= FEW_RADICES);
    plot_axis_counts(&figure, "x", "radix r", ranges.radix);
    plot_axis_time(&figure, ranges.time_s);
    return plot_figure_finish(&figure, plotter);
}

static int draw_subject(struct plot_plotter *plotter, size_t setting, const char *algorithm,
                        int32_t p)
{
    const struct plot_choice choice = {setting, NULL, p, -1, 1};
    struct sup_list sizes = plot_choose_bytes(plotter, &choice, SIZE_MAX, SIZE_MAX);
    int status = RB_OK;
    keep_sizes(plotter, setting, algorithm, p, &sizes);
    if (sizes.count > 0)
        status = draw_one(plotter, setting, algorithm, p, &sizes);
    sup_list_free(&sizes);
    return status;
}

static int draw(struct plot_plotter *plotter, size_t setting, const char **why)
{
    return plot_draw_radices(plotter, setting, draw_subject, why);
}

const struct plot_kind plot_time_radix = {
    .name = "time-radix",
    .title = "time against the radix r, for several m",
    .of_one_p = true,
    .of_settings = true,
    .draw = draw,
};
