/* path.c - the critical path of a plan (path.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/dependences/messages.h"
#include "sim/engine/tally.h"
#include "sim/path/path.h"
#include "support/memory.h"

enum event_kind { MESSAGE, MESSAGE_COMBINED, LOCAL_COMBINE, LOCAL_COPY };

/* Sizes are shares of all data; a plan has few different ones, so costs are looked up by class. */
struct event {
    int32_t round, from, to;
    int32_t size;     /* class */
    int32_t kind;     /* enum event_kind */
    int32_t in_round; /* number among the sender's messages of the round */
    int32_t in_batch; /* number among the sender's messages of the batch */
    float round_out,
        round_in;    /* shares that the sender sends, the receiver receives, in the round */
    float batch_out; /* share that the sender sends in the batch */
    bool opens_batch;
    bool exchange;  /* its receiver sends to its sender in the same round */
    int32_t pieces; /* runs of contiguous blocks */
};

struct path_plan {
    int32_t p;
    int32_t count;
    struct event *event;
    int32_t longest; /* most events of a round */
    double every;    /* a listed round stands for so many */
    double *size;    /* of class, as a share of all data */
    int32_t sizes;
};

enum { MOST_EVENTS = 1 << 25, MOST_LISTED = 1 << 18, LEAST_LISTED = 16 };

static int size_class(struct path_plan *list, double share)
{
    for (int32_t i = list->sizes - 1; i >= 0; i--)
        if (fabs(list->size[i] - share) <= 1e-9 * share)
            return i;
    sup_grow(&list->size, (size_t)list->sizes, sizeof *list->size);
    list->size[list->sizes] = share;
    return list->sizes++;
}

static int add(struct path_plan *list, struct event event, double share)
{
    if (list->count == MOST_EVENTS)
        return RB_ENOTSUP;
    event.size = size_class(list, share);
    sup_grow(&list->event, (size_t)list->count, sizeof *list->event);
    list->event[list->count++] = event;
    return RB_OK;
}

/* The runs of blocks of successive owners in a message. One that goes round the end counts as one.
 */
static int32_t pieces_of(const struct dep_message *message)
{
    int32_t breaks = 0;
    for (int32_t i = 1; i < message->count; i++)
        breaks += message->ops[i].at.owner != message->ops[i - 1].at.owner + 1;
    return breaks == 0 ? 1 : breaks;
}

/* The events of one rank's round: messages at their sender, and local operations. */
static int add_round(struct path_plan *list, const struct rb_op ops[], int32_t count, int32_t rank,
                     int32_t t, double block)
{
    struct dep_messages left = dep_messages_of(ops, count);
    struct dep_message message;
    struct event event = {.round = t, .from = rank};
    int status = RB_OK;
    while (status == RB_OK && dep_next_send(&left, &message)) {
        event.to = message.ops->peer;
        event.kind = MESSAGE;
        event.pieces = pieces_of(&message);
        status = add(list, event, (double)dep_message_blocks(&message) * block);
    }
    while (dep_next_message(&left, &message))
        continue;
    for (int32_t i = 0; i < left.count && status == RB_OK; i++) {
        event.to = rank;
        event.kind = left.ops[i].kind == RB_REDUCE ? LOCAL_COMBINE : LOCAL_COPY;
        status = add(list, event, (double)left.ops[i].at.count * block);
    }
    return status;
}

enum { NOBODY = -1, SEVERAL = -2 };

/* From whom a rank combines what it receives. */
static int32_t combines_from(const struct rb_op ops[], int32_t count)
{
    int32_t from = NOBODY;
    for (int32_t i = 0; i < count; i++)
        if (ops[i].kind == RB_RECV_REDUCE)
            from = from == NOBODY || from == ops[i].peer ? ops[i].peer : SEVERAL;
    return from;
}

/* Marks the messages of a round that the receiver combines; `from` is combines_from of ranks. */
static void mark_combined(struct path_plan *list, int32_t first, const struct rb_plan *plan,
                          const struct rb_rank state[], const int32_t from[], int32_t t,
                          struct rb_op ops[])
{
    for (int32_t i = first; i < list->count; i++) {
        struct event *event = &list->event[i];
        if (event->kind != MESSAGE)
            continue;
        if (from[event->to] == event->from)
            event->kind = MESSAGE_COMBINED;
        if (from[event->to] != SEVERAL)
            continue;
        const int32_t count = rb_plan_round(plan, &state[event->to], t, ops);
        for (int32_t j = 0; j < count; j++)
            if (ops[j].kind == RB_RECV_REDUCE && ops[j].peer == event->from)
                event->kind = MESSAGE_COMBINED;
    }
}

/* A rank's operations. Whether they are right is the verifier's question; here ranks must exist. */
static int32_t ask_round(const struct rb_plan *plan, const struct rb_rank *state, int32_t t,
                         struct rb_op ops[], struct sup_error *error)
{
    const int32_t count = rb_plan_round(plan, state, t, ops), p = rb_plan_ranks(plan);
    for (int32_t i = 0; i < count; i++) {
        const bool local = ops[i].kind == RB_REDUCE || ops[i].kind == RB_COPY;
        if (!local && (ops[i].peer < 0 || ops[i].peer >= p))
            return sup_fail(error, RB_EWRONG, "round %d: there is no rank %d", (int)t,
                            (int)ops[i].peer);
    }
    return count;
}

/* What the messages of a round share. */
static void share_round(struct path_plan *list, int32_t first, float out[], float in[],
                        int32_t sent[], int32_t peer[])
{
    for (int pass = 0; pass < 2; pass++)
        for (int32_t i = first; i < list->count; i++) {
            struct event *event = &list->event[i];
            if (event->kind != MESSAGE && event->kind != MESSAGE_COMBINED)
                continue;
            if (pass == 0) {
                out[event->from] += (float)list->size[event->size];
                in[event->to] += (float)list->size[event->size];
                event->in_round = sent[event->from]++;
                peer[event->from] = event->to;
            } else {
                event->round_out = out[event->from];
                event->round_in = in[event->to];
                event->exchange = peer[event->to] == event->from;
            }
        }
    for (int32_t i = first; i < list->count; i++) {
        const struct event *event = &list->event[i];
        out[event->from] = in[event->to] = 0;
        sent[event->from] = 0;
        peer[event->from] = -1;
    }
}

/* A batch is a run of successive rounds in which a rank sends, and does not receive or work. Its
 * sends in a round in which it does are a batch of their own. */
static void share_batches(struct path_plan *list)
{
    const size_t p = (size_t)list->p;
    int32_t *sent = sup_calloc(p, sizeof *sent);
    int32_t *opened = sup_malloc(p * sizeof *opened); /* the event that opened the rank's batch */
    int32_t *received = sup_malloc(2 * p * sizeof *received); /* the last round in which it did */
    int32_t *sends = received + p;                            /* and in which it sent */
    float *total = sup_calloc((size_t)list->count, sizeof *total);
    int32_t *batch = sup_malloc((size_t)list->count * sizeof *batch);
    memset(opened, 0xff, p * sizeof *opened);
    memset(received, 0xff, 2 * p * sizeof *received);
    for (int32_t i = 0; i < list->count;) {
        const int32_t round = list->event[i].round;
        int32_t end = i;
        for (; end < list->count && list->event[end].round == round; end++)
            received[list->event[end].to] = round;
        for (end = i; end < list->count && list->event[end].round == round; end++) {
            struct event *event = &list->event[end];
            if (event->kind != MESSAGE && event->kind != MESSAGE_COMBINED)
                continue;
            if (opened[event->from] < 0 ||
                (opened[event->from] < i &&
                 (received[event->from] == round || sends[event->from] < round - 1))) {
                opened[event->from] = end;
                sent[event->from] = 0;
                event->opens_batch = true;
            }
            sends[event->from] = round;
            batch[end] = opened[event->from];
            event->in_batch = sent[event->from]++;
            total[batch[end]] += (float)list->size[event->size];
        }
        for (; i < end; i++)
            opened[list->event[i].to] = -1;
    }
    for (int32_t i = 0; i < list->count; i++)
        if (list->event[i].kind == MESSAGE || list->event[i].kind == MESSAGE_COMBINED)
            list->event[i].batch_out = total[batch[i]];
    free(sent);
    free(opened);
    free(received);
    free(total);
    free(batch);
}

/* The round that the i-th of so many listed ones is: of a stretch of rounds any, because those at a
 * constant distance may all go to the same place of a torus. */
static int32_t listed_round(int64_t rounds, int32_t listed, int32_t i)
{
    const int64_t first = rounds * i / listed, end = rounds * (i + 1) / listed;
    return (int32_t)(first + (int64_t)((uint32_t)i * 2654435761U >> 8) % (end - first));
}

struct listing {
    struct rb_rank *state;
    struct rb_op *ops;
    float *out, *in;
    int32_t *sent, *from;
};

static int list_rounds(struct path_plan *list, const struct rb_plan *plan, int32_t listed,
                       const struct listing *room, struct sup_error *error)
{
    const bool reduces = rb_plan_collective(plan)->reducing;
    const double block = 1.0 / ((double)rb_plan_owners(plan) * (double)rb_plan_blocks(plan));
    list->count = list->longest = 0;
    list->every = listed > 0 ? (double)rb_plan_rounds(plan) / listed : 1;
    for (int32_t r = 0; r < list->p; r++)
        rb_plan_rank(plan, r, &room->state[r]);
    for (int32_t i = 0; i < listed; i++) {
        const int32_t first = list->count, t = listed_round(rb_plan_rounds(plan), listed, i);
        for (int32_t r = 0; r < list->p; r++) {
            const int32_t count = ask_round(plan, &room->state[r], t, room->ops, error);
            if (count < 0)
                return count;
            room->from[r] = combines_from(room->ops, count);
            const int status = add_round(list, room->ops, count, r, i, block);
            if (status != RB_OK)
                return sup_fail(error, status, "the plan has too many messages");
        }
        if (reduces)
            mark_combined(list, first, plan, room->state, room->from, t, room->ops);
        share_round(list, first, room->out, room->in, room->sent, room->sent + list->p);
        if (list->count - first > list->longest)
            list->longest = list->count - first;
    }
    return RB_OK;
}

/* Of a long plan in whose rounds most ranks send, some rounds stand for all; where few send, the
 * rounds differ, and there are few messages. */
static int list_plan(struct path_plan *list, const struct rb_plan *plan, const struct listing *room,
                     struct sup_error *error)
{
    const int32_t rounds = (int32_t)rb_plan_rounds(plan), some = MOST_LISTED / list->p;
    const bool is_long = rounds > some && some >= LEAST_LISTED;
    int status = is_long ? list_rounds(list, plan, some, room, error) : RB_OK;
    if (status == RB_OK && (!is_long || list->count < (int64_t)some * list->p / 2))
        status = list_rounds(list, plan, rounds, room, error);
    if (status == RB_OK)
        share_batches(list);
    return status;
}

int path_plan_create(const struct rb_plan *plan, struct path_plan **list, struct sup_error *error)
{
    if (rb_plan_rounds(plan) > MOST_EVENTS / rb_plan_ranks(plan))
        return sup_fail(error, RB_ENOTSUP, "the plan is too long: %d ranks, %lld rounds",
                        (int)rb_plan_ranks(plan), (long long)rb_plan_rounds(plan));
    const size_t p = (size_t)rb_plan_ranks(plan);
    struct rb_rank *state = sup_malloc(p * sizeof *state);
    struct rb_op *ops = sup_malloc((size_t)rb_plan_max_ops(plan) * sizeof *ops);
    float *out = sup_calloc(2 * p, sizeof *out);
    int32_t *sent = sup_calloc(3 * p, sizeof *sent);
    *list = sup_calloc(1, sizeof **list);
    memset(sent + p, 0xff, p * sizeof *sent);
    (*list)->p = (int32_t)p;
    const struct listing room = {state, ops, out, out + p, sent, sent + 2 * p};
    const int status = list_plan(*list, plan, &room, error);
    free(state);
    free(ops);
    free(out);
    free(sent);
    if (status != RB_OK) {
        path_plan_destroy(*list);
        *list = NULL;
    }
    return status;
}

void path_plan_destroy(struct path_plan *list)
{
    if (list == NULL)
        return;
    free(list->event);
    free(list->size);
    free(list);
}

/* ---- The path -------------------------------------------------------------------------------- */

/* A moment: when a rank is ready, or a message has arrived. What led to it is a message (latency,
 * overheads, bytes) or work (combined, copied) after the moment `before`. */
struct moment {
    int32_t before; /* -1: the start */
    int32_t size;
    float latencies, overheads; /* how many */
    float bytes;                /* share of all data that moves or is worked on */
    uint8_t latency, moved;     /* which cost applies: enum path_kind; moved also of work */
    bool packed;
};

struct clock {
    double time_s;
    int32_t moment;
};

struct run {
    const struct path_plan *list;
    double m_bytes;
    double times[PATH_KINDS]; /* how often a listed message costs it */
    double *cost[PATH_KINDS]; /* by size class */
    struct moment *moment;
    int32_t moments, moment_capacity;
    struct clock *ready, *next, *opened, *arrived; /* of ranks; arrived: of a round's events */
};

/* The time at which a moment comes. */
static double time_of(const struct run *run, struct clock before, const struct moment *moment)
{
    const int32_t i = moment->size;
    const double bytes = (double)moment->bytes * run->m_bytes;
    return before.time_s + (double)moment->latencies * run->cost[moment->latency][i] +
           (double)moment->overheads * run->cost[PATH_OVERHEAD][i] +
           bytes * (run->cost[moment->moved][i] + (moment->packed ? run->cost[PATH_PACKED][i] : 0));
}

/* Only moments that can be on the path are stored. */
static struct clock after(struct run *run, struct clock before, struct moment moment)
{
    const struct clock clock = {time_of(run, before, &moment), run->moments};
    if (run->moments == run->moment_capacity) {
        run->moment_capacity = 2 * run->moment_capacity + 4096;
        run->moment =
            sup_reallocarray(run->moment, (size_t)run->moment_capacity, sizeof *run->moment);
    }
    moment.before = before.moment;
    run->moment[run->moments++] = moment;
    return clock;
}

/* The later of a clock and of a moment after another clock. */
static struct clock later_after(struct run *run, struct clock clock, struct clock before,
                                struct moment moment)
{
    return time_of(run, before, &moment) > clock.time_s ? after(run, before, moment) : clock;
}

static struct clock later(struct clock a, struct clock b)
{
    return a.time_s >= b.time_s ? a : b;
}

/* How many of a round's messages leave each host, and enter it. */
static void count_crossings(const struct path_plan *list, int32_t first, int32_t end, int32_t ppn,
                            int32_t leaving[], int32_t entering[])
{
    memset(leaving, 0, (size_t)list->p * sizeof *leaving);
    memset(entering, 0, (size_t)list->p * sizeof *entering);
    for (int32_t i = first; i < end; i++) {
        const struct event *event = &list->event[i];
        if (event->from / ppn != event->to / ppn) {
            leaving[event->from / ppn]++;
            entering[event->to / ppn]++;
        }
    }
}

enum { DIRECTIONS = 6 };

static bool has_links(const struct path_setting *setting)
{
    return setting->extent[0] > 0;
}

/* Goes along the links of a message; adds to their loads, or finds the largest load, at least 1. */
static int32_t along(const struct path_setting *setting, const struct event *event, int32_t load[],
                     int32_t add)
{
    int32_t at = event->from / setting->ppn, to = event->to / setting->ppn, stride = 1, most = 1;
    for (int d = 0; d < 3; d++) {
        const int32_t extent = setting->extent[d];
        int32_t here = at / stride % extent;
        const int32_t there = to / stride % extent;
        const int32_t forward = (there - here + extent) % extent;
        const bool up = 2 * forward <= extent;
        for (int32_t left = up ? forward : extent - forward; left > 0; left--) {
            const int32_t next = (here + (up ? 1 : extent - 1)) % extent;
            int32_t *link = &load[DIRECTIONS * at + 2 * d + up];
            *link += add;
            most = *link > most ? *link : most;
            at += (next - here) * stride;
            here = next;
        }
        stride *= extent;
    }
    return most;
}

/* Sets the loads of the links by these events, or back to 0. */
static void load_links(const struct path_plan *list, int32_t first, int32_t end,
                       const struct path_setting *setting, int32_t load[], int32_t add)
{
    for (int32_t i = first; i < end; i++)
        if (list->event[i].from != list->event[i].to)
            along(setting, &list->event[i], load, add);
}

static bool is_message(const struct event *event)
{
    return event->kind == MESSAGE || event->kind == MESSAGE_COMBINED;
}

/* One message, or what a rank does itself. `ports` is how many messages share the host's port. */
static void one_message(struct run *run, const struct path_setting *setting,
                        const struct event *event, int32_t ports, struct clock *arrived)
{
    const bool batches = setting->style == PATH_BATCHES;
    const bool host = event->from / setting->ppn == event->to / setting->ppn;
    const float share = host ? 1 : (float)ports;
    const int32_t before =
        (batches ? event->in_batch : event->in_round) + (setting->by_block ? event->pieces - 1 : 0);
    struct moment moment = {.size = event->size,
                            .latencies = setting->asked ? 2 : 1,
                            .overheads = (float)before,
                            .bytes = (batches ? event->batch_out : event->round_out) * share,
                            .latency = host ? PATH_HOST_LATENCY : PATH_LATENCY,
                            .moved = host              ? PATH_HOST_BYTES
                                     : event->exchange ? PATH_EXCHANGED
                                                       : PATH_BYTES,
                            .packed = setting->packs || (event->pieces > 1 && !setting->by_block)};
    if (batches && event->opens_batch)
        run->opened[event->from] = run->ready[event->from];
    const struct clock start = batches ? run->opened[event->from] : run->ready[event->from];
    if (setting->asked || run->list->size[event->size] * run->m_bytes > setting->rendezvous_bytes) {
        if (event->round_in > event->round_out && !batches)
            moment.bytes = event->round_in * share;
        *arrived = after(run, later(start, run->ready[event->to]), moment);
        run->next[event->from] = later(run->next[event->from], *arrived);
    } else {
        struct moment port = moment; /* the receiver's */
        *arrived = after(run, start, moment);
        port.latencies = 0;
        port.overheads = 1;
        port.bytes = event->round_in * share;
        *arrived = later_after(run, *arrived, run->ready[event->to], port);
        moment.latencies = 0;
        moment.overheads++;
        run->next[event->from] = later_after(run, run->next[event->from], start, moment);
    }
}

static void work(struct run *run, const struct event *event, enum path_kind kind)
{
    const struct moment moment = {.size = event->size,
                                  .bytes = (float)run->list->size[event->size],
                                  .latency = PATH_LATENCY,
                                  .moved = (uint8_t)kind};
    run->next[event->to] = after(run, run->next[event->to], moment);
}

static void one_round(struct run *run, const struct path_setting *setting, int32_t first,
                      int32_t end, const int32_t leaving[], const int32_t entering[],
                      int32_t load[])
{
    for (int32_t i = first; i < end; i++) {
        const struct event *event = &run->list->event[i];
        run->next[event->from] = run->ready[event->from];
        run->next[event->to] = run->ready[event->to];
    }
    for (int32_t i = first; i < end; i++) {
        const struct event *event = &run->list->event[i];
        if (is_message(event)) {
            /* Not counted, 0, with one rank per host. */
            const int32_t out = leaving[event->from / setting->ppn];
            const int32_t in = entering[event->to / setting->ppn];
            const int32_t ports = in > out ? in : out;
            const int32_t links = has_links(setting) ? along(setting, event, load, 0) : 1;
            one_message(run, setting, event, links > ports ? links : ports,
                        &run->arrived[i - first]);
        }
    }
    for (int32_t i = first; i < end; i++) {
        const struct event *event = &run->list->event[i];
        if (is_message(event))
            run->next[event->to] = later(run->next[event->to], run->arrived[i - first]);
        if (event->kind == MESSAGE_COMBINED || event->kind == LOCAL_COMBINE)
            work(run, event, PATH_COMBINED);
        else if (event->kind == LOCAL_COPY)
            work(run, event, PATH_COPIED);
    }
    for (int32_t i = first; i < end; i++) {
        const struct event *event = &run->list->event[i];
        run->ready[event->from] = run->next[event->from];
        run->ready[event->to] = run->next[event->to];
    }
}

/* All messages take at least as long as the busiest link, whose messages are as long as the last
 * one. */
static void posted_on_links(struct run *run, const struct path_setting *setting)
{
    const struct path_plan *list = run->list;
    int32_t *load = sup_calloc(DIRECTIONS * (size_t)list->p, sizeof *load);
    int32_t busiest = 1, last = -1;
    for (int32_t i = 0; i < list->count; i++)
        if (is_message(&list->event[i])) {
            const int32_t links = along(setting, &list->event[i], load, 1);
            busiest = links > busiest ? links : busiest;
            last = i;
        }
    free(load);
    if (last >= 0) {
        const int32_t size = list->event[last].size;
        const struct moment moment = {.size = size,
                                      .latencies = 1,
                                      .overheads = (float)busiest,
                                      .bytes = (float)(list->size[size] * busiest),
                                      .latency = PATH_LATENCY,
                                      .moved = PATH_BYTES};
        run->ready[0] = later_after(run, run->ready[0], (struct clock){0, -1}, moment);
    }
}

/* PATH_POSTED: a rank's sends follow each other, and so do its receives, whose order is not known;
 * a message that arrives is not late for another. `ready` is the clock of sends, `next` that of
 * receives, and `opened` the last arrival. */
static void posted(struct run *run, const struct path_setting *setting)
{
    for (int32_t i = 0; i < run->list->count; i++) {
        const struct event *event = &run->list->event[i];
        if (is_message(event)) {
            const bool host = event->from / setting->ppn == event->to / setting->ppn;
            struct moment moment = {.size = event->size,
                                    .latencies = 1,
                                    .bytes = (float)run->list->size[event->size] *
                                             (float)(host ? 1 : setting->ppn),
                                    .latency = host ? PATH_HOST_LATENCY : PATH_LATENCY,
                                    .moved = host ? PATH_HOST_BYTES : PATH_BYTES};
            const struct clock arrived = after(run, run->ready[event->from], moment);
            run->opened[event->to] = later(run->opened[event->to], arrived);
            moment.overheads = 1;
            moment.latencies = run->next[event->to].moment < 0 ? 1.0F : 0;
            run->next[event->to] = after(run, run->next[event->to], moment);
            moment.latencies = 0;
            run->ready[event->from] = after(run, run->ready[event->from], moment);
        }
        if (event->kind == MESSAGE_COMBINED || event->kind == LOCAL_COMBINE)
            work(run, event, PATH_COMBINED);
        else if (event->kind == LOCAL_COPY)
            work(run, event, PATH_COPIED);
    }
    for (int32_t r = 0; r < run->list->p; r++)
        run->ready[r] = later(later(run->ready[r], run->next[r]), run->opened[r]);
    if (has_links(setting))
        posted_on_links(run, setting);
}

static void in_rounds(struct run *run, const struct path_setting *setting)
{
    const struct path_plan *list = run->list;
    int32_t *crossings = sup_calloc((2 + DIRECTIONS) * (size_t)list->p, sizeof *crossings);
    int32_t *load = crossings + 2 * (size_t)list->p;
    for (int32_t first = 0, end; first < list->count; first = end) {
        for (end = first; end < list->count && list->event[end].round == list->event[first].round;)
            end++;
        if (setting->ppn > 1)
            count_crossings(list, first, end, setting->ppn, crossings, crossings + list->p);
        if (has_links(setting))
            load_links(list, first, end, setting, load, 1);
        one_round(run, setting, first, end, crossings, crossings + list->p, load);
        if (has_links(setting))
            load_links(list, first, end, setting, load, -1);
    }
    free(crossings);
}

/* The sums along the path, by kind and size. */
static void collect(const struct run *run, struct clock last, struct path *path)
{
    const size_t sizes = (size_t)run->list->sizes;
    double *sum = sup_calloc(PATH_KINDS * sizes, sizeof *sum);
    path->term = sup_reallocarray(path->term, PATH_KINDS * sizes, sizeof *path->term);
    for (int32_t i = last.moment; i >= 0; i = run->moment[i].before) {
        const struct moment *moment = &run->moment[i];
        const size_t size = (size_t)moment->size;
        const double bytes = (double)moment->bytes * run->m_bytes;
        sum[moment->latency * sizes + size] += (double)moment->latencies;
        sum[PATH_OVERHEAD * sizes + size] += (double)moment->overheads;
        sum[moment->moved * sizes + size] += bytes;
        if (moment->packed)
            sum[PATH_PACKED * sizes + size] += bytes;
    }
    path->count = 0;
    path->time_s = last.time_s;
    for (int kind = 0; kind < PATH_KINDS; kind++)
        for (size_t i = 0; i < sizes; i++)
            if (sum[(size_t)kind * sizes + i] > 0)
                path->term[path->count++] =
                    (struct path_term){.kind = (enum path_kind)kind,
                                       .bytes = run->list->size[i] * run->m_bytes,
                                       .weight = run->times[kind] * sum[(size_t)kind * sizes + i]};
    free(sum);
}

int32_t path_plan_messages(const struct path_plan *list)
{
    return list->count;
}

void path_find(const struct path_plan *list, const struct path_setting *setting, path_cost *cost,
               const void *context, struct path_room *room, struct path *path)
{
    const size_t p = (size_t)list->p, sizes = (size_t)list->sizes;
    const double m_bytes = setting->m_bytes;
    struct clock *clocks = sup_malloc(3 * p * sizeof *clocks);
    double *costs = sup_malloc(PATH_KINDS * sizes * sizeof *costs);
    struct clock last = {0, -1};
    struct run run = {.list = list,
                      .m_bytes = m_bytes,
                      .moment = room->moment,
                      .moment_capacity = room->capacity,
                      .ready = clocks,
                      .next = clocks + p,
                      .opened = clocks + 2 * p};
    run.arrived = sup_malloc((size_t)list->longest * sizeof *run.arrived);
    for (int kind = 0; kind < PATH_KINDS; kind++) {
        const bool once =
            setting->style == PATH_POSTED && (kind == PATH_LATENCY || kind == PATH_HOST_LATENCY);
        run.times[kind] = once ? 1 : list->every;
        run.cost[kind] = costs + (size_t)kind * sizes;
        for (size_t i = 0; i < sizes; i++)
            run.cost[kind][i] =
                run.times[kind] * cost(context, (enum path_kind)kind, list->size[i] * m_bytes);
    }
    for (size_t i = 0; i < 3 * p; i++)
        clocks[i] = last;
    if (setting->style == PATH_POSTED)
        posted(&run, setting);
    else
        in_rounds(&run, setting);
    for (size_t r = 0; r < p; r++)
        last = later(run.ready[r], last);
    collect(&run, last, path);
    free(run.arrived);
    room->moment = run.moment; /* used again: growing it costs more than filling it */
    room->capacity = run.moment_capacity;
    free(clocks);
    free(costs);
}

void path_room_free(struct path_room *room)
{
    free(room->moment);
    *room = (struct path_room){0};
}

void path_free(struct path *path)
{
    free(path->term);
    *path = (struct path){0};
}

/* ---- Longest messages ------------------------------------------------------------------------ */

int path_longest_of_rounds(const struct rb_plan *plan, const struct rb_layout *layout,
                           path_length *length, void (*take)(void *context, double longest),
                           void *context, struct sup_error *error)
{
    const int32_t p = rb_plan_ranks(plan);
    struct rb_rank *state = sup_malloc((size_t)p * sizeof *state);
    struct rb_op *ops = sup_malloc((size_t)rb_plan_max_ops(plan) * sizeof *ops);
    int status = RB_OK;
    for (int32_t r = 0; r < p; r++)
        rb_plan_rank(plan, r, &state[r]);
    for (int64_t t = 0; t < rb_plan_rounds(plan) && status == RB_OK; t++) {
        double longest = -1;
        for (int32_t r = 0; r < p && status == RB_OK; r++) {
            const int32_t count = sim_round(plan, layout, &state[r], t, ops, error);
            struct dep_messages left = dep_messages_of(ops, count < 0 ? 0 : count);
            for (struct dep_message message; dep_next_send(&left, &message);)
                longest = fmax(longest, length(context, &message));
            status = count < 0 ? count : RB_OK;
        }
        if (longest >= 0)
            take(context, longest);
    }
    free(state);
    free(ops);
    return status;
}
