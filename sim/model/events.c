/* events.c - any plan and any overlap rule, event by event: for ranks that share the port of their
 * host.
 *
 * A message between hosts takes alpha + beta m, and for beta m of it, from its start on, it has its
 * sender's port; for the last beta m the receiver's. A port carries messages in the order in which
 * they ask for it. With one rank per host a port is never asked for twice at once, and the times
 * are those of the other variants. */
#include <stdlib.h>

#include "model.h"
#include "sim/engine/replay.h"
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
    ASK,      /* both ends are ready; index: the place of the sender and its port */
    SENT,     /* the sender is done */
    RECEIVED, /* the receiver is done and has combined; index: its number */
    BOTH,     /* at once */
};

struct events {
    struct model_run *model;
    struct sim_replay *replay;
    struct model_event_queue queue;
    struct sim_replay_message *flight; /* per rank and port: the message that it sends */
    int32_t ports;
    struct model_shared_ports shared;
    double *combiner_s; /* per rank */
    double *start_s;    /* per rank */
    double now_s;
};

static int64_t place_of(const struct events *events, int32_t rank, int32_t port)
{
    return (int64_t)rank * events->ports + port;
}

static void add(struct events *events, double time_s, enum kind kind, int64_t index)
{
    model_event_queue_add(&events->queue, time_s, (int32_t)kind, index);
}

static void launch(struct events *events, int64_t place)
{
    const struct sim_replay_message *message = &events->flight[place];
    const double gamma = events->model->parameters.gamma_s_per_byte;
    const struct model_passage passage =
        model_shared_ports_pass(&events->shared, events->now_s, message->from, message->to,
                                message->port, message->round, message->bytes);
    model_show(events->model, &(struct sim_message){.from = message->from,
                                                    .to = message->to,
                                                    .port = message->port,
                                                    .round = message->round,
                                                    .bytes = message->bytes,
                                                    .start_s = passage.start_s,
                                                    .end_s = passage.end_s});
    if (message->combined == 0 || gamma == 0) {
        add(events, passage.end_s, BOTH, place);
        return;
    }
    double *const combiner_s = &events->combiner_s[message->to];
    *combiner_s = model_later(*combiner_s, passage.end_s) + gamma * (double)message->combined;
    add(events, passage.end_s, SENT, place);
    add(events, *combiner_s, RECEIVED, place_of(events, message->to, message->port));
}

static void take_all(struct events *events)
{
    struct sim_replay_message message;
    while (sim_replay_take(events->replay, &message)) {
        const int64_t place = place_of(events, message.from, message.port);
        const double ready_s = model_later(
            events->now_s, model_later(events->start_s[message.from], events->start_s[message.to]));
        events->flight[place] = message;
        if (ready_s > events->now_s)
            add(events, ready_s, ASK, place);
        else
            launch(events, place);
    }
}

static void through(struct events *events, int32_t rank)
{
    events->model->through_s[rank] = model_later(events->model->through_s[rank], events->now_s);
}

static void dispatch(struct events *events, const struct model_event *event)
{
    const int64_t place = model_event_index(event);
    const struct sim_replay_message message = events->flight[place];
    events->now_s = event->time;
    switch ((enum kind)model_event_kind(event)) {
    case ASK:
        launch(events, place);
        return;
    case SENT:
        through(events, message.from);
        sim_replay_complete_end(events->replay, message.from, message.port, true);
        break;
    case RECEIVED:
        through(events, (int32_t)(place / events->ports));
        sim_replay_complete_end(events->replay, (int32_t)(place / events->ports),
                                (int32_t)(place % events->ports), false);
        break;
    case BOTH:
        through(events, message.from);
        through(events, message.to);
        sim_replay_complete(events->replay, message.from, message.port);
        break;
    }
    take_all(events);
}

static void give_back(struct events *events)
{
    sim_replay_destroy(events->replay);
    model_event_queue_free(&events->queue);
    free(events->flight);
    model_shared_ports_free(&events->shared);
    free(events->combiner_s);
    free(events->start_s);
}

static int begin(struct model_run *model, struct events *events, struct sup_error *error)
{
    const struct sim_spec *spec = model->spec;
    const size_t p = (size_t)model->p;
    *events = (struct events){.model = model,
                              .ports = rb_plan_ports(spec->plan),
                              .combiner_s = sup_calloc(p, sizeof *events->combiner_s),
                              .start_s = sup_malloc(p * sizeof *events->start_s)};
    events->flight = sup_malloc(p * (size_t)events->ports * sizeof *events->flight);
    int status = model_shared_ports_init(&events->shared, model, error);
    double last_s = 0;
    for (int32_t rank = 0; rank < model->p; rank++)
        last_s = model_later(last_s, model->through_s[rank]);
    for (int32_t rank = 0; rank < model->p; rank++)
        events->start_s[rank] =
            spec->overlap.rule == SIM_LOCKSTEP ? last_s : model->through_s[rank];
    if (status == RB_OK)
        status = sim_replay_create(spec->plan, spec->layout, &spec->overlap, false, &events->replay,
                                   error);
    return status;
}

static int play(struct events *events, struct sup_error *error)
{
    sim_replay_watch(events->replay, events->model->spec->meter);
    sim_replay_enter_all(events->replay);
    take_all(events);
    while (events->queue.count > 0) {
        const struct model_event event = model_event_queue_take(&events->queue);
        dispatch(events, &event);
    }
    events->model->messages = sim_replay_messages(events->replay);
    events->model->bytes = sim_replay_bytes(events->replay);
    return sim_replay_finished(events->replay, error);
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
