/* core.c - measures the schedule core, and prints the results (bench.h). */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "command/bench/bench.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "roundabout.h"
#include "schedules/literal/oracle.h"
#include "schedules/plan/random.h"
#include "studies/measure/measure.h"
#include "support/memory.h"
#include "support/options/options.h"
#include "support/output/verdict.h"

/* ---- Common functions ------------------------------------------------------------------------ */

void bench_machine(struct bench_machine *machine)
{
    struct measure_machine here;
    measure_machine_read(&here);
    snprintf(machine->cpu, sizeof machine->cpu, "%s", here.cpu);
#ifdef __clang__
    const char *const compiler = __VERSION__;
#else
    const char *const compiler = "gcc " __VERSION__;
#endif
    snprintf(machine->compiler, sizeof machine->compiler, "%s, %s build", compiler,
             ROUNDABOUT_BUILD_TYPE);
}

/* CPU time of this process in seconds, which other programs on the machine disturb least. */
static double clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct bench_spread bench_spread_of(double value[], size_t count)
{
    sup_sort_reals(value, count);
    return (struct bench_spread){sup_quantile(value, count, 0.25), sup_quantile(value, count, 0.5),
                                 sup_quantile(value, count, 0.75)};
}

/* ---- The schedule core ----------------------------------------------------------------------- */

const struct bench_core_range bench_core_ranges[BENCH_CORE_RANGES] = {
    {1, 17000, 2.769, 0.334},         {16000, 33000, 3.763, 0.370},
    {64000, 73000, 5.187, 0.454},     {131000, 140000, 6.226, 0.534},
    {262000, 267000, 7.242, 0.548},   {524000, 529000, 8.196, 0.566},
    {1048000, 1050000, 9.024, 0.516}, {2097000, 2099000, 10.656, 0.608},
};

const struct bench_core_goal bench_core_goals[BENCH_CORE_GOALS] = {
    {.p = 100000, .random = false, .ratio = 0.45, .table_ns = 2},
    {.p = 100000, .random = true, .ratio = 0.45},
    {.p = 2000000, .random = false, .ratio = 0.45, .table_ns = 4},
    {.p = 2000000, .random = true, .ratio = 0.45},
};

/* Everything one p needs, and memory for the largest. */
struct bench {
    struct oracle oracle;
    struct rb_circulant graph;
    int8_t *base, *recv, *send; /* a table */
    int32_t *order;             /* ranks */
};

enum { LARGEST_P = 2099000, LARGEST_Q = 22 };

static void make_bench(struct bench *bench)
{
    const size_t rows = (size_t)LARGEST_P * LARGEST_Q;
    bench->base = sup_malloc(LARGEST_P);
    bench->recv = sup_malloc(rows);
    bench->send = sup_malloc(rows);
    bench->order = sup_malloc(LARGEST_P * sizeof *bench->order);
    memset(bench->base, 1, LARGEST_P); /* so that no page is new when the clock runs */
    memset(bench->recv, 1, rows);
    memset(bench->send, 1, rows);
}

static void free_bench(struct bench *bench)
{
    free(bench->base);
    free(bench->recv);
    free(bench->send);
    free(bench->order);
}

/* ---- One way, once over all ranks ------------------------------------------------------------ */

static void run_literal(struct bench *bench)
{
    int32_t recv[RB_MAX_Q + 1], send[RB_MAX_Q + 1];
    for (int32_t i = 0; i < bench->graph.p; i++) {
        oracle_recv(&bench->oracle, bench->order[i], recv);
        oracle_send(&bench->oracle, bench->order[i], send);
    }
}

static void run_one_rank(struct bench *bench)
{
    int8_t recv[RB_MAX_Q + 1], send[RB_MAX_Q + 1];
    for (int32_t i = 0; i < bench->graph.p; i++) {
        rb_circulant_recv(&bench->graph, bench->order[i], recv);
        rb_circulant_send(&bench->graph, bench->order[i], send);
    }
}

static void run_table(struct bench *bench)
{
    rb_circulant_table(&bench->graph, bench->base, NULL, bench->send);
}

static void run_both(struct bench *bench)
{
    rb_circulant_table(&bench->graph, bench->base, bench->recv, bench->send);
}

/* A small p is done again and again, so that the clock sees some milliseconds. */
static const struct {
    void (*run)(struct bench *);
    int32_t ranks; /* at least */
} ways[BENCH_CORE_WAYS] = {
    [BENCH_CORE_LITERAL] = {run_literal, 1 << 17},
    [BENCH_CORE_ONE_RANK] = {run_one_rank, 1 << 17},
    [BENCH_CORE_TABLE] = {run_table, 1 << 21},
    [BENCH_CORE_BOTH] = {run_both, 1 << 21},
};

static double measure_way(struct bench *bench, enum bench_core_way way)
{
    const int32_t passes = (ways[way].ranks + bench->graph.p - 1) / bench->graph.p;
    const double started = clock_s();
    for (int32_t i = 0; i < passes; i++)
        ways[way].run(bench);
    return (clock_s() - started) / passes / bench->graph.p * 1e9;
}

/* ---- Agreement with the literal transcription ------------------------------------------------ */

static bool agree(const struct bench *bench, int32_t r)
{
    const struct rb_circulant *graph = &bench->graph;
    int32_t recv[RB_MAX_Q + 1], send[RB_MAX_Q + 1];
    int8_t our_recv[RB_MAX_Q + 1], our_send[RB_MAX_Q + 1];
    oracle_recv(&bench->oracle, r, recv);
    oracle_send(&bench->oracle, r, send);
    rb_circulant_recv(graph, r, our_recv);
    rb_circulant_send(graph, r, our_send);
    for (int32_t k = 0; k < graph->q; k++) {
        const size_t entry = (size_t)k * (size_t)graph->p + (size_t)r;
        if (our_recv[k] != recv[k] || our_send[k] != send[k] || bench->recv[entry] != recv[k] ||
            bench->send[entry] != send[k])
            return false;
    }
    return true;
}

static int check(const struct bench *bench, uint64_t *seed, struct sup_error *error)
{
    enum { RANKS = 16 };
    for (int32_t i = 0; i < RANKS; i++) {
        const int32_t r = (int32_t)rb_random_below(seed, (uint32_t)bench->graph.p);
        if (!agree(bench, r))
            return sup_fail(error, RB_EWRONG,
                            "the schedules of p = %d, rank %d are not those of the literal "
                            "transcription: their times mean nothing",
                            (int)bench->graph.p, (int)r);
    }
    return RB_OK;
}

/* ---- All p ----------------------------------------------------------------------------------- */

/* Fisher and Yates's shuffle, or none. */
static void order_ranks(struct bench *bench, bool random, uint64_t *seed)
{
    const int32_t p = bench->graph.p;
    for (int32_t i = 0; i < p; i++) {
        const int32_t j = random ? (int32_t)rb_random_below(seed, (uint32_t)i + 1) : i;
        bench->order[i] = bench->order[j];
        bench->order[j] = i;
    }
}

static int measure_p(struct bench *bench, struct bench_core_sample *sample, bool random,
                     uint64_t *seed, struct sup_error *error)
{
    oracle_init(&bench->oracle, sample->p);
    rb_circulant_init(&bench->graph, sample->p);
    order_ranks(bench, random, seed);
    for (int way = 0; way < BENCH_CORE_WAYS; way++)
        sample->ns[way] = measure_way(bench, (enum bench_core_way)way);
    return check(bench, seed, error);
}

/* The i-th of `samples` p: one from each of `samples` equal parts of the range. */
static int32_t choose_p(const struct bench_core_range *range, int32_t i, int32_t samples,
                        uint64_t *seed)
{
    const int64_t size = range->last - range->first + 1;
    const int64_t low = size * i / samples, high = size * (i + 1) / samples;
    const uint32_t width = high > low ? (uint32_t)(high - low) : 1;
    return range->first + (int32_t)(low + (int64_t)rb_random_below(seed, width));
}

/* Round by round over ranges and goals, so that what disturbs the machine for a while disturbs a
 * sample of each. */
static void choose_samples(const struct bench_request *request, uint64_t *seed,
                           struct bench_core_results *results)
{
    for (int32_t i = 0; i < request->samples; i++) {
        for (int32_t range = 0; range < BENCH_CORE_RANGES; range++)
            results->samples[results->count++] = (struct bench_core_sample){
                .range = range,
                .goal = -1,
                .p = choose_p(&bench_core_ranges[range], i, request->samples, seed)};
        for (int32_t goal = 0; goal < BENCH_CORE_GOALS; goal++)
            results->samples[results->count++] = (struct bench_core_sample){
                .range = -1, .goal = goal, .p = bench_core_goals[goal].p};
    }
}

/* ---- Plans ----------------------------------------------------------------------------------- */

/* The same p without levels of ports, with two, three and four. */
static const struct bench_core_plan plans[BENCH_CORE_PLANS] = {
    {.algorithm = "circulant", .groups = "1", .p = 1 << 20},
    {.algorithm = "hosts", .groups = "16", .p = 1 << 20},
    {.algorithm = "hosts", .groups = "16/1024", .p = 1 << 20},
    {.algorithm = "hosts", .groups = "12/144/4320", .p = 1 << 20}};

static int measure_plan(struct bench_core_plan *measured, uint64_t *seed, struct sup_error *error)
{
    enum { RANKS = 1 << 14, ROUNDS = 64 };
    const struct rb_plan_spec spec = {.collective = "bcast",
                                      .algorithm = measured->algorithm,
                                      .p = measured->p,
                                      .n = ROUNDS,
                                      .groups = measured->groups};
    struct rb_plan *plan;
    struct rb_op ops[2];
    char why[256];
    if (rb_plan_create(&spec, &plan, why, sizeof why) != RB_OK)
        return sup_fail(error, RB_EFAILED, "%s: %s", measured->algorithm, why);
    struct rb_rank *state = sup_malloc(RANKS * sizeof *state);
    int32_t *rank = sup_malloc(RANKS * sizeof *rank);
    for (int32_t i = 0; i < RANKS; i++)
        rank[i] = (int32_t)rb_random_below(seed, (uint32_t)measured->p);
    double started = clock_s();
    for (int32_t i = 0; i < RANKS; i++)
        rb_plan_rank(plan, rank[i], &state[i]);
    measured->rank_ns = (clock_s() - started) / RANKS * 1e9;
    started = clock_s();
    for (int32_t i = 0; i < RANKS; i++)
        for (int64_t t = 0; t < ROUNDS; t++)
            rb_plan_round(plan, &state[i], t, ops);
    measured->round_ns = (clock_s() - started) / RANKS / ROUNDS * 1e9;
    free(rank);
    free(state);
    rb_plan_destroy(plan);
    return RB_OK;
}

int bench_core_measure(const struct bench_request *request, struct bench_core_results *results,
                       struct sup_error *error)
{
    struct bench bench = {0};
    struct cli_bar bar;
    uint64_t seed = request->seed;
    int64_t total = 0, done = 0;
    const size_t count = (size_t)request->samples * (BENCH_CORE_RANGES + BENCH_CORE_GOALS);
    int status = RB_OK;
    *results = (struct bench_core_results){.samples = sup_calloc(count, sizeof *results->samples)};
    make_bench(&bench);
    choose_samples(request, &seed, results);
    for (size_t i = 0; i < results->count; i++)
        total += results->samples[i].p;
    cli_bar_start(&bar, "core", total);
    for (size_t i = 0; status == RB_OK && i < results->count; i++) {
        struct bench_core_sample *sample = &results->samples[i];
        const bool random = sample->goal >= 0 && bench_core_goals[sample->goal].random;
        status = measure_p(&bench, sample, random, &seed, error);
        done += sample->p;
        cli_bar_update(&bar, done, NULL);
    }
    cli_bar_end(&bar);
    free_bench(&bench);
    memcpy(results->plans, plans, sizeof plans);
    for (int32_t i = 0; i < BENCH_CORE_PLANS && status == RB_OK; i++)
        status = measure_plan(&results->plans[i], &seed, error);
    return status;
}

/* ---- The results ----------------------------------------------------------------------------- */

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
    free(results.samples);
    return status;
}
