/* collectives.c - times Roundabout's collectives and the MPI library's own in turn, on synchronised
 * clocks.
 *
 * A run lasts from the first rank's start to the last rank's end, on rank 0's clock (job.h). No
 * barrier comes first, because the ranks leave a barrier at different times (Hunold and
 * Carpen-Amarie 2015). Rank 0 announces a start time. If a rank starts late, or loses its core to
 * another process, the run is disturbed and discarded. With more ranks than cores all runs are
 * disturbed, so then they count, and the row says that the host was oversubscribed.
 *
 * All variants of one case (collective, p, m) run in turn, in random order, so that what disturbs
 * one disturbs all. Before that each has given the library's own result. */
#define _POSIX_C_SOURCE 200809L /* clock_nanosleep */

#include <inttypes.h>
#include <math.h>
#include <roundabout-mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "job.h"
#include "mpi/choice/choice.h"
#include "schedules/plan/random.h"
#include "studies/measure/measure.h"
#include "support/eta.h"
#include "support/memory.h"
#include "support/options/common_options.h"

enum { WARM_UP = 2 };
#define LEAST_LEAD_S 50e-6 /* between rank 0's word and the start */
#define MOST_LEAD_S  20e-3

/* A variant of a case. */
struct variant {
    const char *algorithm;
    bool ours;
    struct rb_plan_spec plan;     /* if it is ours */
    const char *overlap;          /* "": the library's own has none */
    char setting[CHOICE_SETTING]; /* as RB_Choose reads it */
    struct measure_runs runs;     /* rank 0's */
    bool done;
    bool left_out; /* it can't serve the case */
};

struct measured_case {
    struct job_context *job;
    int32_t collective; /* its number in the request */
    const struct job_measured_call *call;
    struct job_call_data data;
    struct job_clocks *clocks;
    MPI_Comm control; /* the same ranks */
    bool oversubscribed;
    struct variant *variant;
    int32_t count;
    double lead_s;
    int64_t pass;    /* of all variants, counted from 0 */
    uint64_t random; /* state */
};

/* ---- Variants -------------------------------------------------------------------------------- */

/* A file's plan that is wrong would have ranks wait for ever. */
static int verify(struct rb_plan *plan, char *why, size_t why_size)
{
    struct rb_verdict verdict;
    const struct rb_algorithm_info *info = rb_plan_algorithm(plan);
    const bool by_place = rb_is_by_place(info);
    const int status = by_place ? RB_EWRONG : rb_verify_plan(plan, NULL, &verdict);
    if (status == RB_OK)
        return status;
    snprintf(why, why_size, "the plan of %.200s is wrong: %.300s", info->only->file,
             by_place              ? "it is a schedule that is no round plan, which MPI can't run"
             : status == RB_EWRONG ? verdict.what
                                   : "out of memory");
    rb_plan_destroy(plan);
    return status;
}

/* Adds one, unless its plan can't be. */
static int add_variant(struct measured_case *c, const struct rb_algorithm_info *algorithm,
                       int64_t n, int32_t radix, int32_t overlap)
{
    const struct measure_request *request = c->job->request;
    struct variant *made = &c->variant[c->count];
    struct rb_plan *plan;
    char why[560];
    const struct rb_plan_spec spec = {.collective = c->call->collective,
                                      .algorithm = algorithm->name,
                                      .p = c->data.p,
                                      .root = c->data.root,
                                      .n = n,
                                      .radix = radix};
    int status = rb_plan_create(&spec, &plan, why, sizeof why);
    if (status == RB_OK && algorithm->only != NULL)
        status = verify(plan, why, sizeof why);
    if (status == RB_EWRONG)
        return sup_fail(c->job->error, status, "%s", why);
    if (status == RB_EINVAL && c->data.rank == 0)
        cli_complain(CLI_EXIT_DONE, "%s %s, p = %d, is left out: %s", spec.collective,
                     spec.algorithm, spec.p, why);
    if (status != RB_OK)
        return status == RB_EINVAL ? RB_OK : status;
    if (c->data.rank == 0 && request->blocks != NULL && algorithm->pipelined && overlap == 0)
        cli_note_empty_blocks(
            rb_plan_collective(plan), spec.p, n,
            &(struct rb_layout){.bytes = c->data.bytes, .element = c->call->element_bytes});
    rb_plan_destroy(plan);
    *made = (struct variant){.algorithm = algorithm->name,
                             .ours = true,
                             .plan = spec,
                             .overlap = request->overlap.name[overlap]};
    snprintf(made->setting, sizeof made->setting, "%s:n=%" PRId64 ",window=%" PRId32,
             algorithm->name, n, request->window[overlap]);
    if (radix > 0)
        sup_append(made->setting, sizeof made->setting, ",", "r=%" PRId32, radix);
    c->count++;
    return RB_OK;
}

/* With each n. Algorithms that don't pipeline have one. */
static int add_blocks(struct measured_case *c, const struct rb_algorithm_info *algorithm,
                      int32_t radix, int32_t overlap)
{
    const struct sup_list *blocks = c->job->request->blocks;
    const struct choice_setting setting = {.algorithm = algorithm};
    const struct choice_situation situation = {.collective = c->call->collective,
                                               .p = c->data.p,
                                               .bytes = c->data.bytes,
                                               .irregular = !c->data.even};
    const int64_t by_rule = choice_make(&setting, &situation).plan.n;
    int status = RB_OK;
    if (blocks == NULL || !algorithm->pipelined)
        return add_variant(c, algorithm, algorithm->pipelined ? by_rule : 1, radix, overlap);
    for (size_t i = 0; i < blocks->count && status == RB_OK; i++)
        status = add_variant(c, algorithm, blocks->value[i], radix, overlap);
    return status;
}

/* With each radix. Algorithms without one take one turn. */
static int add_radices(struct measured_case *c, const struct rb_algorithm_info *algorithm,
                       int32_t overlap)
{
    const struct measure_request *request = c->job->request;
    int status = RB_OK;
    for (int32_t i = 0; i < measure_radices(request, algorithm) && status == RB_OK; i++)
        status = add_blocks(c, algorithm, measure_radix(request, algorithm, i), overlap);
    return status;
}

static int add_variants(struct measured_case *c)
{
    const struct measure_request *request = c->job->request;
    int status = RB_OK;
    c->variant = sup_calloc(MEASURE_MOST_VARIANTS, sizeof *c->variant);
    for (int32_t i = 0; i < request->algorithm.count; i++) {
        const char *name = request->algorithm.name[i];
        const struct rb_algorithm_info *algorithm = request->algorithm_info[c->collective][i];
        if (measure_is_own(name))
            c->variant[c->count++] =
                (struct variant){.algorithm = MEASURE_LIBRARY_OWN, .plan = {.n = 1}, .overlap = ""};
        for (int32_t k = 0; k < request->overlap.count && algorithm != NULL; k++)
            if (status == RB_OK)
                status = add_radices(c, algorithm, k);
    }
    for (int32_t i = 0; i < c->count && c->data.rank == 0; i++)
        measure_runs_init(&c->variant[i].runs, request);
    return status;
}

/* ---- One run --------------------------------------------------------------------------------- */

static int run_variant(const struct measured_case *c, const struct variant *variant)
{
    return c->call->run(&c->data, variant->ours);
}

static int choose(const struct measured_case *c, const struct variant *variant)
{
    return variant->ours ? RB_Choose(c->call->collective, variant->setting) : MPI_SUCCESS;
}

/* Waits until a time on rank 0's clock: asleep if others need the core, otherwise busily. */
static void wait_until(const struct measured_case *c, double reference_s)
{
    const double local_s = measure_clock_local(&c->clocks->clock, reference_s);
    const struct timespec then = {.tv_sec = (time_t)local_s,
                                  .tv_nsec = (long)((local_s - floor(local_s)) * 1e9)};
    if (c->oversubscribed)
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &then, NULL);
    while (sup_clock_s() < local_s)
        ;
}

/* The message of rank 0 to the others. */
struct start {
    double at_s;     /* on its clock */
    int32_t variant; /* -1: the case is done */
};

/* The data of a run at its end, at rank 0. */
struct outcome {
    double time_s; /* from the first start to the last end */
    double late_s; /* the last start */
    bool interrupted;
};

static struct outcome reduce_outcome(const struct measured_case *c, double start_s, double end_s,
                                     bool interrupted, double at_s)
{
    double mine[] = {-start_s, start_s, end_s, interrupted}, extreme[4];
    MPI_Reduce(mine, extreme, 4, MPI_DOUBLE, MPI_MAX, 0, c->control);
    return (struct outcome){extreme[2] + extreme[0], extreme[1] - at_s, extreme[3] > 0};
}

static struct outcome run_once(struct measured_case *c, const struct start *start)
{
    const struct variant *variant = &c->variant[start->variant];
    choose(c, variant);
    wait_until(c, start->at_s);
    const int64_t before = measure_interruptions();
    const double start_s = job_clocks_now_s(c->clocks);
    run_variant(c, variant);
    const double end_s = job_clocks_now_s(c->clocks);
    return reduce_outcome(c, start_s, end_s, measure_interruptions() != before, start->at_s);
}

static void follow(struct measured_case *c)
{
    struct start start;
    for (;;) {
        MPI_Bcast(&start, sizeof start, MPI_BYTE, 0, c->control);
        if (start.variant < 0)
            return;
        run_once(c, &start);
    }
}

/* Rank 0's part of a run. */
static void lead(struct measured_case *c, int32_t which)
{
    const struct measure_request *request = c->job->request;
    struct measure_runs *runs = &c->variant[which].runs;
    const double began_s = sup_clock_s();
    struct start start = {.at_s = job_clocks_now_s(c->clocks) + c->lead_s, .variant = which};
    MPI_Bcast(&start, sizeof start, MPI_BYTE, 0, c->control);
    const struct outcome outcome = run_once(c, &start);
    const bool late = outcome.late_s > request->late_s;
    c->lead_s = fmin(fmax(c->lead_s * (late ? 1.5 : 0.98), LEAST_LEAD_S), MOST_LEAD_S);
    measure_runs_add(runs, &(struct measure_run){.time_s = outcome.time_s,
                                                 .spent_s = sup_clock_s() - began_s,
                                                 .pass = c->pass,
                                                 .disturbed = late || outcome.interrupted,
                                                 .hopeless = c->oversubscribed});
}

/* ---- A case ---------------------------------------------------------------------------------- */

/* All variants that need more runs, in random order. */
static bool run_round(struct measured_case *c)
{
    int32_t order[MEASURE_MOST_VARIANTS], count = 0;
    for (int32_t i = 0; i < c->count; i++)
        if (!c->variant[i].done)
            order[count++] = i;
    for (int32_t i = count; i > 0; i--) {
        const uint64_t other = rb_random_below(&c->random, (uint32_t)i);
        const int32_t which = order[other];
        order[other] = order[i - 1];
        lead(c, which);
        c->variant[which].done = measure_runs_done(&c->variant[which].runs, c->job->request);
    }
    c->pass++;
    return count > 0;
}

static int write_row(struct measured_case *c, struct variant *variant)
{
    struct job_context *job = c->job;
    struct measure_result row;
    char note[96];
    snprintf(note, sizeof note, "%s %s, p = %d", c->call->collective, variant->algorithm,
             c->data.p);
    cli_bar_update(&job->bar, ++job->done, note);
    job_row(job, &row);
    snprintf(row.test, sizeof row.test, "collective");
    snprintf(row.collective, sizeof row.collective, "%s", c->call->collective);
    snprintf(row.algorithm, sizeof row.algorithm, "%s", variant->algorithm);
    snprintf(row.progress, sizeof row.progress, "%s", variant->overlap);
    measure_result_set_plan(&row, &variant->plan);
    row.p = c->data.p;
    row.m_bytes = c->data.bytes;
    row.root = c->data.root;
    snprintf(row.counts, sizeof row.counts, "%s", job->request->counts_text);
    row.element_bytes = c->call->element_bytes;
    row.batch = 1;
    row.oversubscribed = c->oversubscribed;
    row.late_s = job->request->late_s;
    row.clock_error_s = c->clocks->error_s;
    measure_runs_report(&variant->runs, &row);
    return measure_sink_add(job->sink, &row, job->error);
}

enum verdict { RIGHT, NOT_OURS, WRONG };

/* Gives a variant the data; its result must be the library's own. Also warms up. NOT_OURS: the call
 * went to the library's own. */
static enum verdict check_variant(struct measured_case *c, const struct variant *variant,
                                  const char *expected)
{
    const long long fallbacks = RB_Fallbacks(c->call->collective);
    int verdict = choose(c, variant) == MPI_SUCCESS ? RIGHT : WRONG, worst;
    for (int i = 0; i < WARM_UP && verdict == RIGHT; i++) {
        job_call_data_fill(&c->data, c->job->request->seed);
        verdict = run_variant(c, variant) == MPI_SUCCESS ? RIGHT : WRONG;
    }
    if (memcmp(c->data.in, expected, (size_t)c->call->result_bytes(&c->data)) != 0)
        verdict = WRONG;
    if (verdict == RIGHT && RB_Fallbacks(c->call->collective) != fallbacks)
        verdict = NOT_OURS;
    MPI_Allreduce(&verdict, &worst, 1, MPI_INT, MPI_MAX, c->control);
    return (enum verdict)worst;
}

static int complain_of(const struct measured_case *c, const struct variant *variant,
                       enum verdict verdict)
{
    const char *name = variant->ours ? variant->setting : MEASURE_LIBRARY_OWN;
    if (verdict == WRONG)
        return sup_fail(c->job->error, RB_EWRONG,
                        "%s %s, p = %d, m = %" PRId64 ", seed %" PRIu64
                        ": the result is not the MPI library's",
                        c->call->collective, name, c->data.p, c->data.bytes, c->job->request->seed);
    if (c->data.rank == 0)
        cli_complain(CLI_EXIT_DONE,
                     "%s %s, p = %d, m = %" PRId64
                     ", is left out: it can't serve such calls, which go to the MPI library's own",
                     c->call->collective, name, c->data.p, c->data.bytes);
    return RB_OK;
}

/* Leaves those that can't serve the case out. */
static int check_variants(struct measured_case *c)
{
    const size_t size = c->data.bytes > 0 ? (size_t)c->data.bytes : 1;
    char *expected = sup_malloc(size);
    int status = RB_OK;
    job_call_data_fill(&c->data, c->job->request->seed);
    c->call->run(&c->data, false);
    memcpy(expected, c->data.in, (size_t)c->call->result_bytes(&c->data));
    for (int32_t i = 0; i < c->count && status == RB_OK; i++) {
        const enum verdict verdict = check_variant(c, &c->variant[i], expected);
        if (verdict == RIGHT)
            continue;
        status = complain_of(c, &c->variant[i], verdict);
        c->variant[i].left_out = c->variant[i].done = true;
    }
    free(expected);
    return status;
}

static int run_case(struct measured_case *c)
{
    int status = check_variants(c);
    if (status != RB_OK)
        return status;
    job_clocks_ask(c->clocks, c->control);
    if (c->data.rank > 0) {
        follow(c);
        return RB_OK;
    }
    while (run_round(c))
        ;
    const struct start end = {.variant = -1};
    MPI_Bcast((void *)(uintptr_t)&end, sizeof end, MPI_BYTE, 0, c->control);
    for (int32_t i = 0; i < c->count && status == RB_OK; i++)
        if (!c->variant[i].left_out)
            status = write_row(c, &c->variant[i]);
    return status;
}

/* ---- All cases ------------------------------------------------------------------------------- */

/* The ranks of one p. */
struct group {
    MPI_Comm comm, control;
    bool oversubscribed;
    struct job_clocks clocks;
};

static int measure_case(struct job_context *job, struct group *group, int32_t i, int64_t bytes)
{
    const struct rb_collective_info *collective = job->request->collective_info[i];
    struct measured_case c = {.job = job,
                              .collective = i,
                              .call = job_measured_call_find(collective->name),
                              .clocks = &group->clocks,
                              .control = group->control,
                              .oversubscribed = group->oversubscribed,
                              .lead_s = LEAST_LEAD_S,
                              .random = job->request->seed};
    const int root = collective->rooted ? job->request->root : 0;
    int status = job_call_data_init(&c.data, c.call, collective, group->comm, root, bytes,
                                    &job->request->counts, job->error),
        worst;
    if (status == RB_OK)
        status = add_variants(&c);
    MPI_Allreduce(&status, &worst, 1, MPI_INT, MPI_MIN, c.control);
    if (worst == RB_OK && c.call->even_only && !c.data.even) {
        if (job->rank == 0)
            cli_complain(
                CLI_EXIT_DONE, "%s, p = %d, m = %" PRId64 ", is left out: %s", collective->name,
                c.data.p, bytes,
                sup_counts_differ(&job->request->counts)
                    ? "the MPI library of docs/mpi.md has no function for counts that differ"
                    : "m is not a multiple of p");
    } else if (worst == RB_OK) {
        worst = run_case(&c);
    }
    for (int32_t k = 0; k < c.count; k++)
        measure_runs_free(&c.variant[k].runs);
    free(c.variant);
    job_call_data_free(&c.data);
    return worst;
}

static struct sup_list sizes_of(const struct job_context *job, int32_t i)
{
    const struct job_measured_call *call = job_measured_call_find(job->request->collective.name[i]);
    return measure_sizes(job->request, false, call->element_bytes);
}

static int measure_group(struct job_context *job, struct group *group)
{
    const struct measure_names *collective = &job->request->collective;
    int status = RB_OK, worst = RB_OK;
    for (int32_t i = 0; i < collective->count; i++) {
        struct sup_list bytes = sizes_of(job, i);
        for (size_t k = 0; k < bytes.count && worst == RB_OK; k++) {
            status = measure_case(job, group, i, bytes.value[k]);
            MPI_Allreduce(&status, &worst, 1, MPI_INT, MPI_MIN, group->control);
        }
        sup_list_free(&bytes);
    }
    return worst;
}

static int measure_ranks(struct job_context *job, int ranks)
{
    struct group group = {.comm = MPI_COMM_NULL, .oversubscribed = job_oversubscribed(job, ranks)};
    int status = RB_OK;
    if (job->rank == 0 && group.oversubscribed)
        cli_complain(CLI_EXIT_DONE,
                     "p = %d: more ranks than cores on a host; they wait for each other's time "
                     "slices, and so the times are of that",
                     ranks);
    MPI_Comm_split(MPI_COMM_WORLD, job->rank < ranks ? 0 : MPI_UNDEFINED, job->rank, &group.comm);
    if (group.comm != MPI_COMM_NULL) {
        MPI_Comm_dup(group.comm, &group.control);
        status = measure_group(job, &group);
        MPI_Comm_free(&group.control);
        MPI_Comm_free(&group.comm);
    }
    return job_meet(status);
}

static int check_size(struct job_context *job, const struct job_measured_call *call, int64_t bytes)
{
    if (bytes > MEASURE_MOST_BYTES)
        return sup_fail(job->error, RB_EINVAL,
                        "--counts: %s has %" PRId64 " elements of %d bytes: at most 1 GiB is "
                        "measured; --bytes deals out as many as it says",
                        job->request->counts.file, job->request->counts.elements,
                        call->element_bytes);
    if (bytes % call->element_bytes != 0)
        return sup_fail(job->error, RB_EINVAL,
                        "--bytes: %" PRId64 " is not a multiple of %d, the numbers that %s adds",
                        bytes, call->element_bytes, call->collective);
    return RB_OK;
}

static int check_sizes(struct job_context *job)
{
    const struct measure_names *collective = &job->request->collective;
    int status = RB_OK;
    for (int32_t i = 0; i < collective->count && status == RB_OK; i++) {
        const struct job_measured_call *call = job_measured_call_find(collective->name[i]);
        if (call == NULL)
            return sup_fail(job->error, RB_EINVAL,
                            "--collective: %s has no function in the MPI library of docs/mpi.md",
                            collective->name[i]);
        struct sup_list bytes = sizes_of(job, i);
        for (size_t k = 0; k < bytes.count && status == RB_OK; k++)
            status = check_size(job, call, bytes.value[k]);
        sup_list_free(&bytes);
    }
    return status;
}

int64_t job_count_collective_cases(const struct measure_request *request)
{
    struct sup_list bytes = measure_sizes(request, false, 1);
    int64_t ways = 0;
    for (int32_t i = 0; i < request->collective.count; i++)
        ways += measure_variants(request, i);
    const int64_t cases =
        (int64_t)bytes.count * ways * (request->ranks == NULL ? 1 : (int64_t)request->ranks->count);
    sup_list_free(&bytes);
    return cases;
}

int job_collectives(struct job_context *job)
{
    const struct sup_list *ranks = job->request->ranks;
    int status = job_meet(check_sizes(job));
    for (size_t i = 0; ranks != NULL && i < ranks->count && status == RB_OK; i++)
        status = measure_ranks(job, (int)ranks->value[i]);
    if (ranks == NULL && status == RB_OK)
        status = measure_ranks(job, job->ranks);
    return status;
}
