#include "jitter.h"
#include "support/memory.h"

#include <math.h>
#include <stdlib.h>

double sim_jitter_factor(uint64_t seed, uint64_t part)
{
    if (seed == 0)
        return 1;
    uint64_t x = seed * UINT64_C(0x9e3779b97f4a7c15) + part; /* splitmix64 of both */
    for (int i = 0; i < 2; i++) {
        x += UINT64_C(0x9e3779b97f4a7c15);
        x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
        x ^= x >> 31;
    }
    return 1 + SIM_JITTER * ldexp((double)(x >> 11), -53);
}

int sim_jitter_check(const struct sim_engine *engine, const struct sim_spec *spec,
                     struct sup_error *error)
{
    if (!engine->jitters)
        return sup_fail(error, RB_EINVAL,
                        "the engine %s does not repeat runs with other latencies: take "
                        "flow or simgrid, or leave it out",
                        engine->name);
    if (spec->overlap.rule == SIM_LOCKSTEP)
        return sup_fail(error, RB_EINVAL,
                        "in lockstep all ranks wait for each other after every round, so "
                        "no change grows: take another overlap rule, or leave it out");
    return RB_OK;
}

struct copy {
    uint64_t seed;
    double time_s;
};

SUP_COMPARE(by_time, struct copy, SUP_ORDER(a->time_s, b->time_s), SUP_ORDER(a->seed, b->seed));

/* One of several runs, for their progress. */
struct part {
    const struct sim_meter *whole;
    int32_t done, runs;
};

static void show_part(void *context, double share)
{
    const struct part *part = context;
    part->whole->tell(part->whole->context, (part->done + share) / part->runs);
}

/* The times alone. */
static int run_all(const struct sim_engine *engine, const struct sim_spec *spec, struct copy copy[],
                   int32_t copies, struct sup_error *error)
{
    struct sim_spec plain = *spec;
    plain.observer = NULL;
    plain.want_finish = plain.want_contention = plain.want_hosts = false;
    plain.want_links = 0;
    struct part part = {spec->meter, 0, copies + 1};
    const struct sim_meter meter = {show_part, &part};
    plain.meter = spec->meter == NULL ? NULL : &meter;
    for (int32_t i = 0; i < copies; i++) {
        struct sim_result result;
        plain.jitter = (uint64_t)i + 1;
        part.done = i;
        const int status = sim_run(engine, &plain, &result, error);
        if (status != RB_OK)
            return status;
        copy[i] = (struct copy){plain.jitter, result.time_s};
        sim_result_free(&result);
    }
    qsort(copy, (size_t)copies, sizeof *copy, by_time);
    return RB_OK;
}

int sim_run_copies(const struct sim_engine *engine, const struct sim_spec *spec, int32_t copies,
                   struct sim_result *result, struct sim_spread *spread, struct sup_error *error)
{
    *spread = (struct sim_spread){copies, NAN, NAN};
    *result = (struct sim_result){0};
    if (copies == 0)
        return sim_run(engine, spec, result, error);
    struct copy *copy = sup_calloc((size_t)copies, sizeof *copy);
    struct sim_spec median = *spec;
    int status = sim_jitter_check(engine, spec, error);
    if (status == RB_OK)
        status = run_all(engine, spec, copy, copies, error);
    if (status == RB_OK) {
        *spread = (struct sim_spread){copies, copy[0].time_s, copy[copies - 1].time_s};
        median.jitter = copy[(copies - 1) / 2].seed;
        status = sim_run(engine, &median, result, error);
    }
    free(copy);
    return status;
}
