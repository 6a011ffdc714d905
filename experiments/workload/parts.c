#include "experiments/workload/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/jitter.h"
#include "support/memory.h"

/* ---- One run --------------------------------------------------------------------------------- */

struct span {
    double from_s, to_s;
};
struct spans {
    struct span *span; /* owned */
    int32_t count, room;
};

static void add_span(struct spans *spans, double from_s, double to_s)
{
    if (!(to_s > from_s))
        return;
    if (spans->count == spans->room) {
        spans->room = 2 * spans->room + 2;
        spans->span = sup_reallocarray(spans->span, (size_t)spans->room, sizeof *spans->span);
    }
    spans->span[spans->count++] = (struct span){from_s, to_s};
}

/* Takes this time out of the spans; returns how much of it they had. */
static double cut_spans(struct spans *spans, struct span out)
{
    double cut_s = 0;
    const int32_t count = spans->count;
    for (int32_t i = 0; i < count; i++) {
        const struct span of = spans->span[i];
        const double from_s = fmax(of.from_s, out.from_s), to_s = fmin(of.to_s, out.to_s);
        if (!(to_s > from_s))
            continue;
        cut_s += to_s - from_s;
        spans->span[i].to_s = from_s;
        add_span(spans, to_s, of.to_s);
    }
    int32_t left = 0;
    for (int32_t i = 0; i < spans->count; i++)
        if (spans->span[i].to_s > spans->span[i].from_s)
            spans->span[left++] = spans->span[i];
    spans->count = left;
    return cut_s;
}

/* A rank's line of steps. */
struct workload_line {
    double at_s;            /* up to here its time is counted */
    struct spans computing; /* beside which nothing was in flight that has ended */
    struct spans moved;     /* what was in flight and ended since the line's last step */
};

static void begin_job(struct workload_clock *clock, int32_t j)
{
    const struct sim_job *job = &clock->workload->job[j];
    const size_t steps = (size_t)job->steps + 1;
    struct workload_times *times = &clock->job[j];
    *times = (struct workload_times){
        .step_s = sup_calloc(steps, sizeof *times->step_s),
        .computing_s = sup_calloc(steps, sizeof *times->computing_s),
        .passes = sup_calloc(steps, sizeof *times->passes),
        .line = sup_calloc((size_t)job->ranks, sizeof *times->line),
    };
    for (int32_t i = 0; i < job->steps; i++)
        if (job->step[i].kind == SIM_MOVE && job->step[i].label >= 0)
            times->moving |= UINT64_C(1) << job->step[i].label;
    for (int32_t r = 0; r < job->ranks; r++)
        times->line[r].at_s = job->start_s;
}

/* The rank has computed: part of it while something was in flight, of which some may still be. */
static void compute(struct workload_times *times, struct workload_line *line, double from_s,
                    double to_s)
{
    struct spans left = {0};
    add_span(&left, from_s, to_s);
    for (int32_t i = 0; i < line->moved.count; i++)
        times->hidden_s += cut_spans(&left, line->moved.span[i]);
    for (int32_t i = 0; i < left.count; i++)
        add_span(&line->computing, left.span[i].from_s, left.span[i].to_s);
    free(left.span);
}

/* Something has ended that the rank had started. */
static void end_started(struct workload_times *times, struct workload_line *line,
                        const struct sim_step_end *end)
{
    const struct span flight = {end->ready_s, end->end_s};
    times->hidden_s += cut_spans(&line->computing, flight);
    add_span(&line->moved, flight.from_s, flight.to_s);
}

/* A step of the line has ended. */
static void end_in_line(struct workload_times *times, struct workload_line *line,
                        const struct sim_step *step, const struct sim_step_end *end)
{
    const double took_s = fmax(0, end->end_s - line->at_s); /* in a graph several may end at once */
    times->step_s[end->step] += took_s;
    if (step->kind == SIM_COMPUTE) {
        times->computing_s[end->step] += fmin(end->end_s - end->ready_s, took_s);
        if (times->moving != 0)
            compute(times, line, end->ready_s, end->end_s);
    } else if ((step->after & times->moving) == times->moving) {
        line->computing.count = 0; /* nothing is in flight */
    }
    line->moved.count = 0;
    line->at_s = fmax(line->at_s, end->end_s);
}

static void take_end(void *context, const struct sim_step_end *end)
{
    struct workload_clock *clock = context;
    const struct sim_step *step = &clock->workload->job[end->job].step[end->step];
    struct workload_times *times = &clock->job[end->job];
    times->passes[end->step]++;
    if (step->label < 0)
        end_in_line(times, &times->line[end->rank], step, end);
    else if (step->kind == SIM_MOVE)
        end_started(times, &times->line[end->rank], end);
    if (clock->also != NULL && clock->also->step != NULL)
        clock->also->step(clock->also->context, end);
}

static void take_message(void *context, const struct sim_message *message)
{
    const struct workload_clock *clock = context;
    clock->also->message(clock->also->context, message);
}

struct sim_observer workload_clock_start(struct workload_clock *clock,
                                         const struct sim_workload *workload,
                                         const struct sim_observer *also)
{
    *clock = (struct workload_clock){
        .workload = workload,
        .job = sup_calloc((size_t)workload->jobs, sizeof *clock->job),
        .also = also,
    };
    for (int32_t j = 0; j < workload->jobs; j++)
        begin_job(clock, j);
    return (struct sim_observer){.message =
                                     also != NULL && also->message != NULL ? take_message : NULL,
                                 .step = take_end,
                                 .context = clock};
}

void workload_clock_stop(struct workload_clock *clock, const double job_end_s[])
{
    for (int32_t j = 0; j < clock->workload->jobs; j++) {
        const struct sim_job *job = &clock->workload->job[j];
        struct workload_times *times = &clock->job[j];
        times->time_s = job_end_s[j] - job->start_s;
        for (int32_t r = 0; r < job->ranks; r++)
            times->end_s += (job_end_s[j] - times->line[r].at_s) / job->ranks;
        for (int32_t i = 0; i < job->steps; i++) {
            times->step_s[i] /= job->ranks;
            times->computing_s[i] /= job->ranks;
        }
        times->hidden_s /= job->ranks;
    }
}

static void free_times(struct workload_times *times, int32_t ranks)
{
    for (int32_t r = 0; times->line != NULL && r < ranks; r++) {
        free(times->line[r].computing.span);
        free(times->line[r].moved.span);
    }
    free(times->line);
    free(times->step_s);
    free(times->computing_s);
    free(times->passes);
    *times = (struct workload_times){0};
}

void workload_clock_free(struct workload_clock *clock)
{
    if (clock->workload == NULL)
        return;
    for (int32_t j = 0; j < clock->workload->jobs; j++)
        free_times(&clock->job[j], clock->workload->job[j].ranks);
    free(clock->job);
    *clock = (struct workload_clock){0};
}

/* ---- The runs -------------------------------------------------------------------------------- */

/* A run without links takes about this share of the time of one with them. */
static const double UNSHARED = 0.3;

static bool is_timed(const struct sim_workload *workload, int32_t j)
{
    return !workload->job[j].until_others;
}

/* All runs; the share of their work that is done, for the meter. */
struct runs {
    const struct workload_question *question;
    struct workload_times *times[WORKLOAD_RUNS]; /* per job; the last one of each kind */
    double done, part, all;                      /* ranks of the runs so far, of this one, of all */
};

static void tell(void *context, double share)
{
    const struct runs *runs = context;
    const struct sim_meter *meter = runs->question->spec.meter;
    meter->tell(meter->context, (runs->done + share * runs->part) / runs->all);
}

/* The spec of a run of one kind: without links nothing is wanted but times, and `flow` gives them;
 * `model` has a network of its own. */
static struct sim_spec spec_of(const struct workload_question *question, enum workload_run kind,
                               int32_t j, const struct sim_engine **engine)
{
    static const enum sim_sharing sharing[WORKLOAD_RUNS] = {
        [WORKLOAD_FREE] = SIM_IMMEDIATE, [WORKLOAD_ALONE] = SIM_UNSHARED};
    struct sim_spec spec = question->spec;
    *engine = question->engine;
    spec.workload = question->workload;
    spec.sharing = sharing[kind];
    if (kind == WORKLOAD_ALL)
        return spec;
    spec.only_job = j + 1;
    spec.want_finish = spec.want_contention = spec.want_hosts = false;
    spec.want_links = 0;
    if (sharing[kind] != SIM_SHARED && question->engine->walks &&
        strcmp(question->engine->name, "model") != 0) {
        *engine = sim_engine_find("flow");
        spec.variant = NULL;
        spec.options = NULL;
        spec.option_count = 0;
    }
    return spec;
}

/* Runs one kind, of job j alone or of all jobs, and keeps its times. */
static int run(struct runs *runs, enum workload_run kind, int32_t j, uint64_t jitter,
               struct sim_result *result, struct sup_error *error)
{
    const struct sim_engine *engine;
    const struct sim_workload *workload = runs->question->workload;
    const bool all = kind == WORKLOAD_ALL, first = jitter <= 1;
    const struct sim_meter meter = {tell, runs};
    struct sim_spec spec = spec_of(runs->question, kind, j, &engine);
    struct workload_clock clock;
    runs->part = (all ? sim_workload_ranks(workload) : workload->job[j].ranks) *
                 (spec.sharing == SIM_SHARED ? 1 : UNSHARED);
    const struct sim_observer observer =
        workload_clock_start(&clock, workload, all && first ? spec.observer : NULL);
    spec.observer = &observer;
    spec.jitter = spec.sharing == SIM_SHARED ? jitter : 0;
    spec.meter = spec.meter == NULL ? NULL : &meter;
    const int status = sim_run(engine, &spec, result, error);
    if (status == RB_OK) {
        workload_clock_stop(&clock, result->job_end_s);
        for (int32_t i = 0; i < workload->jobs; i++) {
            struct workload_times *times = &runs->times[kind][i];
            const struct workload_times old = *times;
            if (!all && i != j)
                continue;
            *times = clock.job[i];
            clock.job[i] = old;
        }
    }
    workload_clock_free(&clock);
    runs->done += runs->part;
    return status;
}

/* ---- Parts ----------------------------------------------------------------------------------- */

static struct workload_split split_of(const double run_s[WORKLOAD_RUNS], double computing_s)
{
    return (struct workload_split){.s = {
                                       computing_s,
                                       run_s[WORKLOAD_FREE] - computing_s,
                                       run_s[WORKLOAD_ALONE] - run_s[WORKLOAD_FREE],
                                       run_s[WORKLOAD_JOB] - run_s[WORKLOAD_ALONE],
                                       run_s[WORKLOAD_ALL] - run_s[WORKLOAD_JOB],
                                       run_s[WORKLOAD_ALL],
                                   }};
}

/* The rows of a job: its steps, the end, and the whole. */
static void split_job(const struct runs *runs, int32_t j, struct workload_split row[])
{
    const int32_t steps = runs->question->workload->job[j].steps;
    const double *computing_s = runs->times[WORKLOAD_FREE][j].computing_s;
    double all_computing_s = 0, run_s[WORKLOAD_RUNS];
    for (int32_t i = 0; i < steps + 2; i++) {
        for (int kind = 0; kind < WORKLOAD_RUNS; kind++) {
            const struct workload_times *times = &runs->times[kind][j];
            run_s[kind] = i < steps ? times->step_s[i] : i == steps ? times->end_s : times->time_s;
        }
        row[i] = split_of(run_s, i < steps ? computing_s[i] : i == steps ? 0 : all_computing_s);
        all_computing_s += row[i].s[WORKLOAD_COMPUTING];
    }
}

/* Of a row in all copies, which have so many rows: the medians, the lower of two. */
static struct workload_split median_of(const struct workload_split row[], int32_t rows,
                                       int32_t copies)
{
    struct workload_split median;
    double *value = sup_malloc((size_t)copies * sizeof *value);
    for (int k = 0; k < WORKLOAD_SHARES; k++) {
        for (int32_t c = 0; c < copies; c++)
            value[c] = row[(size_t)c * (size_t)rows].s[k];
        sup_sort_reals(value, (size_t)copies);
        median.s[k] = value[(copies - 1) / 2];
        median.low_s[k] = value[0];
        median.high_s[k] = value[copies - 1];
    }
    free(value);
    return median;
}

/* How often the ranks did the program of a job: its first step that all of them do. */
static double rounds_of(const struct sim_job *job, const int64_t passes[])
{
    double times = job->ranks;
    int32_t first = 0;
    if (job->graph != NULL)
        return 1;
    while (first + 1 < job->steps &&
           (job->step[first].kind == SIM_REPEAT || job->step[first].only != NULL))
        first++;
    for (int32_t i = 0; i < first; i++)
        if (job->step[i].kind == SIM_REPEAT && job->step[i].end > first)
            times *= (double)job->step[i].times;
    return (double)passes[first] / times;
}

static double exposed_of(const struct workload_times *times, int32_t steps)
{
    double exposed_s = 0;
    for (int32_t i = 0; i < steps; i++)
        exposed_s += times->step_s[i] - times->computing_s[i];
    return exposed_s;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static double work_of(const struct workload_question *question, int32_t copies)
{
    const struct sim_workload *workload = question->workload;
    double work = (double)sim_workload_ranks(workload) * copies;
    for (int32_t j = 0; j < workload->jobs; j++)
        if (is_timed(workload, j))
            work += workload->job[j].ranks * (2 * UNSHARED + (workload->jobs > 1 ? copies : 0));
    return work;
}

/* The runs of a job without links. */
static int run_unshared(struct runs *runs, int32_t j, struct sup_error *error)
{
    int status = RB_OK;
    for (int kind = WORKLOAD_FREE; kind <= WORKLOAD_ALONE && status == RB_OK; kind++) {
        struct sim_result result = {0};
        status = run(runs, (enum workload_run)kind, j, 0, &result, error);
        sim_result_free(&result);
    }
    return status;
}

/* A copy of the run of a job alone, unless it is that of all jobs, and the rows of this copy. */
static int run_job(struct runs *runs, int32_t j, uint64_t jitter, struct workload_split row[],
                   struct sup_error *error)
{
    struct workload_times *const own = &runs->times[WORKLOAD_JOB][j];
    struct sim_result result = {0};
    const bool other = runs->question->workload->jobs > 1;
    int status = RB_OK;
    if (other)
        status = run(runs, WORKLOAD_JOB, j, jitter, &result, error);
    else
        *own = runs->times[WORKLOAD_ALL][j];
    if (status == RB_OK)
        split_job(runs, j, row);
    if (!other)
        *own = (struct workload_times){0};
    sim_result_free(&result);
    return status;
}

static int run_all(struct runs *runs, int32_t copies, struct workload_answer *answer,
                   struct sup_error *error)
{
    const struct sim_workload *workload = runs->question->workload;
    int status = RB_OK;
    for (int32_t j = 0; j < workload->jobs && status == RB_OK; j++)
        if (is_timed(workload, j))
            status = run_unshared(runs, j, error);
    for (int32_t c = 0; c < copies && status == RB_OK; c++) {
        const uint64_t jitter = answer->copies == 0 ? 0 : (uint64_t)c + 1;
        struct sim_result result = {0};
        status = run(runs, WORKLOAD_ALL, 0, jitter, c == 0 ? &answer->result : &result, error);
        sim_result_free(&result);
        for (int32_t j = 0; j < workload->jobs && status == RB_OK; j++)
            if (is_timed(workload, j))
                status = run_job(runs, j, jitter,
                                 answer->account[j].row + c * (workload->job[j].steps + 2), error);
    }
    return status;
}

/* What the rows of all copies, and the last run of all jobs, say of a job. */
static void finish_account(const struct runs *runs, int32_t j, int32_t copies,
                           struct workload_account *account)
{
    const struct sim_job *job = &runs->question->workload->job[j];
    struct workload_times *all = &runs->times[WORKLOAD_ALL][j];
    const int32_t rows = job->steps + 2;
    account->exposed_s = exposed_of(all, job->steps);
    account->hidden_s = all->hidden_s;
    account->rounds = rounds_of(job, all->passes);
    account->passes = all->passes;
    all->passes = NULL;
    for (int32_t i = 0; i < rows; i++)
        account->row[i] = median_of(&account->row[i], rows, copies);
    account->whole = account->row[rows - 1];
}

int workload_ask(const struct workload_question *question, struct workload_answer *answer,
                 struct sup_error *error)
{
    const struct sim_workload *workload = question->workload;
    const size_t jobs = (size_t)workload->jobs;
    const int32_t copies = question->copies > 0 ? question->copies : 1;
    struct runs runs = {.question = question, .all = work_of(question, copies)};
    struct sup_error why;
    *answer = (struct workload_answer){.copies = question->copies};
    if (question->copies > 0 && sim_jitter_check(question->engine, &question->spec, &why) != RB_OK)
        return sup_fail(error, RB_EINVAL, "--jitter: %s", why.text);
    answer->account = sup_calloc(jobs, sizeof *answer->account);
    answer->jobs = workload->jobs;
    for (int32_t j = 0; j < workload->jobs; j++)
        answer->account[j].row = sup_calloc((size_t)copies * ((size_t)workload->job[j].steps + 2),
                                            sizeof *answer->account[j].row);
    for (int kind = 0; kind < WORKLOAD_RUNS; kind++)
        runs.times[kind] = sup_calloc(jobs, sizeof *runs.times[kind]);
    const int status = run_all(&runs, copies, answer, error);
    for (int32_t j = 0; j < workload->jobs && status == RB_OK; j++)
        finish_account(&runs, j, copies, &answer->account[j]);
    for (int kind = 0; kind < WORKLOAD_RUNS; kind++) {
        for (int32_t j = 0; j < workload->jobs; j++)
            free_times(&runs.times[kind][j], workload->job[j].ranks);
        free(runs.times[kind]);
    }
    return status;
}

void workload_answer_free(struct workload_answer *answer)
{
    for (int32_t j = 0; j < answer->jobs; j++) {
        free(answer->account[j].row);
        free(answer->account[j].passes);
    }
    free(answer->account);
    sim_result_free(&answer->result);
    *answer = (struct workload_answer){0};
}

bool workload_is_noise(const struct workload_split *split, enum workload_share share)
{
    return fabs(split->s[share]) < split->high_s[share] - split->low_s[share];
}
