/* walk.c - ranks walk their programs: lines of steps, steps in flight beside them, collectives. */
#include "walk.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/memory.h"
#include "walk_parts.h"

static void fail(struct sim_walk *walk, int status)
{
    if (walk->status == RB_OK)
        walk->status = status;
}

static struct sim_step *step_at(const struct sim_walk_job *job, int32_t step)
{
    return &job->is->step[step];
}

static int32_t local_rank(const struct sim_walk_job *job, int32_t rank)
{
    return rank - job->first;
}

/* ---- Collectives ----------------------------------------------------------------------------- */

static int32_t members(const struct sim_walk_collective *collective)
{
    return sim_communicator_size(collective->set, collective->communicator);
}

static bool is_started(const struct sim_walk_job *job, int32_t step)
{
    return step_at(job, step)->label >= 0;
}

static int find_plan(struct sim_walk *walk, const struct sim_walk_job *job, int32_t step,
                     int32_t communicator, int64_t counter, struct sim_step_plan *plan)
{
    const struct sim_workload *workload = walk->workload;
    const int status = workload->plan_of(workload->context, (int32_t)(job - walk->job), step,
                                         communicator, counter, plan, &walk->error);
    if (status != RB_OK)
        fail(walk, status);
    return status;
}

/* The rank's step is not what the one before it called as the same number of its communicator,
 * unless both have the same plan and both or neither are started. */
static void check_same(struct sim_walk *walk, struct sim_walk_collective *collective, int32_t rank,
                       int32_t step, int64_t counter)
{
    const struct sim_walk_job *job = collective->job;
    struct sim_step_plan plan;
    char first[128], second[128];
    if (collective->step == step && collective->counter == counter)
        return;
    if (find_plan(walk, job, step, collective->communicator, counter, &plan) != RB_OK)
        return;
    const bool started = is_started(job, step), was_started = is_started(job, collective->step);
    if (plan.plan == collective->of.plan && plan.layout == collective->of.layout &&
        started == was_started)
        return;
    fail(walk, sup_fail(&walk->error, RB_EINVAL,
                        "%s: ranks %d and %d call different collectives as number %" PRId64
                        " of %s: %s%s, %s%s",
                        job->is->name, local_rank(job, collective->first_rank),
                        local_rank(job, rank), collective->number + 1, collective->set->name,
                        was_started && !started ? "started " : "",
                        sim_step_name(step_at(job, collective->step), first, sizeof first),
                        started && !was_started ? "started " : "",
                        sim_step_name(step_at(job, step), second, sizeof second)));
}

/* The collective of this number to which a rank has come in its communicator. */
static struct sim_walk_collective *join(struct sim_walk *walk, int32_t rank, int32_t step,
                                        int64_t counter, int32_t communicator, int64_t number)
{
    struct sim_walk_job *job = sim_walk_job_of(walk, rank);
    const int32_t set_number = step_at(job, step)->set;
    const struct sim_communicators *set = &job->is->set[set_number];
    struct sim_walk_collective **place = &job->open[set_number][communicator];
    while (*place != NULL && (*place)->number != number)
        place = &(*place)->next;
    if (*place != NULL) {
        check_same(walk, *place, rank, step, counter);
        return *place;
    }
    struct sim_walk_collective *made = sup_calloc(1, sizeof *made);
    *made = (struct sim_walk_collective){.job = job,
                                         .set = set,
                                         .member = &set->member[set->first[communicator]],
                                         .communicator = communicator,
                                         .number = number,
                                         .serial = walk->collectives++,
                                         .step = step,
                                         .counter = counter,
                                         .first_rank = rank};
    *place = made;
    if (find_plan(walk, job, step, made->communicator, counter, &made->of) == RB_OK &&
        rb_plan_ports(made->of.plan) > walk->ports)
        fail(walk, sup_fail(&walk->error, RB_EINVAL,
                            "%s: plans with more ports than those of the first pass: %d, not %d",
                            job->is->name, rb_plan_ports(made->of.plan), walk->ports));
    return made;
}

void sim_walk_free_stage(struct sim_walk_stage *stage)
{
    if (stage == NULL)
        return;
    sim_replay_destroy(stage->replay);
    free(stage->place);
    free(stage);
}

/* One of the step's that has no user, best of the same plan; NULL: there is none. One of another
 * plan makes room for the one that will be made. */
static struct sim_walk_stage *reuse_stage(struct sim_walk_job *job,
                                          const struct sim_walk_collective *of)
{
    struct sim_walk_stage **place = &job->unused[of->step];
    while (*place != NULL &&
           ((*place)->of.plan != of->of.plan || (*place)->of.layout != of->of.layout))
        place = &(*place)->next;
    const bool found = *place != NULL;
    if (!found)
        place = &job->unused[of->step];
    struct sim_walk_stage *stage = *place;
    if (stage != NULL)
        *place = stage->next;
    if (found) {
        sim_replay_reuse(stage->replay);
        return stage;
    }
    sim_walk_free_stage(stage);
    return NULL;
}

static int make_stage(struct sim_walk *walk, struct sim_walk_collective *collective)
{
    collective->stage = reuse_stage(collective->job, collective);
    if (collective->stage != NULL)
        return RB_OK;
    struct sim_walk_stage *stage = sup_calloc(1, sizeof *stage);
    stage->of = collective->of;
    stage->place = sup_malloc((size_t)members(collective) * sizeof *stage->place);
    const int status = sim_replay_create(stage->of.plan, stage->of.layout, &walk->spec->overlap,
                                         walk->eager, &stage->replay, &walk->error);
    if (status != RB_OK) {
        sim_walk_free_stage(stage);
        return status;
    }
    collective->stage = stage;
    if (sim_walk_is_single(walk))
        sim_replay_watch(stage->replay, walk->spec->meter);
    return RB_OK;
}

void sim_walk_count_messages(struct sim_walk *walk, const struct sim_walk_collective *collective)
{
    if (collective->stage == NULL)
        return;
    walk->messages += sim_replay_messages(collective->stage->replay);
    walk->bytes += sim_replay_bytes(collective->stage->replay);
}

/* All have left. */
static void close_collective(struct sim_walk *walk, struct sim_walk_collective *collective)
{
    struct sim_walk_job *job = collective->job;
    struct sim_walk_collective **place =
        &job->open[collective->set - job->is->set][collective->communicator];
    while (*place != collective)
        place = &(*place)->next;
    *place = collective->next;
    sim_walk_count_messages(walk, collective);
    collective->stage->next = job->unused[collective->step];
    job->unused[collective->step] = collective->stage;
    free(collective);
}

/* It may have something to offer. */
static void queue_collective(struct sim_walk *walk, struct sim_walk_collective *collective)
{
    if (collective->queued)
        return;
    collective->queued = true;
    collective->queued_next = NULL;
    if (walk->queue_first == NULL)
        walk->queue_first = collective;
    else
        walk->queue_last->queued_next = collective;
    walk->queue_last = collective;
}

static void enter(struct sim_walk *walk, int32_t rank, int32_t stream)
{
    struct sim_walk_collective *collective = sim_walk_doing_at(walk, rank, stream)->in;
    const struct sim_walk_job *job = collective->job;
    const int32_t local =
        sim_communicator_rank(collective->set, collective->communicator, local_rank(job, rank));
    const int status = collective->stage == NULL ? make_stage(walk, collective) : RB_OK;
    if (status != RB_OK) {
        fail(walk, status);
        return;
    }
    collective->stage->place[local] = rank * walk->streams + stream;
    if (walk->walker[rank].held || (job->is->waits && stream > 0))
        sim_replay_hold(collective->stage->replay, local, true);
    sim_replay_enter(collective->stage->replay, local,
                     walk->known != NULL ? &walk->known[local] : NULL);
    queue_collective(walk, collective);
}

/* Holds a rank in all its collectives, or lets it go. */
static void hold(struct sim_walk *walk, int32_t rank, bool held)
{
    const struct sim_walk_job *job = sim_walk_job_of(walk, rank);
    walk->walker[rank].held = held;
    for (int32_t i = 0; i < walk->streams; i++) {
        const struct sim_walk_doing *doing = sim_walk_doing_at(walk, rank, i);
        if (doing->state != SIM_WALK_ACTIVE || doing->in == NULL || doing->in->stage == NULL)
            continue;
        sim_replay_hold(doing->in->stage->replay, doing->in->set->rank_in[local_rank(job, rank)],
                        held);
        queue_collective(walk, doing->in);
    }
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static int64_t *counter_at(const struct sim_walk_job *job, int32_t rank, int32_t repeat)
{
    return &job->counter[(int64_t)local_rank(job, rank) * job->depths + job->depth[repeat]];
}

/* How often the rank has done the step before. */
static int64_t passes(const struct sim_walk_job *job, const struct sim_walk_walker *walker,
                      int32_t rank, int32_t step)
{
    const int32_t repeat = job->inside[step];
    if (repeat < 0)
        return walker->lap;
    return passes(job, walker, rank, repeat) * step_at(job, repeat)->times +
           *counter_at(job, rank, repeat);
}

/* The line goes to the step after this one. */
static void go_on(const struct sim_walk_job *job, struct sim_walk_walker *walker, int32_t rank,
                  int32_t next)
{
    while (walker->inside >= 0 && next == step_at(job, walker->inside)->end) {
        const int32_t repeat = walker->inside;
        if (++*counter_at(job, rank, repeat) < step_at(job, repeat)->times) {
            next = repeat + 1;
            break;
        }
        walker->inside = job->inside[repeat];
    }
    walker->step = next;
}

/* For a step that is started; -1: too many are in flight. */
static int32_t free_stream(const struct sim_walk *walk, int32_t rank)
{
    for (int32_t i = 1; i < walk->streams; i++)
        if (sim_walk_doing_at(walk, rank, i)->state == SIM_WALK_FREE)
            return i;
    return -1;
}

/* The line has come to a step that is no repeat. */
static void come_to(struct sim_walk *walk, int32_t rank, int32_t step)
{
    const struct sim_walk_job *job = sim_walk_job_of(walk, rank);
    struct sim_walk_walker *walker = &walk->walker[rank];
    const bool started = is_started(job, step);
    const int32_t stream = started ? free_stream(walk, rank) : 0;
    if (stream < 0) {
        fail(walk, sup_fail(&walk->error, RB_EINVAL, "%s: rank %d: more than %d steps in flight",
                            job->is->name, local_rank(job, rank), walk->streams - 1));
        return;
    }
    walker->started += started;
    *sim_walk_doing_at(walk, rank, stream) =
        (struct sim_walk_doing){.state = SIM_WALK_WAITING,
                                .step = step,
                                .pass = passes(job, walker, rank, step),
                                .order = walker->orders++,
                                .begin_s = walk->now_s};
    if (step_at(job, step)->kind != SIM_MOVE)
        return;
    const int32_t set = step_at(job, step)->set, mine = local_rank(job, rank);
    sim_walk_doing_at(walk, rank, stream)->in =
        join(walk, rank, step, walker->inside < 0 ? 0 : *counter_at(job, rank, walker->inside),
             job->is->set[set].of[mine], job->called[(int64_t)mine * job->is->sets + set]++);
}

/* The line takes its next step. */
static void step_on(struct sim_walk *walk, int32_t rank)
{
    const struct sim_walk_job *job = sim_walk_job_of(walk, rank);
    struct sim_walk_walker *walker = &walk->walker[rank];
    const int32_t number = walker->step;
    const struct sim_step *step = step_at(job, number);
    const bool repeats = step->kind == SIM_REPEAT;
    const bool takes_part = sim_takes_part(job->is, step, local_rank(job, rank));
    if (repeats && takes_part && step->end > number + 1) {
        walker->inside = number;
        *counter_at(job, rank, number) = 0;
        walker->step = number + 1;
        return;
    }
    if (!repeats && takes_part)
        come_to(walk, rank, number);
    go_on(job, walker, rank, repeats ? step->end : number + 1);
}

/* A step in flight of the rank that an `after` waits for, of those that the line came to before
 * this one; -1: there is none. */
int32_t sim_walk_waits_for(const struct sim_walk *walk, int32_t rank,
                           const struct sim_walk_doing *doing)
{
    const struct sim_walk_job *job = sim_walk_job_of(walk, rank);
    const uint64_t after = step_at(job, doing->step)->after;
    if (after == 0 || walk->walker[rank].started == 0)
        return -1;
    for (int32_t i = 1; i < walk->streams; i++) {
        const struct sim_walk_doing *other = sim_walk_doing_at(walk, rank, i);
        if (other->state != SIM_WALK_FREE && other->order < doing->order &&
            (after >> step_at(job, other->step)->label & 1) != 0)
            return i;
    }
    return -1;
}

/* When nothing else happens at this time (struct sim_walk_later). */
static void do_later(struct sim_walk *walk, int32_t rank, int32_t stream)
{
    struct sim_walk_later *later = &walk->later;
    sup_grow(&later->entry, (size_t)later->count, sizeof *later->entry);
    later->entry[later->count].rank = rank;
    later->entry[later->count++].stream = stream;
}

static void compute(struct sim_walk *walk, int32_t rank, int32_t stream)
{
    const struct sim_walk_job *job = sim_walk_job_of(walk, rank);
    const struct sim_walk_doing *doing = sim_walk_doing_at(walk, rank, stream);
    double seconds =
        job->is->graph != NULL
            ? job->is->graph->task[doing->task].compute_s
            : sim_duration_s(&step_at(job, doing->step)->compute, (int32_t)(job - walk->job),
                             doing->step, doing->pass, local_rank(job, rank), job->is->ranks);
    if (job->is->graph != NULL && !walk->eager) {
        double *busy_s = &walk->walker[rank].busy_s;
        *busy_s = (*busy_s > walk->now_s ? *busy_s : walk->now_s) + seconds;
        seconds = *busy_s - walk->now_s;
    }
    walk->busy += !job->again;
    walk->walker[rank].computing++;
    if (job->is->calls)
        do_later(walk, rank, -1);
    walk->clock.set(walk->clock.context, rank * walk->streams + stream, rank, seconds);
}

static void end_rank(struct sim_walk *walk, int32_t rank)
{
    struct sim_walk_job *job = sim_walk_job_of(walk, rank);
    struct sim_walk_walker *walker = &walk->walker[rank];
    walker->ended = true;
    if (--job->left == 0 && !job->again)
        walk->jobs_left--;
}

/* ---- Graphs ---------------------------------------------------------------------------------- */

static void add_due(struct sim_walk *walk, int32_t rank, int32_t task)
{
    struct sim_walk_ready *ready = &walk->ready;
    const struct sim_task *is = &sim_walk_job_of(walk, rank)->is->graph->task[task];
    const int order = is->message < 0 ? 2 : is->sends ? 0 : 1;
    sup_grow(&ready->due, ready->count, sizeof *ready->due);
    ready->due[ready->count] = (struct sim_walk_due){rank, task, order, ready->count};
    ready->count++;
}

/* The task has begun, or is complete: others may wait for nothing any more. */
static void release(struct sim_walk *walk, int32_t rank, int32_t task, bool start)
{
    const struct sim_walk_job *job = sim_walk_job_of(walk, rank);
    const struct sim_graph *graph = job->is->graph;
    for (int32_t e = graph->leads[task]; e < graph->leads[task + 1]; e++)
        if (graph->edge[e].start == start && --job->needs[graph->edge[e].to] == 0)
            add_due(walk, rank, graph->edge[e].to);
}

void sim_walk_begun(struct sim_walk *walk, int32_t place)
{
    const int32_t rank = place / walk->streams;
    if (sim_walk_job_of(walk, rank)->is->graph != NULL)
        release(walk, rank, walk->doing[place].task, true);
}

static void begin_step(struct sim_walk *walk, int32_t rank, int32_t stream);

static void begin_task(struct sim_walk *walk, int32_t rank, int32_t number)
{
    const struct sim_walk_job *job = sim_walk_job_of(walk, rank);
    const struct sim_task *task = &job->is->graph->task[number];
    struct sim_walk_doing *doing = sim_walk_doing_at(walk, rank, task->stream);
    *doing = (struct sim_walk_doing){.step = task->step, .begin_s = walk->now_s, .task = number};
    const int32_t *of = job->is->set[step_at(job, task->step)->set].of;
    if (task->message >= 0)
        doing->in = join(walk, rank, task->step, 0,
                         of != NULL ? of[local_rank(job, rank)] : task->message, task->message);
    begin_step(walk, rank, task->stream);
    if (!walk->eager)
        release(walk, rank, number, true);
}

SUP_COMPARE(by_due, struct sim_walk_due, SUP_ORDER(a->rank, b->rank), SUP_ORDER(a->order, b->order),
            SUP_ORDER(a->number, b->number));

/* Begins the next task that waits for nothing, of those that became ready together. False: there is
 * none. */
static bool begin_due(struct sim_walk *walk)
{
    struct sim_walk_ready *ready = &walk->ready;
    if (ready->next == ready->count || walk->status != RB_OK) {
        ready->next = ready->count = ready->sorted = 0;
        return false;
    }
    if (ready->next == ready->sorted) {
        qsort(ready->due + ready->next, ready->count - ready->next, sizeof *ready->due, by_due);
        ready->sorted = ready->count;
    }
    const struct sim_walk_due due = ready->due[ready->next++];
    begin_task(walk, due.rank, due.task);
    return true;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

static void end_step(struct sim_walk *walk, int32_t rank, int32_t stream)
{
    const struct sim_walk_job *job = sim_walk_job_of(walk, rank);
    const struct sim_observer *observer = walk->spec->observer;
    struct sim_walk_doing *doing = sim_walk_doing_at(walk, rank, stream);
    doing->state = SIM_WALK_FREE;
    walk->steps_done += !job->again;
    walk->busy -= !job->again && step_at(job, doing->step)->kind == SIM_COMPUTE;
    walk->walker[rank].started -= stream > 0 && job->is->graph == NULL;
    if (observer != NULL && observer->step != NULL && !sim_walk_is_single(walk))
        observer->step(observer->context, &(struct sim_step_end){.job = (int32_t)(job - walk->job),
                                                                 .rank = local_rank(job, rank),
                                                                 .step = doing->step,
                                                                 .pass = doing->pass,
                                                                 .begin_s = doing->begin_s,
                                                                 .ready_s = doing->ready_s,
                                                                 .end_s = walk->now_s});
    if (job->is->graph == NULL)
        return;
    release(walk, rank, doing->task, false);
    if (--walk->walker[rank].tasks == 0)
        end_rank(walk, rank);
}

static void begin_step(struct sim_walk *walk, int32_t rank, int32_t stream)
{
    struct sim_walk_doing *doing = sim_walk_doing_at(walk, rank, stream);
    doing->state = SIM_WALK_ACTIVE;
    doing->ready_s = walk->now_s;
    switch (step_at(sim_walk_job_of(walk, rank), doing->step)->kind) {
    case SIM_COMPUTE:
        compute(walk, rank, stream);
        break;
    case SIM_MOVE:
        enter(walk, rank, stream);
        break;
    case SIM_NOTHING:
    case SIM_REPEAT:
        end_step(walk, rank, stream);
        break;
    }
}

/* Begins the first step of the rank, in the order of its line, that waits for nothing any more.
 * False: there is none. */
static bool begin_one(struct sim_walk *walk, int32_t rank)
{
    const int32_t streams = walk->walker[rank].started > 0 ? walk->streams : 1;
    int32_t first = -1;
    for (int32_t i = 0; i < streams; i++) {
        const struct sim_walk_doing *doing = sim_walk_doing_at(walk, rank, i);
        if (doing->state == SIM_WALK_WAITING && sim_walk_waits_for(walk, rank, doing) < 0 &&
            (first < 0 || doing->order < sim_walk_doing_at(walk, rank, first)->order))
            first = i;
    }
    if (first >= 0)
        begin_step(walk, rank, first);
    return first >= 0;
}

/* A program that runs until others end begins again, unless it took no time. */
static bool begins_again(struct sim_walk *walk, struct sim_walk_job *job,
                         struct sim_walk_walker *walker)
{
    if (!job->again || !(walk->now_s > walker->lap_s))
        return false;
    walker->lap++;
    walker->lap_s = walk->now_s;
    walker->step = 0;
    return true;
}

/* Does all that the rank can do now. */
static void walk_on(struct sim_walk *walk, int32_t rank)
{
    struct sim_walk_job *job = sim_walk_job_of(walk, rank);
    struct sim_walk_walker *walker = &walk->walker[rank];
    if (job->is->graph != NULL)
        return; /* begin_due */
    while (walk->status == RB_OK) {
        if (begin_one(walk, rank))
            continue;
        const bool is_free = sim_walk_doing_at(walk, rank, 0)->state == SIM_WALK_FREE;
        const bool steps = walker->step < job->is->steps;
        if (!is_free || (!steps && walker->started > 0)) {
            if (job->is->waits && walker->computing == 0)
                hold(walk, rank, false);
            return;
        }
        if (steps)
            step_on(walk, rank);
        else if (!begins_again(walk, job, walker))
            break;
    }
    if (walk->status == RB_OK)
        end_rank(walk, rank);
}

/* ---- Messages -------------------------------------------------------------------------------- */

static void tell(struct sim_walk *walk)
{
    const struct sim_meter *meter = walk->spec->meter;
    if (meter != NULL && walk->steps > 0)
        meter->tell(meter->context, walk->steps_done / walk->steps);
}

/* The ranks that are through leave the collective, the last one closes it. */
static void let_leave(struct sim_walk *walk, struct sim_walk_collective *collective)
{
    struct sim_replay *replay = collective->stage->replay;
    for (int32_t local; (local = sim_replay_next_through(replay)) >= 0;) {
        const int32_t rank = sim_walk_member(collective, local);
        const int32_t stream = collective->stage->place[local] - rank * walk->streams;
        const bool last = ++collective->left == members(collective);
        if (last)
            close_collective(walk, collective);
        end_step(walk, rank, stream);
        walk_on(walk, rank);
        if (last)
            return;
    }
}

/* Takes what the replay offers, by the ranks of all jobs. All is read before anything is written,
 * which spares reading it again. */
static bool take_from(struct sim_walk *walk, struct sim_walk_collective *collective,
                      struct sim_walk_message *taken)
{
    struct sim_replay_message *message = &taken->message;
    const struct sim_walk_stage *stage = collective->stage;
    const bool eager = walk->eager;
    if (!(eager ? sim_replay_take_end(stage->replay, message, &taken->sends)
                : sim_replay_take(stage->replay, message)))
        return false;
    const int32_t *member = collective->member, *place = stage->place;
    const int32_t from = message->from, to = message->to, first = collective->job->first;
    const int32_t slot = place[eager && !taken->sends ? to : from] * walk->ports + message->port;
    const int32_t to_slot = eager ? -1 : place[to] * walk->ports + message->port;
    const int32_t from_rank = first + member[from], to_rank = first + member[to];
    message->from = from_rank;
    message->to = to_rank;
    taken->slot = slot;
    taken->to_slot = to_slot;
    taken->job = (int32_t)(collective->job - walk->job);
    taken->step = collective->step;
    taken->collective = collective->serial;
    taken->key = (uint64_t)message->round + ((uint64_t)collective->number << 32);
    if (!collective->job->again)
        walk->busy += eager ? 1 : 2;
    if (++walk->taken % SIM_TELL_EVERY == 0)
        tell(walk);
    return true;
}

static bool is_over(const struct sim_walk *walk)
{
    return walk->jobs_left == 0 || walk->status != RB_OK;
}

bool sim_walk_over(const struct sim_walk *walk)
{
    return is_over(walk) || (walk->busy == 0 && walk->queue_first == NULL);
}

bool sim_walk_take(struct sim_walk *walk, struct sim_walk_message *message)
{
    while ((walk->queue_first != NULL && !is_over(walk)) || begin_due(walk)) {
        struct sim_walk_collective *collective = walk->queue_first;
        if (collective == NULL)
            continue;
        if (take_from(walk, collective, message))
            return true;
        walk->queue_first = collective->queued_next;
        collective->queued = false;
        let_leave(walk, collective);
    }
    return false;
}

/* The replay and the rank in it of this slot, of which so many ends are complete; the port. */
static struct sim_replay *find_slot(struct sim_walk *walk, double now_s, int32_t slot, int32_t ends,
                                    int32_t *local, int32_t *port)
{
    const int32_t place = slot / walk->ports;
    struct sim_walk_collective *collective = walk->doing[place].in;
    *port = slot % walk->ports;
    *local = sim_communicator_rank(collective->set, collective->communicator,
                                   local_rank(collective->job, place / walk->streams));
    walk->now_s = now_s;
    if (!collective->job->again)
        walk->busy -= ends;
    queue_collective(walk, collective);
    return collective->stage->replay;
}

void sim_walk_complete(struct sim_walk *walk, double now_s, int32_t slot)
{
    int32_t local, port;
    struct sim_replay *replay = find_slot(walk, now_s, slot, 2, &local, &port);
    sim_replay_complete(replay, local, port);
}

const struct sim_replay *sim_walk_replay(const struct sim_walk *walk)
{
    const struct sim_walk_collective *in = walk->job[0].open[0][0];
    return in != NULL && in->stage != NULL ? in->stage->replay : NULL;
}

void sim_walk_fetch(const struct sim_walk *walk, int32_t slot)
{
    __builtin_prefetch(&walk->doing[slot / walk->ports]);
}

void sim_walk_fetch_ends(const struct sim_walk *walk, int32_t slot, int32_t to)
{
    const struct sim_walk_collective *in = walk->doing[slot / walk->ports].in;
    if (!sim_walk_is_single(walk) || in == NULL)
        return;
    sim_replay_fetch(in->stage->replay, slot / walk->ports);
    sim_replay_fetch(in->stage->replay, to);
}

void sim_walk_complete_end(struct sim_walk *walk, double now_s, int32_t slot, bool sends)
{
    int32_t local, port;
    struct sim_replay *replay = find_slot(walk, now_s, slot, 1, &local, &port);
    sim_replay_complete_end(replay, local, port, sends);
}

/* ---- Time ------------------------------------------------------------------------------------ */

/* What waits for nothing is ready. */
static void begin_graph(struct sim_walk *walk, const struct sim_walk_job *job, int32_t r)
{
    const struct sim_graph *graph = job->is->graph;
    walk->walker[job->first + r].tasks = graph->first[r + 1] - graph->first[r];
    for (int32_t t = graph->first[r]; t < graph->first[r + 1]; t++)
        if (graph->task[t].needs == 0)
            add_due(walk, job->first + r, t);
    if (graph->first[r] == graph->first[r + 1])
        end_rank(walk, job->first + r);
}

static void start_job(struct sim_walk *walk, const struct sim_walk_job *job)
{
    for (int32_t r = 0; r < job->is->ranks; r++) {
        struct sim_walk_walker *walker = &walk->walker[job->first + r];
        walker->lap_s = walker->computed_s = walk->now_s;
        if (job->is->graph != NULL)
            begin_graph(walk, job, r);
        else
            walk_on(walk, job->first + r);
    }
}

void sim_walk_begin(struct sim_walk *walk, const struct rb_rank known[])
{
    walk->known = known;
    const int32_t first = walk->ranks * walk->streams;
    for (int32_t j = 0; j < walk->jobs; j++) {
        const struct sim_walk_job *job = &walk->job[j];
        const bool later = job->runs && job->is->start_s > 0;
        walk->busy += later && !job->again;
        if (later)
            walk->clock.set(walk->clock.context, first + j, -1, job->is->start_s);
        else if (job->runs)
            start_job(walk, job);
    }
    walk->known = NULL;
}

void sim_walk_fire(struct sim_walk *walk, double now_s, int32_t timer)
{
    const int32_t rank = timer / walk->streams, stream = timer % walk->streams;
    walk->now_s = now_s;
    if (rank >= walk->ranks) {
        const struct sim_walk_job *job = &walk->job[timer - walk->ranks * walk->streams];
        walk->busy -= !job->again;
        start_job(walk, job);
        return;
    }
    walk->walker[rank].computing--;
    walk->walker[rank].computed_s = now_s;
    if (!sim_walk_job_of(walk, rank)->is->calls) {
        end_step(walk, rank, stream);
        walk_on(walk, rank);
        return;
    }
    if (walk->walker[rank].computing == 0 && !sim_walk_job_of(walk, rank)->is->waits)
        hold(walk, rank, false);
    do_later(walk, rank, stream);
}

bool sim_walk_settle(struct sim_walk *walk, double now_s)
{
    struct sim_walk_later now = walk->later;
    walk->later = (struct sim_walk_later){0};
    walk->now_s = now_s;
    for (int32_t i = 0; i < now.count && walk->status == RB_OK; i++) {
        const int32_t rank = now.entry[i].rank, stream = now.entry[i].stream;
        if (stream >= 0) {
            end_step(walk, rank, stream);
            walk_on(walk, rank);
        } else if (walk->walker[rank].computing > 0) {
            hold(walk, rank, true);
        }
    }
    free(now.entry);
    return now.count > 0;
}
