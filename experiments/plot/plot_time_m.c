/* plot_time_m.c - time against m of each algorithm at its best n, and below it the speed-up of the
 * algorithm in focus over the best of the others: one figure per p. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "experiments/plot/plot.h"
#include "roundabout.h"

enum { MOST_FIGURES = 3, MOST_SERIES = 10 };

struct ranges {
    struct rb_span m, time_s, speedup;
};

/* The algorithms of a setting and p that have a time for two or more m, the one in focus first. */
static size_t choose_algorithms(const struct rb_plotter *plotter, size_t setting, int32_t p,
                                const char *names[MOST_SERIES])
{
    const struct rb_curves *data = plotter->data;
    size_t count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < data->curve_count; i++) {
            const struct rb_curve *curve = &data->curves[i];
            bool in_focus = strcmp(curve->algorithm, plotter->request->focus) == 0;
            bool known = curve->setting != setting || curve->p != p || in_focus != (pass == 0);
            for (size_t j = 0; j < count && !known; j++)
                known = names[j] == curve->algorithm;
            if (!known && count < MOST_SERIES)
                names[count++] = curve->algorithm;
        }
    return count;
}

static void write_series(struct rb_figure *figure, const struct rb_curves *data, size_t setting,
                         const char *algorithm, int32_t p, const struct rb_list *sizes,
                         struct ranges *ranges)
{
    for (size_t i = 0; i < sizes->count; i++) {
        const struct rb_curve *curve = rb_find_curve(data, setting, algorithm, p, sizes->value[i]);
        if (curve == NULL)
            continue;
        const struct rb_curve *rival = rb_best_rival(data, curve);
        double speedup = rival == NULL ? NAN : rival->best->time_s / curve->best->time_s;
        rb_span_add(&ranges->m, (double)curve->m_bytes);
        rb_span_add(&ranges->time_s, curve->best->time_s);
        fprintf(figure->data, "%s %" PRId64 " %" PRId64 " %.17g ", algorithm, curve->m_bytes,
                curve->best->n, curve->best->time_s);
        if (rival == NULL)
            fputs("- NaN\n", figure->data);
        else
            fprintf(figure->data, "%s %.17g\n", rival->algorithm, speedup);
        if (strcmp(algorithm, figure->plotter->request->focus) == 0 && rival != NULL)
            rb_span_add(&ranges->speedup, speedup);
    }
}

static int draw_one(struct rb_plotter *plotter, size_t setting, int32_t p,
                    const struct rb_list *sizes)
{
    struct ranges ranges = {RB_EMPTY_SPAN, RB_EMPTY_SPAN, RB_EMPTY_SPAN};
    const char *algorithms[MOST_SERIES];
    char part[32], label[64];
    struct rb_figure figure;

    snprintf(part, sizeof part, "p%" PRId32, p);
    snprintf(label, sizeof label, "p = %" PRId32 ", each at its best n", p);
    int status = rb_figure_begin(&figure, plotter, &rb_plot_time_m, setting, part, label,
                                 "algorithm, m in bytes, best n, time in seconds, best rival, "
                                 "speed-up over it");
    if (status != RB_OK)
        return status;
    size_t count = choose_algorithms(plotter, setting, p, algorithms);
    fputs("titles = \"", figure.script);
    for (size_t i = 0; i < count; i++) {
        rb_figure_series(&figure, i, algorithms[i]);
        write_series(&figure, plotter->data, setting, algorithms[i], p, sizes, &ranges);
        fprintf(figure.script, "%s%s", i == 0 ? "" : " ", algorithms[i]);
    }
    bool panel = ranges.speedup.low <= ranges.speedup.high;
    fprintf(figure.script, "\"\nspeedup_panel = %d\n", panel);
    if (panel)
        rb_axis_speedup(figure.script, ranges.speedup);
    rb_axis_bytes(figure.script, "x", "message size m", ranges.m, RB_BYTES_TICKS);
    rb_axis_time(figure.script, ranges.time_s);
    return rb_figure_finish(&figure, plotter);
}

static int draw(struct rb_plotter *plotter, size_t setting, const char **why)
{
    const struct rb_plot_request *request = plotter->request;
    struct rb_choice choice = {setting, NULL, -1, -1, 1};
    struct rb_list ranks = {0}, sizes;
    int64_t before = plotter->made;

    int status = rb_choose_ranks(plotter, &choice, &ranks);
    if (!request->all_ranks)
        rb_thin(&ranks, MOST_FIGURES);
    for (size_t i = 0; i < ranks.count && status == RB_OK; i++) {
        choice.p = (int32_t)ranks.value[i];
        status = rb_choose_bytes(plotter, &choice, &sizes);
        if (status == RB_OK && sizes.count >= 2)
            status = draw_one(plotter, setting, choice.p, &sizes);
        rb_list_free(&sizes);
    }
    if (status == RB_OK && plotter->made == before)
        *why = "it takes two or more m > 0 for some p > 1";
    rb_list_free(&ranks);
    return status;
}

const struct rb_plot_kind rb_plot_time_m = {
    .name = "time-m",
    .title = "time against the message size m, for each algorithm at its best n",
    .draw = draw,
};
