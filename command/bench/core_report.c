/* core_report.c - prints the results of the schedule core's benchmark (bench.h). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command/bench/bench.h"
#include "plots/figure/plot.h"
#include "roundabout.h"
#include "support/options/options.h"
#include "support/output/verdict.h"

/* The spread over a range's (or a goal's) samples: of a way's ns, or of one way's over another's.
 */
static struct bench_spread core_spread(const struct bench_core_results *results, int32_t range,
                                       int32_t goal, enum bench_core_way way, int over)
{
    enum { MOST = 1024 };
    double values[MOST];
    size_t count = 0;
    for (size_t i = 0; i < results->count && count < MOST; i++) {
        const struct bench_core_sample *sample = &results->samples[i];
        if (sample->range == range && sample->goal == goal)
            values[count++] = sample->ns[way] / (over < 0 ? 1 : sample->ns[over]);
    }
    return bench_spread_of(values, count);
}

/* ---- The table ------------------------------------------------------------------------------- */

static const char *range_text(int32_t range, char *text, size_t size)
{
    snprintf(text, size, "%" PRId32 "..%" PRId32, bench_core_ranges[range].first,
             bench_core_ranges[range].last);
    return text;
}

/* "304 (301-310)", three digits or more of the median. */
static const char *spread_text(struct bench_spread spread, char *text, size_t size)
{
    const int digits = spread.median >= 100 ? 0 : spread.median >= 10 ? 1 : 2;
    snprintf(text, size, "%.*f (%.*f-%.*f)", digits, spread.median, digits, spread.low, digits,
             spread.high);
    return text;
}

static void print_per_rank(const struct bench_core_results *results, FILE *stream)
{
    char text[64];
    fprintf(stream,
            "Table 4, time per rank in nanoseconds: median (quartiles) over the sampled p\n"
            "%-18s %9s %9s %21s %21s %21s %21s %21s\n",
            "p", "paper old", "paper new", "literal", "one rank", "table", "both rows",
            "one rank/literal");
    for (int32_t i = 0; i < BENCH_CORE_RANGES; i++) {
        fprintf(stream, "%-18s %9.0f %9.0f", range_text(i, text, sizeof text),
                1000 * bench_core_ranges[i].old_per_rank_us,
                1000 * bench_core_ranges[i].new_per_rank_us);
        for (int way = 0; way < BENCH_CORE_WAYS; way++)
            fprintf(stream, " %21s",
                    spread_text(core_spread(results, i, -1, (enum bench_core_way)way, -1), text,
                                sizeof text));
        fprintf(stream, " %21s\n",
                spread_text(core_spread(results, i, -1, BENCH_CORE_ONE_RANK, BENCH_CORE_LITERAL),
                            text, sizeof text));
    }
}

static void print_goal(FILE *stream, int32_t p, const char *what, struct bench_spread spread,
                       double most)
{
    char text[64];
    fprintf(stream, "%-9" PRId32 " %-36s %21s %9g  %s\n", p, what,
            spread_text(spread, text, sizeof text), most, spread.median <= most ? "met" : "missed");
}

static void print_goals(const struct bench_core_results *results, FILE *stream)
{
    fprintf(stream, "\n%-9s %-36s %21s %9s\n", "p", "goal", "measured", "at most");
    for (int32_t i = 0; i < BENCH_CORE_GOALS; i++) {
        const struct bench_core_goal *goal = &bench_core_goals[i];
        print_goal(
            stream, goal->p,
            goal->random ? "one rank/literal, ranks shuffled" : "one rank/literal, ranks in order",
            core_spread(results, -1, i, BENCH_CORE_ONE_RANK, BENCH_CORE_LITERAL), goal->ratio);
        if (goal->table_ns > 0) {
            print_goal(stream, goal->p, "table, ns per rank",
                       core_spread(results, -1, i, BENCH_CORE_TABLE, -1), goal->table_ns);
            print_goal(stream, goal->p, "both rows, ns per rank",
                       core_spread(results, -1, i, BENCH_CORE_BOTH, -1), goal->table_ns);
        }
    }
}

static void print_plans(const struct bench_core_results *results, FILE *stream)
{
    fprintf(stream, "\nBroadcast plans, nanoseconds of a rank\n%-9s %-12s %-14s %12s %12s\n", "p",
            "algorithm", "groups", "its schedule", "a round");
    for (int32_t i = 0; i < BENCH_CORE_PLANS; i++) {
        const struct bench_core_plan *plan = &results->plans[i];
        fprintf(stream, "%-9" PRId32 " %-12s %-14s %12.0f %12.0f\n", plan->p, plan->algorithm,
                plan->groups, plan->rank_ns, plan->round_ns);
    }
}

/* How the largest range compares with the paper's algorithms, transcribed. */
static void say_answer(const struct bench_core_results *results, FILE *stream)
{
    const int32_t last = BENCH_CORE_RANGES - 1;
    char range[64];
    out_say(stream,
            "%.3g ns for a rank's schedules of p = %s, %.0f %% of the paper's algorithms; %.3g ns "
            "where all ranks are computed at once",
            core_spread(results, last, -1, BENCH_CORE_ONE_RANK, -1).median,
            range_text(last, range, sizeof range),
            100 * core_spread(results, last, -1, BENCH_CORE_ONE_RANK, BENCH_CORE_LITERAL).median,
            core_spread(results, last, -1, BENCH_CORE_TABLE, -1).median);
}

static void print_table(const struct bench_request *request,
                        const struct bench_core_results *results)
{
    struct bench_machine machine;
    FILE *stream = request->stream;
    bench_machine(&machine);
    if (!request->details) {
        say_answer(results, stream);
        print_goals(results, stream);
        out_say(stream, "On %s; CPU time of %" PRId32 " p per range", machine.cpu,
                request->samples);
        out_more(stream, "--details (the paper's Table 4, plans), --format csv");
        return;
    }
    print_per_rank(results, stream);
    print_goals(results, stream);
    print_plans(results, stream);
    fprintf(
        stream,
        "\npaper: Traeff 2024, Table 4, old O(log^3 p) and new O(log p) algorithms, Xeon E3-1225 "
        "at 3.3 GHz\nhere: %s; %s; roundabout %s\nliteral: the paper's algorithms transcribed; "
        "one rank: rb_circulant_recv and _send\ntable: rb_circulant_table, send rows, of which the "
        "receive rows are rotations; both rows: these written out too\n%" PRId32
        " p per range (seed %" PRIu64 "), all their ranks; CPU time\n",
        machine.cpu, machine.compiler, cli_program_version, request->samples, request->seed);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static const struct out_column sample_columns[] = {
    {"p_first", .kind = OUT_COUNT},
    {"p_last", .kind = OUT_COUNT},
    {"p", .kind = OUT_COUNT},
    {"order", .kind = OUT_WORD},
    {"literal_ns", .kind = OUT_REAL},
    {"one_rank_ns", .kind = OUT_REAL},
    {"table_ns", .kind = OUT_REAL},
    {"both_ns", .kind = OUT_REAL},
    {"seed", .kind = OUT_WHOLE, .same = true},
    {"cpu", .kind = OUT_WORD, .same = true, .quoted = true},
    {"compiler", .kind = OUT_WORD, .same = true, .quoted = true},
    {"version", .kind = OUT_WORD, .same = true},
};
static const struct out_table table_of_samples = {sample_columns,
                                                  .width = OUT_COUNT_OF(sample_columns)};

static const char *order_of(const struct bench_core_sample *sample)
{
    return sample->goal >= 0 && bench_core_goals[sample->goal].random ? "shuffled" : "rising";
}

static void print_samples(const struct bench_request *request,
                          const struct bench_core_results *results)
{
    struct bench_machine machine;
    struct out_rows rows;
    bench_machine(&machine);
    out_rows_begin(&rows, &table_of_samples, request->format, request->stream,
                   json_pack("{s:s, s:I, s:s, s:s, s:s}", "benchmark", "core", "seed",
                             (json_int_t)request->seed, "cpu", machine.cpu, "compiler",
                             machine.compiler, "version", cli_program_version),
                   "rows");
    for (size_t i = 0; i < results->count; i++) {
        const struct bench_core_sample *sample = &results->samples[i];
        const struct bench_core_range *range =
            &bench_core_ranges[sample->range < 0 ? 0 : sample->range];
        const union out_cell cells[] = {{.whole = sample->range < 0 ? sample->p : range->first},
                                        {.whole = sample->range < 0 ? sample->p : range->last},
                                        {.whole = sample->p},
                                        {.word = order_of(sample)},
                                        {.real = sample->ns[BENCH_CORE_LITERAL]},
                                        {.real = sample->ns[BENCH_CORE_ONE_RANK]},
                                        {.real = sample->ns[BENCH_CORE_TABLE]},
                                        {.real = sample->ns[BENCH_CORE_BOTH]},
                                        {.whole = (int64_t)request->seed},
                                        {.word = machine.cpu},
                                        {.word = machine.compiler},
                                        {.word = cli_program_version}};
        out_rows_add(&rows, cells);
    }
    out_rows_end(&rows);
}

void bench_core_print(const struct bench_request *request, const struct bench_core_results *results)
{
    (request->format == OUT_TEXT ? print_table : print_samples)(request, results);
}

/* ---- The whole report ------------------------------------------------------------------------ */

int bench_core_run(const struct bench_request *request, struct sup_error *error)
{
    struct bench_core_results results;
    int status = bench_core_measure(request, &results, error);
    if (status == RB_OK)
        bench_core_print(request, &results);
    if (status == RB_OK && request->place != NULL)
        status = bench_core_draw(request, &results, error);
    free(results.samples);
    return status;
}

/* ---- The figure ------------------------------------------------------------------------------ */

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
        const struct bench_spread here = core_spread(results, i, -1, way, -1);
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
