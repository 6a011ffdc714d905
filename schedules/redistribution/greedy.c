/* greedy.c - a list heuristic without cuts, which may miss T_opt (Section 4.3 of the paper
 * describes the results of such a heuristic, but not the heuristic). The list: no
 * rank is idle that has a message for an idle rank; or the list in the order of modular classes
 * (modular.c), if it is shorter; these classes are nearly right for many slices and a part of one.
 * Messages that end after T_opt then wait, and make room by exchanges: a waiting message takes,
 * among the times at which it ends by T_opt, the one at which the messages in its way have the
 * least weight; these then wait. A message's weight is its length times the number of times that it
 * found no room, so that messages for which room is hard to find keep their times (guided ejection:
 * Y. Nagata and O. Braysy, Operations Research Letters 37, 2009). If after so many exchanges
 * something still waits, the aim becomes a little longer than T_opt, and so on, in at most eight
 * steps, up to the length of the list, which is kept for that case. Deterministic: ties are broken
 * by a generator of its own.
 *
 * Work: the list's, and per exchange about (messages of two ranks) x log of that. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "redistribution.h"
#include "schedules/plan/plan.h"

/* ---- The dense schedule: no rank is idle that has a message for an idle rank ----------------- */

/* A list schedule, time by time. */

struct list {
    const struct rb_traffic *traffic;
    int64_t *rest;             /* [ports]: units not yet started */
    int64_t *idle_at;          /* [ports]: from when on */
    size_t *message;           /* [messages]: of each sender those not yet started, first */
    size_t *first;             /* [senders + 1]: the beginning of a sender's messages in it */
    int32_t *count;            /* [senders] */
    struct redist_keyed *turn; /* [senders] */
    int32_t idle_receivers;
};

static int list_init(struct list *l)
{
    const struct rb_traffic *const t = l->traffic;
    const size_t senders = (size_t)t->senders, ports = senders + (size_t)t->receivers;
    l->rest = calloc(ports, sizeof *l->rest);
    l->idle_at = calloc(ports, sizeof *l->idle_at);
    l->message = malloc((t->count + 1) * sizeof *l->message);
    l->first = calloc(senders + 1, sizeof *l->first);
    l->count = calloc(senders, sizeof *l->count);
    l->turn = malloc(senders * sizeof *l->turn);
    if (l->rest == NULL || l->idle_at == NULL || l->message == NULL || l->first == NULL ||
        l->count == NULL || l->turn == NULL)
        return RB_ENOMEM;
    for (size_t i = 0; i < t->count; i++) {
        l->message[i] = i; /* they are sorted by sender */
        l->count[t->message[i].from]++;
        l->rest[t->message[i].from] += t->message[i].length;
        l->rest[t->senders + t->message[i].to] += t->message[i].length;
    }
    for (int32_t sender = 0; sender < t->senders; sender++)
        l->first[sender + 1] = l->first[sender] + (size_t)l->count[sender];
    return RB_OK;
}

/* True if the first message is a better choice for the sender. Ties are broken by distance, so that
 * senders differ in their preferences. */
static bool is_better(const struct list *l, size_t x, size_t y)
{
    const struct rb_traffic *const t = l->traffic;
    const struct rb_message a = t->message[x], b = t->message[y];
    const int64_t rest_a = l->rest[t->senders + a.to], rest_b = l->rest[t->senders + b.to];
    if (rest_a != rest_b)
        return rest_a > rest_b;
    if (a.length != b.length)
        return a.length > b.length;
    const int32_t far = a.from / t->receivers * t->receivers + t->receivers - a.from;
    return (a.to + far) % t->receivers < (b.to + far) % t->receivers;
}

/* Lets a sender start one, if it has one for an idle receiver. */
static void choose(struct list *l, int32_t sender, int64_t now, int64_t start[])
{
    const struct rb_traffic *const t = l->traffic;
    size_t *const mine = l->message + l->first[sender];
    int32_t best = -1;
    for (int32_t i = 0; i < l->count[sender]; i++)
        if (l->idle_at[t->senders + t->message[mine[i]].to] <= now &&
            (best < 0 || is_better(l, mine[i], mine[best])))
            best = i;
    if (best < 0)
        return;
    const size_t chosen = mine[best];
    const int64_t length = t->message[chosen].length;
    const int32_t receiver = t->senders + t->message[chosen].to;
    start[chosen] = now;
    l->rest[sender] -= length;
    l->rest[receiver] -= length;
    l->idle_at[sender] = now + length;
    l->idle_at[receiver] = now + length;
    mine[best] = mine[--l->count[sender]];
    l->idle_receivers--;
}

/* Starts messages of idle ports. Returns the time at which the next port becomes idle, or -1 if
 * everything is sent. */
static int64_t proceed(struct list *l, int64_t now, int64_t start[])
{
    const struct rb_traffic *const t = l->traffic;
    size_t turns = 0;
    int64_t next = -1;
    l->idle_receivers = 0;
    for (int32_t i = 0; i < t->senders; i++)
        if (l->count[i] > 0 && l->idle_at[i] <= now)
            l->turn[turns++] = (struct redist_keyed){-l->rest[i], (size_t)i};
    for (int32_t j = 0; j < t->receivers; j++)
        l->idle_receivers += l->rest[t->senders + j] > 0 && l->idle_at[t->senders + j] <= now;
    redist_sort(l->turn, turns); /* those with most left first */
    for (size_t i = 0; i < turns && l->idle_receivers > 0; i++)
        choose(l, (int32_t)l->turn[i].number, now, start);
    for (int32_t port = 0; port < t->senders + t->receivers; port++)
        if (l->idle_at[port] > now && (next < 0 || l->idle_at[port] < next))
            next = l->idle_at[port];
    return next;
}

/* Computes when each message starts: start[messages] is the caller's. Messages are not cut.
 * Whenever ports become idle, the senders with the most units left choose first, and each chooses
 * the receiver with the most units left. RB_ENOMEM. O(messages (ports + messages per sender)). */
static int list_times(const struct rb_traffic *traffic, int64_t start[])
{
    struct list l = {.traffic = traffic};
    const int status = list_init(&l);
    if (status == RB_OK)
        for (int64_t now = 0; now >= 0;)
            now = proceed(&l, now, start);
    free(l.rest);
    free(l.idle_at);
    free(l.message);
    free(l.first);
    free(l.count);
    free(l.turn);
    return status;
}

/* Computes the starts for a given order, by key[messages]: each message starts as soon as both its
 * ranks have ended their earlier messages. RB_ENOMEM. O(messages log messages). */
static int times_in_order(const struct rb_traffic *traffic, const int64_t key[], int64_t start[])
{
    const size_t ports = (size_t)traffic->senders + (size_t)traffic->receivers;
    struct redist_keyed *order = malloc((traffic->count + 1) * sizeof *order);
    int64_t *idle_at = calloc(ports, sizeof *idle_at);
    const int status = order == NULL || idle_at == NULL ? RB_ENOMEM : RB_OK;
    if (status == RB_OK) {
        for (size_t i = 0; i < traffic->count; i++)
            order[i] = (struct redist_keyed){key[i], i};
        redist_sort(order, traffic->count);
        for (size_t i = 0; i < traffic->count; i++) {
            const struct rb_message m = traffic->message[order[i].number];
            int64_t *const from = &idle_at[m.from], *const to = &idle_at[traffic->senders + m.to];
            const int64_t now = *from > *to ? *from : *to;
            start[order[i].number] = now;
            *from = now + m.length;
            *to = now + m.length;
        }
    }
    free(order);
    free(idle_at);
    return status;
}

/* ---- Exchanges ------------------------------------------------------------------------------- */

enum { LENGTHS_TRIED = 8, SCANNED = 1 << 19 };

struct diary {       /* of a port */
    size_t *message; /* by start */
    int32_t count;
};

struct greedy {
    const struct rb_traffic *traffic;
    struct diary *diary; /* [ports] */
    size_t *entries;     /* of all diaries */
    int64_t *start;      /* [messages]; of those in diaries */
    int64_t *weight;     /* [messages] */
    int64_t *listed;     /* [messages]: when they start in the list */
    size_t *waiting;     /* [messages]: a ring */
    size_t first, count; /* of it */
    int64_t by;          /* when all is to have ended */
    int weight_shift;    /* a unit of weight is 2 to this power units of length */
    uint64_t random;
};

static int64_t length_of(const struct greedy *g, size_t message)
{
    return g->traffic->message[message].length;
}

static int64_t weight_of(const struct greedy *g, int64_t length)
{
    return g->weight_shift == 0 ? length : (length >> g->weight_shift) + 1;
}

static struct diary *sender_of(const struct greedy *g, size_t message)
{
    return &g->diary[g->traffic->message[message].from];
}

static struct diary *receiver_of(const struct greedy *g, size_t message)
{
    return &g->diary[g->traffic->senders + g->traffic->message[message].to];
}

static int64_t end_of(const struct greedy *g, size_t message)
{
    return g->start[message] + length_of(g, message);
}

/* The first entry that ends after a time. */
static int32_t entry_after(const struct greedy *g, const struct diary *d, int64_t time)
{
    int32_t low = 0, high = d->count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (end_of(g, d->message[middle]) > time)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void enter(struct greedy *g, struct diary *d, size_t message)
{
    const int32_t at = entry_after(g, d, g->start[message]);
    memmove(d->message + at + 1, d->message + at, (size_t)(d->count - at) * sizeof *d->message);
    d->message[at] = message;
    d->count++;
}

static void strike(struct greedy *g, struct diary *d, size_t message)
{
    const int32_t at = entry_after(g, d, g->start[message]);
    d->count--;
    memmove(d->message + at, d->message + at + 1, (size_t)(d->count - at) * sizeof *d->message);
}

static void wait_again(struct greedy *g, size_t message)
{
    g->waiting[(g->first + g->count++) % g->traffic->count] = message;
}

static size_t next_waiting(struct greedy *g)
{
    const size_t message = g->waiting[g->first];
    g->first = (g->first + 1) % g->traffic->count;
    g->count--;
    return message;
}

/* Enters it at the earliest time at which both ranks are idle for long enough, if it ends by
 * then. */
static bool enter_early(struct greedy *g, size_t message)
{
    const struct diary *const d[2] = {sender_of(g, message), receiver_of(g, message)};
    const int64_t length = length_of(g, message);
    int32_t at[2] = {0, 0};
    int64_t time = 0;
    for (int side = 0, idle = 0; idle < 2; side = 1 - side) {
        while (at[side] < d[side]->count && end_of(g, d[side]->message[at[side]]) <= time)
            at[side]++;
        if (at[side] < d[side]->count && g->start[d[side]->message[at[side]]] < time + length) {
            time = end_of(g, d[side]->message[at[side]]);
            idle = 0;
        } else {
            idle++;
        }
    }
    if (time > g->by - length)
        return false;
    g->start[message] = time;
    enter(g, sender_of(g, message), message);
    enter(g, receiver_of(g, message), message);
    return true;
}

/* Weight of the entries in the way of [time, time + length). */
static int64_t in_the_way(const struct greedy *g, const struct diary *d, int64_t time,
                          int64_t length)
{
    int64_t weight = 0;
    for (int32_t i = entry_after(g, d, time);
         i < d->count && g->start[d->message[i]] < time + length; i++)
        weight += g->weight[d->message[i]];
    return weight;
}

static uint32_t next_random(struct greedy *g)
{
    g->random = g->random * UINT64_C(6364136223846793005) + 1442695040888963407U;
    return (uint32_t)(g->random >> 33);
}

struct exchange {
    int64_t time, weight; /* weight of the messages in the way */
    uint32_t ties;
};

static void consider(struct greedy *g, size_t message, int64_t time, struct exchange *best)
{
    const int64_t length = length_of(g, message);
    if (time < 0 || time > g->by - length)
        return;
    const int64_t weight = in_the_way(g, sender_of(g, message), time, length) +
                           in_the_way(g, receiver_of(g, message), time, length);
    if (weight > best->weight)
        return;
    best->ties = weight < best->weight ? 1 : best->ties + 1;
    if (next_random(g) % best->ties == 0)
        best->time = time;
    best->weight = weight;
}

/* The messages in the way are removed and wait. */
static void clear(struct greedy *g, struct diary *d, int64_t time, int64_t length)
{
    for (int32_t at = entry_after(g, d, time);
         at < d->count && g->start[d->message[at]] < time + length;) {
        const size_t gone = d->message[at];
        strike(g, sender_of(g, gone), gone);
        strike(g, receiver_of(g, gone), gone);
        wait_again(g, gone);
    }
}

static void exchange(struct greedy *g, size_t message)
{
    const int64_t length = length_of(g, message);
    struct diary *const d[2] = {sender_of(g, message), receiver_of(g, message)};
    struct exchange best = {.time = -1, .weight = INT64_MAX};
    g->weight[message] += weight_of(g, length);
    consider(g, message, 0, &best);
    for (int side = 0; side < 2; side++)
        for (int32_t i = 0; i < d[side]->count; i++) {
            consider(g, message, end_of(g, d[side]->message[i]), &best);
            consider(g, message, g->start[d[side]->message[i]] - length, &best);
        }
    clear(g, d[0], best.time, length);
    clear(g, d[1], best.time, length);
    g->start[message] = best.time;
    enter(g, d[0], message);
    enter(g, d[1], message);
}

static int init(struct greedy *g)
{
    const size_t ports = (size_t)g->traffic->senders + (size_t)g->traffic->receivers;
    const size_t count = g->traffic->count;
    g->diary = calloc(ports + 1, sizeof *g->diary);
    g->entries = malloc((2 * count + 1) * sizeof *g->entries);
    g->start = malloc((count + 1) * sizeof *g->start);
    g->weight = malloc((count + 1) * sizeof *g->weight);
    g->listed = malloc((count + 1) * sizeof *g->listed);
    g->waiting = malloc((count + 1) * sizeof *g->waiting);
    if (g->diary == NULL || g->entries == NULL || g->start == NULL || g->weight == NULL ||
        g->listed == NULL || g->waiting == NULL)
        return RB_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        sender_of(g, i)->count++;
        receiver_of(g, i)->count++;
    }
    size_t *next = g->entries;
    for (size_t i = 0; i < ports; i++) {
        g->diary[i].message = next;
        next += g->diary[i].count;
        g->diary[i].count = 0;
    }
    return RB_OK;
}

static void enter_and_exchange(struct greedy *g, int64_t exchanges)
{
    for (size_t i = g->count; i > 0; i--) {
        const size_t message = next_waiting(g);
        if (!enter_early(g, message))
            wait_again(g, message);
    }
    for (; g->count > 0 && exchanges > 0; exchanges--) {
        const size_t message = next_waiting(g);
        if (!enter_early(g, message))
            exchange(g, message);
    }
}

static int64_t length_of_all(const struct greedy *g, const int64_t start[])
{
    int64_t length = 0;
    for (size_t i = 0; i < g->traffic->count; i++)
        length = start[i] + length_of(g, i) > length ? start[i] + length_of(g, i) : length;
    return length;
}

/* The list; in the order of modular classes, if there is one and it is shorter. */
static int find_list(struct greedy *g, const struct rb_redistribution *problem)
{
    int64_t length;
    int status = list_times(g->traffic, g->listed);
    if (status != RB_OK || length_of_all(g, g->listed) == g->traffic->longest_port)
        return status;
    status = redist_modular_starts(problem, g->traffic, g->weight, &length, NULL, 0);
    if (status != RB_OK)
        return status == RB_EINVAL ? RB_OK : status;
    status = times_in_order(g->traffic, g->weight, g->start);
    if (status == RB_OK && length_of_all(g, g->start) < length_of_all(g, g->listed))
        memcpy(g->listed, g->start, g->traffic->count * sizeof *g->listed);
    return status;
}

/* Shortens the list by exchanges, if they succeed. */
static void shorten(struct greedy *g, int64_t exchanges)
{
    const int64_t length = length_of_all(g, g->listed);
    g->by = g->traffic->longest_port;
    for (size_t i = 0; i < g->traffic->count; i++) {
        const int64_t end = g->listed[i] + length_of(g, i);
        g->start[i] = g->listed[i];
        g->weight[i] = weight_of(g, length_of(g, i));
        if (end > g->by) {
            wait_again(g, i);
        } else {
            enter(g, sender_of(g, i), i);
            enter(g, receiver_of(g, i), i);
        }
    }
    const int64_t step = 1 + (length - g->by) / LENGTHS_TRIED;
    for (; g->count > 0 && g->by < length; g->by += step)
        enter_and_exchange(g, exchanges);
    if (g->count > 0)
        memcpy(g->start, g->listed, g->traffic->count * sizeof *g->start);
}

/* Per length aimed at. By default it is a matter of seconds: an exchange takes longer the more
 * messages a rank has. */
static int64_t exchanges_of(const struct rb_redistribute_options *options,
                            const struct rb_traffic *traffic)
{
    if (options != NULL && options->most_exchanges != 0)
        return options->most_exchanges < 0 ? 0 : options->most_exchanges;
    const int32_t ranks =
        traffic->senders < traffic->receivers ? traffic->senders : traffic->receivers;
    const int64_t messages = (int64_t)traffic->count / ranks + 1;
    return RB_MOST_EXCHANGES < SCANNED / messages ? RB_MOST_EXCHANGES : SCANNED / messages;
}

/* Weights of all messages, each of which grows by its own with every exchange, have a sum that an
 * int64_t holds: where messages are huge, weights are rounded. */
static int weight_shift(const struct rb_traffic *traffic, int64_t exchanges)
{
    const double most = ldexp(1, 60) / ((double)exchanges * LENGTHS_TRIED + 1);
    double all = 0;
    int shift = 0;
    for (size_t i = 0; i < traffic->count; i++)
        all += (double)traffic->message[i].length;
    while (shift < 62 && ldexp(all, -shift) > most)
        shift++;
    return shift;
}

int redist_greedy(const struct rb_redistribution *problem, const struct rb_traffic *traffic,
                  const struct rb_redistribute_options *options, struct rb_timetable *timetable,
                  char *why, size_t why_size)
{
    const int64_t exchanges = exchanges_of(options, traffic);
    struct greedy g = {.traffic = traffic, .weight_shift = weight_shift(traffic, exchanges)};
    *timetable = (struct rb_timetable){0};
    int status = init(&g);
    if (status == RB_OK)
        status = find_list(&g, problem);
    if (status == RB_OK) {
        shorten(&g, exchanges);
        status = redist_timetable_of_starts(traffic, g.start, timetable);
    }
    free(g.diary);
    free(g.entries);
    free(g.start);
    free(g.weight);
    free(g.listed);
    free(g.waiting);
    if (status != RB_OK)
        rb_timetable_deinit(timetable);
    return status == RB_ENOMEM ? rb_why(why, why_size, status, "out of memory") : status;
}
