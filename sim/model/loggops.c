/* loggops.c - messages by LogGOPS, event by event.
 *
 * Sending takes the rank's processor for o + (m - 1) O and its port for g + (m - 1) G; the first
 * byte is there L after o. Receiving takes the processor for o + (m - 1) max(O, G) and the port, in
 * its other direction, for g + (m - 1) G, from when the first byte is there and both are free. An
 * eager send is done once its processor is; beyond S bytes it is done when the message has met its
 * receive, at no cost but the wait. Source: T. Hoefler, T. Schneider, A. Lumsdaine, LogGOPSim,
 * 2010, as the program of that name has it; so are the places of o and G, and the order of what
 * happens at one time: in the order in which it was put into the queue.
 *
 * In a workload a rank's collectives share its processor and, by their numbers, its ports;
 * computing takes the processor when it is free, and what follows it is put into the queue then, as
 * in LogGOPSim, for when it ends. No two ranks share anything, so a job takes as
 * long alone as when its messages share no link; if messages take no time, all parameters are 0. */
#include <math.h>
#include <stdlib.h>

#include "model.h"
#include "sim/workload/walk.h"
#include "sim/workload/workload.h"
#include "support/memory.h"

#define NS_PER_S 1e9

enum kind { SEND, RECEIVE, ARRIVE, TIMER, COMPUTE };

struct flight {
    struct sim_walk_message taken; /* combined: to be by the receiver */
    double start_ns;
    int32_t next; /* of a list, or -1 */
};

struct nanoseconds { /* the parameters */
    double L, o, g, G, O, gamma;
};

struct loggops {
    struct model_run *model;
    struct nanoseconds by;
    struct sim_walk *walk;
    struct model_event_queue queue;
    double now_ns;
    int32_t ports, streams;
    struct sim_walk_message *send;    /* per slot: the one that will be sent from there, */
    struct sim_walk_message *receive; /* or is ready to be received */
    double *compute_ns;               /* per timer: how long */
    bool calls;                       /* a job's progress needs calls (sim_walk_settle) */
    bool *posted;                     /* the latter: its receiver waits for the message */
    int32_t *unexpected;    /* per rank: list of messages that arrived before their receives */
    double *processor_ns;   /* per rank: when its port is free */
    double *out_ns, *in_ns; /* per rank and port */
    struct flight *flight;  /* messages in flight or unexpected, and free entries */
    int32_t flights, free_flight;
};

/* Of a rank's port. */
static int64_t place_of(const struct loggops *run, int32_t rank, int32_t port)
{
    return (int64_t)rank * run->ports + port;
}

/* Bytes after the first. */
static double more(const struct sim_replay_message *message)
{
    return message->bytes > 1 ? (double)(message->bytes - 1) : 0;
}

static double at_least(double least, double now_ns)
{
    return model_later(least, now_ns);
}

/* ---- Flights --------------------------------------------------------------------------------- */

static int32_t new_flight(struct loggops *run)
{
    if (run->free_flight < 0) {
        sup_had_memory(run->flights <= INT32_MAX / 2);
        const int32_t room = run->flights == 0 ? 1024 : 2 * run->flights;
        run->flight = sup_reallocarray(run->flight, (size_t)room, sizeof *run->flight);
        for (int32_t i = room - 1; i >= run->flights; i--) {
            run->flight[i].next = run->free_flight;
            run->free_flight = i;
        }
        run->flights = room;
    }
    const int32_t i = run->free_flight;
    run->free_flight = run->flight[i].next;
    return i;
}

static void end_flight(struct loggops *run, int32_t i)
{
    run->flight[i].next = run->free_flight;
    run->free_flight = i;
}

static bool is_same(const struct sim_walk_message *one, const struct sim_walk_message *other)
{
    const struct sim_replay_message *a = &one->message, *b = &other->message;
    return a->from == b->from && a->to == b->to && a->port == b->port && a->round == b->round &&
           one->collective == other->collective;
}

/* Takes it off its receiver's list; -1 if it isn't there. */
static int32_t take_unexpected(struct loggops *run, const struct sim_walk_message *taken)
{
    int32_t *link = &run->unexpected[taken->message.to];
    while (*link >= 0 && !is_same(&run->flight[*link].taken, taken))
        link = &run->flight[*link].next;
    const int32_t found = *link;
    if (found >= 0)
        *link = run->flight[found].next;
    return found;
}

/* ---- Events ---------------------------------------------------------------------------------- */

static void add(struct loggops *run, double time_ns, enum kind kind, int64_t index)
{
    model_event_queue_add(&run->queue, time_ns, (int32_t)kind, index);
}

/* Starts everything for which the ranks have become ready. */
static void take_all(struct loggops *run, double now_ns)
{
    struct sim_walk_message taken;
    while (sim_walk_take(run->walk, &taken)) {
        const struct sim_replay_message *message = &taken.message;
        const int32_t rank = taken.sends ? message->from : message->to;
        const double free_ns = at_least(run->processor_ns[rank], now_ns);
        if (taken.sends) {
            const int64_t place = place_of(run, rank, message->port);
            run->send[taken.slot] = taken;
            add(run, model_later(free_ns, run->out_ns[place]), SEND, taken.slot);
        } else {
            run->receive[taken.slot] = taken;
            add(run, free_ns, RECEIVE, taken.slot);
        }
    }
}

/* A message and its receive, in this slot, have met. */
static void meet(struct loggops *run, const struct flight *flight, int32_t slot, double now_ns)
{
    const struct sim_replay_message *message = &flight->taken.message;
    const struct nanoseconds *by = &run->by;
    const int64_t from = place_of(run, message->from, message->port);
    const int32_t from_slot = flight->taken.slot;
    run->posted[slot] = false;
    run->processor_ns[message->to] += by->gamma * (double)run->receive[slot].message.combined;
    model_show(run->model, &(struct sim_message){
                               .from = message->from,
                               .to = message->to,
                               .port = message->port,
                               .round = message->round,
                               .bytes = message->bytes,
                               .start_s = flight->start_ns / NS_PER_S,
                               .end_s = at_least(run->processor_ns[message->to], now_ns) / NS_PER_S,
                               .job = flight->taken.job,
                               .step = flight->taken.step});
    const bool rendezvous = message->bytes > run->model->parameters.S_bytes;
    if (rendezvous) {
        run->processor_ns[message->from] = at_least(run->processor_ns[message->from], now_ns);
        run->out_ns[from] = at_least(run->out_ns[from], now_ns);
    }
    if (rendezvous && message->from < message->to)
        sim_walk_complete_end(run->walk, now_ns / NS_PER_S, from_slot, true);
    sim_walk_complete_end(run->walk, now_ns / NS_PER_S, slot, false);
    if (rendezvous && message->from > message->to)
        sim_walk_complete_end(run->walk, now_ns / NS_PER_S, from_slot, true);
}

static void do_send(struct loggops *run, const struct model_event *event)
{
    const struct sim_walk_message taken = run->send[model_event_index(event)];
    const struct sim_replay_message message = taken.message;
    const int64_t place = place_of(run, message.from, message.port);
    const struct nanoseconds *by = &run->by;
    const double free_ns = model_later(run->processor_ns[message.from], run->out_ns[place]);
    if (free_ns > event->time) {
        struct model_event again = *event;
        again.time = free_ns;
        model_event_queue_put_back(&run->queue, again);
        return;
    }
    const int32_t flight = new_flight(run);
    sim_walk_begun(run->walk, taken.slot / run->ports);
    run->flight[flight] = (struct flight){.taken = taken, .start_ns = event->time, .next = -1};
    run->processor_ns[message.from] = event->time + by->o + more(&message) * by->O;
    run->out_ns[place] = event->time + by->g + more(&message) * by->G;
    const double way_ns = by->L + (by->L + more(&message) * by->G) *
                                      (model_noise(&run->model->parameters, message.from,
                                                   message.port, (int64_t)taken.key) -
                                       1);
    add(run, event->time + by->o + way_ns, ARRIVE, flight);
    if (message.bytes <= run->model->parameters.S_bytes)
        sim_walk_complete_end(run->walk, event->time / NS_PER_S, taken.slot, true);
}

static void do_receive(struct loggops *run, const struct model_event *event)
{
    const int64_t index = model_event_index(event);
    sim_walk_begun(run->walk, (int32_t)index / run->ports);
    const int32_t flight = take_unexpected(run, &run->receive[index]);
    if (flight < 0) {
        run->posted[index] = true;
        return;
    }
    const int32_t rank = run->receive[index].message.to;
    run->processor_ns[rank] = at_least(run->processor_ns[rank], event->time);
    meet(run, &run->flight[flight], (int32_t)index, event->time);
    end_flight(run, flight);
}

/* The slot where the message's receiver waits for it; -1: it does not. */
static int32_t find_posted(const struct loggops *run, const struct sim_walk_message *taken)
{
    const struct sim_replay_message *message = &taken->message;
    for (int32_t stream = 0; stream < run->streams; stream++) {
        const int32_t slot = (message->to * run->streams + stream) * run->ports + message->port;
        if (run->posted[slot] && is_same(&run->receive[slot], taken))
            return slot;
    }
    return -1;
}

static void do_arrive(struct loggops *run, const struct model_event *event)
{
    const int64_t index = model_event_index(event);
    struct flight *flight = &run->flight[index];
    const struct sim_replay_message *message = &flight->taken.message;
    const struct nanoseconds *by = &run->by;
    const int64_t place = place_of(run, message->to, message->port);
    const double free_ns = model_later(run->processor_ns[message->to], run->in_ns[place]);
    if (free_ns > event->time) {
        struct model_event again = *event;
        again.time = free_ns;
        model_event_queue_put_back(&run->queue, again);
        return;
    }
    run->processor_ns[message->to] =
        event->time + by->o + more(message) * model_later(by->O, by->G);
    run->in_ns[place] = event->time + by->g + more(message) * by->G;
    const int32_t slot = find_posted(run, &flight->taken);
    if (slot >= 0) {
        meet(run, flight, slot, event->time);
        end_flight(run, (int32_t)index);
    } else {
        flight->next = run->unexpected[message->to];
        run->unexpected[message->to] = (int32_t)index;
    }
}

/* The rank computes if its processor is free. */
static void do_compute(struct loggops *run, const struct model_event *event)
{
    const int32_t timer = (int32_t)model_event_index(event);
    double *processor_ns = &run->processor_ns[timer / run->streams];
    if (*processor_ns > event->time) {
        struct model_event again = *event;
        again.time = *processor_ns;
        model_event_queue_put_back(&run->queue, again);
        return;
    }
    *processor_ns = event->time + run->compute_ns[timer];
    sim_walk_begun(run->walk, timer);
    sim_walk_fire(run->walk, *processor_ns / NS_PER_S, timer);
}

static void dispatch(struct loggops *run, const struct model_event *event)
{
    run->now_ns = event->time;
    switch ((enum kind)model_event_kind(event)) {
    case SEND:
        do_send(run, event);
        break;
    case RECEIVE:
        do_receive(run, event);
        break;
    case ARRIVE:
        do_arrive(run, event);
        break;
    case TIMER:
        sim_walk_fire(run->walk, event->time / NS_PER_S, (int32_t)model_event_index(event));
        break;
    case COMPUTE:
        do_compute(run, event);
        break;
    }
    take_all(run, event->time);
}

/* ---- A run ----------------------------------------------------------------------------------- */

/* Rounds to the nearest whole number if the value is close to one. */
static double ns_of(double seconds)
{
    const double ns = seconds * NS_PER_S, whole = nearbyint(ns);
    return fabs(ns - whole) <= 1e-12 * whole ? whole : ns;
}

/* The clock of the walk: computing takes the rank's processor, when it is free. */
static void set_timer(void *context, int32_t timer, int32_t rank, double seconds)
{
    struct loggops *run = context;
    double end_ns = run->now_ns + ns_of(seconds);
    if (rank >= 0 && !run->calls) {
        run->compute_ns[timer] = ns_of(seconds);
        add(run, at_least(run->processor_ns[rank], run->now_ns), COMPUTE, timer);
        return;
    }
    if (rank >= 0) {
        end_ns = at_least(run->processor_ns[rank], run->now_ns) + ns_of(seconds);
        run->processor_ns[rank] = end_ns;
    }
    add(run, end_ns, TIMER, timer);
}

static struct nanoseconds find_costs(const struct model_run *model)
{
    const struct model_parameters *seconds = &model->parameters;
    if (model->spec->workload != NULL && model->spec->sharing == SIM_IMMEDIATE)
        return (struct nanoseconds){0};
    return (struct nanoseconds){.L = ns_of(seconds->L_s),
                                .o = ns_of(seconds->o_s),
                                .g = ns_of(seconds->g_s),
                                .G = ns_of(seconds->G_s_per_byte),
                                .O = ns_of(seconds->O_s_per_byte),
                                .gamma = ns_of(seconds->gamma_s_per_byte)};
}

static int begin(struct model_run *model, struct loggops *run, struct sup_error *error)
{
    const struct sim_walk_clock clock = {set_timer, run};
    const size_t p = (size_t)model->p;
    *run = (struct loggops){.model = model, .by = find_costs(model), .free_flight = -1};
    const int status = sim_walk_create(model->spec, true, &clock, &run->walk, error);
    if (status != RB_OK)
        return status;
    run->ports = sim_walk_ports(run->walk);
    run->streams = sim_walk_streams(run->walk);
    const size_t slots = (size_t)sim_walk_slots(run->walk), places = p * (size_t)run->ports;
    run->send = sup_malloc(slots * sizeof *run->send);
    run->receive = sup_malloc(slots * sizeof *run->receive);
    run->posted = sup_calloc(slots, sizeof *run->posted);
    run->compute_ns = sup_calloc(slots, sizeof *run->compute_ns);
    const struct sim_workload *workload = model->spec->workload;
    for (int32_t j = 0; workload != NULL && j < workload->jobs; j++)
        run->calls |= workload->job[j].calls;
    run->unexpected = sup_malloc(p * sizeof *run->unexpected);
    run->processor_ns = model->through_s;
    run->out_ns = sup_calloc(places, sizeof *run->out_ns);
    run->in_ns = sup_calloc(places, sizeof *run->in_ns);
    for (int32_t rank = 0; rank < model->p; rank++)
        run->unexpected[rank] = -1;
    return RB_OK;
}

/* True if something follows from there being nothing else at this time. */
static bool settle(struct loggops *run)
{
    if (run->model->spec->workload == NULL)
        return false;
    const struct model_event *first = model_event_queue_first(&run->queue);
    if ((first != NULL && first->time <= run->now_ns) ||
        !sim_walk_settle(run->walk, run->now_ns / NS_PER_S))
        return false;
    take_all(run, run->now_ns);
    return true;
}

static int play(struct loggops *run, struct sup_error *error)
{
    struct model_run *model = run->model;
    sim_walk_begin(run->walk, NULL);
    take_all(run, 0);
    while (!sim_walk_over(run->walk)) {
        if (settle(run))
            continue;
        if (run->queue.count == 0)
            break;
        const struct model_event event = model_event_queue_take(&run->queue);
        dispatch(run, &event);
    }
    for (int32_t rank = 0; rank < model->p; rank++)
        model->through_s[rank] /= NS_PER_S;
    return model_end_walk(model, run->walk, error);
}

int model_loggops(struct model_run *model, struct sup_error *error)
{
    struct loggops run;
    int status = begin(model, &run, error);
    if (status == RB_OK)
        status = play(&run, error);
    sim_walk_destroy(run.walk);
    model_event_queue_free(&run.queue);
    free(run.send);
    free(run.receive);
    free(run.posted);
    free(run.compute_ns);
    free(run.unexpected);
    free(run.out_ns);
    free(run.in_ns);
    free(run.flight);
    return status;
}
