/* unrolled.c - programs for other simulators (source.h): what each rank does, pass by pass, with
 * the messages of its plans under the overlap rule blocking. */
#include "experiments/workload/source.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "interchange/export/export.h"
#include "support/memory.h"

/* Tasks of a rank, by their labels. */
struct tasks {
    int64_t *label; /* owned */
    size_t count;
};

struct unrolling {
    const struct sim_workload *workload;
    struct sup_error *error;
    bool goal;
    FILE *file;
    int32_t j, first, rank; /* the job, its first rank of all jobs, and the rank there */
    const int32_t *member;  /* of the communicator whose plan is written */
    int32_t step;
    int64_t labels;
    /* What is to be complete before the line goes on, before the next task, and after this round;
     * and of each label that steps are started under. */
    struct tasks line, before, round, started[SIM_MOST_STARTED];
};

static void add(struct tasks *to, const struct tasks *from)
{
    for (size_t i = 0; i < from->count; i++) {
        sup_grow(&to->label, to->count, sizeof *to->label);
        to->label[to->count++] = from->label[i];
    }
}

/* `to` becomes `from`, which becomes empty. */
static void move(struct tasks *to, struct tasks *from)
{
    const struct tasks old = *to;
    *to = *from;
    *from = (struct tasks){.label = old.label};
}

static void write_task(struct unrolling *unrolling, struct export_task task)
{
    task.label = ++unrolling->labels;
    task.required = unrolling->before.label;
    task.required_count = (int32_t)unrolling->before.count;
    if (unrolling->goal)
        export_goal_task(unrolling->file, &task);
    else
        export_ti_task(unrolling->file, unrolling->first + unrolling->rank, &task);
    add(&unrolling->round, &(struct tasks){&task.label, 1});
}

static void write_message(void *context, const struct export_task *task)
{
    struct unrolling *unrolling = context;
    struct export_task message = *task;
    message.peer = unrolling->first + unrolling->member[task->peer];
    message.tag += (uint32_t)unrolling->step << 16; /* two in flight differ */
    message.bytes += unrolling->goal && task->bytes == 0;
    write_task(unrolling, message);
}

static void end_round(void *context)
{
    struct unrolling *unrolling = context;
    move(&unrolling->before, &unrolling->round);
    if (!unrolling->goal)
        fprintf(unrolling->file, "%" PRId32 " waitall\n", unrolling->first + unrolling->rank);
}

static int write_plan(struct unrolling *unrolling, int32_t s, int64_t counter)
{
    static const struct export_round_writer writer = {write_message, end_round};
    const struct sim_workload *workload = unrolling->workload;
    const struct sim_job *job = &workload->job[unrolling->j];
    const struct sim_communicators *set = &job->set[job->step[s].set];
    const int32_t communicator = set->of[unrolling->rank];
    struct sim_step_plan plan;
    int status = workload->plan_of(workload->context, unrolling->j, s, communicator, counter, &plan,
                                   unrolling->error);
    unrolling->member = &set->member[set->first[communicator]];
    unrolling->step = s;
    if (status == RB_OK)
        status = export_rounds(plan.plan, plan.layout, set->rank_in[unrolling->rank], &writer,
                               unrolling, unrolling->error);
    return status;
}

/* A step that is no repeat, of the rank. */
static int write_step(struct unrolling *unrolling, int32_t s, int64_t counter, int64_t pass)
{
    const struct sim_job *job = &unrolling->workload->job[unrolling->j];
    const struct sim_step *step = &job->step[s];
    int status = RB_OK;
    unrolling->before.count = 0;
    add(&unrolling->before, &unrolling->line);
    for (int32_t l = 0; l < job->labels; l++)
        if ((step->after >> l & 1) != 0) {
            add(&unrolling->before, &unrolling->started[l]);
            unrolling->started[l].count = 0;
        }
    if (step->kind == SIM_COMPUTE) {
        const double seconds =
            sim_duration_s(&step->compute, unrolling->j, s, pass, unrolling->rank, job->ranks);
        write_task(unrolling,
                   (struct export_task){.kind = DEP_TASK_LOCAL, .bytes = llround(seconds * 1e9)});
        move(&unrolling->before, &unrolling->round);
    } else if (step->kind == SIM_MOVE) {
        status = write_plan(unrolling, s, counter);
    }
    if (step->label < 0)
        move(&unrolling->line, &unrolling->before);
    else
        add(&unrolling->started[step->label], &unrolling->before);
    return status;
}

/* The steps first .. end - 1 of the rank. */
static int write_steps(struct unrolling *unrolling, int32_t first, int32_t end, int64_t counter,
                       int64_t pass)
{
    const struct sim_job *job = &unrolling->workload->job[unrolling->j];
    int status = RB_OK;
    for (int32_t s = first; s < end && status == RB_OK; s++) {
        const struct sim_step *step = &job->step[s];
        const bool repeats = step->kind == SIM_REPEAT;
        const int64_t times = sim_takes_part(job, step, unrolling->rank) * step->times;
        for (int64_t i = 0; i < times && repeats && status == RB_OK; i++)
            status = write_steps(unrolling, s + 1, step->end, i, pass * step->times + i);
        if (!repeats && times > 0)
            status = write_step(unrolling, s, counter, pass);
        s = repeats ? step->end - 1 : s;
    }
    return status;
}

/* A rank of all jobs. */
static int write_rank(void *context, FILE *file, int32_t rank, struct sup_error *error)
{
    struct unrolling *unrolling = context;
    struct unrolling of = {.workload = unrolling->workload,
                           .error = error,
                           .goal = unrolling->goal,
                           .file = file,
                           .rank = rank};
    while (of.rank >= of.workload->job[of.j].ranks)
        of.rank -= of.workload->job[of.j++].ranks;
    of.first = rank - of.rank;
    const struct sim_job *job = &of.workload->job[of.j];
    const struct export_task start = {.kind = DEP_TASK_LOCAL, .bytes = llround(job->start_s * 1e9)};
    if (start.bytes > 0) {
        write_task(&of, start);
        move(&of.line, &of.round);
    }
    const int status = write_steps(&of, 0, job->steps, 0, 0);
    free(of.line.label);
    free(of.before.label);
    free(of.round.label);
    for (int l = 0; l < SIM_MOST_STARTED; l++)
        free(of.started[l].label);
    return status;
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* That the format can say what the jobs do. */
static int check(const struct sim_workload *workload, bool goal, struct sup_error *error)
{
    char name[160];
    for (int32_t j = 0; j < workload->jobs; j++) {
        const struct sim_job *job = &workload->job[j];
        const char *what = job->graph != NULL              ? "a graph, which is no program"
                           : job->until_others             ? "until: others, which has no end"
                           : job->calls && job->labels > 0 ? "progress: calls, which no trace has"
                                                           : NULL;
        if (what != NULL)
            return sup_fail(error, RB_EINVAL, "%s: %s", job->name, what);
        for (int32_t s = 0; s < job->steps; s++)
            if (job->step[s].label >= 0 && (!goal || job->step[s].kind == SIM_COMPUTE))
                return sup_fail(error, RB_EINVAL, "%s: %s is started, and in %s it is waited for",
                                job->name, sim_step_name(&job->step[s], name, sizeof name),
                                goal ? "GOAL computing is one after another, so" : "a trace");
    }
    return RB_OK;
}

int workload_write_goal(const struct sim_workload *workload, FILE *stream, struct sup_error *error)
{
    struct unrolling unrolling = {.workload = workload, .goal = true};
    const int32_t ranks = sim_workload_ranks(workload);
    int status = check(workload, true, error);
    if (status == RB_OK)
        fprintf(stream, "num_ranks %" PRId32 "\n", ranks);
    for (int32_t r = 0; r < ranks && status == RB_OK; r++) {
        fprintf(stream, "\nrank %" PRId32 " {\n", r);
        status = write_rank(&unrolling, stream, r, error);
        fputs("}\n", stream);
    }
    return status;
}

int workload_write_traces(const struct sim_workload *workload, const char *directory,
                          struct sup_error *error)
{
    struct unrolling unrolling = {.workload = workload};
    const int status = check(workload, false, error);
    return status != RB_OK ? status
                           : export_ti_ranks(directory, sim_workload_ranks(workload), write_rank,
                                             &unrolling, error);
}
