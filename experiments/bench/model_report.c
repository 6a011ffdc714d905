/* model_report.c - showing how fast the engine model is (model.h). */
#include <inttypes.h>
#include <stdlib.h>

#include "command/options/options.h"
#include "experiments/bench/model.h"

static double per_s(const struct bench_model_sample *sample)
{
    return sample->cpu_s > 0 ? (double)sample->messages / sample->cpu_s : 0;
}

static double bytes_per_rank(const struct bench_model_sample *sample)
{
    return sample->bytes_per_rank;
}

/* Of a case's samples. */
static struct bench_spread spread_of(const struct bench_model_results *results, size_t which,
                                     double (*value_of)(const struct bench_model_sample *))
{
    enum { MOST = 1000 };
    double value[MOST];
    size_t count = 0;
    for (size_t i = 0; i < results->count && count < MOST; i++)
        if (results->samples[i].which == which)
            value[count++] = value_of(&results->samples[i]);
    return bench_spread_of(value, count);
}

static const char *variant_of(const struct bench_model_case *is)
{
    return is->variant != NULL ? is->variant : "its choice";
}

/* ---- The table ------------------------------------------------------------------------------- */

static const struct out_column case_columns[] = {
    {.heading = "engine", .kind = OUT_WORD, .width = -8},
    {.heading = "variant", .kind = OUT_WORD, .width = -10},
    {.heading = "progress", .kind = OUT_WORD, .width = -9},
    {.heading = "p", .kind = OUT_COUNT, .width = 8},
    {.heading = "n", .kind = OUT_COUNT, .width = 4},
    {.heading = "million messages\nper second", .kind = OUT_WORD, .width = 22, .gap = 2},
    {.heading = "goal", .kind = OUT_WORD, .width = -12},
    {.heading = "bytes for\na rank", .kind = OUT_REAL, .width = 9, .real = "%.0f", .gap = 2},
    {.heading = "goal", .kind = OUT_WORD},
};
static const struct out_table cases = {case_columns, .width = OUT_COUNT_OF(case_columns)};

/* " 100 met"; empty if there is no goal. */
static const char *goal_text(double goal, bool met, char text[32])
{
    text[0] = '\0';
    if (goal > 0)
        snprintf(text, 32, "%4.3g  %s", goal, met ? "met" : "missed");
    return text;
}

static void print_case(const struct bench_model_results *results, size_t which, FILE *stream)
{
    const struct bench_model_case *is = &bench_model_cases[which];
    const struct bench_spread speed = spread_of(results, which, per_s);
    const double bytes = spread_of(results, which, bytes_per_rank).median;
    char range[48], goals[2][32];
    snprintf(range, sizeof range, "%.3g (%.3g-%.3g)", speed.median * 1e-6, speed.low * 1e-6,
             speed.high * 1e-6);
    const union out_cell cells[] = {
        {.word = is->engine},
        {.word = variant_of(is)},
        {.word = is->progress},
        {.whole = is->p},
        {.whole = is->n},
        {.word = range},
        {.word = goal_text(is->per_s * 1e-6, speed.median >= is->per_s, goals[0])},
        {.real = bytes},
        {.word = goal_text(is->bytes_per_rank, bytes <= is->bytes_per_rank, goals[1])},
    };
    out_text_row(&cases, cells, stream);
}

static void print_cases(const struct bench_request *request,
                        const struct bench_model_results *results)
{
    FILE *stream = request->stream;
    struct bench_machine machine;
    bench_machine(&machine);
    fputs("Circulant broadcast, blocks of 10 KB, on a crossbar: one core, median (quartiles)\n\n",
          stream);
    out_text_heading(&cases, stream);
    for (size_t i = 0; i < bench_model_case_count; i++)
        print_case(results, i, stream);
    fprintf(stream,
            "\nhere: %s; %s; roundabout %s\n%" PRId32
            " runs of each, each in a process of its own; memory: its peak over that with two "
            "ranks; CPU time, with loading the platform\n",
            machine.cpu, machine.compiler, cli_program_version, request->samples);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static const struct out_column sample_columns[] = {
    {"engine", .kind = OUT_WORD},
    {"variant", .kind = OUT_WORD},
    {"progress", .kind = OUT_WORD},
    {"p", .kind = OUT_COUNT},
    {"n", .kind = OUT_COUNT},
    {"messages", .kind = OUT_COUNT},
    {"cpu_s", .kind = OUT_REAL},
    {"messages_per_s", .kind = OUT_REAL},
    {"bytes_per_rank", .kind = OUT_REAL},
    {"cpu", .kind = OUT_WORD, .same = true, .quoted = true},
    {"compiler", .kind = OUT_WORD, .same = true, .quoted = true},
    {"version", .kind = OUT_WORD, .same = true},
};
static const struct out_table samples = {sample_columns, .width = OUT_COUNT_OF(sample_columns)};

static int print_samples(const struct bench_request *request,
                         const struct bench_model_results *results)
{
    struct bench_machine machine;
    struct out_rows rows;
    bench_machine(&machine);
    out_rows_begin(&rows, &samples, request->format, request->stream,
                   json_pack("{s:s, s:s, s:s, s:s}", "benchmark", bench_model.name, "cpu",
                             machine.cpu, "compiler", machine.compiler, "version",
                             cli_program_version),
                   "rows");
    for (size_t i = 0; i < results->count; i++) {
        const struct bench_model_sample *sample = &results->samples[i];
        const struct bench_model_case *is = &bench_model_cases[sample->which];
        const union out_cell cells[] = {
            {.word = is->engine},    {.word = is->variant},      {.word = is->progress},
            {.whole = is->p},        {.whole = is->n},           {.whole = sample->messages},
            {.real = sample->cpu_s}, {.real = per_s(sample)},    {.real = sample->bytes_per_rank},
            {.word = machine.cpu},   {.word = machine.compiler}, {.word = cli_program_version},
        };
        out_rows_add(&rows, cells);
    }
    return out_rows_end(&rows);
}

int bench_model_print(const struct bench_request *request,
                      const struct bench_model_results *results)
{
    if (request->format != OUT_TEXT)
        return print_samples(request, results);
    print_cases(request, results);
    return RB_OK;
}

static int run(const struct bench_request *request, struct sup_error *error)
{
    struct bench_model_results results;
    int status = bench_model_measure(request, &results, error);
    if (status == RB_OK && bench_model_print(request, &results) != RB_OK)
        status = sup_fail(error, RB_ENOMEM, "out of memory");
    free(results.samples);
    return status;
}

const struct bench_suite bench_model = {
    .name = "model",
    .title = "messages per second of the engine model, beside simgrid",
    .run = run,
};
