/* events.c - any plan and any overlap rule, event by event: for ranks that share the port of their
 * host.
 *
 * A message between hosts takes alpha + beta m, and for beta m of it, from its start on, it has its
 * sender's port; for the last beta m the receiver's. Each takes the first time at which both are
 * free. With one rank per host a port is never asked for twice at once, and the times are those of
 * the other variants. */
#include <stdlib.h>

#include "model.h"
#include "sim/workload/walk.h"
#include "support/memory.h"

/* ---- A heap with four children to a node ----------------------------------------------------- */

/* Half as deep as a binary one, and the children of a node are neighbours in memory. Which of them
 * is first is as good as random, so it is worked out without branches, which would be
 * mispredicted. */

enum { CHILDREN = 4 };

static int64_t before(const struct model_event *a, const struct model_event *b)
{
    return (a->time < b->time) | ((a->time == b->time) & (a->number < b->number));
}

/* The first of child[0 .. 3]. */
static int64_t first_of_four(const struct model_event child[])
{
    const int64_t low = before(&child[1], &child[0]), high = 2 + before(&child[3], &child[2]);
    return low + (high - low) * before(&child[high], &child[low]);
}

void model_event_queue_put_back(struct model_event_queue *queue, struct model_event event)
{
    if (queue->count == queue->room) {
        const int64_t room = queue->room == 0 ? 1024 : 2 * queue->room;
        queue->event = sup_reallocarray(queue->event, (size_t)room, sizeof *queue->event);
        queue->room = room;
    }
    int64_t i = queue->count++;
    for (; i > 0 && before(&event, &queue->event[(i - 1) / CHILDREN]); i = (i - 1) / CHILDREN)
        queue->event[i] = queue->event[(i - 1) / CHILDREN];
    queue->event[i] = event;
}

void model_event_queue_add(struct model_event_queue *queue, double time, int32_t kind,
                           int64_t index)
{
    model_event_queue_put_back(queue, (struct model_event){.time = time,
                                                           .number = queue->numbers++,
                                                           .what = model_event_what(kind, index)});
}

/* The gap of the first event moves down to a leaf, and the last event moves from there up to its
 * place; it seldom moves far, because it was a leaf. */
struct model_event model_event_queue_take(struct model_event_queue *queue)
{
    struct model_event *const event = queue->event;
    const struct model_event first = event[0];
    const struct model_event moved = event[--queue->count];
    int64_t hole = 0, child = 1;
    for (; child + CHILDREN <= queue->count; child = CHILDREN * hole + 1) {
        const int64_t next = child + first_of_four(&event[child]);
        event[hole] = event[next];
        hole = next;
    }
    if (child < queue->count) {
        int64_t next = child;
        for (int64_t other = child + 1; other < queue->count; other++)
            next = before(&event[other], &event[next]) ? other : next;
        event[hole] = event[next];
        hole = next;
    }
    for (; hole > 0 && before(&moved, &event[(hole - 1) / CHILDREN]); hole = (hole - 1) / CHILDREN)
        event[hole] = event[(hole - 1) / CHILDREN];
    event[hole] = moved;
    return first;
}

void model_event_queue_free(struct model_event_queue *queue)
{
    free(queue->event);
    *queue = (struct model_event_queue){0};
}

/* ---- The variant ----------------------------------------------------------------------------- */

enum kind {
    SENT,     /* the sender is done; index: its slot */
    RECEIVED, /* the receiver is done and has combined; index: its slot */
    BOTH,     /* at once */
    TIMER,    /* of the walk; index: its number */
};

struct flight {
    struct sim_walk_message taken;
    double start_s;
};

struct events {
    struct model_run *model;
    struct sim_walk *walk;
    struct model_event_queue queue;
    struct flight *flight; /* per slot: the message that is sent from there */
    int32_t rank_slots;    /* slots of a rank */
    bool walks;            /* a workload's programs */
    struct model_shared_ports shared;
    double *combiner_s; /* per rank */
    double now_s;
};

static void add(struct events *events, double time_s, enum kind kind, int64_t index)
{
    model_event_queue_add(&events->queue, time_s, (int32_t)kind, index);
}

/* The clock of the walk: the rank computes, whatever else its host does. */
static void set_timer(void *context, int32_t timer, int32_t rank, double seconds)
{
    struct events *events = context;
    (void)rank;
    add(events, events->now_s + seconds, TIMER, timer);
}

static struct model_passage pass(struct events *events, const struct sim_walk_message *taken)
{
    const struct sim_replay_message *message = &taken->message;
    if (events->model->spec->sharing == SIM_IMMEDIATE)
        return (struct model_passage){events->now_s, events->now_s};
    return model_shared_ports_pass(&events->shared, events->now_s, message->from, message->to,
                                   message->port, (int64_t)taken->key, message->bytes);
}

static void launch(struct events *events, int64_t slot)
{
    const struct sim_walk_message *taken = &events->flight[slot].taken;
    const struct sim_replay_message *message = &taken->message;
    const double gamma = events->model->parameters.gamma_s_per_byte;
    const struct model_passage passage = pass(events, taken);
    events->flight[slot].start_s = passage.start_s;
    if (message->combined == 0 || gamma == 0 || events->model->spec->sharing == SIM_IMMEDIATE) {
        add(events, passage.end_s, BOTH, slot);
        return;
    }
    double *const combiner_s = &events->combiner_s[message->to];
    *combiner_s = model_later(*combiner_s, passage.end_s) + gamma * (double)message->combined;
    add(events, passage.end_s, SENT, slot);
    add(events, *combiner_s, RECEIVED, taken->to_slot);
}

static void take_all(struct events *events)
{
    struct sim_walk_message taken;
    while (sim_walk_take(events->walk, &taken)) {
        events->flight[taken.slot].taken = taken;
        launch(events, taken.slot);
    }
}

static void through(struct events *events, int32_t rank)
{
    events->model->through_s[rank] = model_later(events->model->through_s[rank], events->now_s);
}

/* The message has left its sender, and is at its receiver. */
static void show(const struct events *events, int32_t slot)
{
    const struct flight *flight = &events->flight[slot];
    const struct sim_replay_message *message = &flight->taken.message;
    model_show(events->model, &(struct sim_message){.from = message->from,
                                                    .to = message->to,
                                                    .port = message->port,
                                                    .round = message->round,
                                                    .bytes = message->bytes,
                                                    .start_s = flight->start_s,
                                                    .end_s = events->now_s,
                                                    .job = flight->taken.job,
                                                    .step = flight->taken.step});
}

static void dispatch(struct events *events, const struct model_event *event)
{
    const int32_t index = (int32_t)model_event_index(event);
    events->now_s = event->time;
    switch ((enum kind)model_event_kind(event)) {
    case SENT:
        show(events, index);
        through(events, index / events->rank_slots);
        sim_walk_complete_end(events->walk, events->now_s, index, true);
        break;
    case RECEIVED:
        through(events, index / events->rank_slots);
        sim_walk_complete_end(events->walk, events->now_s, index, false);
        break;
    case BOTH:
        show(events, index);
        through(events, index / events->rank_slots);
        through(events, events->flight[index].taken.message.to);
        sim_walk_complete(events->walk, events->now_s, index);
        break;
    case TIMER:
        sim_walk_fire(events->walk, events->now_s, index);
        break;
    }
    take_all(events);
}

static void give_back(struct events *events)
{
    sim_walk_destroy(events->walk);
    model_event_queue_free(&events->queue);
    free(events->flight);
    model_shared_ports_free(&events->shared);
    free(events->combiner_s);
}

static int begin(struct model_run *model, struct events *events, struct sup_error *error)
{
    const struct sim_spec *spec = model->spec;
    const struct sim_walk_clock clock = {set_timer, events};
    const size_t p = (size_t)model->p;
    *events = (struct events){.model = model,
                              .walks = spec->workload != NULL,
                              .combiner_s = sup_calloc(p, sizeof *events->combiner_s)};
    if (events->walks && spec->sharing != SIM_SHARED)
        model->parameters.shares_hosts = false;
    int status = model_shared_ports_init(&events->shared, model, error);
    if (status == RB_OK)
        status = sim_walk_create(spec, false, &clock, &events->walk, error);
    if (status != RB_OK)
        return status;
    events->rank_slots = sim_walk_ports(events->walk) * sim_walk_streams(events->walk);
    events->flight = sup_malloc((size_t)sim_walk_slots(events->walk) * sizeof *events->flight);
    return RB_OK;
}

/* True if something follows from there being nothing else at this time. */
static bool settle(struct events *events)
{
    const struct model_event_queue *queue = &events->queue;
    if (!events->walks || (queue->count > 0 && queue->event[0].time <= events->now_s) ||
        !sim_walk_settle(events->walk, events->now_s))
        return false;
    take_all(events);
    return true;
}

static int play(struct events *events, struct sup_error *error)
{
    sim_walk_begin(events->walk);
    take_all(events);
    while (!sim_walk_over(events->walk)) {
        if (settle(events))
            continue;
        if (events->queue.count == 0)
            break;
        const struct model_event event = model_event_queue_take(&events->queue);
        dispatch(events, &event);
    }
    return model_end_walk(events->model, events->walk, error);
}

int model_events(struct model_run *model, struct sup_error *error)
{
    struct events events;
    if (model->parameters.loggops)
        return model_loggops(model, error);
    int status = begin(model, &events, error);
    if (status == RB_OK)
        status = play(&events, error);
    give_back(&events);
    return status;
}
