/* simgrid_actors.c - the reference: one S4U actor per rank walks its job's program in a simple
 * loop, and runs the rounds of each collective in another. Each started step is an actor of its own
 * on the same host. A single plan is a program of one step. The actors share with replay.c only the
 * definition of a message (schedules/dependences/messages.h), and nothing with walk.c, so that they
 * check each other.
 *
 * A message is a rendezvous in a mailbox of its own for each (sender, receiver, port); an actor
 * enters its next round when all its messages are complete. That is `blocking`; for `lockstep` a
 * barrier of all ranks stands between the rounds of a single plan. A window needs several rounds in
 * flight per rank, which a simple loop cannot have. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <simgrid/actor.h>
#include <simgrid/barrier.h>
#include <simgrid/comm.h>
#include <simgrid/engine.h>
#include <simgrid/mailbox.h>
#include <simgrid/semaphore.h>

#include "schedules/dependences/messages.h"
#include "sim/engine/tally.h"
#include "sim/network/pair_table.h"
#include "sim/workload/arrival.h"
#include "simgrid.h"
#include "support/memory.h"

/* What ranks do together by one plan. When all have done it, it is used for another one. */
struct collective {
    const struct rb_plan *plan;
    const struct rb_layout *layout;
    int32_t number;               /* of this struct: its mailboxes are its own */
    struct net_pair_table places; /* of sender, receiver and port */
    sg_mailbox_t *mailbox;        /* per place; NULL where not yet used */
    int32_t first;                /* the job's first rank, */
    const int32_t *member;        /* and ranks of the job, by rank of the communicator */
    int32_t job, step;
    int64_t call;            /* it is this communicator's call of this number, from 0 */
    int32_t caller;          /* the first rank of the job that came to it */
    int32_t left;            /* ranks that have not done it */
    struct collective *next; /* in flight, or free */
};

struct shared { /* data of all actors */
    struct s4u_run *run;
    struct sim_workload single;          /* one of the plan's, if the spec has none */
    const struct sim_workload *workload; /* the spec's, or this one */
    sg_bar_t barrier;                    /* lockstep only */
    sim_tally bytes;
    int64_t passed,
        told;          /* rounds of a plan, or steps of a workload, that ranks are through with */
    double all;        /* rounds or steps */
    double *job_end_s; /* per job */
    int status;
    struct sup_error error;
    struct walker *walker; /* per rank */
    struct collective *in_flight, *free;
    int32_t collectives; /* in both lists */
    int32_t awaited; /* ranks of jobs that don't run until others end, and that are not through */
};

struct member { /* one rank of a collective */
    struct collective *collective;
    struct walker *walker;
    struct rb_rank plan_state;
};

/* The rank's number among all ranks. */
static int32_t number_of(const struct collective *collective, int32_t rank)
{
    return collective->first + collective->member[rank];
}

/* The first fault counts, and all loops end: where its message goes. */
static struct sup_error *room_for_fault(struct shared *shared)
{
    return shared->status == RB_OK ? &shared->error : NULL;
}

static void fail(struct shared *shared, int status)
{
    if (shared->status == RB_OK)
        shared->status = status;
}

/* The payload, from the sender's heap to the receiver, which frees it. */
struct parcel {
    int64_t bytes;
    double offered_s; /* by the sender */
};

/* One end of a message in the current round. */
struct end {
    sg_comm_t comm; /* NULL: could not be posted */
    int32_t peer, port;
    bool sends;
    double offered_s;
    void *received; /* a parcel, when it is there */
};

static sg_mailbox_t find_mailbox(struct collective *collective, int32_t from, int32_t to,
                                 int32_t port)
{
    const int64_t known = collective->places.count;
    const int64_t place = net_pair_table_number(
        &collective->places, net_pair_key(from, to * rb_plan_ports(collective->plan) + port));
    if (place == known) {
        sup_grow(&collective->mailbox, (size_t)place, sizeof *collective->mailbox);
        collective->mailbox[place] = NULL;
    }
    if (!collective->mailbox[place]) {
        char name[64];
        snprintf(name, sizeof name, "%d:%" PRId64, collective->number, place);
        /* Other actors run in this call and may move the array. */
        sg_mailbox_t mailbox = sg_mailbox_by_name(name);
        collective->mailbox[place] = mailbox;
    }
    return collective->mailbox[place];
}

/* ---- What a rank's actors do at a moment ----------------------------------------------------- */

/* A step of a workload that a rank has come to and not completed. */
struct task {
    struct walker *walker;
    int32_t step;
    int64_t pass, counter;
    struct collective *collective; /* of SIM_MOVE */
    double begin_s;
    struct task *next;
};

/* A rank. */
struct walker {
    struct shared *shared;
    int32_t job, rank, number; /* rank of the job; number among all ranks */
    bool again;                /* its job runs until others end, and is not alone */
    int64_t *pass;             /* per step: how often it has come to it */
    int64_t *call;             /* per set: how many calls of its communicator it has come to */
    struct task *task;         /* in flight, in the order in which it came to them */
    int32_t computing;         /* steps in which it computes */
    /* progress: calls */
    int32_t moving;  /* actors of this rank that don't wait for what a message, a timer or another
                      * actor of the rank does */
    int32_t waiting; /* actors of the rank that look again what it does when that changes, */
    sg_sem_t change; /* which this tells them */
};

static const struct sim_job *job_of(const struct walker *walker)
{
    return &walker->shared->workload->job[walker->job];
}

static const struct sim_step *step_of(const struct task *task)
{
    return &job_of(task->walker)->step[task->step];
}

/* The actor waits, or goes on. */
static void rest(struct walker *walker)
{
    walker->moving--;
}

static void move_on(struct walker *walker)
{
    walker->moving++;
}

/* Returns when a step of the rank is complete, or it stops computing. */
static void await_change(struct walker *walker)
{
    walker->waiting++;
    rest(walker);
    sg_sem_acquire(walker->change);
}

/* Other actors run while one is released, so all are moved on before. */
static void tell_change(struct walker *walker)
{
    int32_t waiting = walker->waiting;
    walker->waiting = 0;
    walker->moving += waiting;
    for (; waiting > 0; waiting--)
        sg_sem_release(walker->change);
}

/* With progress `calls`: returns when all other actors of the rank have done what they can do at
 * this moment. The first yield is for those that the moment's events have woken and that have not
 * run yet. */
static void settle(struct walker *walker)
{
    if (!job_of(walker)->calls)
        return;
    rest(walker);
    do
        sg_actor_yield();
    while (walker->moving > 0);
    move_on(walker);
}

/* With progress `calls`, no rank that computes enters a round. */
static void pass_gate(struct walker *walker)
{
    while (job_of(walker)->calls && walker->computing > 0)
        await_change(walker);
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

static void send(struct member *member, sg_mailbox_t mailbox, int64_t bytes, struct end *end)
{
    struct shared *shared = member->walker->shared;
    struct s4u_run *run = shared->run;
    struct parcel *parcel = sup_malloc(sizeof *parcel);
    *parcel = (struct parcel){bytes, end->offered_s};
    end->comm = sg_mailbox_put_async(mailbox, parcel, (long)bytes);
    run->result->messages++;
    shared->bytes += (uint64_t)bytes;
    if (run->load && shared->status == RB_OK)
        shared->status = net_link_load_add_between(
            run->load, run->host[member->walker->number],
            run->host[number_of(member->collective, end->peer)], 0, bytes, &shared->error);
}

static void post(struct member *member, const struct dep_message *message, struct end *end)
{
    struct collective *collective = member->collective;
    int32_t rank = member->plan_state.rank;
    *end = (struct end){.peer = message->ops->peer,
                        .port = message->ops->port,
                        .sends = message->ops->kind == RB_SEND,
                        .offered_s = simgrid_get_clock()};
    sg_mailbox_t mailbox = find_mailbox(collective, end->sends ? rank : end->peer,
                                        end->sends ? end->peer : rank, end->port);
    if (end->sends)
        send(member, mailbox, dep_message_bytes(collective->plan, collective->layout, message),
             end);
    else
        end->comm = sg_mailbox_get_async(mailbox, &end->received);
}

/* So many of `all`, in which ranks are through with one of them after another. */
static void tell_passed(struct shared *shared, int64_t passed)
{
    const struct sim_meter *meter = shared->run->spec->meter;
    shared->passed += passed;
    if (meter != NULL && ++shared->told % SIM_TELL_EVERY == 0)
        meter->tell(meter->context, (double)shared->passed / shared->all);
}

/* Waits for one message. The receiver reports it, because it waits for this message alone: the
 * clock shows its end. */
static void await(struct member *member, int64_t t, struct end *end)
{
    struct shared *shared = member->walker->shared;
    const struct collective *collective = member->collective;
    if (!end->comm)
        return;
    rest(member->walker);
    const sg_error_t outcome = sg_comm_wait(end->comm);
    move_on(member->walker);
    if (outcome != SG_OK) {
        fail(shared, sup_fail(room_for_fault(shared), RB_EFAILED,
                              "a message of rank %d in round %" PRId64
                              " was lost: a link on its way is off",
                              member->walker->number, t));
        return;
    }
    if (end->sends)
        return;
    struct parcel *parcel = end->received;
    const double start_s = parcel->offered_s > end->offered_s ? parcel->offered_s : end->offered_s;
    s4u_show(shared->run, &(struct sim_message){.from = number_of(collective, end->peer),
                                                .to = member->walker->number,
                                                .port = end->port,
                                                .round = t,
                                                .bytes = parcel->bytes,
                                                .start_s = start_s,
                                                .end_s = simgrid_get_clock(),
                                                .job = collective->job,
                                                .step = collective->step});
    free(parcel);
}

/* A rank ends with its last message or computing. */
static void note_end(const struct walker *walker)
{
    walker->shared->run->finish_s[walker->number] = simgrid_get_clock();
}

static void do_round(struct member *member, int64_t t, struct rb_op ops[], struct end ends[])
{
    struct shared *shared = member->walker->shared;
    const struct collective *collective = member->collective;
    const int32_t count = sim_round(collective->plan, collective->layout, &member->plan_state, t,
                                    ops, room_for_fault(shared));
    int32_t messages = 0;
    if (count < 0)
        fail(shared, count);
    struct dep_messages left = dep_messages_of(ops, count < 0 ? 0 : count);
    for (struct dep_message message; dep_next_message(&left, &message);)
        post(member, &message, &ends[messages++]);
    /* Receives are last in the array and are waited for first. */
    for (int32_t i = messages; i-- > 0;)
        await(member, t, &ends[i]);
    if (messages > 0)
        note_end(member->walker);
}

static bool is_single(const struct shared *shared)
{
    return shared->workload == &shared->single;
}

static void do_each_round(struct member *member, struct rb_op ops[], struct end ends[])
{
    struct shared *shared = member->walker->shared;
    const struct rb_plan *plan = member->collective->plan;
    const int64_t rounds = rb_plan_rounds(plan);
    int64_t next = dep_next_round(plan, &member->plan_state, 0);
    if (!shared->barrier && is_single(shared))
        shared->passed += next;
    for (int64_t t = shared->barrier ? 0 : next; t < rounds && shared->status == 0;
         t = shared->barrier ? t + 1 : next) {
        if (t == next) {
            pass_gate(member->walker);
            do_round(member, t, ops, ends);
            next = dep_next_round(plan, &member->plan_state, t + 1);
        }
        if (shared->barrier)
            sg_barrier_wait(shared->barrier);
        if (is_single(shared))
            tell_passed(shared, shared->barrier ? 1 : next - t);
    }
}

static void do_rounds(struct member *member)
{
    size_t max_ops = (size_t)rb_plan_max_ops(member->collective->plan) + 1;
    struct rb_op *ops = sup_calloc(max_ops, sizeof *ops);
    struct end *ends = sup_calloc(max_ops, sizeof *ends);
    do_each_round(member, ops, ends);
    free(ends);
    free(ops);
}

/* ---- Programs: the collectives --------------------------------------------------------------- */

static int check_ports(const struct s4u_run *run, const struct rb_plan *plan,
                       struct sup_error *error)
{
    if (run->spec->observer && run->spec->observer->message && rb_plan_ports(plan) > 1)
        return sup_fail(error, RB_EINVAL,
                        "the simgrid engine's variant 'actors' can show messages on one port only: "
                        "take the variant 'signals'");
    return RB_OK;
}

/* One that is not in flight, with its mailboxes, which are empty. */
static struct collective *take_collective(struct shared *shared)
{
    struct collective *collective = shared->free;
    if (collective != NULL) {
        shared->free = collective->next;
    } else {
        collective = sup_calloc(1, sizeof *collective);
        collective->number = shared->collectives++;
    }
    collective->next = shared->in_flight;
    shared->in_flight = collective;
    return collective;
}

static struct collective *find_collective(const struct shared *shared, const int32_t *member,
                                          int64_t call)
{
    struct collective *collective = shared->in_flight;
    while (collective != NULL && (collective->member != member || collective->call != call))
        collective = collective->next;
    return collective;
}

/* The plan of a rank's step; false after a fault. */
static bool find_plan(const struct walker *walker, const struct task *task, int32_t communicator,
                      struct sim_step_plan *plan)
{
    struct shared *shared = walker->shared;
    const struct sim_workload *workload = shared->workload;
    int status = workload->plan_of(workload->context, walker->job, task->step, communicator,
                                   task->counter, plan, room_for_fault(shared));
    if (status == RB_OK)
        status = check_ports(shared->run, plan->plan, room_for_fault(shared));
    if (status != RB_OK)
        fail(shared, status);
    return status == RB_OK;
}

/* The collective that the rank's next call in its communicator belongs to; NULL after a fault. */
static struct collective *call_collective(struct walker *walker, const struct task *task)
{
    const struct sim_job *job = job_of(walker);
    const struct sim_step *step = step_of(task);
    const struct sim_communicators *set = &job->set[step->set];
    const int32_t communicator = set->of[walker->rank];
    const int64_t call = walker->call[step->set]++;
    const int32_t *member = &set->member[set->first[communicator]];
    struct collective *collective = find_collective(walker->shared, member, call);
    struct sim_step_plan plan = {0};
    char one[128], two[128];
    if (!find_plan(walker, task, communicator, &plan))
        return NULL;
    if (collective == NULL) {
        collective = take_collective(walker->shared);
        collective->plan = plan.plan;
        collective->layout = plan.layout;
        collective->first = walker->number - walker->rank;
        collective->member = member;
        collective->job = walker->job;
        collective->step = task->step;
        collective->call = call;
        collective->caller = walker->rank;
        collective->left = sim_communicator_size(set, communicator);
    }
    const struct sim_step *other = &job->step[collective->step];
    if (plan.plan == collective->plan && plan.layout == collective->layout &&
        (step->label < 0) == (other->label < 0))
        return collective;
    fail(walker->shared,
         sup_fail(room_for_fault(walker->shared), RB_EINVAL,
                  "%s: ranks %d and %d call different collectives as number %" PRId64
                  " of %s: %s, %s",
                  job->name, collective->caller, walker->rank, call + 1, set->name,
                  sim_step_name(other, one, sizeof one), sim_step_name(step, two, sizeof two)));
    return NULL;
}

static void leave_collective(struct shared *shared, struct collective *collective)
{
    if (--collective->left > 0)
        return;
    struct collective **place = &shared->in_flight;
    while (*place != collective)
        place = &(*place)->next;
    *place = collective->next;
    collective->next = shared->free;
    shared->free = collective;
}

/* ---- Programs: the steps --------------------------------------------------------------------- */

static void compute(struct walker *walker, const struct task *task)
{
    const struct sim_job *job = job_of(walker);
    const double duration_s = sim_duration_s(&step_of(task)->compute, walker->job, task->step,
                                             task->pass, walker->rank, job->ranks);
    settle(walker);
    walker->computing++;
    rest(walker);
    if (duration_s > 0)
        sg_actor_sleep_for(duration_s);
    move_on(walker);
    note_end(walker);
    if (--walker->computing == 0)
        tell_change(walker);
}

/* True if an earlier task in flight is one that it waits for. */
static bool awaits(const struct task *task)
{
    const uint64_t after = step_of(task)->after;
    for (const struct task *earlier = task->walker->task; earlier != task; earlier = earlier->next)
        if (step_of(earlier)->label >= 0 && (after >> step_of(earlier)->label & 1) != 0)
            return true;
    return false;
}

/* Puts the task behind those that are in flight. */
static void note_task(struct task *task)
{
    struct task **place = &task->walker->task;
    while (*place != NULL)
        place = &(*place)->next;
    *place = task;
}

/* Takes the task away, for which later ones may wait. */
static void complete_task(struct task *task)
{
    struct walker *walker = task->walker;
    struct task **place = &walker->task;
    while (*place != task)
        place = &(*place)->next;
    *place = task->next;
    if (step_of(task)->label >= 0)
        tell_change(walker);
    free(task);
}

static void move(struct task *task)
{
    struct walker *walker = task->walker;
    struct collective *collective = task->collective;
    struct member member = {.collective = collective, .walker = walker};
    const struct sim_job *job = job_of(walker);
    rb_plan_rank(collective->plan, job->set[step_of(task)->set].rank_in[walker->rank],
                 &member.plan_state);
    do_rounds(&member);
    leave_collective(walker->shared, collective);
}

static void show_step(const struct task *task, double ready_s)
{
    const struct walker *walker = task->walker;
    const struct sim_observer *observer = walker->shared->run->spec->observer;
    if (observer == NULL || observer->step == NULL || is_single(walker->shared) ||
        walker->shared->status != RB_OK)
        return;
    observer->step(observer->context, &(struct sim_step_end){.job = walker->job,
                                                             .rank = walker->rank,
                                                             .step = task->step,
                                                             .pass = task->pass,
                                                             .begin_s = task->begin_s,
                                                             .ready_s = ready_s,
                                                             .end_s = simgrid_get_clock()});
}

static void do_task(struct task *task)
{
    while (awaits(task))
        await_change(task->walker);
    const double ready_s = simgrid_get_clock();
    if (task->collective != NULL)
        move(task);
    else if (step_of(task)->kind == SIM_COMPUTE)
        compute(task->walker, task);
    show_step(task, ready_s);
    complete_task(task);
}

static void be_task(int argc, char *argv[])
{
    (void)argc;
    (void)argv;
    struct task *task = sg_actor_self_get_data();
    struct walker *walker = task->walker;
    do_task(task);
    rest(walker);
}

static void start_actor(const struct s4u_run *run, int32_t number, void *data, xbt_main_func_t code)
{
    char name[24];
    snprintf(name, sizeof name, "%d", number);
    sg_actor_t actor = sg_actor_init(name, s4u_host_handle(run->platform, run->host[number]));
    sg_actor_set_data(actor, data);
    sg_actor_start(actor, code, 0, NULL);
}

/* The line has come to a step that the rank does. */
static void come_to(struct walker *walker, int32_t number, int64_t counter)
{
    const struct sim_step *step = &job_of(walker)->step[number];
    struct task *task = sup_malloc(sizeof *task);
    *task = (struct task){.walker = walker,
                          .step = number,
                          .pass = walker->pass[number]++,
                          .counter = counter,
                          .begin_s = simgrid_get_clock()};
    if (step->kind == SIM_MOVE) {
        task->collective = call_collective(walker, task);
        if (task->collective == NULL) {
            free(task);
            return;
        }
    }
    note_task(task);
    if (!is_single(walker->shared) && !walker->again)
        tell_passed(walker->shared, 1);
    if (step->label < 0) {
        do_task(task);
        return;
    }
    move_on(walker);
    start_actor(walker->shared->run, walker->number, task, be_task);
}

/* Steps first .. end - 1; the innermost repeat around them counts `counter`. */
static void walk(struct walker *walker, int32_t first, int32_t end, int64_t counter)
{
    const struct sim_job *job = job_of(walker);
    for (int32_t i = first; i < end && walker->shared->status == RB_OK;) {
        const struct sim_step *step = &job->step[i];
        if (step->kind != SIM_REPEAT) {
            if (sim_takes_part(job, step, walker->rank))
                come_to(walker, i, counter);
            i++;
            continue;
        }
        for (int64_t pass = 0; sim_takes_part(job, step, walker->rank) && pass < step->times;
             pass++)
            walk(walker, i + 1, step->end, pass);
        i = step->end;
    }
}

/* The program once, with all that it starts. */
static void walk_program(struct walker *walker)
{
    walk(walker, 0, job_of(walker)->steps, 0);
    while (walker->task != NULL && walker->shared->status == RB_OK)
        await_change(walker);
}

static void be_walker(int argc, char *argv[])
{
    (void)argc;
    (void)argv;
    struct walker *walker = sg_actor_self_get_data();
    struct shared *shared = walker->shared;
    const struct sim_job *job = job_of(walker);
    double begun_s = 0;
    if (job->start_s > 0)
        sg_actor_sleep_for(job->start_s);
    walker->moving = 1;
    note_end(walker);
    do {
        begun_s = simgrid_get_clock();
        walk_program(walker);
    } while (walker->again && shared->status == RB_OK && simgrid_get_clock() > begun_s);
    rest(walker);
    if (walker->again || shared->status != RB_OK)
        return;
    shared->job_end_s[walker->job] = simgrid_get_clock();
    if (--shared->awaited == 0)
        sg_actor_kill_all();
}

/* ---- Workloads ------------------------------------------------------------------------------- */

static void start_job(struct shared *shared, int32_t number)
{
    const struct sim_job *job = &shared->workload->job[number];
    const int32_t first = sim_workload_first(shared->workload, number);
    const bool again = job->until_others && shared->run->spec->only_job == 0;
    shared->job_end_s[number] = again ? NAN : 0;
    for (int32_t r = 0; r < job->ranks; r++) {
        struct walker *walker = &shared->walker[first + r];
        *walker = (struct walker){
            .shared = shared, .job = number, .rank = r, .number = first + r, .again = again};
        walker->pass = sup_calloc((size_t)job->steps + 1, sizeof *walker->pass);
        walker->call = sup_calloc((size_t)job->sets + 1, sizeof *walker->call);
        walker->change = sg_sem_init(0);
        start_actor(shared->run, walker->number, walker, be_walker);
    }
    if (again)
        return;
    shared->awaited += job->ranks;
    shared->all += is_single(shared) ? job->ranks * (double)rb_plan_rounds(shared->run->spec->plan)
                                     : sim_count_steps(job);
}

static int tell_deadlock(const struct shared *shared, struct sup_error *error)
{
    char step[128];
    const struct walker *walker = shared->walker;
    if (is_single(shared))
        return sup_fail(error, RB_EWRONG, "the plan is wrong: %d of %d ranks wait for ever",
                        shared->awaited, job_of(walker)->ranks);
    while (walker->task == NULL || job_of(walker)->until_others)
        walker++;
    return sup_fail(error, RB_EWRONG,
                    "%s: deadlock: rank %d waits in %s for ever: the engine flow says for whom",
                    job_of(walker)->name, walker->rank,
                    sim_step_name(step_of(walker->task), step, sizeof step));
}

static void free_collectives(struct collective *first)
{
    while (first != NULL) {
        struct collective *next = first->next;
        free(first->mailbox);
        net_pair_table_free(&first->places);
        free(first);
        first = next;
    }
}

static void free_walkers(struct walker walkers[], int32_t ranks)
{
    for (int32_t r = 0; r < ranks; r++) {
        free(walkers[r].pass);
        free(walkers[r].call);
        if (walkers[r].change != NULL)
            sg_sem_destroy(walkers[r].change);
    }
    free(walkers);
}

static int do_workload(struct shared *shared, struct sup_error *error)
{
    const struct sim_spec *spec = shared->run->spec;
    const struct sim_workload *workload = shared->workload;
    const int32_t ranks = sim_workload_ranks(workload);
    shared->walker = sup_calloc((size_t)ranks + 1, sizeof *shared->walker);
    shared->job_end_s = sup_calloc((size_t)workload->jobs, sizeof *shared->job_end_s);
    if (spec->overlap.rule == SIM_LOCKSTEP)
        shared->barrier = sg_barrier_init((unsigned)ranks);
    for (int32_t j = 0; j < workload->jobs; j++)
        if (spec->only_job == 0 || spec->only_job == j + 1)
            start_job(shared, j);
    if (shared->awaited > 0)
        simgrid_run();
    int status = shared->status;
    if (status)
        sup_fail(error, status, "%s", shared->error.text);
    else if (shared->awaited > 0)
        status = tell_deadlock(shared, error);
    if (shared->barrier)
        sg_barrier_destroy(shared->barrier);
    free_collectives(shared->in_flight);
    free_collectives(shared->free);
    free_walkers(shared->walker, ranks);
    return status;
}

static int do_single(struct shared *shared, struct sup_error *error)
{
    const struct sim_spec *spec = shared->run->spec;
    sim_arrival_workload(spec, NULL, &shared->single);
    shared->workload = &shared->single;
    shared->run->result->rounds = rb_plan_rounds(spec->plan);
    const int status = do_workload(shared, error);
    sim_workload_free(&shared->single);
    free(shared->job_end_s);
    return status;
}

static int do_several(struct shared *shared, struct sup_error *error)
{
    struct sim_result *result = shared->run->result;
    if (shared->run->spec->overlap.rule == SIM_LOCKSTEP)
        return sup_fail(error, RB_EINVAL,
                        "the simgrid engine's variant 'actors' runs workloads in blocking only, "
                        "not in lockstep");
    const int status = do_workload(shared, error);
    result->jobs = shared->workload->jobs;
    result->job_end_s = shared->job_end_s;
    return status;
}

int s4u_actors(struct s4u_run *run, struct sup_error *error)
{
    const struct sim_spec *spec = run->spec;
    const int64_t rounds = spec->workload == NULL ? rb_plan_rounds(spec->plan) : INT64_MAX;
    if (sim_overlap_window(&spec->overlap, rounds) > 1) {
        char rule[32];
        return sup_fail(error, RB_EINVAL,
                        "the simgrid engine's variant 'actors' has one round in flight per rank "
                        "and can't do %s: take the variant 'signals', or blocking",
                        sim_overlap_format(&spec->overlap, rule, sizeof rule));
    }
    struct shared shared = {.run = run, .workload = spec->workload};
    int status = spec->workload == NULL ? do_single(&shared, error) : do_several(&shared, error);
    if (status == RB_OK)
        status = sim_tally_take(shared.bytes, spec->layout, &run->result->bytes, error);
    return status;
}
