/* greedy.c - a list heuristic without cuts, which may miss T_opt (Section 4.3 of the paper
 * describes the results of such a heuristic, but not the heuristic). The list (list_times.c): no
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

#include "list_times.h"
#include "modular.h"
#include "schedules/plan/plan.h"

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
    int status = redist_list_times(g->traffic, g->listed);
    if (status != RB_OK || length_of_all(g, g->listed) == g->traffic->longest_port)
        return status;
    status = redist_modular_starts(problem, g->traffic, g->weight, &length, NULL, 0);
    if (status != RB_OK)
        return status == RB_EINVAL ? RB_OK : status;
    status = redist_times_in_order(g->traffic, g->weight, g->start);
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
