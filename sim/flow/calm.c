/* calm.c - rounds in which no two messages meet on a link: their times by arithmetic, without a
 * queue of events.
 *
 * A link that carries one message at a time binds none: a message takes its latency, from when both
 * its ranks have entered its round, and then its bytes at the least bandwidth of its route. So the
 * times of a round follow from those of the round before, and its messages may be taken in any
 * order. Of each link that hosts don't have for themselves we keep until when it is busy. A message
 * that comes earlier meets another one, or is of a newer round than one that comes later: then all
 * is left to events.
 *
 * Events hand over where no link binds. Then a message whose bytes move will end when it is to, if
 * nobody meets it, and what has not begun will not begin before now.
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
    const struct rb_rank *state;
    int64_t next;     /* the next round with an operation of its own */
    int32_t to, from; /* in this round; -1: nobody */
    int64_t bytes;    /* that it sends */
    double end_s;     /* of its message */
    bool inside;      /* of its next round the replay knows more than the plan */
    bool flies;       /* the message of that round has begun */
};

struct attempt {
    struct flow_calm *calm;
    struct rb_rank *state; /* per rank; NULL: they are the replay's */
    struct member *member; /* per rank */
    struct rb_op *ops;
    double *busy_s; /* per link that is no host's own: until when */
    bool failed;
};

/* What a rank does in the round, by the plan. */
static void read_round(struct attempt *attempt, struct member *member, int64_t t)
{
    const struct sim_spec *spec = attempt->calm->spec;
    char why[240];
    const int32_t count = rb_layout_checked_round(spec->plan, spec->layout, member->state, t,
                                                  attempt->ops, why, sizeof why);
    struct dep_messages left = dep_messages_of(attempt->ops, count > 0 ? count : 0);
    attempt->failed |= count < 0;
    for (struct dep_message message; dep_next_message(&left, &message);) {
        const bool sends = message.ops->kind == RB_SEND;
        *(sends ? &member->to : &member->from) = message.ops->peer;
        if (sends)
            member->bytes = dep_message_bytes(spec->plan, spec->layout, &message);
    }
}

/* What it does in the round that it is in, without what is complete. */
static void read_stand(struct attempt *attempt, struct member *member, int32_t r)
{
    struct sim_replay_stand stand;
    sim_replay_look(attempt->calm->replay, r, &stand);
    member->to = stand.to;
    member->from = stand.from;
    member->bytes = stand.bytes;
    member->inside = false;
}

static void ask(struct attempt *attempt, int32_t r, int64_t t)
{
    struct member *member = &attempt->member[r];
    member->to = member->from = -1;
    if (member->next != t)
        return;
    if (member->inside)
        read_stand(attempt, member, r);
    else
        read_round(attempt, member, t);
    member->next = dep_next_round(attempt->calm->spec->plan, member->state, t + 1);
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

/* The route from rank to rank in the round. */
static bool find(struct attempt *attempt, int32_t r, int32_t to, int64_t t,
                 struct platform_route *route)
{
    const struct flow_calm *calm = attempt->calm;
    struct sup_error error;
    if (platform_network_route(calm->network, calm->host[r], calm->host[to], (uint64_t)t, route,
                               &error) == RB_OK &&
        route->count > 0)
        return true;
    attempt->failed = true;
    return false;
}

/* Its bytes move from begin_s on. */
static void move(struct attempt *attempt, struct member *member, const struct platform_route *route,
                 double begin_s)
{
    const double weight = flow_weight(route->latency_s);
    member->end_s = begin_s;
    if (member->bytes > 0) {
        member->end_s += (double)member->bytes / (route->bandwidth / weight * weight);
        cross(attempt, route, begin_s, member->end_s);
    }
}

static void send(struct attempt *attempt, int32_t r, int64_t t)
{
    struct flow_calm *calm = attempt->calm;
    struct member *member = &attempt->member[r];
    struct platform_route route;
    const int32_t to = member->to;
    if (member->flies) {
        member->flies = false;
        return;
    }
    if (attempt->member[to].from != r || !find(attempt, r, to, t, &route)) {
        attempt->failed = true;
        return;
    }
    const double one_s = calm->finish_s[r], other_s = calm->finish_s[to];
    move(attempt, member, &route, (one_s > other_s ? one_s : other_s) + route.latency_s);
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

/* A message in flight; its latency ends at ready_s, or its bytes move and will have at end_s. */
static void take_over(struct attempt *attempt, int32_t r, double ready_s, double end_s)
{
    struct member *member = &attempt->member[r];
    struct sim_replay_stand stand;
    struct platform_route route;
    sim_replay_look(attempt->calm->replay, r, &stand);
    if (!find(attempt, r, stand.to, stand.round, &route))
        return;
    member->flies = true;
    member->bytes = stand.bytes;
    if (ready_s < FLOW_NEVER_S) {
        move(attempt, member, &route, ready_s);
    } else {
        member->end_s = end_s;
        cross(attempt, &route, end_s, end_s);
    }
}

/* Those whose bytes move come first: they are on their links already. */
static void take_all_over(struct attempt *attempt)
{
    const struct flow_arrivals *arrivals = attempt->calm->arrivals;
    const struct flow_latencies *latencies = attempt->calm->latencies;
    for (int32_t i = 0; i < arrivals->count; i++) {
        const int32_t slot = flow_arrivals_slot(arrivals, i);
        take_over(attempt, slot, FLOW_NEVER_S, arrivals->end_s[slot]);
    }
    for (int32_t i = 0; i < latencies->count; i++)
        for (int32_t slot = latencies->queue[i].first; slot >= 0; slot = latencies->next[slot])
            take_over(attempt, slot, latencies->end_s[slot], 0);
}

/* What a rank does next, by the replay or by the plan. */
static void begin_rank(struct attempt *attempt, int32_t r)
{
    const struct flow_calm *calm = attempt->calm;
    const struct rb_plan *plan = calm->spec->plan;
    struct member *member = &attempt->member[r];
    struct sim_replay_stand stand;
    if (calm->replay != NULL) {
        sim_replay_look(calm->replay, r, &stand);
        *member =
            (struct member){.state = stand.state, .next = stand.round, .inside = stand.inside};
        return;
    }
    rb_plan_rank(plan, r, &attempt->state[r]);
    *member = (struct member){.state = &attempt->state[r],
                              .next = dep_next_round(plan, &attempt->state[r], 0)};
}

/* Returns the first round in which there is something to do. */
static int64_t begin(struct attempt *attempt, int32_t p)
{
    int64_t first = INT64_MAX;
    for (int32_t r = 0; r < p; r++) {
        begin_rank(attempt, r);
        if (attempt->member[r].next < first)
            first = attempt->member[r].next;
    }
    if (attempt->calm->replay != NULL)
        take_all_over(attempt);
    return first;
}

static void do_rounds(struct attempt *attempt, int32_t p)
{
    const struct flow_calm *calm = attempt->calm;
    const struct sim_meter *meter = calm->spec->meter;
    const int64_t rounds = rb_plan_rounds(calm->spec->plan), first = begin(attempt, p);
    for (int64_t t = first; t < rounds && !attempt->failed; t++) {
        do_round(attempt, p, t);
        attempt->failed |= (t + 1 - first - FREE_VISITS) * p > MOST_VISITS * calm->messages;
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
    if (calm->replay == NULL)
        attempt.state = sup_malloc((size_t)p * sizeof *attempt.state);
    attempt.ops = sup_malloc(((size_t)rb_plan_max_ops(plan) + 1) * sizeof *attempt.ops);
    attempt.busy_s =
        sup_calloc((size_t)(calm->network->links - calm->alone) + 1, sizeof *attempt.busy_s);
    do_rounds(&attempt, p);
    free(attempt.busy_s);
    free(attempt.ops);
    free(attempt.state);
    free(attempt.member);
    return !attempt.failed;
}
