/* simulated.c - see simulated.h. */
#define _DEFAULT_SOURCE /* getrusage */

#include "tests/bench/simulated.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "experiments/point/point.h"
#include "roundabout.h"
#include "sim/engine/engine.h"
#include "support/eta.h"
#include "support/memory.h"
#include "support/options/options.h"
#include "support/pool.h"

/* ---- Measuring ------------------------------------------------------------------------------- */

/* The results of a run. */
struct record {
    _Atomic double share; /* how far it is, for the progress line */
    int status;
    struct sup_error error;
    struct bench_sample sample;
};

/* How long all runs will still take; a piece of it is a sample. */
struct progress {
    struct cli_bar bar;
    struct sup_eta *eta;
    struct sup_eta_running running;
    double started_s; /* the sample */
};

struct run {
    const struct bench_case *is;
    int32_t p;
    struct progress *progress;
};

static double seconds(const struct timeval *time)
{
    return (double)time->tv_sec + 1e-6 * (double)time->tv_usec;
}

/* CPU time of this process and of the children that it has waited for; simgrid runs in a child. */
static double cpu_s(void)
{
    struct rusage self, children;
    if (getrusage(RUSAGE_SELF, &self) != 0 || getrusage(RUSAGE_CHILDREN, &children) != 0)
        return NAN;
    return seconds(&self.ru_utime) + seconds(&self.ru_stime) + seconds(&children.ru_utime) +
           seconds(&children.ru_stime);
}

static void note_share(void *context, double share)
{
    struct record *record = context;
    atomic_store(&record->share, share);
}

static int simulate(const struct run *run, const struct rb_plan *plan, struct record *record)
{
    const struct bench_case *is = run->is;
    const struct rb_layout layout = {.bytes = is->bytes, .element = 1};
    struct bench_sample *sample = &record->sample;
    char crossbar[64];
    struct sim_result result = {0};
    const struct sim_meter meter = {note_share, record};
    struct sim_spec spec = {.plan = plan,
                            .meter = &meter,
                            .layout = &layout,
                            .platform = is->platform != NULL ? is->platform : crossbar,
                            .ppn = 1,
                            .variant = is->variant};
    snprintf(crossbar, sizeof crossbar, "crossbar:%" PRId32, run->p);
    int status = sim_overlap_parse(is->overlap, &spec.overlap, &record->error);
    if (status == RB_OK && is->placement != NULL)
        status = sim_placement_parse(is->placement, &spec.placement, &record->error);
    const double started_s = cpu_s();
    if (status == RB_OK)
        status = sim_run(sim_engine_find(is->engine), &spec, &result, &record->error);
    sample->cost = (struct bench_cost){cpu_s() - started_s, result.peak_bytes};
    sample->messages = result.messages;
    sample->time_s = result.time_s;
    sample->alpha_s = result.alpha_s;
    sample->beta_s_per_byte = result.beta_s_per_byte;
    sim_result_free(&result);
    return status;
}

static void play(void *context, struct sup_pool_worker *worker, void *record_)
{
    const struct run *run = context;
    struct record *record = record_;
    size_t i;
    const struct rb_plan_spec spec = {
        .collective = "bcast", .algorithm = "circulant", .p = run->p, .n = run->is->n};
    struct rb_plan *plan = NULL;
    if (!sup_pool_next(worker, &i))
        return;
    record->status = rb_plan_create(&spec, &plan, record->error.text, sizeof record->error.text);
    if (record->status == RB_OK)
        record->status = simulate(run, plan, record);
    rb_plan_destroy(plan);
}

static bool show(void *context, const struct sup_pool *pool)
{
    const struct run *run = context;
    const struct record *record = sup_pool_memory(pool, 0);
    struct progress *progress = run->progress;
    if (!cli_bar_is_due(&progress->bar))
        return false;
    progress->running.elapsed_s = sup_clock_s() - progress->started_s;
    progress->running.share = run->p == run->is->p ? atomic_load(&record->share) : 0;
    cli_bar_show(&progress->bar, sup_eta_left_s(progress->eta, &progress->running, 1),
                 run->is->name != NULL ? run->is->name : run->is->engine);
    return false;
}

/* Runs in a process of its own, so that the process's peak memory is the run's. */
static int play_apart(struct run run, struct bench_sample *sample, struct sup_error *error)
{
    struct sup_pool pool = {.count = 1,
                            .workers = 1,
                            .memory_size = sizeof(struct record),
                            .context = &run,
                            .work = play,
                            .tick = show};
    int status = sup_pool_run(&pool, error);
    if (status == RB_OK) {
        const struct record *record = sup_pool_memory(&pool, 0);
        status = record->status;
        *sample = record->sample;
        if (status != RB_OK)
            *error = record->error;
    }
    sup_pool_free(&pool);
    return status;
}

static int measure(const struct bench_case *is, struct progress *progress,
                   struct bench_sample *sample, struct sup_error *error)
{
    struct bench_sample two;
    int status = play_apart((struct run){is, 2, progress}, &two, error);
    if (status == RB_OK)
        status = play_apart((struct run){is, is->p, progress}, sample, error);
    sample->two = two.cost;
    return status;
}

static bool is_wanted(const struct bench_engine_request *request, const struct bench_case *is)
{
    return request->only == NULL || (is->name != NULL && strcmp(is->name, request->only) == 0);
}

/* Estimated. */
static double cost_s(const struct bench_case *is)
{
    struct sim_placement placement;
    struct sim_overlap overlap;
    if (sim_placement_parse(is->placement != NULL ? is->placement : "block", &placement, NULL) !=
            RB_OK ||
        sim_overlap_parse(is->overlap, &overlap, NULL) != RB_OK)
        return 1;
    struct point point = {
        .plan = {.collective = "bcast", .algorithm = "circulant", .p = is->p, .n = is->n},
        .m_bytes = is->bytes,
        .element_bytes = 1,
        .ppn = 1,
        .placement_rule = &placement,
        .overlap_rule = &overlap,
        .engine = sim_engine_find(is->engine),
        .engine_variant = is->variant,
    };
    point_resolve(&point);
    return point_estimate(&point, NULL) == RB_OK ? point.cost_s : 1;
}

/* The wanted samples in their order: case after case, again and again. */
static void start_progress(struct progress *progress, const struct bench_simulated *simulated,
                           const struct bench_engine_request *request)
{
    size_t cases = 0, pieces = 0;
    for (size_t i = 0; i < simulated->count; i++)
        cases += is_wanted(request, &simulated->cases[i]);
    *progress = (struct progress){.eta = sup_eta_create(cases * (size_t)request->samples, 1, 0)};
    for (size_t i = 0; i < (size_t)request->samples * simulated->count; i++) {
        const size_t which = i % simulated->count;
        const struct bench_case *is = &simulated->cases[which];
        if (is_wanted(request, is))
            sup_eta_describe(progress->eta, pieces++, cost_s(is), which);
    }
    cli_bar_start(&progress->bar, simulated->name, 0);
}

int bench_simulated_measure(const struct bench_simulated *simulated,
                            const struct bench_engine_request *request,
                            struct bench_results *results, struct sup_error *error)
{
    const size_t most = (size_t)request->samples * simulated->count;
    struct progress progress = {0};
    int status = RB_OK;
    *results = (struct bench_results){.samples = sup_calloc(most, sizeof *results->samples)};
    start_progress(&progress, simulated, request);
    for (size_t i = 0; i < most && status == RB_OK; i++) {
        const size_t which = i % simulated->count;
        const struct bench_case *is = &simulated->cases[which];
        if (!is_wanted(request, is))
            continue;
        struct bench_sample *sample = &results->samples[results->count];
        progress.running.piece = results->count;
        progress.started_s = sup_clock_s();
        status = measure(is, &progress, sample, error);
        sup_eta_done(progress.eta, results->count, sup_clock_s() - progress.started_s);
        sample->which = which;
        sample->p = is->p;
        results->count++;
        if (status == RB_OK)
            status = simulated->check(simulated, results, error);
    }
    cli_bar_end(&progress.bar);
    sup_eta_destroy(progress.eta);
    return status;
}

/* ---- What samples say ------------------------------------------------------------------------ */

double bench_sample_cpu_s(const struct bench_sample *sample)
{
    return fmax(sample->cost.cpu_s - sample->two.cpu_s, 0);
}

double bench_sample_per_s(const struct bench_sample *sample)
{
    const double taken_s = bench_sample_cpu_s(sample);
    return taken_s > 0 ? (double)sample->messages / taken_s : 0;
}

double bench_sample_bytes_per_rank(const struct bench_sample *sample)
{
    return (double)(sample->cost.peak_bytes - sample->two.peak_bytes) / sample->p;
}

double bench_sample_peak_bytes(const struct bench_sample *sample)
{
    return (double)sample->cost.peak_bytes;
}

const char *bench_case_variant(const struct bench_case *is)
{
    return is->variant != NULL ? is->variant : "its choice";
}

const struct bench_sample *bench_case_sample(const struct bench_results *results, size_t which,
                                             int32_t i)
{
    for (size_t s = 0; s < results->count; s++)
        if (results->samples[s].which == which && i-- == 0)
            return &results->samples[s];
    return NULL;
}

bool bench_case_spread(const struct bench_results *results, size_t which,
                       double (*value_of)(const struct bench_sample *), struct bench_spread *spread)
{
    double value[BENCH_MOST_SAMPLES];
    size_t count = 0;
    for (size_t i = 0; i < results->count && count < BENCH_MOST_SAMPLES; i++)
        if (results->samples[i].which == which)
            value[count++] = value_of(&results->samples[i]);
    if (count > 0)
        *spread = bench_spread_of(value, count);
    return count > 0;
}

const char *bench_spread_text(const struct bench_spread *spread, double scale,
                              char text[BENCH_TEXT])
{
    snprintf(text, BENCH_TEXT, "%.3g (%.3g-%.3g)", spread->median * scale, spread->low * scale,
             spread->high * scale);
    return text;
}

const char *bench_met(bool met)
{
    return met ? "met" : "missed";
}

void bench_simulated_note(const struct bench_engine_request *request)
{
    struct bench_machine machine;
    bench_machine(&machine);
    fprintf(request->stream,
            "\nhere: %s; %s; roundabout %s\n%" PRId32 " %s, each in a process of its own; "
            "CPU time and memory for a rank: what goes beyond the same run with two ranks, which "
            "loads the platform too\n",
            machine.cpu, machine.compiler, cli_program_version, request->samples,
            request->samples == 1 ? "run of each" : "runs of each");
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static const struct out_column columns[] = {
    {"engine", .kind = OUT_WORD},
    {"variant", .kind = OUT_WORD},
    {"progress", .kind = OUT_WORD},
    {"p", .kind = OUT_COUNT},
    {"n", .kind = OUT_COUNT},
    {"messages", .kind = OUT_COUNT},
    {"cpu_s", .kind = OUT_REAL},
    {"messages_per_s", .kind = OUT_REAL},
    {"bytes_per_rank", .kind = OUT_REAL},
    {"platform", .kind = OUT_WORD},
    {"placement", .kind = OUT_WORD},
    {"m_bytes", .kind = OUT_BYTES},
    {"two_ranks_cpu_s", .kind = OUT_REAL},
    {"peak_bytes", .kind = OUT_BYTES},
    {"time_s", .kind = OUT_REAL},
    {"cpu", .kind = OUT_WORD, .same = true, .quoted = true},
    {"compiler", .kind = OUT_WORD, .same = true, .quoted = true},
    {"version", .kind = OUT_WORD, .same = true},
};
static const struct out_table table = {columns, .width = OUT_COUNT_OF(columns)};

static void print_rows(const struct bench_simulated *simulated,
                       const struct bench_engine_request *request,
                       const struct bench_results *results)
{
    struct bench_machine machine;
    struct out_rows rows;
    bench_machine(&machine);
    out_rows_begin(&rows, &table, request->format, request->stream,
                   json_pack("{s:s, s:s, s:s, s:s}", "benchmark", simulated->name, "cpu",
                             machine.cpu, "compiler", machine.compiler, "version",
                             cli_program_version),
                   "rows");
    for (size_t i = 0; i < results->count; i++) {
        const struct bench_sample *sample = &results->samples[i];
        const struct bench_case *is = &simulated->cases[sample->which];
        char crossbar[64];
        snprintf(crossbar, sizeof crossbar, "crossbar:%" PRId32, is->p);
        const union out_cell cells[] = {
            {.word = is->engine},
            {.word = bench_case_variant(is)},
            {.word = is->overlap},
            {.whole = is->p},
            {.whole = is->n},
            {.whole = sample->messages},
            {.real = sample->cost.cpu_s},
            {.real = bench_sample_per_s(sample)},
            {.real = bench_sample_bytes_per_rank(sample)},
            {.word = is->platform != NULL ? is->platform : crossbar},
            {.word = is->placement != NULL ? is->placement : "block"},
            {.whole = is->bytes},
            {.real = sample->two.cpu_s},
            {.whole = sample->cost.peak_bytes},
            {.real = sample->time_s},
            {.word = machine.cpu},
            {.word = machine.compiler},
            {.word = cli_program_version},
        };
        out_rows_add(&rows, cells);
    }
    out_rows_end(&rows);
}

void bench_simulated_print(const struct bench_simulated *simulated,
                           const struct bench_engine_request *request,
                           const struct bench_results *results)
{
    (request->format == OUT_TEXT ? simulated->print : print_rows)(simulated, request, results);
}

int bench_simulated_run(const struct bench_simulated *simulated,
                        const struct bench_engine_request *request, struct sup_error *error)
{
    struct bench_results results;
    int status = bench_simulated_measure(simulated, request, &results, error);
    if (status == RB_OK)
        bench_simulated_print(simulated, request, &results);
    free(results.samples);
    return status;
}
