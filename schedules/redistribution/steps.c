/* steps.c - from messages in steps to times, and how few steps, how little time there can be. */
#include "redistribution.h"

#include <stdlib.h>
#include <string.h>

#include "schedules/plan/plan.h"

int redist_timetable_of_steps(const struct rb_traffic *traffic, const int32_t step[], int32_t steps,
                              struct rb_timetable *timetable, char *why, size_t why_size)
{
    int64_t *start = calloc((size_t)steps + 1, sizeof *start);
    size_t room = 0;
    int status = start == NULL ? RB_ENOMEM : RB_OK;
    *timetable = (struct rb_timetable){0};
    for (size_t i = 0; i < traffic->count && status == RB_OK; i++)
        if (traffic->message[i].length > start[step[i] + 1])
            start[step[i] + 1] = traffic->message[i].length;
    for (int32_t k = 0; k < steps && status == RB_OK; k++)
        start[k + 1] += start[k];
    for (size_t i = 0; i < traffic->count && status == RB_OK; i++)
        status = redist_timetable_add(
            timetable, &room, (struct rb_piece){i, 0, traffic->message[i].length, start[step[i]]});
    free(start);
    if (status != RB_OK) {
        rb_timetable_deinit(timetable);
        return rb_why(why, why_size, status, "out of memory");
    }
    redist_timetable_finish(timetable);
    return RB_OK;
}

int redist_steps_fewest(const struct rb_traffic *traffic, int32_t *steps)
{
    int32_t *of_port =
        calloc((size_t)traffic->senders + (size_t)traffic->receivers, sizeof *of_port);
    if (of_port == NULL)
        return RB_ENOMEM;
    *steps = 0;
    for (size_t i = 0; i < traffic->count; i++) {
        const struct rb_message m = traffic->message[i];
        const int32_t sent = ++of_port[m.from], received = ++of_port[traffic->senders + m.to];
        *steps = sent > *steps ? sent : *steps;
        *steps = received > *steps ? received : *steps;
    }
    free(of_port);
    return RB_OK;
}

int redist_steps_bound(const struct rb_traffic *traffic, int64_t longest[])
{
    int32_t *of_port =
        calloc((size_t)traffic->senders + (size_t)traffic->receivers, sizeof *of_port);
    struct redist_keyed *sorted = malloc((traffic->count + 1) * sizeof *sorted);
    int status = of_port == NULL || sorted == NULL ? RB_ENOMEM : RB_OK;
    if (status == RB_OK) {
        for (size_t i = 0; i < traffic->count; i++)
            sorted[i] = (struct redist_keyed){-traffic->message[i].length, i};
        redist_sort(sorted, traffic->count);
        int32_t steps = 0;
        for (size_t i = 0; i < traffic->count; i++) {
            const struct rb_message m = traffic->message[sorted[i].number];
            const int32_t sent = ++of_port[m.from], received = ++of_port[traffic->senders + m.to];
            if (sent > steps || received > steps)
                longest[steps++] = m.length;
        }
    }
    free(of_port);
    free(sorted);
    return status;
}

/* ---- Assigns messages to steps so that the sum of the steps' longest messages is small ------- */

/* Messages are placed longest first, so that the first message of a step is its longest, and each
 * goes to the first step in which both its ranks are idle. If there is none, its sender is idle in
 * some step a and its receiver in some step b; the messages of a and b that are connected with the
 * receiver form a path, which cannot reach the sender, and they exchange their steps (Kempe; this
 * is König's proof that the largest number of messages of a rank is enough steps). A step becomes
 * longer if a longer message moves to it; several pairs a, b are tried, and also a new step
 * instead. With few messages, many orders of those that are equally long are tried. */

enum { NONE = -1, PAIRS_TRIED = 64, MOST_SEARCHED = 1000 };

struct choice {
    const struct rb_traffic *traffic;
    int32_t most, open;
    int32_t *order;   /* [messages]: longest first */
    int32_t *held;    /* [ports][most]: message in a step, or NONE */
    int64_t *longest; /* [most] */
    int32_t *path;    /* [ports] */
    int32_t *step;    /* [messages]: of the order being tried */
    int64_t nodes;    /* work left: messages placed or examined */
    uint64_t random;
};

static int64_t length_of(const struct choice *c, int32_t message)
{
    return c->traffic->message[message].length;
}

static int32_t *steps_of_sender(const struct choice *c, int32_t message)
{
    return c->held + (size_t)c->traffic->message[message].from * (size_t)c->most;
}

static int32_t *steps_of_receiver(const struct choice *c, int32_t message)
{
    const size_t port = (size_t)c->traffic->senders + (size_t)c->traffic->message[message].to;
    return c->held + port * (size_t)c->most;
}

static void put(struct choice *c, int32_t message, int32_t step)
{
    steps_of_sender(c, message)[step] = message;
    steps_of_receiver(c, message)[step] = message;
    c->longest[step] =
        length_of(c, message) > c->longest[step] ? length_of(c, message) : c->longest[step];
}

static void take(struct choice *c, int32_t message, int32_t step)
{
    steps_of_sender(c, message)[step] = NONE;
    steps_of_receiver(c, message)[step] = NONE;
}

/* Finds the messages of steps a and b that are connected with the receiver of this one, the
 * receiver's own in a first. Returns by how much the steps grow if these messages exchange their
 * steps. */
static int64_t follow(struct choice *c, int32_t message, int32_t a, int32_t b, int32_t *count)
{
    int64_t grown_a = c->longest[a], grown_b = c->longest[b];
    int32_t next = steps_of_receiver(c, message)[a];
    for (*count = 0; next != NONE; ++*count) {
        const bool in_a = *count % 2 == 0;
        c->path[*count] = next;
        int64_t *const grown = in_a ? &grown_b : &grown_a;
        *grown = length_of(c, next) > *grown ? length_of(c, next) : *grown;
        next = (in_a ? steps_of_sender(c, next) : steps_of_receiver(c, next))[in_a ? b : a];
    }
    c->nodes -= *count + 1;
    return grown_a - c->longest[a] + grown_b - c->longest[b];
}

static void exchange(struct choice *c, int32_t a, int32_t b, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        take(c, c->path[i], i % 2 == 0 ? a : b);
    for (int32_t i = 0; i < count; i++)
        put(c, c->path[i], i % 2 == 0 ? b : a);
}

/* Places a message for which no open step is idle at both ends. */
static void make_room(struct choice *c, int32_t message)
{
    const int32_t *const sender = steps_of_sender(c, message);
    const int32_t *const receiver = steps_of_receiver(c, message);
    int64_t least = c->open < c->most ? length_of(c, message) : INT64_MAX;
    int32_t best_a = NONE, best_b = NONE, count, tried = 0;
    for (int32_t a = 0; a < c->open && tried < PAIRS_TRIED && least > 0; a++)
        for (int32_t b = 0; b < c->open && tried < PAIRS_TRIED && least > 0; b++) {
            if (sender[a] != NONE || receiver[b] != NONE)
                continue;
            tried++;
            const int64_t growth = follow(c, message, a, b, &count);
            if (growth < least) {
                least = growth;
                best_a = a;
                best_b = b;
            }
        }
    if (best_a == NONE) {
        put(c, message, c->open++);
        return;
    }
    follow(c, message, best_a, best_b, &count);
    exchange(c, best_a, best_b, count);
    put(c, message, best_a);
}

static void place(struct choice *c, int32_t message)
{
    const int32_t *const sender = steps_of_sender(c, message);
    const int32_t *const receiver = steps_of_receiver(c, message);
    for (int32_t step = 0; step < c->open; step++)
        if (sender[step] == NONE && receiver[step] == NONE) {
            put(c, message, step);
            return;
        }
    make_room(c, message);
}

/* Writes the steps down; returns their total. */
static int64_t write_down(const struct choice *c, int32_t step[])
{
    int64_t total = 0;
    for (int32_t k = 0; k < c->open; k++) {
        int64_t longest = 0;
        for (int32_t sender = 0; sender < c->traffic->senders; sender++) {
            const int32_t message = c->held[(size_t)sender * (size_t)c->most + (size_t)k];
            if (message == NONE)
                continue;
            step[message] = k;
            longest = length_of(c, message) > longest ? length_of(c, message) : longest;
        }
        total += longest;
    }
    return total;
}

static void clear(struct choice *c)
{
    const size_t ports = (size_t)c->traffic->senders + (size_t)c->traffic->receivers;
    for (size_t i = 0; i < ports * (size_t)c->most; i++)
        c->held[i] = NONE;
    for (int32_t k = 0; k < c->most; k++)
        c->longest[k] = 0;
    c->open = 0;
}

/* ---- All messages ---------------------------------------------------------------------------- */

static int find_order(struct choice *c)
{
    const size_t count = c->traffic->count;
    struct redist_keyed *by_length = malloc(count * sizeof *by_length);
    if (by_length == NULL)
        return RB_ENOMEM;
    for (size_t i = 0; i < count; i++)
        by_length[i] = (struct redist_keyed){-c->traffic->message[i].length, i};
    redist_sort(by_length, count);
    for (size_t i = 0; i < count; i++)
        c->order[i] = (int32_t)by_length[i].number;
    free(by_length);
    return RB_OK;
}

static int init(struct choice *c)
{
    const size_t ports = (size_t)c->traffic->senders + (size_t)c->traffic->receivers;
    c->order = malloc(c->traffic->count * sizeof *c->order);
    c->held = calloc(ports, (size_t)c->most * sizeof *c->held);
    c->longest = calloc((size_t)c->most, sizeof *c->longest);
    c->path = malloc(ports * sizeof *c->path);
    c->step = malloc(c->traffic->count * sizeof *c->step);
    if (c->order == NULL || c->held == NULL || c->longest == NULL || c->path == NULL ||
        c->step == NULL)
        return RB_ENOMEM;
    return find_order(c);
}

/* Shuffles those that are equally long. */
static void shuffle(struct choice *c)
{
    const int32_t count = (int32_t)c->traffic->count;
    for (int32_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count; end++)
            if (length_of(c, c->order[end]) != length_of(c, c->order[first]))
                break;
        for (int32_t i = end - 1; i > first; i--) {
            c->random = c->random * UINT64_C(6364136223846793005) + 1442695040888963407U;
            const int32_t other = first + (int32_t)((c->random >> 33) % (uint32_t)(i - first + 1));
            const int32_t message = c->order[i];
            c->order[i] = c->order[other];
            c->order[other] = message;
        }
    }
}

/* No total is below it. */
static int find_bound(struct choice *c, int64_t *bound)
{
    const int status = redist_steps_bound(c->traffic, c->longest);
    *bound = 0;
    for (int32_t k = 0; k < c->most && status == RB_OK; k++)
        *bound += c->longest[k];
    return status;
}

/* Places all in several orders, while there is work left and the total isn't the bound, and takes
 * the least. */
static void place_all(struct choice *c, int64_t bound, int32_t step[], int32_t *steps)
{
    int64_t least = INT64_MAX;
    do {
        clear(c);
        if (least < INT64_MAX)
            shuffle(c);
        for (size_t k = 0; k < c->traffic->count; k++)
            place(c, c->order[k]);
        const int64_t total = write_down(c, c->step);
        if (total < least) {
            least = total;
            *steps = c->open;
            memcpy(step, c->step, c->traffic->count * sizeof *step);
        }
        c->nodes -= (int64_t)c->traffic->count;
    } while (c->nodes > 0 && least > bound && c->traffic->count <= MOST_SEARCHED);
}

/* Assigns steps, at most `most` of them (at least as many as some rank has messages), so that the
 * total of their longest messages is small: step[] is the caller's, [messages]. Exact if the total
 * is the bound. Gives the number of steps. Memory: 4 bytes per port and step. O(messages (steps +
 * ports)) and `nodes`. RB_ENOMEM. */
static int steps_choose(const struct rb_traffic *traffic, int32_t most, int64_t nodes,
                        int32_t step[], int32_t *steps)
{
    struct choice c = {.traffic = traffic, .most = most, .nodes = nodes};
    int64_t bound = 0;
    *steps = 0;
    if (traffic->count == 0)
        return RB_OK;
    int status = traffic->count > INT32_MAX ? RB_ENOMEM : init(&c);
    if (status == RB_OK)
        status = find_bound(&c, &bound);
    if (status == RB_OK)
        place_all(&c, bound, step, steps);
    free(c.order);
    free(c.held);
    free(c.longest);
    free(c.path);
    free(c.step);
    return status;
}

/* ---- The methods ----------------------------------------------------------------------------- */

/* Synchronised steps, as few as there can be, or with the least total of their longest messages
 * (Desprez et al., Scheduling block-cyclic array redistribution, IEEE TPDS 1998, which the paper
 * goes on from). In Example 1 (6 ranks, r = 2, s = 3) both take 6 steps and 9 units, against 6
 * without synchronisation. */

/* In times as many steps as the fewest. */
static int in_steps(const struct rb_traffic *traffic, int32_t times,
                    const struct rb_redistribute_options *options, struct rb_timetable *timetable,
                    char *why, size_t why_size)
{
    const int64_t nodes =
        options != NULL && options->most_nodes > 0 ? options->most_nodes : RB_MOST_NODES;
    int32_t *step = malloc((traffic->count + 1) * sizeof *step);
    int32_t fewest = 0, steps = 0;
    int status = step == NULL ? RB_ENOMEM : redist_steps_fewest(traffic, &fewest);
    *timetable = (struct rb_timetable){0};
    if (status == RB_OK)
        status = fewest > INT32_MAX / times
                     ? RB_ENOMEM
                     : steps_choose(traffic, times * fewest, nodes, step, &steps);
    if (status == RB_OK)
        status = redist_timetable_of_steps(traffic, step, steps, timetable, why, why_size);
    free(step);
    return status == RB_ENOMEM ? rb_why(why, why_size, status, "out of memory") : status;
}

int redist_stepwise(const struct rb_redistribution *problem, const struct rb_traffic *traffic,
                    const struct rb_redistribute_options *options, struct rb_timetable *timetable,
                    char *why, size_t why_size)
{
    (void)problem;
    return in_steps(traffic, 1, options, timetable, why, why_size);
}

/* With more steps than the fewest, d, twice that is enough: a message in a step after 2 d - 1
 * others finds both its ranks idle in one of these, the longest of which is no shorter. As neither
 * is exact for many messages, the better one is taken. */
int redist_stepwise_total(const struct rb_redistribution *problem, const struct rb_traffic *traffic,
                          const struct rb_redistribute_options *options,
                          struct rb_timetable *timetable, char *why, size_t why_size)
{
    (void)problem;
    struct rb_timetable fewest;
    int status = in_steps(traffic, 1, options, &fewest, why, why_size);
    if (status != RB_OK)
        return status;
    status = in_steps(traffic, 2, options, timetable, why, why_size);
    if (status == RB_OK && fewest.length <= timetable->length) {
        const struct rb_timetable longer = *timetable;
        *timetable = fewest;
        fewest = longer;
    }
    rb_timetable_deinit(&fewest);
    return status;
}

/* ---- The all-to-all that everyone writes first ----------------------------------------------- */

/* In step d, sender i sends to receiver (i + d) mod max(P, Q) if it has something for it. Steps
 * wait for each other. */

int redist_caterpillar(const struct rb_redistribution *problem, const struct rb_traffic *traffic,
                       const struct rb_redistribute_options *options,
                       struct rb_timetable *timetable, char *why, size_t why_size)
{
    (void)problem;
    (void)options;
    const int32_t steps =
        traffic->senders > traffic->receivers ? traffic->senders : traffic->receivers;
    int32_t *step = malloc((traffic->count + 1) * sizeof *step);
    *timetable = (struct rb_timetable){0};
    if (step == NULL)
        return rb_why(why, why_size, RB_ENOMEM, "out of memory");
    for (size_t i = 0; i < traffic->count; i++)
        step[i] = (traffic->message[i].to - traffic->message[i].from + steps) % steps;
    const int status = redist_timetable_of_steps(traffic, step, steps, timetable, why, why_size);
    free(step);
    return status;
}
