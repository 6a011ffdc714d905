/* simgrid_actors.c - the reference: one S4U actor per rank runs a plan's rounds in a simple loop.
 * It shares with replay.c only the definition of a message (schedules/dependences/messages.h), and
 * nothing with walk.c, so that they check each other; it runs no workloads. A message is a
 * rendezvous in a mailbox of its own for each (sender, receiver, port); an actor enters its next
 * round when all its messages are complete. That is `blocking`; for `lockstep` a barrier of all
 * ranks stands between rounds. A window needs several rounds in flight per rank, which a simple
 * loop cannot have. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <simgrid/actor.h>
#include <simgrid/barrier.h>
#include <simgrid/comm.h>
#include <simgrid/engine.h>
#include <simgrid/mailbox.h>

#include "schedules/dependences/messages.h"
#include "sim/engine/tally.h"
#include "sim/network/place.h"
#include "simgrid.h"
#include "support/memory.h"

struct shared { /* data of all actors */
    struct s4u_run *run;
    sg_bar_t barrier;            /* lockstep only */
    struct net_pair_table pairs; /* of sender and receiver */
    sg_mailbox_t *mailbox;       /* per pair and port; NULL where not yet used */
    int64_t mailbox_room;        /* capacity of mailbox in pairs */
    int32_t through;             /* ranks that have done all their rounds */
    sim_tally bytes;
    int64_t steps, passed; /* rounds that ranks have done, and with those they have no part in */
    int status;
    struct sup_error error;
};

struct member { /* one actor */
    struct shared *shared;
    struct rb_rank plan_state;
};

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

static void make_room(struct shared *shared, int64_t pairs)
{
    if (pairs <= shared->mailbox_room)
        return;
    int32_t ports = rb_plan_ports(shared->run->spec->plan);
    int64_t room = 2 * pairs;
    sg_mailbox_t *grown =
        sup_realloc(shared->mailbox, (size_t)room * (size_t)ports * sizeof *shared->mailbox);
    for (int64_t i = shared->mailbox_room * ports; i < room * ports; i++)
        grown[i] = NULL;
    shared->mailbox = grown;
    shared->mailbox_room = room;
}

static sg_mailbox_t find_mailbox(struct shared *shared, int32_t from, int32_t to, int32_t port)
{
    int64_t pair = net_pair_table_number(&shared->pairs, net_pair_key(from, to));
    make_room(shared, pair + 1);
    int64_t index = pair * rb_plan_ports(shared->run->spec->plan) + port;
    if (!shared->mailbox[index]) {
        char name[64];
        snprintf(name, sizeof name, "%d>%d:%d", from, to, port);
        /* Other actors run in this call and may move the array. */
        sg_mailbox_t mailbox = sg_mailbox_by_name(name);
        shared->mailbox[index] = mailbox;
    }
    return shared->mailbox[index];
}

static void send(struct member *member, sg_mailbox_t mailbox, int64_t bytes, struct end *end)
{
    struct shared *shared = member->shared;
    struct s4u_run *run = shared->run;
    struct parcel *parcel = sup_malloc(sizeof *parcel);
    *parcel = (struct parcel){bytes, end->offered_s};
    end->comm = sg_mailbox_put_async(mailbox, parcel, (long)bytes);
    run->result->messages++;
    shared->bytes += (uint64_t)bytes;
    if (run->load && shared->status == 0)
        shared->status = net_link_load_add_between(run->load, run->host[member->plan_state.rank],
                                                   run->host[end->peer], 0, bytes, &shared->error);
}

static void post(struct member *member, const struct dep_message *message, struct end *end)
{
    struct shared *shared = member->shared;
    const struct sim_spec *spec = shared->run->spec;
    int32_t rank = member->plan_state.rank;
    *end = (struct end){.peer = message->ops->peer,
                        .port = message->ops->port,
                        .sends = message->ops->kind == RB_SEND,
                        .offered_s = simgrid_get_clock()};
    sg_mailbox_t mailbox = find_mailbox(shared, end->sends ? rank : end->peer,
                                        end->sends ? end->peer : rank, end->port);
    if (end->sends)
        send(member, mailbox, dep_message_bytes(spec->plan, spec->layout, message), end);
    else
        end->comm = sg_mailbox_get_async(mailbox, &end->received);
}

/* A rank is through with so many rounds more. */
static void tell_passed(struct shared *shared, int64_t rounds)
{
    const struct sim_spec *spec = shared->run->spec;
    shared->passed += rounds;
    if (spec->meter != NULL && ++shared->steps % SIM_TELL_EVERY == 0)
        spec->meter->tell(spec->meter->context, (double)shared->passed / rb_plan_ranks(spec->plan) /
                                                    (double)rb_plan_rounds(spec->plan));
}

/* Waits for one message. The receiver reports it, because it waits for this message alone: the
 * clock shows its end. */
static void await(struct member *member, int64_t t, struct end *end)
{
    struct shared *shared = member->shared;
    const int32_t rank = member->plan_state.rank;
    if (!end->comm)
        return;
    if (sg_comm_wait(end->comm) != SG_OK) {
        if (shared->status == 0)
            shared->status = sup_fail(&shared->error, RB_EFAILED,
                                      "a message of rank %d in round %" PRId64
                                      " was lost: a link on its way is off",
                                      rank, t);
        return;
    }
    if (end->sends)
        return;
    struct parcel *parcel = end->received;
    const double start_s = parcel->offered_s > end->offered_s ? parcel->offered_s : end->offered_s;
    s4u_show(shared->run, &(struct sim_message){.from = end->peer,
                                                .to = rank,
                                                .port = end->port,
                                                .round = t,
                                                .bytes = parcel->bytes,
                                                .start_s = start_s,
                                                .end_s = simgrid_get_clock()});
    free(parcel);
}

static void do_round(struct member *member, int64_t t, struct rb_op ops[], struct end ends[])
{
    struct shared *shared = member->shared;
    struct sup_error *first =
        shared->status == 0 ? &shared->error : NULL; /* the first fault counts */
    const int32_t count = sim_round(shared->run->spec->plan, shared->run->spec->layout,
                                    &member->plan_state, t, ops, first);
    int32_t messages = 0;
    if (count < 0 && shared->status == 0)
        shared->status = count;
    struct dep_messages left = dep_messages_of(ops, count < 0 ? 0 : count);
    for (struct dep_message message; dep_next_message(&left, &message);)
        post(member, &message, &ends[messages++]);
    /* Receives are last in the array and are waited for first. */
    for (int32_t i = messages; i-- > 0;)
        await(member, t, &ends[i]);
    if (messages > 0)
        shared->run->finish_s[member->plan_state.rank] = simgrid_get_clock();
}

static void do_rounds(struct member *member, struct rb_op ops[], struct end ends[])
{
    struct shared *shared = member->shared;
    const struct rb_plan *plan = shared->run->spec->plan;
    const int64_t rounds = rb_plan_rounds(plan);
    int64_t next = dep_next_round(plan, &member->plan_state, 0);
    if (!shared->barrier)
        shared->passed += next;
    for (int64_t t = shared->barrier ? 0 : next; t < rounds && shared->status == 0;
         t = shared->barrier ? t + 1 : next) {
        if (t == next) {
            do_round(member, t, ops, ends);
            next = dep_next_round(plan, &member->plan_state, t + 1);
        }
        if (shared->barrier)
            sg_barrier_wait(shared->barrier);
        tell_passed(shared, shared->barrier ? 1 : next - t);
    }
}

static void be_rank(int argc, char *argv[])
{
    (void)argc;
    (void)argv;
    struct member *member = sg_actor_self_get_data();
    struct shared *shared = member->shared;
    size_t max_ops = (size_t)rb_plan_max_ops(shared->run->spec->plan) + 1;
    struct rb_op *ops = sup_calloc(max_ops, sizeof *ops);
    struct end *ends = sup_calloc(max_ops, sizeof *ends);
    do_rounds(member, ops, ends);
    free(ends);
    free(ops);
    shared->through++;
}

static void start_actors(struct shared *shared, struct member members[])
{
    struct s4u_run *run = shared->run;
    for (int32_t r = 0; r < rb_plan_ranks(run->spec->plan); r++) {
        members[r].shared = shared;
        rb_plan_rank(run->spec->plan, r, &members[r].plan_state);
        char name[24];
        snprintf(name, sizeof name, "%d", r);
        sg_actor_t actor = sg_actor_init(name, s4u_host_handle(run->platform, run->host[r]));
        sg_actor_set_data(actor, &members[r]);
        sg_actor_start(actor, be_rank, 0, NULL);
    }
}

int s4u_actors(struct s4u_run *run, struct sup_error *error)
{
    const struct sim_overlap *overlap = &run->spec->overlap;
    if (run->spec->workload != NULL)
        return sup_fail(error, RB_EINVAL,
                        "the simgrid engine's variant 'actors' runs no workloads and no arrivals: "
                        "take the variant 'signals'");
    if (sim_overlap_window(overlap, rb_plan_rounds(run->spec->plan)) > 1) {
        char rule[32];
        return sup_fail(error, RB_EINVAL,
                        "the simgrid engine's variant 'actors' has one round in flight per rank "
                        "and can't do %s: take the variant 'signals', or blocking",
                        sim_overlap_format(overlap, rule, sizeof rule));
    }
    if (run->spec->observer && rb_plan_ports(run->spec->plan) > 1)
        return sup_fail(error, RB_EINVAL,
                        "the simgrid engine's variant 'actors' can show messages on one port only: "
                        "take the variant 'signals'");
    int32_t p = rb_plan_ranks(run->spec->plan);
    struct shared shared = {.run = run};
    struct member *members = sup_calloc((size_t)p, sizeof *members);
    if (overlap->rule == SIM_LOCKSTEP)
        shared.barrier = sg_barrier_init((unsigned)p);
    start_actors(&shared, members);
    run->result->rounds = rb_plan_rounds(run->spec->plan);
    simgrid_run();
    int status = shared.status;
    if (status)
        sup_fail(error, status, "%s", shared.error.text);
    else if (shared.through < p)
        status = sup_fail(error, RB_EWRONG, "the plan is wrong: %d of %d ranks wait for ever",
                          p - shared.through, p);
    if (shared.barrier)
        sg_barrier_destroy(shared.barrier);
    free(shared.mailbox);
    net_pair_table_free(&shared.pairs);
    free(members);
    return status == RB_OK
               ? sim_tally_take(shared.bytes, run->spec->layout, &run->result->bytes, error)
               : status;
}
