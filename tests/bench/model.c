/* model.c - the benchmark `model`: how fast the engine model simulates a circulant broadcast.
 * Blocks are equal and nothing is shared, so the simulated time must equal the closed form. */
#include <inttypes.h>
#include <math.h>

#include "roundabout.h"
#include "support/options/options.h"
#include "tests/bench/simulated.h"

enum { BLOCK_BYTES = 10000 };

#define CASE(ENGINE, VARIANT, OVERLAP, P, N, ...)                                                  \
    {                                                                                              \
        .engine = ENGINE, .variant = VARIANT, .overlap = OVERLAP, .p = P, .n = N,                  \
        .bytes = (int64_t)(N)*BLOCK_BYTES, __VA_ARGS__                                             \
    }

static const struct bench_case cases[] = {
    CASE("model", "waves", "blocking", 1000000, 100, .per_s = 100e6, .bytes_per_rank = 64),
    CASE("model", "windows", "blocking", 20000, 50, .per_s = 0),
    CASE("model", "windows", "lockstep", 20000, 50, .per_s = 0),
    CASE("model", "windows", "window:1", 1024, 1000, .per_s = 0),
    CASE("model", "windows", "window:2", 1024, 1000, .per_s = 5e6),
    CASE("model", "windows", "window:8", 1024, 1000, .per_s = 5e6),
    CASE("model", "windows", "data", 1024, 1000, .per_s = 5e6),
    CASE("model", "windows", "window:8", 20000, 200, .per_s = 0), /* more than a cache holds */
    CASE("model", "windows", "data", 20000, 200, .per_s = 0),
    CASE("model", "events", "blocking", 10000, 50, .per_s = 0),
    CASE("model", "waves", "blocking", 1024, 50, .per_s = 0),
    CASE("model", "windows", "blocking", 1024, 50, .per_s = 0),
    CASE("simgrid", NULL, "blocking", 1024, 50, .per_s = 0),
};

static int check(const struct bench_simulated *simulated, const struct bench_results *results,
                 struct sup_error *error)
{
    const struct bench_sample *sample = &results->samples[results->count - 1];
    const struct bench_case *is = &simulated->cases[sample->which];
    const struct rb_plan_spec spec = {
        .collective = "bcast", .algorithm = "circulant", .p = is->p, .n = is->n};
    const struct rb_layout layout = {.bytes = is->bytes, .element = 1};
    struct rb_plan *plan = NULL;
    double closed_s;
    int status = rb_plan_create(&spec, &plan, error->text, sizeof error->text);
    if (status != RB_OK)
        return status;
    status = rb_plan_cost(plan, &layout, sample->alpha_s, sample->beta_s_per_byte, &closed_s);
    rb_plan_destroy(plan);
    if (status != RB_OK)
        return sup_fail(error, status, "there is no closed form");
    if (fabs(sample->time_s - closed_s) <= 1e-9 * closed_s)
        return RB_OK;
    return sup_fail(error, RB_EWRONG,
                    "engine %s, variant %s, p = %" PRId32 ": %.17g s were simulated, and the "
                    "closed form says %.17g s: how long that took means nothing",
                    is->engine, bench_case_variant(is), is->p, sample->time_s, closed_s);
}

static const struct out_column columns[] = {
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
static const struct out_table table = {columns, .width = OUT_COUNT_OF(columns)};

/* " 100 met"; empty if there is no goal. */
static const char *goal_text(double goal, bool met, char text[BENCH_TEXT])
{
    text[0] = '\0';
    if (goal > 0)
        snprintf(text, BENCH_TEXT, "%4.3g  %s", goal, bench_met(met));
    return text;
}

static void print_case(const struct bench_case *is, const struct bench_results *results,
                       size_t which, FILE *stream)
{
    struct bench_spread speed, bytes;
    char range[BENCH_TEXT], goals[2][BENCH_TEXT];
    if (!bench_case_spread(results, which, bench_sample_per_s, &speed) ||
        !bench_case_spread(results, which, bench_sample_bytes_per_rank, &bytes))
        return;
    const union out_cell cells[] = {
        {.word = is->engine},
        {.word = bench_case_variant(is)},
        {.word = is->overlap},
        {.whole = is->p},
        {.whole = is->n},
        {.word = bench_spread_text(&speed, 1e-6, range)},
        {.word = goal_text(is->per_s * 1e-6, speed.median >= is->per_s, goals[0])},
        {.real = bytes.median},
        {.word = goal_text(is->bytes_per_rank, bytes.median <= is->bytes_per_rank, goals[1])},
    };
    out_text_row(&table, cells, stream);
}

static void print(const struct bench_simulated *simulated,
                  const struct bench_engine_request *request, const struct bench_results *results)
{
    FILE *stream = request->stream;
    fputs("Circulant broadcast, blocks of 10 KB, on a crossbar: one core, median (quartiles)\n\n",
          stream);
    out_text_heading(&table, stream);
    for (size_t i = 0; i < simulated->count; i++)
        print_case(&simulated->cases[i], results, i, stream);
    bench_simulated_note(request);
}

const struct bench_simulated bench_simulated_model = {
    .name = "model",
    .cases = cases,
    .count = sizeof cases / sizeof cases[0],
    .check = check,
    .print = print,
    .samples = 5,
};
