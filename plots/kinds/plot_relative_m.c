/* plot_relative_m.c - time against m of each algorithm, divided by another time. One figure per p.
 *
 * relative-m: each at its best n, divided by the fastest algorithm's time: which algorithm is best
 * for which m, and by how much. ratio: divided by its own time in the first file (or, with
 * --series, in the first of the settings that are drawn together), each at the best of the n that
 * both have: what became slower, or how far simulated times are from measured ones. */
#include <inttypes.h>

#include "plots/figure/plot.h"
#include "roundabout.h"

/* The curve of the same algorithm in the first file or setting; NULL: there is none, or this is
 * it. */
static const struct decide_curve *first_of(const struct decide_curves *data,
                                           const struct decide_curve *curve)
{
    const struct decide_curve *first = curve;
    for (size_t i = 0; i < data->curve_count && curve->base != NULL; i++) {
        const struct decide_curve *other = &data->curves[i];
        if (decide_same_case(other, curve) && other->base == curve->base &&
            other->origin < first->origin)
            first = other;
    }
    return first == curve ? NULL : first;
}

/* A time and what it is divided by. */
struct pair {
    const struct decide_sample *own, *by;
};

/* Of the n that both curves have, the fastest of each. */
static bool pair_with_first(const struct decide_curves *data, const struct decide_curve *curve,
                            struct pair *pair)
{
    const struct decide_curve *first = first_of(data, curve);
    *pair = (struct pair){NULL, NULL};
    for (size_t i = 0, k = 0; first != NULL && i < curve->count && k < first->count;) {
        const struct decide_sample *a = &curve->samples[i], *b = &first->samples[k];
        if (a->n == b->n && (pair->own == NULL || a->time_s < pair->own->time_s))
            pair->own = a;
        if (a->n == b->n && (pair->by == NULL || b->time_s < pair->by->time_s))
            pair->by = b;
        i += a->n <= b->n;
        k += b->n <= a->n;
    }
    return pair->own != NULL && pair->own->time_s > 0 && pair->by->time_s > 0;
}

static bool has_ratio(const struct decide_curves *data, const struct decide_curve *curve)
{
    struct pair pair;
    return pair_with_first(data, curve, &pair);
}

struct ranges {
    struct plot_span m, ratio;
};

/* The least and the largest ratio of the spreads of both times, or NaN. A time without a spread is
 * exact. */
static void write_spread(struct plot_figure *figure, const struct pair *pair, struct ranges *ranges)
{
    const struct decide_curves *data = figure->plotter->data;
    const struct decide_spread *own = &data->spreads[pair->own - data->samples],
                               *by = &data->spreads[pair->by - data->samples];
    const bool spreads = own->low_s > 0, by_spreads = by->low_s > 0;
    const double low = (spreads ? own->low_s : pair->own->time_s) /
                       (by_spreads ? by->high_s : pair->by->time_s),
                 high = (spreads ? own->high_s : pair->own->time_s) /
                        (by_spreads ? by->low_s : pair->by->time_s);
    figure->spreads = figure->spreads || spreads || by_spreads;
    plot_span_add(&ranges->ratio, low);
    plot_span_add(&ranges->ratio, high);
    fprintf(figure->data, " %.17g %.17g", spreads || by_spreads ? low : NAN,
            spreads || by_spreads ? high : NAN);
}

/* Writes the series, then its title and where it ends. */
static void write_series(struct plot_figure *figure, const struct decide_curve *line,
                         const char *title, const struct sup_list *sizes, struct ranges *ranges)
{
    const struct decide_curves *data = figure->plotter->data;
    double last_m = 0, last_ratio = 0;
    for (size_t i = 0; i < sizes->count; i++) {
        const struct decide_curve *curve =
            plot_find_curve(data, line->setting, line->algorithm, line->p, sizes->value[i]);
        const bool by_first = figure->kind == &plot_ratio;
        struct pair pair;
        if (curve == NULL || (by_first && !pair_with_first(data, curve, &pair)))
            continue;
        if (!by_first)
            pair = (struct pair){curve->best, plot_fastest(data, curve, NULL, NULL)->best};
        const double ratio = pair.own->time_s / pair.by->time_s;
        plot_span_add(&ranges->m, (double)curve->m_bytes);
        plot_span_add(&ranges->ratio, ratio);
        plot_figure_word(figure, plot_base_name(curve));
        fprintf(figure->data, " %" PRId64 " %" PRId64 " %.17g %.17g", curve->m_bytes, pair.own->n,
                pair.own->time_s, ratio);
        if (by_first)
            write_spread(figure, &pair, ranges);
        fputc('\n', figure->data);
        last_m = (double)curve->m_bytes;
        last_ratio = ratio;
    }
    plot_figure_algorithm(figure, title, title == line->base ? title : line->algorithm);
    if (last_m > 0)
        plot_figure_end(figure, last_m, last_ratio);
}

/* "after / before", or "time / before" if the lines are of several files or settings. */
static const char *name_ratio(const struct plot_plotter *plotter, const struct plot_lines *lines,
                              char *name, size_t size)
{
    const struct decide_curve *line = lines->line[0].curve;
    bool several = false;
    for (size_t i = 1; i < lines->count; i++)
        several = several || lines->line[i].curve->variant != line->variant;
    snprintf(name, size, "%.200s / %.200s", several ? "time" : line->variant,
             first_of(plotter->data, line)->variant);
    return several ? NULL : name;
}

static int draw_one(struct plot_plotter *plotter, const struct plot_kind *kind, size_t setting,
                    int32_t p, const struct sup_list *sizes)
{
    const char *instance = plotter->data->settings[setting].plan.instance, *of_one = NULL;
    const bool by_first = kind == &plot_ratio;
    struct ranges ranges = {PLOT_EMPTY_SPAN, PLOT_EMPTY_SPAN};
    struct plot_lines lines;
    struct plot_figure figure;
    char part[32], label[600], what[420] = "each at its best n";

    plot_choose_some_lines(plotter, setting, p, by_first ? has_ratio : NULL, &lines);
    if (lines.count < (by_first ? 1 : 2))
        return RB_OK;
    if (by_first)
        of_one = name_ratio(plotter, &lines, what, sizeof what);
    snprintf(part, sizeof part, "p%" PRId32, p);
    if (instance != NULL)
        snprintf(label, sizeof label, "%s", instance);
    else
        snprintf(label, sizeof label, "p = %" PRId32 ", %s", p, what);
    int status = plot_figure_begin(&figure, plotter, kind, setting, part, label,
                                   by_first ? "algorithm, m_bytes, n, time_s, ratio, ratio_low, "
                                              "ratio_high"
                                            : "algorithm, m_bytes, best_n, time_s, time_by_least");
    if (status != RB_OK)
        return status;
    plot_note_lines(&figure, &lines);
    for (size_t i = 0; i < lines.count; i++) {
        const struct decide_curve *line = lines.line[i].curve;
        const char *title = of_one != NULL ? line->base : plot_line_title(&lines, i);
        plot_figure_series(&figure, i, title);
        write_series(&figure, line, title, sizes, &ranges);
    }
    plot_axis_sizes(&figure, plotter, setting, p, ranges.m, plot_name_ends(&figure, lines.count));
    if (by_first)
        plot_axis_around_one(&figure, "y_axis", "ratio of times", ranges.ratio);
    else
        plot_axis_slower(&figure, ranges.ratio.high);
    return plot_figure_finish(&figure, plotter);
}

static int draw_relative(struct plot_plotter *plotter, size_t setting, int32_t p,
                         const struct sup_list *sizes)
{
    return draw_one(plotter, &plot_relative_m, setting, p, sizes);
}

static int draw_ratio(struct plot_plotter *plotter, size_t setting, int32_t p,
                      const struct sup_list *sizes)
{
    return draw_one(plotter, &plot_ratio, setting, p, sizes);
}

static int draw(struct plot_plotter *plotter, size_t setting, const char **why)
{
    const int status = plot_draw_ranks(plotter, setting, draw_relative, why);
    if (*why != NULL)
        *why = "it takes two or more algorithms, and m > 0, for some p > 1";
    return status;
}

static int draw_ratios(struct plot_plotter *plotter, size_t setting, const char **why)
{
    const int64_t before = plotter->made;
    const int status = plot_draw_ranks(plotter, setting, draw_ratio, why);
    if (status == RB_OK && plotter->made == before)
        *why = "it takes points with the same algorithm, p, m and n in two RESULTS, or in two "
               "settings of --series, and two or more m > 0 for some p > 1";
    return status;
}

const struct plot_kind plot_relative_m = {
    .name = "relative-m",
    .title = "time against the message size m by that of the fastest, for each algorithm",
    .repeats = true,
    .of_one_p = true,
    .lacks = PLOT_LACKS_SPREAD,
    .draw = draw,
};

const struct plot_kind plot_ratio = {
    .name = "ratio",
    .title = "time against the message size m by that of the first file or setting, for each "
             "algorithm",
    .of_one_p = true,
    .draw = draw_ratios,
};
