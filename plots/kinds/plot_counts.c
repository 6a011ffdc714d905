/* plot_counts.c - what irregular counts do to each algorithm: time against m at the best n, a panel
 * per algorithm, a line per kind of counts: one figure per p (Traeff 2024, Figure 2). */
#include <inttypes.h>
#include <string.h>

#include "plots/figure/plot.h"
#include "roundabout.h"

enum { MOST_PANELS = 8, MOST_LINES = 6 };

/* Settings that differ in their counts only: the regular ones first. */
struct family {
    size_t setting[MOST_LINES];
    size_t count;
};

static bool differ_in_counts_only(const struct point *a, const struct point *b)
{
    struct point same = *a;
    same.counts = b->counts;
    return decide_same_setting(&same, b);
}

static struct family family_of(const struct decide_curves *data, size_t setting)
{
    struct family family = {0};
    for (int regular = 1; regular >= 0; regular--)
        for (size_t i = 0; i < data->setting_count && family.count < MOST_LINES; i++)
            if (differ_in_counts_only(&data->settings[i], &data->settings[setting]) &&
                (strcmp(data->settings[i].counts, "regular") == 0) == regular)
                family.setting[family.count++] = i;
    return family;
}

/* The algorithms that the family has for this p, the one in focus first. */
static size_t choose_algorithms(const struct plot_plotter *plotter, const struct family *family,
                                int32_t p, const char *names[MOST_PANELS])
{
    const struct decide_curves *data = plotter->data;
    size_t count = 0;
    for (int focus = 1; focus >= 0; focus--)
        for (size_t i = 0; i < data->curve_count; i++) {
            const struct decide_curve *curve = &data->curves[i];
            bool wanted = curve->p == p && !curve->hidden &&
                          plot_is_of(curve, plotter->request->focus) == (focus == 1);
            bool ours = false;
            for (size_t k = 0; k < family->count; k++)
                ours = ours || curve->setting == family->setting[k];
            for (size_t k = 0; k < count; k++)
                wanted = wanted && names[k] != curve->algorithm;
            if (wanted && ours && count < MOST_PANELS)
                names[count++] = curve->algorithm;
        }
    return count;
}

struct ranges {
    struct plot_span m, time_s;
};

static void write_series(struct plot_figure *figure, size_t setting, const char *algorithm,
                         int32_t p, struct ranges *ranges)
{
    const struct decide_curves *data = figure->plotter->data;
    for (size_t i = 0; i < data->curve_count; i++) {
        const struct decide_curve *curve = &data->curves[i];
        if (curve->setting != setting || curve->p != p || curve->algorithm != algorithm ||
            curve->m_bytes < 1 || !(curve->best->time_s > 0))
            continue;
        plot_span_add(&ranges->m, (double)curve->m_bytes);
        plot_span_add(&ranges->time_s, curve->best->time_s);
        plot_figure_word(figure, algorithm);
        fputc(' ', figure->data);
        plot_figure_word(figure, data->settings[setting].counts);
        fprintf(figure->data, " %" PRId64 " %" PRId64 " %.17g", curve->m_bytes, curve->best->n,
                curve->best->time_s);
        plot_figure_spread(figure, curve->best, &ranges->time_s);
    }
}

static int draw_one(struct plot_plotter *plotter, size_t setting, int32_t p,
                    const struct sup_list *sizes)
{
    const struct family family = family_of(plotter->data, setting);
    struct ranges ranges = {PLOT_EMPTY_SPAN, PLOT_EMPTY_SPAN};
    const char *algorithms[MOST_PANELS];
    enum { WIDEST = 22 };
    char part[32], label[64], title[128], name[32], shown[4 * WIDEST + 4];
    struct plot_figure figure;

    (void)sizes; /* each series has its own */
    snprintf(part, sizeof part, "p%" PRId32, p);
    snprintf(label, sizeof label, "p = %" PRId32 ", each at its best n", p);
    int status =
        plot_figure_begin(&figure, plotter, &plot_counts, family.setting[0], part, label,
                          "algorithm, counts, m_bytes, best_n, time_s, time_low_s, time_high_s");
    if (status != RB_OK)
        return status;
    size_t count = choose_algorithms(plotter, &family, p, algorithms);
    fprintf(figure.script, "panels = %zu\narray names[%d]\n", count, MOST_PANELS);
    for (size_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "names[%zu]", i + 1);
        plot_gnuplot_cut(algorithms[i], WIDEST, shown, sizeof shown);
        plot_gnuplot_text(figure.script, name, shown);
    }
    for (size_t k = 0; k < family.count; k++)
        plot_figure_title(&figure, plotter->data->settings[family.setting[k]].counts);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < family.count; k++) {
            const char *counts = plotter->data->settings[family.setting[k]].counts;
            snprintf(title, sizeof title, "%s, %s", algorithms[i], counts);
            plot_figure_series(&figure, i * family.count + k, title);
            write_series(&figure, family.setting[k], algorithms[i], p, &ranges);
        }
    plot_axis_sizes(&figure, plotter, family.setting[0], p, ranges.m, 3);
    figure.panel = 2.0 / (double)(count + 1); /* two abreast */
    plot_axis_time(&figure, ranges.time_s);
    return plot_figure_finish(&figure, plotter);
}

static int draw(struct plot_plotter *plotter, size_t setting, const char **why)
{
    const struct family family = family_of(plotter->data, setting);
    if (decide_setting_constant(&plotter->data->settings[setting]) != 'G')
        *why = "its data are not divided among the ranks";
    else if (family.count < 2)
        *why = "it takes two or more kinds of counts";
    else if (family.setting[0] == setting) /* the others are in the figure of the first */
        return plot_draw_ranks(plotter, setting, draw_one, why);
    return RB_OK;
}

const struct plot_kind plot_counts = {
    .name = "counts",
    .title = "time against all data m, by who owns how much, for each algorithm at its best n",
    .of_one_p = true,
    .draw = draw,
};
