/* plot_ratio.c - time against m of each algorithm, divided by its time in the first file (or, with
 * --series, the first of the settings that are drawn together): what became slower or faster, or
 * how far simulated times are from measured ones. Each at the best of the n that both have. One
 * figure per p. */
#include <inttypes.h>

#include "plots/figure/plot.h"
#include "roundabout.h"

/* The curve of the same algorithm in the first file or setting; NULL: there is none, or this is
 * it. */
static const struct tune_curve *first_of(const struct tune_curves *data,
                                         const struct tune_curve *curve)
{
    const struct tune_curve *first = curve;
    for (size_t i = 0; i < data->curve_count && curve->base != NULL; i++) {
        const struct tune_curve *other = &data->curves[i];
        if (tune_same_case(other, curve) && other->base == curve->base &&
            other->origin < first->origin)
            first = other;
    }
    return first == curve ? NULL : first;
}

/* The fastest samples of both curves among the n that both have; false: there is no such n. */
static bool best_of_common(const struct tune_curve *curve, const struct tune_curve *first,
                           const struct tune_sample *best[2])
{
    const struct tune_sample *a = curve->samples, *b = first->samples;
    best[0] = best[1] = NULL;
    while (a < curve->samples + curve->count && b < first->samples + first->count)
        if (a->n != b->n) {
            *(a->n < b->n ? &a : &b) += 1;
        } else {
            best[0] = best[0] == NULL || a->time_s < best[0]->time_s ? a : best[0];
            best[1] = best[1] == NULL || b->time_s < best[1]->time_s ? b : best[1];
            a++, b++;
        }
    return best[0] != NULL;
}

struct ranges {
    struct plot_span m, ratio;
};

/* The least and the largest ratio of the spreads, or NaN; a time without a spread is exact. */
static void write_spread(struct plot_figure *figure, const struct tune_sample *const best[2],
                         struct ranges *ranges)
{
    const struct tune_curves *data = figure->plotter->data;
    double low[2], high[2];
    bool any = false;
    for (int i = 0; i < 2; i++) {
        const struct tune_spread *spread = &data->spreads[best[i] - data->samples];
        const bool known = spread->low_s > 0 && spread->high_s > 0;
        low[i] = known ? spread->low_s : best[i]->time_s;
        high[i] = known ? spread->high_s : best[i]->time_s;
        any = any || known;
    }
    if (!any) {
        fputs(" NaN NaN\n", figure->data);
        return;
    }
    figure->spreads = true;
    plot_span_add(&ranges->ratio, low[0] / high[1]);
    plot_span_add(&ranges->ratio, high[0] / low[1]);
    fprintf(figure->data, " %.17g %.17g\n", low[0] / high[1], high[0] / low[1]);
}

static void write_series(struct plot_figure *figure, const struct tune_curve *line,
                         const struct sup_list *sizes, struct ranges *ranges)
{
    const struct tune_curves *data = figure->plotter->data;
    for (size_t i = 0; i < sizes->count; i++) {
        const struct tune_curve *curve =
            plot_find_curve(data, line->setting, line->algorithm, line->p, sizes->value[i]);
        const struct tune_curve *first = curve == NULL ? NULL : first_of(data, curve);
        const struct tune_sample *best[2];
        if (first == NULL || !best_of_common(curve, first, best))
            continue;
        const double ratio = best[0]->time_s / best[1]->time_s;
        plot_span_add(&ranges->m, (double)curve->m_bytes);
        plot_span_add(&ranges->ratio, ratio);
        plot_figure_word(figure, plot_base_name(curve));
        fprintf(figure->data, " %" PRId64 " %" PRId64 " %.17g %" PRId64 " %.17g %.17g",
                curve->m_bytes, best[0]->n, best[0]->time_s, best[1]->n, best[1]->time_s, ratio);
        write_spread(figure, best, ranges);
    }
}

/* The algorithms that have a point with a first one; *several is set if they are of several files
 * or settings. */
static size_t choose(const struct plot_plotter *plotter, size_t setting, int32_t p,
                     const struct tune_curve *lines[PLOT_MOST_LINES], bool *several)
{
    const struct tune_sample *best[2];
    size_t count = 0;
    *several = false;
    for (size_t i = 0; i < plotter->data->curve_count; i++) {
        const struct tune_curve *curve = &plotter->data->curves[i], *first;
        bool seen = curve->hidden || curve->setting != setting || curve->p != p ||
                    (first = first_of(plotter->data, curve)) == NULL ||
                    !best_of_common(curve, first, best);
        for (size_t k = 0; k < count && !seen; k++)
            seen = lines[k]->algorithm == curve->algorithm;
        if (seen || count == PLOT_MOST_LINES)
            continue;
        *several = *several || (count > 0 && lines[0]->variant != curve->variant);
        lines[count++] = curve;
    }
    return count;
}

static int draw_one(struct plot_plotter *plotter, size_t setting, int32_t p,
                    const struct sup_list *sizes)
{
    struct ranges ranges = {PLOT_EMPTY_SPAN, PLOT_EMPTY_SPAN};
    const struct tune_curve *lines[PLOT_MOST_LINES];
    struct plot_figure figure;
    char part[32], label[600];
    bool several;
    const size_t count = choose(plotter, setting, p, lines, &several);
    if (count == 0)
        return RB_OK;
    snprintf(part, sizeof part, "p%" PRId32, p);
    snprintf(label, sizeof label, "p = %" PRId32 ", %.200s / %.200s", p,
             several ? "time" : lines[0]->variant, first_of(plotter->data, lines[0])->variant);
    int status = plot_figure_begin(&figure, plotter, &plot_ratio, setting, part, label,
                                   "algorithm, m_bytes, n, time_s, first_n, first_time_s, ratio, "
                                   "ratio_low, ratio_high");
    if (status != RB_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        const char *title = several ? lines[i]->algorithm : lines[i]->base;
        plot_figure_series(&figure, i, title);
        write_series(&figure, lines[i], sizes, &ranges);
        plot_figure_title(&figure, title);
    }
    plot_axis_sizes(&figure, plotter, setting, p, ranges.m, PLOT_BYTES_TICKS);
    plot_axis_around_one(&figure, "y_axis", "ratio of times", ranges.ratio);
    return plot_figure_finish(&figure, plotter);
}

static int draw(struct plot_plotter *plotter, size_t setting, const char **why)
{
    const int64_t before = plotter->made;
    const int status = plot_draw_ranks(plotter, setting, draw_one, why);
    if (status == RB_OK && plotter->made == before)
        *why = "it takes points with the same algorithm, p, m and n in two RESULTS, or in two "
               "settings of --series, and two or more m > 0 for some p > 1";
    return status;
}

const struct plot_kind plot_ratio = {
    .name = "ratio",
    .title = "time against the message size m by that of the first file or setting, for each "
             "algorithm",
    .of_one_p = true,
    .draw = draw,
};
