/* flow.c - the benchmark `flow`: how fast the engines flow and simgrid simulate a circulant
 * broadcast where links are shared. They take turns, so that a machine that gets slower slows both.
 *
 * In block order both engines must give the same time. At random places a perturbation of 1e-12 may
 * grow to percents, so there the difference is only shown. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "roundabout.h"
#include "support/options/options.h"
#include "tests/bench/simulated.h"

#define SAME_TIME 1e-9 /* relative */

#define CASE(NAME, ENGINE, PLATFORM, PLACEMENT, P, N)                                              \
    {                                                                                              \
        .name = NAME, .engine = ENGINE, .overlap = "blocking", .platform = PLATFORM,               \
        .placement = PLACEMENT, .p = P, .n = N, .bytes = INT64_C(16) << 20                         \
    }
/* The case that flow's is compared with is behind it. */
#define BOTH(NAME, PLATFORM, PLACEMENT, P, N)                                                      \
    CASE(NAME, "flow", PLATFORM, PLACEMENT, P, N), CASE(NAME, "simgrid", PLATFORM, PLACEMENT, P, N)

static const struct bench_case cases[] = {
    BOTH("dragonfly-1k", "dragonfly:1056", "random:1", 1024, 32),
    BOTH("fat-tree-1k", "fat-tree:1024", "block", 1024, 110),
    BOTH("fat-tree-16k", "fat-tree:16384", "block", 16384, 16),
    BOTH("dragonfly-16k", "dragonfly:16512", "random:1", 16384, 1),
    CASE("dragonfly-100k", "flow", "dragonfly:100000", "random:1", 100000, 32),
};

/* The project's goals for flow. */
enum quantity { TIMES_FASTER, PER_S, SECONDS, PEAK, QUANTITIES };

static const struct {
    const char *what;
    double scale; /* of the value, for this text */
    bool at_most;
} quantities[QUANTITIES] = {
    [TIMES_FASTER] = {"times faster than simgrid, at least", 1, false},
    [PER_S] = {"million messages per second, at least", 1e-6, false},
    [SECONDS] = {"seconds of CPU time, at most", 1, true},
    [PEAK] = {"MB of memory, at most", 1e-6, true},
};

static const struct goal {
    const char *name; /* of its case */
    enum quantity quantity;
    double bound;
} goals[] = {
    {"dragonfly-1k", TIMES_FASTER, 100},  {"dragonfly-1k", PER_S, 1e6},
    {"fat-tree-1k", TIMES_FASTER, 20},    {"fat-tree-16k", TIMES_FASTER, 20},
    {"dragonfly-16k", TIMES_FASTER, 100}, {"dragonfly-100k", SECONDS, 60},
    {"dragonfly-100k", PEAK, 500e6},
};

/* The case that simgrid has for this one of flow's; -1: it has none. */
static int64_t rival_of(const struct bench_simulated *simulated, size_t which)
{
    return which + 1 < simulated->count &&
                   strcmp(simulated->cases[which + 1].name, simulated->cases[which].name) == 0
               ? (int64_t)which + 1
               : -1;
}

static bool is_flow(const struct bench_case *is)
{
    return strcmp(is->engine, "flow") == 0;
}

/* ---- Comparing ------------------------------------------------------------------------------- */

/* Relative. */
static double difference(const struct bench_sample *flow, const struct bench_sample *simgrid)
{
    return fabs(flow->time_s - simgrid->time_s) / simgrid->time_s;
}

static int check(const struct bench_simulated *simulated, const struct bench_results *results,
                 struct sup_error *error)
{
    const struct bench_sample *simgrid = &results->samples[results->count - 1], *flow = simgrid - 1;
    const struct bench_case *is = &simulated->cases[simgrid->which];
    if (is_flow(is) || strcmp(is->placement, "block") != 0 ||
        difference(flow, simgrid) <= SAME_TIME)
        return RB_OK;
    return sup_fail(error, RB_EWRONG,
                    "%s, p = %" PRId32 ": flow says %.17g s and simgrid %.17g s: how long that "
                    "took means nothing",
                    is->platform, is->p, flow->time_s, simgrid->time_s);
}

/* How many times faster a sample of flow was than simgrid's beside it, over all samples. */
static bool ratio_of(const struct bench_simulated *simulated, const struct bench_results *results,
                     size_t which, struct bench_spread *spread)
{
    const int64_t rival = rival_of(simulated, which);
    const struct bench_sample *flow, *simgrid;
    double value[BENCH_MOST_SAMPLES];
    int32_t count = 0;
    while (rival >= 0 && count < BENCH_MOST_SAMPLES &&
           (flow = bench_case_sample(results, which, count)) != NULL &&
           (simgrid = bench_case_sample(results, (size_t)rival, count)) != NULL)
        value[count++] = bench_sample_cpu_s(simgrid) / fmax(bench_sample_cpu_s(flow), 1e-6);
    if (count > 0)
        *spread = bench_spread_of(value, (size_t)count);
    return count > 0;
}

static bool measured(const struct bench_simulated *simulated, const struct bench_results *results,
                     size_t which, enum quantity quantity, struct bench_spread *spread)
{
    switch (quantity) {
    case TIMES_FASTER:
        return ratio_of(simulated, results, which, spread);
    case PER_S:
        return bench_case_spread(results, which, bench_sample_per_s, spread);
    case SECONDS:
        return bench_case_spread(results, which, bench_sample_cpu_s, spread);
    case PEAK:
        return bench_case_spread(results, which, bench_sample_peak_bytes, spread);
    case QUANTITIES:
        break;
    }
    return false;
}

/* ---- The tables ------------------------------------------------------------------------------ */

static const struct out_column case_columns[] = {
    {.heading = "case", .kind = OUT_WORD, .width = -14},
    {.heading = "platform", .kind = OUT_WORD, .width = -16},
    {.heading = "placement", .kind = OUT_WORD, .width = -9},
    {.heading = "p", .kind = OUT_COUNT, .width = 6},
    {.heading = "n", .kind = OUT_COUNT, .width = 4},
    {.heading = "million messages per second\nflow", .kind = OUT_WORD, .width = 27, .gap = 2},
    {.heading = "\nsimgrid", .kind = OUT_WORD, .width = 24, .gap = 2},
    {.heading = "times\nfaster", .kind = OUT_WORD, .width = 16, .gap = 2},
    {.heading = "MB\nflow", .kind = OUT_REAL, .width = 5, .real = "%.0f", .gap = 2},
    {.heading = "\nsimgrid", .kind = OUT_REAL, .width = 7, .real = "%.0f"},
    {.heading = "simulated\ntime", .kind = OUT_SECONDS, .width = 9, .gap = 2},
    {.heading = "simgrid's\ndiffers by", .kind = OUT_REAL, .width = 10, .real = "%.1e", .gap = 2},
};
static const struct out_table case_table = {case_columns, .width = OUT_COUNT_OF(case_columns)};

static void print_case(const struct bench_simulated *simulated, const struct bench_results *results,
                       size_t which, FILE *stream)
{
    const struct bench_case *is = &simulated->cases[which];
    const int64_t rival = rival_of(simulated, which);
    const struct bench_sample *flow = bench_case_sample(results, which, 0);
    const struct bench_sample *simgrid =
        rival < 0 ? NULL : bench_case_sample(results, (size_t)rival, 0);
    struct bench_spread spread;
    char speed[2][BENCH_TEXT] = {"-", "-"}, ratio[BENCH_TEXT] = "-";
    double peak[2] = {NAN, NAN};
    if (flow == NULL)
        return;
    for (int i = 0; i < (simgrid == NULL ? 1 : 2); i++) {
        const size_t whose = which + (size_t)i;
        if (bench_case_spread(results, whose, bench_sample_per_s, &spread))
            bench_spread_text(&spread, 1e-6, speed[i]);
        if (bench_case_spread(results, whose, bench_sample_peak_bytes, &spread))
            peak[i] = spread.median * 1e-6;
    }
    if (ratio_of(simulated, results, which, &spread))
        bench_spread_text(&spread, 1, ratio);
    const union out_cell cells[] = {
        {.word = is->name},      {.word = is->platform},
        {.word = is->placement}, {.whole = is->p},
        {.whole = is->n},        {.word = speed[0]},
        {.word = speed[1]},      {.word = ratio},
        {.real = peak[0]},       {.real = peak[1]},
        {.real = flow->time_s},  {.real = simgrid == NULL ? NAN : difference(flow, simgrid)},
    };
    out_text_row(&case_table, cells, stream);
}

static const struct out_column goal_columns[] = {
    {.heading = "goal for flow", .kind = OUT_WORD, .width = -14},
    {.kind = OUT_WORD, .heading = "", .width = -38},
    {.heading = "measured", .kind = OUT_WORD, .width = 20},
    {.heading = "goal", .kind = OUT_REAL, .width = 6, .real = "%.3g", .gap = 2},
    {.heading = "", .kind = OUT_WORD, .gap = 2},
};
static const struct out_table goal_table = {goal_columns, .width = OUT_COUNT_OF(goal_columns)};

static void print_goal(const struct bench_simulated *simulated, const struct bench_results *results,
                       const struct goal *goal, FILE *stream)
{
    const double scale = quantities[goal->quantity].scale;
    struct bench_spread spread;
    char text[BENCH_TEXT];
    for (size_t which = 0; which < simulated->count; which++) {
        const struct bench_case *is = &simulated->cases[which];
        if (!is_flow(is) || strcmp(is->name, goal->name) != 0 ||
            !measured(simulated, results, which, goal->quantity, &spread))
            continue;
        const bool met = quantities[goal->quantity].at_most ? spread.median <= goal->bound
                                                            : spread.median >= goal->bound;
        const union out_cell cells[] = {
            {.word = goal->name},
            {.word = quantities[goal->quantity].what},
            {.word = bench_spread_text(&spread, scale, text)},
            {.real = goal->bound * scale},
            {.word = bench_met(met)},
        };
        out_text_row(&goal_table, cells, stream);
    }
}

static void print(const struct bench_simulated *simulated,
                  const struct bench_engine_request *request, const struct bench_results *results)
{
    FILE *stream = request->stream;
    fputs("Circulant broadcast of 16 MiB, blocking: one core, median (quartiles)\n\n", stream);
    out_text_heading(&case_table, stream);
    for (size_t i = 0; i < simulated->count; i++)
        if (is_flow(&simulated->cases[i]))
            print_case(simulated, results, i, stream);
    fputc('\n', stream);
    out_text_heading(&goal_table, stream);
    for (size_t i = 0; i < sizeof goals / sizeof goals[0]; i++)
        print_goal(simulated, results, &goals[i], stream);
    bench_simulated_note(request);
}

const struct bench_simulated bench_simulated_flow = {
    .name = "flow",
    .cases = cases,
    .count = sizeof cases / sizeof cases[0],
    .check = check,
    .print = print,
    .samples = 3,
};
