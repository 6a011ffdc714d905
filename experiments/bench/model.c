/* model.c - measuring the engine model (model.h). */
#define _DEFAULT_SOURCE /* getrusage */

#include "experiments/bench/model.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "command/options/options.h"
#include "roundabout.h"
#include "sim/engine/engine.h"
#include "support/pool.h"

const struct bench_model_case bench_model_cases[] = {
    {"model", "waves", "blocking", 1000000, 100, .per_s = 100e6, .bytes_per_rank = 64},
    {"model", "windows", "blocking", 20000, 50, 0, 0},
    {"model", "windows", "lockstep", 20000, 50, 0, 0},
    {"model", "windows", "window:1", 1024, 1000, 0, 0},
    {"model", "windows", "window:2", 1024, 1000, .per_s = 5e6, 0},
    {"model", "windows", "window:8", 1024, 1000, .per_s = 5e6, 0},
    {"model", "windows", "data", 1024, 1000, .per_s = 5e6, 0},
    {"model", "windows", "window:8", 20000, 200, 0, 0}, /* more than a cache holds */
    {"model", "windows", "data", 20000, 200, 0, 0},
    {"model", "events", "blocking", 10000, 50, 0, 0},
    {"model", "waves", "blocking", 1024, 50, 0, 0},
    {"model", "windows", "blocking", 1024, 50, 0, 0},
    {"simgrid", NULL, "blocking", 1024, 50, 0, 0},
};
const size_t bench_model_case_count = sizeof bench_model_cases / sizeof bench_model_cases[0];

/* Of a block. */
enum { BLOCK_BYTES = 10000 };

/* The results of a run. */
struct record {
    int status;
    struct sup_error error;
    int64_t messages, peak_bytes;
    double cpu_s;
};

struct run {
    const struct bench_model_case *is;
    int32_t p;
};

static int check_time(const struct rb_plan *plan, const struct rb_layout *layout,
                      const struct sim_result *result, struct sup_error *error)
{
    double closed_s;
    const int status =
        rb_plan_cost(plan, layout, result->alpha_s, result->beta_s_per_byte, &closed_s);
    if (status != RB_OK)
        return sup_fail(error, status, "there is no closed form");
    if (fabs(result->time_s - closed_s) <= 1e-9 * closed_s)
        return RB_OK;
    return sup_fail(error, RB_EWRONG,
                    "p = %" PRId32 ", variant %s: %.17g s were simulated, and the closed form says "
                    "%.17g s: how long that took means nothing",
                    rb_plan_ranks(plan), result->variant, result->time_s, closed_s);
}

static double seconds(const struct timeval *time)
{
    return (double)time->tv_sec + 1e-6 * (double)time->tv_usec;
}

/* Peak memory of this process and of the children that it has waited for; simgrid runs in a
 * child. */
static double cpu_s(void)
{
    struct rusage self, children;
    if (getrusage(RUSAGE_SELF, &self) != 0 || getrusage(RUSAGE_CHILDREN, &children) != 0)
        return NAN;
    return seconds(&self.ru_utime) + seconds(&self.ru_stime) + seconds(&children.ru_utime) +
           seconds(&children.ru_stime);
}

static int simulate(const struct run *run, const struct rb_plan *plan, struct record *record)
{
    const struct rb_layout layout = {.bytes = run->is->n * BLOCK_BYTES, .element = 1};
    char platform[64];
    struct sim_result result = {0};
    struct sim_spec spec = {.plan = plan,
                            .layout = &layout,
                            .platform = platform,
                            .ppn = 1,
                            .variant = run->is->variant};
    snprintf(platform, sizeof platform, "crossbar:%" PRId32, run->p);
    int status = sim_progress_parse(run->is->progress, &spec.progress, &record->error);
    const double started_s = cpu_s();
    if (status == RB_OK)
        status = sim_run(sim_engine_find(run->is->engine), &spec, &result, &record->error);
    record->cpu_s = cpu_s() - started_s;
    if (status == RB_OK)
        status = check_time(plan, &layout, &result, &record->error);
    record->messages = result.messages;
    record->peak_bytes = result.peak_bytes;
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

/* Runs in a process of its own, so that the process's peak memory is the run's. */
static int play_apart(struct run run, struct record *record, struct sup_error *error)
{
    struct sup_pool pool = {
        .count = 1, .workers = 1, .memory_size = sizeof *record, .context = &run, .work = play};
    int status = sup_pool_run(&pool, error);
    if (status == RB_OK) {
        *record = *(const struct record *)sup_pool_memory(&pool, 0);
        status = record->status;
        if (status != RB_OK)
            *error = record->error;
    }
    sup_pool_free(&pool);
    return status;
}

static int measure(struct bench_model_sample *sample, struct sup_error *error)
{
    const struct bench_model_case *is = &bench_model_cases[sample->which];
    struct record all, two;
    int status = play_apart((struct run){is, 2}, &two, error);
    if (status == RB_OK)
        status = play_apart((struct run){is, is->p}, &all, error);
    if (status != RB_OK)
        return status;
    sample->messages = all.messages;
    sample->cpu_s = all.cpu_s;
    sample->bytes_per_rank = (double)(all.peak_bytes - two.peak_bytes) / is->p;
    return RB_OK;
}

int bench_model_measure(const struct bench_request *request, struct bench_model_results *results,
                        struct sup_error *error)
{
    const size_t count = (size_t)request->samples * bench_model_case_count;
    struct cli_bar bar;
    int64_t done = 0;
    int status = RB_OK;
    *results = (struct bench_model_results){.samples = calloc(count, sizeof *results->samples)};
    if (results->samples == NULL)
        return sup_fail(error, RB_ENOMEM, "out of memory");
    cli_bar_start(&bar, "model", (int64_t)count);
    for (; results->count < count && status == RB_OK; results->count++) {
        struct bench_model_sample *sample = &results->samples[results->count];
        sample->which = results->count % bench_model_case_count;
        status = measure(sample, error);
        cli_bar_update(&bar, ++done, NULL);
    }
    cli_bar_end(&bar);
    return status;
}
