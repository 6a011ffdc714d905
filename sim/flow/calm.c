/* calm.c - a plan of which no two messages meet on a link: its times by arithmetic, without a queue
 * of events.
 *
 * A link that carries one message at a time binds none: a message takes its latency, from when both
 * its ranks have entered its round, and then its bytes at the least bandwidth of its route. So the
 * times of a round follow from those of the round before, and its messages may be taken in any
 * order. Of each link that hosts don't have for themselves we keep until when it is busy. A message
 * that comes earlier meets another one, or is of a newer round than one that comes later: then all
 * is left to events.
 *
 * Fast because nothing is looked up in an order by time: a message costs its ranks' part of the
 * plan, its route, and two places in arrays that are read one after another. The times are those of
 * events but for the last digits: there all that happens within FLOW_SAME_MOMENT is one moment. */
#include <stdlib.h>

#include "flow.h"
#include "schedules/dependences/messages.h"
#include "support/memory.h"

/* Visits of ranks per message, and for each rank before they count: plans with few messages in a
 * round are faster by events. */
enum { MOST_VISITS = 16, FREE_VISITS = 64 };

struct member {
    struct rb_rank state;
    int64_t next;     /* the next round with an operation of its own */
    int32_t to, from; /* in this round; -1: nobody */
    int64_t bytes;    /* that it sends */
    double end_s;     /* of its message */
};

struct attempt {
    struct flow_calm *calm;
    struct member *member; /* per rank */
    struct rb_op *ops;
    double *busy_s; /* per link that is no host's own: until when */
    bool failed;
};

/* What a rank does in the round. */
static void ask(struct attempt *attempt, int32_t r, int64_t t)
{
    const struct sim_spec *spec = attempt->calm->spec;
    struct member *member = &attempt->member[r];
    member->to = member->from = -1;
    if (member->next != t)
        return;
    char why[240];
    const int32_t count = rb_layout_checked_round(spec->plan, spec->layout, &member->state, t,
                                                  attempt->ops, why, sizeof why);
    struct dep_messages left = dep_messages_of(attempt->ops, count > 0 ? count : 0);
    attempt->failed |= count < 0;
    for (struct dep_message message; dep_next_message(&left, &message);) {
        const bool sends = message.ops->kind == RB_SEND;
        *(sends ? &member->to : &member->from) = message.ops->peer;
        if (sends)
            member->bytes = dep_message_bytes(spec->plan, spec->layout, &message);
    }
    member->next = dep_next_round(spec->plan, &member->state, t + 1);
}

/* The message crosses its route's links from begin_s to end_s. */
static void cross(struct attempt *attempt, const struct platform_route *route, double begin_s,
                  double end_s)
{
    const int32_t alone = attempt->calm->alone;
    for (int32_t i = 0; i < route->count; i++) {
        const int32_t l = route->link[i];
        if (l < alone)
            continue;
        attempt->failed |= attempt->busy_s[l - alone] > begin_s * (1 + FLOW_SAME_MOMENT);
        attempt->busy_s[l - alone] = end_s;
    }
}

static void send(struct attempt *attempt, int32_t r, int64_t t)
{
    struct flow_calm *calm = attempt->calm;
    struct member *member = &attempt->member[r];
    struct platform_route route;
    struct sup_error error;
    const int32_t to = member->to;
    if (attempt->member[to].from != r ||
        platform_network_route(calm->network, calm->host[r], calm->host[to], (uint64_t)t, &route,
                               &error) != RB_OK ||
        route.count == 0) {
        attempt->failed = true;
        return;
    }
    const double one_s = calm->finish_s[r], other_s = calm->finish_s[to];
    const double begin_s = (one_s > other_s ? one_s : other_s) + route.latency_s;
    const double weight = flow_weight(route.latency_s);
    member->end_s = begin_s;
    if (member->bytes > 0) {
        member->end_s += (double)member->bytes / (route.bandwidth / weight * weight);
        cross(attempt, &route, begin_s, member->end_s);
    }
    if (calm->load != NULL)
        net_link_load_add(calm->load, &route, member->bytes);
    calm->messages++;
    calm->bytes += (uint64_t)member->bytes;
}

static void raise(double *finish_s, double end_s)
{
    if (*finish_s < end_s)
        *finish_s = end_s;
}

static void do_round(struct attempt *attempt, int32_t p, int64_t t)
{
    struct member *member = attempt->member;
    double *finish_s = attempt->calm->finish_s;
    for (int32_t r = 0; r < p; r++)
        ask(attempt, r, t);
    for (int32_t r = 0; r < p && !attempt->failed; r++)
        if (member[r].to >= 0)
            send(attempt, r, t);
    for (int32_t r = 0; r < p && !attempt->failed; r++) {
        if (member[r].to >= 0)
            raise(&finish_s[r], member[r].end_s);
        if (member[r].from < 0)
            continue;
        attempt->failed = member[member[r].from].to != r;
        raise(&finish_s[r], member[member[r].from].end_s);
    }
}

static void do_rounds(struct attempt *attempt, int32_t p)
{
    const struct flow_calm *calm = attempt->calm;
    const struct sim_meter *meter = calm->spec->meter;
    const int64_t rounds = rb_plan_rounds(calm->spec->plan);
    for (int64_t t = 0; t < rounds && !attempt->failed; t++) {
        do_round(attempt, p, t);
        attempt->failed |= (t + 1 - FREE_VISITS) * p > MOST_VISITS * calm->messages;
        if (meter != NULL && !attempt->failed)
            meter->tell(meter->context, (double)(t + 1) / (double)rounds);
    }
}

bool flow_calm_play(struct flow_calm *calm)
{
    const struct rb_plan *plan = calm->spec->plan;
    const int32_t p = rb_plan_ranks(plan);
    struct attempt attempt = {.calm = calm};
    attempt.member = sup_malloc((size_t)p * sizeof *attempt.member);
    attempt.ops = sup_malloc(((size_t)rb_plan_max_ops(plan) + 1) * sizeof *attempt.ops);
    attempt.busy_s =
        sup_calloc((size_t)(calm->network->links - calm->alone) + 1, sizeof *attempt.busy_s);
    for (int32_t r = 0; r < p; r++) {
        rb_plan_rank(plan, r, &attempt.member[r].state);
        attempt.member[r].next = dep_next_round(plan, &attempt.member[r].state, 0);
    }
    do_rounds(&attempt, p);
    free(attempt.busy_s);
    free(attempt.ops);
    free(attempt.member);
    return !attempt.failed;
}
