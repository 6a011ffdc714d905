/* events.c - any plan and any overlap rule, event by event: for ranks that share the port of their
 * host.
 *
 * A message between hosts takes alpha + beta m, and for beta m of it, from its start on, it has its
 * sender's port; for the last beta m the receiver's. Each takes the first time at which both are
 * free. With one rank per host a port is never asked for twice at once, and the times are those of
 * the other variants. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "sim/workload/walk.h"
#include "support/memory.h"

/* ---- A queue in which most events are not sorted --------------------------------------------- */

/* A radix heap (Ahuja, Mehlhorn, Orlin, Tarjan 1990): the next few events are sorted, those up to
 * `limit`. All others are in lists, by the highest bit in which their time differs from `limit`: so
 * what is in one list comes before what is in the next. When none is left that is sorted, the
 * lists' first one is shared out among those before it, or sorted if it is short. An event is moved
 * some times, but each time to the end of a list, where a heap of thousands reads places all over
 * its memory. */

enum { FEW = 16, MANY = 64 }; /* that are sorted, when the list that they were in is; and at most */

/* Times are not below 0, and then their bits are ordered as they are. */
static uint64_t key_of(double time)
{
    uint64_t key;
    memcpy(&key, &time, sizeof key);
    return key;
}

static bool before(const struct model_event *a, const struct model_event *b)
{
    return a->time < b->time || (a->time == b->time && a->number < b->number);
}

static void append(struct model_event_list *list, struct model_event event)
{
    if (list->count == list->room) {
        list->room = list->room == 0 ? FEW : 2 * list->room;
        list->event = sup_reallocarray(list->event, (size_t)list->room, sizeof *list->event);
    }
    list->event[list->count++] = event;
}

/* From the last one on: events of one time come in the order of their numbers. */
static void sort_in(struct model_event_queue *queue, struct model_event event)
{
    struct model_event_list *sorted = &queue->sorted;
    if (sorted->count == sorted->room && queue->taken > sorted->room / 2) {
        sorted->count -= queue->taken;
        memmove(sorted->event, sorted->event + queue->taken,
                (size_t)sorted->count * sizeof *sorted->event);
        queue->taken = 0;
    }
    append(sorted, event);
    int64_t i = sorted->count - 1;
    for (; i > queue->taken && before(&event, &sorted->event[i - 1]); i--)
        sorted->event[i] = sorted->event[i - 1];
    sorted->event[i] = event;
}

static int32_t highest_bit(uint64_t key)
{
    return 63 - __builtin_clzll(key);
}

static void put(struct model_event_queue *queue, struct model_event event)
{
    const uint64_t key = key_of(event.time);
    if (key <= queue->limit) {
        sort_in(queue, event);
        return;
    }
    const int32_t bit = highest_bit(key ^ queue->limit);
    queue->filled |= UINT64_C(1) << bit;
    append(&queue->later[bit], event);
}

/* Lowers the limit. What differed from the former one in lower bits than the limits do, differs
 * from this one in that bit. */
static void lower_limit(struct model_event_queue *queue, uint64_t limit)
{
    const int32_t bit = highest_bit(queue->limit ^ limit);
    for (int32_t b = 0; b < bit; b++) {
        struct model_event_list *list = &queue->later[b];
        for (int64_t i = 0; i < list->count; i++)
            append(&queue->later[bit], list->event[i]);
        if (list->count > 0)
            queue->filled |= UINT64_C(1) << bit;
        list->count = 0;
        queue->filled &= ~(UINT64_C(1) << b);
    }
    queue->limit = limit;
}

/* Too many are sorted: keeps the first few so, and those of their last one's time. */
static void unsort(struct model_event_queue *queue)
{
    struct model_event_list *sorted = &queue->sorted;
    const uint64_t limit = key_of(sorted->event[queue->taken + FEW - 1].time);
    const int64_t end = sorted->count;
    if (key_of(sorted->event[end - 1].time) == limit)
        return;
    lower_limit(queue, limit);
    int64_t first = queue->taken + FEW;
    while (key_of(sorted->event[first].time) == limit)
        first++;
    for (int64_t i = first; i < end; i++)
        put(queue, sorted->event[i]);
    sorted->count = first;
}

/* Sorts the next events; there are some, and none is sorted. */
static void refill(struct model_event_queue *queue)
{
    struct model_event_list *list = &queue->later[__builtin_ctzll(queue->filled)];
    uint64_t least = UINT64_MAX, most = 0;
    for (int64_t i = 0; i < list->count; i++) {
        const uint64_t key = key_of(list->event[i].time);
        least = key < least ? key : least;
        most = key > most ? key : most;
    }
    queue->sorted.count = queue->taken = 0;
    queue->filled &= queue->filled - 1;
    queue->limit = list->count <= FEW ? most : least;
    for (int64_t i = 0; i < list->count; i++)
        put(queue, list->event[i]);
    list->count = 0;
}

void model_event_queue_put_back(struct model_event_queue *queue, struct model_event event)
{
    queue->count++;
    put(queue, event);
    if (queue->sorted.count - queue->taken > MANY)
        unsort(queue);
}

void model_event_queue_add(struct model_event_queue *queue, double time, int32_t kind,
                           int64_t index)
{
    model_event_queue_put_back(queue, (struct model_event){.time = time,
                                                           .number = queue->numbers++,
                                                           .what = model_event_what(kind, index)});
}

const struct model_event *model_event_queue_first(struct model_event_queue *queue)
{
    if (queue->count == 0)
        return NULL;
    if (queue->taken == queue->sorted.count)
        refill(queue);
    return &queue->sorted.event[queue->taken];
}

struct model_event model_event_queue_take(struct model_event_queue *queue)
{
    const struct model_event first = *model_event_queue_first(queue);
    queue->taken++;
    queue->count--;
    return first;
}

void model_event_queue_free(struct model_event_queue *queue)
{
    free(queue->sorted.event);
    for (int32_t bit = 0; bit < 64; bit++)
        free(queue->later[bit].event);
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
    if (!events->walks)
        return false;
    const struct model_event *first = model_event_queue_first(&events->queue);
    if ((first != NULL && first->time <= events->now_s) ||
        !sim_walk_settle(events->walk, events->now_s))
        return false;
    take_all(events);
    return true;
}

static int play(struct events *events, struct sup_error *error)
{
    sim_walk_begin(events->walk, NULL);
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
