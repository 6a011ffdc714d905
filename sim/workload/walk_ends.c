/* walk_ends.c - making a walk, and its end: the result, or who waits for whom. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/memory.h"
#include "walk_parts.h"

/* ---- Deadlocks ------------------------------------------------------------------------------- */

/* The collective in which the rank is stuck, or NULL: the one of its line, one that the line waits
 * for, or one that it has started. */
static const struct sim_walk_doing *find_stuck(const struct sim_walk *walk, int32_t rank)
{
    const struct sim_walk_doing *line = sim_walk_doing_at(walk, rank, 0);
    if (walk->walker[rank].ended)
        return NULL;
    if (line->state == SIM_WALK_WAITING) {
        const int32_t other = sim_walk_waits_for(walk, rank, line);
        line = other < 0 ? line : sim_walk_doing_at(walk, rank, other);
    }
    for (int32_t i = 1; i < walk->streams && (line->state != SIM_WALK_ACTIVE || line->in == NULL);
         i++)
        line = sim_walk_doing_at(walk, rank, i);
    return line->state == SIM_WALK_ACTIVE && line->in != NULL ? line : NULL;
}

/* The rank that a member waits for, through others of the same collective: one that has not
 * entered, or -1. */
static int32_t find_absent(const struct sim_walk_collective *collective, int32_t local)
{
    const struct sim_replay *replay = collective->stage->replay;
    const int32_t size = sim_communicator_size(collective->set, collective->communicator);
    for (int32_t i = 0; i < size && local >= 0; i++) {
        if (!sim_replay_has_entered(replay, local))
            return sim_walk_member(collective, local);
        local = sim_replay_waits_for(replay, local);
    }
    for (local = 0; local < size; local++)
        if (!sim_replay_has_entered(replay, local))
            return sim_walk_member(collective, local);
    return -1;
}

enum { MOST_LINKS = 6 };

/* "rank 0 waits in a (line 8) for rank 1, which waits in b (line 9) for rank 0" */
static void chain(const struct sim_walk *walk, int32_t rank, char *text, size_t size)
{
    const struct sim_walk_job *job = sim_walk_job_of(walk, rank);
    int32_t seen[MOST_LINKS];
    snprintf(text, size, "rank %d", rank - job->first);
    for (int32_t links = 0; links < MOST_LINKS; links++) {
        const struct sim_walk_doing *stuck = find_stuck(walk, rank);
        char step[128];
        const char *which = links > 0 ? ", which" : "";
        if (stuck == NULL) {
            sup_append(text, size, which, " has ended");
            return;
        }
        seen[links] = rank;
        rank = find_absent(stuck->in, sim_communicator_rank(stuck->in->set, stuck->in->communicator,
                                                            rank - job->first));
        struct sim_step in = job->is->step[stuck->step];
        if (job->is->graph != NULL)
            in.line = job->is->graph->task[stuck->task].line;
        sim_step_name(&in, step, sizeof step);
        if (rank < 0) {
            sup_append(text, size, which, " waits for ever in %s", step);
            return;
        }
        sup_append(text, size, which, " waits in %s for rank %d", step, rank - job->first);
        for (int32_t i = 0; i <= links; i++)
            if (seen[i] == rank)
                return;
    }
}

static int explain(const struct sim_walk *walk, struct sup_error *error)
{
    char text[400];
    for (int32_t rank = 0; rank < walk->ranks; rank++) {
        const struct sim_walk_job *job = sim_walk_job_of(walk, rank);
        if (!job->runs || job->again || find_stuck(walk, rank) == NULL)
            continue;
        chain(walk, rank, text, sizeof text);
        return sup_fail(error, RB_EWRONG, "%s: deadlock: %s", job->is->name, text);
    }
    return sup_fail(error, RB_EWRONG, "the workload does not end");
}

/* ---- The end --------------------------------------------------------------------------------- */

typedef int collective_visitor(struct sim_walk *walk, struct sim_walk_collective *collective,
                               struct sup_error *error);

static int visit_open(struct sim_walk *walk, collective_visitor *visit, struct sup_error *error)
{
    int status = RB_OK;
    for (int32_t j = 0; j < walk->jobs; j++) {
        const struct sim_walk_job *job = &walk->job[j];
        for (int32_t s = 0; s < job->is->sets && job->open != NULL; s++)
            for (int32_t c = 0; c < job->is->set[s].count; c++)
                for (struct sim_walk_collective *open = job->open[s][c], *next;
                     open != NULL && status == RB_OK; open = next) {
                    next = open->next;
                    status = visit(walk, open, error);
                }
    }
    return status;
}

/* What a run that ended before it has moved, too. */
static int count_open(struct sim_walk *walk, struct sim_walk_collective *collective,
                      struct sup_error *error)
{
    (void)error;
    sim_walk_count_messages(walk, collective);
    return RB_OK;
}

static int find_fault(struct sim_walk *walk, struct sim_walk_collective *collective,
                      struct sup_error *error)
{
    const int32_t size = sim_communicator_size(collective->set, collective->communicator);
    (void)walk;
    if (collective->job->again)
        return RB_OK;
    for (int32_t local = 0; local < size; local++)
        if (collective->stage == NULL || !sim_replay_has_entered(collective->stage->replay, local))
            return RB_OK;
    return sim_replay_finished(collective->stage->replay, error);
}

/* A rank ends with its last message or computing. In lockstep it may leave a collective later,
 * after rounds without messages. */
static void take_ends(const struct sim_walk *walk, double finish_s[], struct sim_result *result)
{
    result->jobs = walk->jobs;
    result->job_end_s = sup_calloc((size_t)walk->jobs + 1, sizeof *result->job_end_s);
    for (int32_t rank = 0; rank < walk->ranks; rank++) {
        const struct sim_walk_walker *walker = &walk->walker[rank];
        double *end_s = &result->job_end_s[walker->job];
        finish_s[rank] = fmax(finish_s[rank], walker->computed_s);
        *end_s = fmax(*end_s, finish_s[rank]);
    }
    for (int32_t j = 0; j < walk->jobs; j++)
        if (walk->job[j].runs && walk->job[j].again)
            result->job_end_s[j] = (double)NAN;
}

int sim_walk_finish(struct sim_walk *walk, double finish_s[], struct sim_result *result,
                    struct sup_error *error)
{
    const struct sim_spec *spec = walk->spec;
    int status = walk->status;
    if (status != RB_OK)
        sup_fail(error, status, "%s", walk->error.text);
    else if (walk->jobs_left > 0)
        status = visit_open(walk, find_fault, error);
    if (status == RB_OK && walk->jobs_left > 0)
        status = explain(walk, error);
    visit_open(walk, count_open, error);
    if (sim_walk_is_single(walk))
        result->rounds = rb_plan_rounds(spec->plan);
    else
        take_ends(walk, finish_s, result);
    result->messages = walk->messages;
    if (status == RB_OK)
        status = sim_tally_take(walk->bytes, spec->layout, &result->bytes, error);
    return status;
}

/* ---- Making ---------------------------------------------------------------------------------- */

/* Which repeats are around a step. */
static void nest_steps(struct sim_walk_job *job)
{
    const int32_t steps = job->is->steps;
    int32_t around[SIM_MOST_REPEATS + 1] = {0}, depth = 0;
    job->inside = sup_malloc(((size_t)steps + 1) * sizeof *job->inside);
    job->depth = sup_malloc(((size_t)steps + 1) * sizeof *job->depth);
    for (int32_t s = 0; s < steps; s++) {
        while (depth > 0 && s >= job->is->step[around[depth - 1]].end)
            depth--;
        job->inside[s] = depth > 0 ? around[depth - 1] : -1;
        job->depth[s] = depth;
        if (job->is->step[s].kind == SIM_REPEAT && depth < SIM_MOST_REPEATS)
            around[depth++] = s;
        job->depths = depth > job->depths ? depth : job->depths;
    }
}

static void make_job(struct sim_walk_job *job)
{
    const struct sim_job *is = job->is;
    const size_t ranks = (size_t)is->ranks;
    nest_steps(job);
    if (is->graph != NULL) {
        const int32_t tasks = is->graph->first[is->ranks];
        job->needs = sup_calloc((size_t)tasks + 1, sizeof *job->needs);
        for (int32_t t = 0; t < tasks; t++)
            job->needs[t] = is->graph->task[t].needs;
    }
    job->left = is->ranks;
    job->counter = sup_calloc(ranks * (size_t)job->depths + 1, sizeof *job->counter);
    job->called = sup_calloc(ranks * (size_t)is->sets + 1, sizeof *job->called);
    job->unused = sup_calloc((size_t)is->steps + 1, sizeof(struct sim_walk_stage *));
    job->open = sup_calloc((size_t)is->sets + 1, sizeof(struct sim_walk_collective **));
    for (int32_t s = 0; s < is->sets; s++)
        job->open[s] =
            sup_calloc((size_t)is->set[s].count + 1, sizeof(struct sim_walk_collective *));
}

/* The most ports of a job's plans; they depend on a step and its communicator's size. */
static int find_ports(struct sim_walk *walk, int32_t j, struct sup_error *error)
{
    const struct sim_workload *workload = walk->workload;
    const struct sim_job *job = &workload->job[j];
    for (int32_t s = 0; s < job->steps; s++) {
        if (job->step[s].kind != SIM_MOVE)
            continue;
        const struct sim_communicators *set = &job->set[job->step[s].set];
        for (int32_t i = 0; i < set->shapes; i++) {
            struct sim_step_plan of;
            const int status =
                workload->plan_of(workload->context, j, s, set->shape[i], 0, &of, error);
            if (status != RB_OK)
                return status;
            walk->ports =
                rb_plan_ports(of.plan) > walk->ports ? rb_plan_ports(of.plan) : walk->ports;
        }
    }
    return RB_OK;
}

/* The jobs that run. One that goes on until others end does its program once if it runs alone. */
static int make_jobs(struct sim_walk *walk, struct sup_error *error)
{
    const struct sim_spec *spec = walk->spec;
    const struct sim_workload *workload = walk->workload;
    int32_t first = 0;
    int status = RB_OK;
    walk->jobs = workload->jobs;
    walk->job = sup_calloc((size_t)walk->jobs + 1, sizeof *walk->job);
    for (int32_t j = 0; j < walk->jobs && status == RB_OK; j++) {
        struct sim_walk_job *job = &walk->job[j];
        job->is = &workload->job[j];
        job->first = first;
        first += job->is->ranks;
        job->runs = spec->only_job == 0 || spec->only_job == j + 1;
        job->again = job->is->until_others && spec->only_job == 0;
        if (!job->runs)
            continue;
        walk->jobs_left += !job->again;
        walk->streams = job->is->streams > walk->streams ? job->is->streams : walk->streams;
        make_job(job);
        status = find_ports(walk, j, error);
        if (spec->meter != NULL && !job->again && !sim_walk_is_single(walk))
            walk->steps += sim_count_steps(job->is);
    }
    walk->ranks = sim_workload_ranks(workload);
    return status;
}

static int make_walkers(struct sim_walk *walk, struct sup_error *error)
{
    const int64_t doings = (int64_t)walk->ranks * walk->streams;
    if (doings * walk->ports + walk->jobs > INT32_MAX)
        return sup_fail(error, RB_EINVAL,
                        "too many messages at once: %d ranks with %d steps in flight and %d ports",
                        walk->ranks, walk->streams, walk->ports);
    walk->walker = sup_calloc((size_t)walk->ranks + 1, sizeof *walk->walker);
    walk->doing = sup_calloc((size_t)doings + 1, sizeof *walk->doing);
    for (int32_t j = 0; j < walk->jobs; j++)
        for (int32_t r = 0; r < walk->job[j].is->ranks; r++) {
            struct sim_walk_walker *walker = &walk->walker[walk->job[j].first + r];
            walker->job = j;
            walker->inside = -1;
        }
    return RB_OK;
}

int sim_walk_create(const struct sim_spec *spec, bool eager, const struct sim_walk_clock *clock,
                    struct sim_walk **created, struct sup_error *error)
{
    struct sim_walk *walk = sup_calloc(1, sizeof *walk);
    *created = NULL;
    *walk = (struct sim_walk){.spec = spec,
                              .workload = spec->workload,
                              .eager = eager,
                              .clock = *clock,
                              .ports = 1,
                              .streams = 1};
    if (spec->workload == NULL) {
        sim_arrival_workload(spec, NULL, &walk->single);
        walk->workload = &walk->single;
    }
    int status = make_jobs(walk, error);
    if (status == RB_OK)
        status = make_walkers(walk, error);
    if (status == RB_OK)
        *created = walk;
    else
        sim_walk_destroy(walk);
    return status;
}

static int free_open(struct sim_walk *walk, struct sim_walk_collective *collective,
                     struct sup_error *error)
{
    (void)walk;
    (void)error;
    sim_walk_free_stage(collective->stage);
    free(collective);
    return RB_OK;
}

static void free_job(struct sim_walk_job *job)
{
    for (int32_t s = 0; job->unused != NULL && s < job->is->steps; s++)
        for (struct sim_walk_stage *stage = job->unused[s], *next; stage != NULL; stage = next) {
            next = stage->next;
            sim_walk_free_stage(stage);
        }
    for (int32_t s = 0; job->open != NULL && s < job->is->sets; s++)
        free(job->open[s]);
    free(job->unused);
    free(job->open);
    free(job->called);
    free(job->counter);
    free(job->depth);
    free(job->inside);
    free(job->needs);
}

void sim_walk_destroy(struct sim_walk *walk)
{
    if (walk == NULL)
        return;
    visit_open(walk, free_open, NULL);
    for (int32_t j = 0; j < walk->jobs; j++)
        if (walk->job[j].is != NULL)
            free_job(&walk->job[j]);
    sim_workload_free(&walk->single);
    free(walk->later.entry);
    free(walk->ready.due);
    free(walk->doing);
    free(walk->walker);
    free(walk->job);
    free(walk);
}

int32_t sim_walk_ports(const struct sim_walk *walk)
{
    return walk->ports;
}

int32_t sim_walk_streams(const struct sim_walk *walk)
{
    return walk->streams;
}

int32_t sim_walk_slots(const struct sim_walk *walk)
{
    return walk->ranks * walk->streams * walk->ports;
}

int32_t sim_walk_timers(const struct sim_walk *walk)
{
    return sim_walk_is_single(walk) ? 0 : walk->ranks * walk->streams + walk->jobs;
}
