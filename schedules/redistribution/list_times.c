/* list_times.c - a list schedule, time by time. */
#include "list_times.h"

#include <stdlib.h>

struct list {
    const struct rb_traffic *traffic;
    int64_t *rest;     /* [ports]: units not yet started */
    int64_t *idle_at;  /* [ports]: from when on */
    size_t *message;   /* [messages]: of each sender those not yet started, first */
    size_t *first;     /* [senders + 1]: the beginning of a sender's messages in it */
    int32_t *count;    /* [senders] */
    struct turn *turn; /* [senders] */
    int32_t idle_receivers;
};

struct turn {
    int64_t rest;
    int32_t sender;
};

static int most_left_first(const void *x, const void *y)
{
    const struct turn *a = x, *b = y;
    if (a->rest != b->rest)
        return a->rest > b->rest ? -1 : 1;
    return (a->sender > b->sender) - (a->sender < b->sender);
}

static int init(struct list *l)
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
            l->turn[turns++] = (struct turn){l->rest[i], i};
    for (int32_t j = 0; j < t->receivers; j++)
        l->idle_receivers += l->rest[t->senders + j] > 0 && l->idle_at[t->senders + j] <= now;
    qsort(l->turn, turns, sizeof *l->turn, most_left_first);
    for (size_t i = 0; i < turns && l->idle_receivers > 0; i++)
        choose(l, l->turn[i].sender, now, start);
    for (int32_t port = 0; port < t->senders + t->receivers; port++)
        if (l->idle_at[port] > now && (next < 0 || l->idle_at[port] < next))
            next = l->idle_at[port];
    return next;
}

int redist_list_times(const struct rb_traffic *traffic, int64_t start[])
{
    struct list l = {.traffic = traffic};
    const int status = init(&l);
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

struct keyed {
    int64_t key;
    size_t message;
};

static int by_key(const void *x, const void *y)
{
    const struct keyed *a = x, *b = y;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->message > b->message) - (a->message < b->message);
}

int redist_times_in_order(const struct rb_traffic *traffic, const int64_t key[], int64_t start[])
{
    const size_t ports = (size_t)traffic->senders + (size_t)traffic->receivers;
    struct keyed *order = malloc((traffic->count + 1) * sizeof *order);
    int64_t *idle_at = calloc(ports, sizeof *idle_at);
    const int status = order == NULL || idle_at == NULL ? RB_ENOMEM : RB_OK;
    if (status == RB_OK) {
        for (size_t i = 0; i < traffic->count; i++)
            order[i] = (struct keyed){key[i], i};
        qsort(order, traffic->count, sizeof *order, by_key);
        for (size_t i = 0; i < traffic->count; i++) {
            const struct rb_message m = traffic->message[order[i].message];
            int64_t *const from = &idle_at[m.from], *const to = &idle_at[traffic->senders + m.to];
            const int64_t now = *from > *to ? *from : *to;
            start[order[i].message] = now;
            *from = now + m.length;
            *to = now + m.length;
        }
    }
    free(order);
    free(idle_at);
    return status;
}
