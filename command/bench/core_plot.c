/* core_plot.c - the schedule core's figure: time per rank against p (core.h). */
#include <inttypes.h>

#include "command/bench/core.h"
#include "plots/figure/plot.h"
#include "roundabout.h"

static const struct plot_kind kind = {
    .name = "bench-core",
    .title = "time of one rank's receive and send schedules against p",
};

static double middle_p(int32_t range)
{
    return (bench_core_ranges[range].first + bench_core_ranges[range].last) / 2.0;
}

static void write_paper(struct plot_figure *figure, struct plot_span *time_s)
{
    plot_figure_series(figure, 0, "paper, 2024");
    for (int32_t i = 0; i < BENCH_CORE_RANGES; i++) {
        const double here = 1e-6 * bench_core_ranges[i].new_per_rank_us;
        plot_span_add(time_s, here);
        fprintf(figure->data, "%.17g %.17g %.17g %.17g\n", middle_p(i), here, here, here);
    }
}

static void write_way(struct plot_figure *figure, const struct bench_core_results *results,
                      enum bench_core_way way, const char *title, struct plot_span *time_s)
{
    plot_figure_series(figure, 1 + (size_t)way, title);
    for (int32_t i = 0; i < BENCH_CORE_RANGES; i++) {
        const struct bench_spread here = bench_core_spread(results, i, -1, way, -1);
        plot_span_add(time_s, 1e-9 * here.low);
        plot_span_add(time_s, 1e-9 * here.high);
        fprintf(figure->data, "%.17g %.17g %.17g %.17g\n", middle_p(i), 1e-9 * here.median,
                1e-9 * here.low, 1e-9 * here.high);
    }
}

unsigned bench_figures_lack(void)
{
    return kind.lacks;
}

int bench_core_draw(const struct bench_request *request, const struct bench_core_results *results,
                    struct sup_error *error)
{
    static const char *const titles[BENCH_CORE_WAYS] = {"literal", "one rank", "table",
                                                        "both rows"};
    struct plot_plotter plotter = {.request = request->place, .error = error};
    struct bench_machine machine;
    struct plot_figure figure;
    struct plot_span p = PLOT_EMPTY_SPAN, time_s = PLOT_EMPTY_SPAN;
    char samples[96];
    bool mine;
    bench_machine(&machine);
    snprintf(samples, sizeof samples, "%" PRId32 " p per range, seed %" PRIu64, request->samples,
             request->seed);
    const struct plot_figure_text text = {
        .origin = {machine.cpu, machine.compiler, samples,
                   "paper: Traeff 2024, Table 4, new algorithms, Xeon E3-1225 at 3.3 GHz"},
        .labels = {machine.cpu, machine.compiler},
        .columns = "p, time_per_rank_s, lower_quartile_s, upper_quartile_s",
    };
    int status = plot_figure_directory(request->place->directory, &mine, error);
    if (status == RB_OK)
        status = plot_figure_begin_named(&figure, &plotter, &kind, kind.name, &text);
    if (status != RB_OK)
        return status;
    write_paper(&figure, &time_s);
    for (int way = 0; way < BENCH_CORE_WAYS; way++)
        write_way(&figure, results, (enum bench_core_way)way, titles[way], &time_s);
    for (int32_t i = 0; i < BENCH_CORE_RANGES; i++)
        plot_span_add(&p, middle_p(i));
    plot_figure_title(&figure, "paper, 2024");
    for (int way = 0; way < BENCH_CORE_WAYS; way++)
        plot_figure_title(&figure, titles[way]);
    plot_axis_counts(&figure, "x", "number of ranks p", p);
    plot_axis_time(&figure, time_s);
    return plot_figure_finish(&figure, &plotter);
}
