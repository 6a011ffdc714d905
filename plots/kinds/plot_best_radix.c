/* plot_best_radix.c - time against m with an algorithm's least and greatest radix and with the best
 * of all at each m, and below it which one that is: one figure per algorithm and p (Bruck et al.
 * 1997, Figure 5). */
#include <inttypes.h>
#include <math.h>

#include "plots/figure/plot.h"
#include "roundabout.h"

/* The subject of one figure. */
struct subject {
    struct plot_plotter *plotter;
    size_t setting;
    const char *algorithm; /* without a radix */
    int32_t p;
    struct sup_list radices, sizes;
};

struct ranges {
    struct plot_span m, time_s, radix;
};

static const struct decide_curve *with_radix(const struct subject *subject, int64_t radix, size_t i)
{
    return plot_find_radix(subject->plotter->data, subject->setting, subject->algorithm, radix,
                           subject->p, subject->sizes.value[i]);
}

/* Radix 0: the best one. */
static void write_series(struct plot_figure *figure, const struct subject *subject, int64_t radix,
                         struct ranges *ranges)
{
    for (size_t i = 0; i < subject->sizes.count; i++) {
        const struct decide_curve *curve =
            radix > 0
                ? with_radix(subject, radix, i)
                : plot_best_of_radices(subject->plotter->data, subject->setting, subject->algorithm,
                                       &subject->radices, subject->p, subject->sizes.value[i]);
        if (curve == NULL)
            continue;
        plot_span_add(&ranges->m, (double)curve->m_bytes);
        plot_span_add(&ranges->time_s, curve->best->time_s);
        if (radix == 0)
            plot_span_add(&ranges->radix, curve->radix);
        fprintf(figure->data, "%" PRId32 " %" PRId64 " %.17g", curve->radix, curve->m_bytes,
                curve->best->time_s);
        plot_figure_spread(figure, curve->best, &ranges->time_s);
    }
}

/* The m at which the lines of the least and the greatest radix first cross, as they are drawn:
 * straight between neighbouring m on logarithmic axes. NAN: nowhere among those run. */
static double crossing_of(const struct subject *subject)
{
    const int64_t least = subject->radices.value[0];
    const int64_t greatest = subject->radices.value[subject->radices.count - 1];
    double before = NAN, before_m = NAN; /* logarithm of the ratio of times, and where */
    for (size_t i = 0; i < subject->sizes.count; i++) {
        const struct decide_curve *a = with_radix(subject, least, i);
        const struct decide_curve *b = with_radix(subject, greatest, i);
        if (a == NULL || b == NULL || !(a->best->time_s > 0) || !(b->best->time_s > 0))
            continue;
        const double m = (double)a->m_bytes, here = log(a->best->time_s / b->best->time_s);
        if (here == 0)
            return m;
        if (before * here < 0)
            return before_m * pow(m / before_m, before / (before - here));
        before = here;
        before_m = m;
    }
    return NAN;
}

static void write_crossing(struct plot_figure *figure, const struct subject *subject,
                           struct plot_span range_m)
{
    const double m = crossing_of(subject);
    const bool crosses = !isnan(m);
    char size[64] = "";
    if (crosses)
        plot_format_size(subject->plotter, subject->p, m, size, sizeof size);
    fprintf(figure->script, "crosses = %d\ncrossing = %.9g\ncrossing_late = %d\n", crosses,
            crosses ? m : 0, crosses && m * m > range_m.low * range_m.high);
    plot_gnuplot_text(figure->script, "crossing_label", size);
}

static int draw_one(const struct subject *subject)
{
    struct ranges ranges = {PLOT_EMPTY_SPAN, PLOT_EMPTY_SPAN, PLOT_EMPTY_SPAN};
    struct plot_plotter *plotter = subject->plotter;
    const int64_t ends[] = {subject->radices.value[0],
                            subject->radices.value[subject->radices.count - 1]};
    char part[80], label[128], title[32];
    struct plot_figure figure;

    snprintf(part, sizeof part, "%s-p%" PRId32, subject->algorithm, subject->p);
    snprintf(label, sizeof label, "%s, p = %" PRId32 ", best of %zu radices", subject->algorithm,
             subject->p, subject->radices.count);
    int status = plot_figure_begin(&figure, plotter, &plot_best_radix, subject->setting, part,
                                   label, "radix, m_bytes, time_s, time_low_s, time_high_s");
    if (status != RB_OK)
        return status;
    for (size_t i = 0; i < 2; i++) {
        snprintf(title, sizeof title, "r = %" PRId64, ends[i]);
        plot_figure_series(&figure, i, title);
        write_series(&figure, subject, ends[i], &ranges);
        plot_figure_title(&figure, title);
    }
    plot_figure_series(&figure, 2, "best r");
    write_series(&figure, subject, 0, &ranges);
    plot_figure_title(&figure, "best r");
    write_crossing(&figure, subject, ranges.m);
    plot_axis_sizes(&figure, plotter, subject->setting, subject->p, ranges.m, PLOT_BYTES_TICKS);
    figure.panel = 0.45;
    plot_axis_radices(&figure, "radix_axis", "best r", ranges.radix);
    plot_axis_time(&figure, ranges.time_s);
    return plot_figure_finish(&figure, plotter);
}

static int draw_subject(struct plot_plotter *plotter, size_t setting, const char *algorithm,
                        int32_t p)
{
    const struct plot_choice choice = {setting, NULL, p, -1, 1};
    struct subject subject = {.plotter = plotter,
                              .setting = setting,
                              .algorithm = algorithm,
                              .p = p,
                              .radices =
                                  plot_choose_radices(plotter, setting, algorithm, p, SIZE_MAX),
                              .sizes = plot_choose_bytes(plotter, &choice, SIZE_MAX, SIZE_MAX)};
    int status = RB_OK;
    if (subject.radices.count >= 2 && subject.sizes.count >= 2)
        status = draw_one(&subject);
    sup_list_free(&subject.radices);
    sup_list_free(&subject.sizes);
    return status;
}

static int draw(struct plot_plotter *plotter, size_t setting, const char **why)
{
    return plot_draw_radices(plotter, setting, draw_subject, why);
}

const struct plot_kind plot_best_radix = {
    .name = "best-radix",
    .title = "time against the message size m, with the least, the greatest and the best radix",
    .of_one_p = true,
    .of_settings = true,
    .draw = draw,
};
