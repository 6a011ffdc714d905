/* Random workloads take the same time in `flow`, which replays collectives as a walk enters ranks,
 * and in `simgrid`, which does so over its own network: the end of every step of every rank, to
 * 1e-9. Of larger ones the medians of copies agree. With --seeds N and --large N so many workloads,
 * from --first S on; of one workload the program is printed if the engines differ. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/engine/jitter.h"
#include "tests/random_workload.h"

static int64_t seeds = 100, large = 2, first = 1;

/* ---- A program as text ----------------------------------------------------------------------- */

static void print_step(const struct built *built, int32_t job, int32_t number)
{
    const struct sim_step *step = &built->workload.job[job].step[number];
    printf("  %2d %s", number, step->name);
    if (step->kind == SIM_REPEAT)
        printf(" %d times, steps %d to %d", (int)step->times, number + 1, step->end - 1);
    if (step->kind == SIM_COMPUTE)
        printf(" kind %d, a %g b %g", (int)step->compute.kind, step->compute.a, step->compute.b);
    for (int32_t i = 0; i < built->moves; i++)
        if (built->move[i].job == job && built->move[i].step == number)
            printf(" %s n=%d m=%d root=%d%s in set %d", built->move[i].algorithm,
                   (int)built->move[i].n, (int)built->move[i].bytes, built->move[i].root,
                   built->move[i].turns ? "+step" : "", step->set);
    if (step->label >= 0)
        printf(", started under %d", step->label);
    if (step->after != 0)
        printf(", after %" PRIx64, step->after);
    printf("%s\n", step->only != NULL ? ", only some" : "");
}

static void print_program(const struct built *built, const char *platform)
{
    printf("platform %s, allocation %d\n", platform, (int)built->workload.allocation);
    for (int32_t j = 0; j < built->workload.jobs; j++) {
        const struct sim_job *job = &built->workload.job[j];
        printf("job %d: %d ranks, ppn %d, from %g s on%s%s\n", j, job->ranks, job->ppn,
               job->start_s, job->calls ? ", calls" : "",
               job->until_others ? ", until others" : "");
        for (int32_t s = 0; s < job->sets; s++) {
            printf("  set %d:", s);
            for (int32_t r = 0; r < job->ranks; r++)
                printf(" %d", job->set[s].of[r]);
            printf("\n");
        }
        for (int32_t i = 0; i < job->steps; i++)
            print_step(built, j, i);
    }
}

/* ---- Comparing ------------------------------------------------------------------------------- */

struct run {
    struct sim_result result;
    struct shown shown;
};

static bool run_on(const char *engine, const char *overlap, const struct built *built,
                   const char *platform, struct run *run, char why[], size_t size)
{
    struct sup_error error = {0};
    const struct sim_observer observer = {.context = &run->shown, .step = shown_step};
    struct sim_spec spec = {.workload = &built->workload,
                            .platform = platform,
                            .observer = &observer,
                            .want_finish = true};
    const struct sim_engine *found;
    assert_int_equal(sim_engine_read(engine, &found, &spec.variant, &error), RB_OK);
    assert_int_equal(sim_overlap_parse(overlap, &spec.overlap, &error), RB_OK);
    *run = (struct run){0};
    const int status = sim_run(found, &spec, &run->result, &error);
    if (status != RB_OK)
        snprintf(why, size, "%s: %s", engine, error.text);
    shown_sort(&run->shown);
    return status == RB_OK;
}

static void free_run(struct run *run)
{
    sim_result_free(&run->result);
    shown_free(&run->shown);
}

static bool near(double a, double b)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

static bool same_end(const struct sim_step_end *a, const struct sim_step_end *b, char why[],
                     size_t size)
{
    if (near(a->begin_s, b->begin_s) && near(a->ready_s, b->ready_s) && near(a->end_s, b->end_s))
        return true;
    snprintf(why, size,
             "job %d rank %d step %d pass %d: flow %.9g %.9g %.9g us, simgrid %.9g %.9g %.9g us",
             a->job, a->rank, a->step, (int)a->pass, a->begin_s * 1e6, a->ready_s * 1e6,
             a->end_s * 1e6, b->begin_s * 1e6, b->ready_s * 1e6, b->end_s * 1e6);
    return false;
}

/* A job that runs until others end may have ended a step at this moment or not. */
static bool may_lack(const struct built *built, const struct run *run,
                     const struct sim_step_end *end, char why[], size_t size)
{
    if (built->workload.job[end->job].until_others && near(end->end_s, run->result.time_s))
        return true;
    snprintf(why, size, "job %d rank %d step %d pass %d ends in one engine alone, at %.9g us",
             end->job, end->rank, end->step, (int)end->pass, end->end_s * 1e6);
    return false;
}

static bool same_steps(const struct built *built, const struct run *flow, const struct run *simgrid,
                       char why[], size_t size)
{
    const struct shown *a = &flow->shown, *b = &simgrid->shown;
    for (int32_t i = 0, k = 0; i < a->ends || k < b->ends;) {
        const int order = i == a->ends   ? 1
                          : k == b->ends ? -1
                                         : shown_order(&a->end[i], &b->end[k]);
        if (order == 0 && !same_end(&a->end[i], &b->end[k], why, size))
            return false;
        if (order != 0 && !may_lack(built, flow, order < 0 ? &a->end[i] : &b->end[k], why, size))
            return false;
        i += order <= 0;
        k += order >= 0;
    }
    return true;
}

static bool same_results(const struct built *built, const struct run *flow,
                         const struct run *simgrid, char why[], size_t size)
{
    const struct sim_workload *workload = &built->workload;
    if (!same_steps(built, flow, simgrid, why, size))
        return false;
    for (int32_t j = 0; j < workload->jobs; j++)
        if (!near(flow->result.job_end_s[j], simgrid->result.job_end_s[j])) {
            snprintf(why, size, "job %d: flow %.9g us, simgrid %.9g us", j,
                     flow->result.job_end_s[j] * 1e6, simgrid->result.job_end_s[j] * 1e6);
            return false;
        }
    for (int32_t r = 0; r < sim_workload_ranks(workload); r++)
        if (!workload->job[workload->jobs - 1].until_others &&
            !near(flow->result.finish_s[r], simgrid->result.finish_s[r])) {
            snprintf(why, size, "rank %d: flow %.9g us, simgrid %.9g us", r,
                     flow->result.finish_s[r] * 1e6, simgrid->result.finish_s[r] * 1e6);
            return false;
        }
    snprintf(why, size, "time: flow %.9g us, simgrid %.9g us", flow->result.time_s * 1e6,
             simgrid->result.time_s * 1e6);
    return near(flow->result.time_s, simgrid->result.time_s);
}

/* Counts the step ends that were compared. */
static bool agrees(uint64_t seed, bool calls, const char *engine, const char *overlap,
                   int64_t *ends)
{
    char platform[64], why[240];
    struct built *built = random_workload(seed, &random_small, calls, platform, sizeof platform);
    struct run flow = {0}, simgrid = {0};
    const bool is_same = run_on("flow", overlap, built, platform, &flow, why, sizeof why) &&
                         run_on(engine, overlap, built, platform, &simgrid, why, sizeof why) &&
                         same_results(built, &flow, &simgrid, why, sizeof why);
    *ends += flow.shown.ends;
    if (!is_same) {
        print_message("--seeds 1 --first %" PRIu64 ", %s: %s\n", seed, overlap, why);
        if (seeds == 1)
            print_program(built, platform);
    }
    free_run(&flow);
    free_run(&simgrid);
    built_destroy(built);
    return is_same;
}

/* Every fourth seed with progress `calls`. */
static void compare(const char *engine, const char *overlap, int64_t count)
{
    int64_t equal = 0, ends = 0;
    for (int64_t seed = first; seed < first + count; seed++)
        equal += agrees((uint64_t)seed, seed % 4 == 0, engine, overlap, &ends);
    print_message("%" PRId64 " of %" PRId64 " workloads equal in flow and %s, %s, %" PRId64
                  " steps of ranks\n",
                  equal, count, engine, overlap, ends);
    assert_int_equal(equal, count);
}

static void random_workloads_agree(void **state)
{
    static const char *const overlap[] = {"blocking", "lockstep", "window:3", "data"};
    (void)state;
    for (int i = 0; i < 4; i++)
        compare("simgrid", overlap[i], i == 0 ? seeds : (seeds + 4) / 5);
}

/* ---- Larger ones are chaotic ----------------------------------------------------------------- */

enum { COPIES = 8 };

struct median {
    double time_s;
    struct sim_spread spread;
};

static struct median median_of(const char *engine, const struct built *built, const char *platform)
{
    struct median median;
    struct sim_result result;
    struct sup_error error = {0};
    const struct sim_spec spec = {
        .workload = &built->workload, .platform = platform, .overlap = {SIM_BLOCKING, 1}};
    if (sim_run_copies(sim_engine_find(engine), &spec, COPIES, &result, &median.spread, &error) !=
        RB_OK)
        fail_msg("%s: %s", engine, error.text);
    median.time_s = result.time_s;
    sim_result_free(&result);
    return median;
}

/* Which of two messages starts first may decide all that comes after. The medians of copies whose
 * latencies differ by a millionth are within their spread, or differ by as little as these. */
static bool medians_agree(uint64_t seed)
{
    char platform[64];
    struct built *built = random_workload(seed, &random_large, false, platform, sizeof platform);
    const struct median flow = median_of("flow", built, platform);
    const struct median simgrid = median_of("simgrid", built, platform);
    const double apart_s = fabs(flow.time_s - simgrid.time_s);
    const double spread_s =
        fmax(flow.spread.high_s - flow.spread.low_s, simgrid.spread.high_s - simgrid.spread.low_s);
    const bool agree = apart_s <= fmax(spread_s, SIM_JITTER * flow.time_s);
    if (!agree || large == 1)
        print_message("--large 1 --first %" PRIu64
                      ": flow %.9g us, simgrid %.9g us, apart by %.2g, "
                      "spread %.2g\n",
                      seed, flow.time_s * 1e6, simgrid.time_s * 1e6, apart_s / flow.time_s,
                      spread_s / flow.time_s);
    built_destroy(built);
    return agree;
}

static void medians_of_larger_ones_agree(void **state)
{
    (void)state;
    int64_t equal = 0;
    for (int64_t seed = first; seed < first + large; seed++)
        equal += medians_agree((uint64_t)seed);
    print_message("%" PRId64 " of %" PRId64 " larger workloads agree\n", equal, large);
    assert_int_equal(equal, large);
}

int main(int argc, char *argv[])
{
    for (int i = 1; i + 1 < argc; i += 2)
        *(strcmp(argv[i], "--seeds") == 0   ? &seeds
          : strcmp(argv[i], "--large") == 0 ? &large
                                            : &first) = strtoll(argv[i + 1], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_workloads_agree),
        cmocka_unit_test(medians_of_larger_ones_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
