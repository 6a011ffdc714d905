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
 * plan, its route, and two places in arrays that are read one after another. Where a round comes
 * again it costs no route and no places. Plans on circulant graphs repeat theirs every log2 p
 * rounds: in each, all that send send to the rank by the same number further, a shift. If no two of
 * a shift's p messages share a link, and all have the same latency and bandwidth, then a round of
 * them may be played as a whole: it meets nothing if it begins when all before it have ended. What
 * is then not known of links is made good by their latest end; an attempt that would need to know
 * more is lost, and made again without whole rounds. The times are those of
 * events but for the last digits: there all that happens within FLOW_SAME_MOMENT is one moment. */
#include <stdlib.h>

#include "flow.h"
#include "schedules/dependences/messages.h"
#include "support/memory.h"

/* Visits of ranks per message, and for each rank before they count: plans with few messages in a
 * round are faster by events. */
enum { MOST_VISITS = 16, FREE_VISITS = 64 };
enum { MOST_SHIFTS = 64 };

struct member {
    const struct rb_rank *state;
    int64_t next;     /* the next round with an operation of its own */
    int32_t to, from; /* in this round; -1: nobody */
    int64_t bytes;    /* that it sends */
    double end_s;     /* of its message */
    bool inside;      /* of its next round the replay knows more than the plan */
    bool flies;       /* the message of that round has begun */
};

/* A round in which all that send send `by` ranks further. */
struct shift {
    int32_t by;
    bool checked; /* the rest is known */
    bool alike;   /* no two messages share a link, and all routes have this latency and bandwidth */
    double latency_s, bandwidth;
};

struct attempt {
    struct flow_calm *calm;
    struct member *member; /* per rank */
    struct rb_op *ops;
    double *busy_s;  /* per link that is no host's own: until when, but for whole rounds */
    double unseen_s; /* until when any may be, by whole rounds */
    double last_s;   /* until when any is */
    struct shift shift[MOST_SHIFTS];
    int32_t shifts;
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

static bool is_after(double one_s, double other_s)
{
    return one_s > other_s * (1 + FLOW_SAME_MOMENT);
}

static void raise(double *finish_s, double end_s)
{
    if (*finish_s < end_s)
        *finish_s = end_s;
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
        attempt->failed |= is_after(attempt->busy_s[l - alone], begin_s);
        attempt->busy_s[l - alone] = end_s;
    }
    if (is_after(attempt->unseen_s, begin_s))
        attempt->failed = attempt->calm->lost = true;
    raise(&attempt->last_s, end_s);
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

/* That of a flow which no link binds, as events compute it. */
static double rate_of(double bandwidth, double latency_s)
{
    const double weight = flow_weight(latency_s);
    return bandwidth / weight * weight;
}

/* Its bytes move from begin_s on. */
static void move(struct attempt *attempt, struct member *member, const struct platform_route *route,
                 double begin_s)
{
    member->end_s = begin_s;
    if (member->bytes > 0) {
        member->end_s += (double)member->bytes / rate_of(route->bandwidth, route->latency_s);
        cross(attempt, route, begin_s, member->end_s);
    }
}

/* When both ranks of its message have entered the round. */
static double entered_s(const struct flow_calm *calm, int32_t r, int32_t to)
{
    const double one_s = calm->finish_s[r], other_s = calm->finish_s[to];
    return one_s > other_s ? one_s : other_s;
}

static void count(struct flow_calm *calm, int64_t bytes)
{
    calm->messages++;
    calm->bytes += (uint64_t)bytes;
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
    move(attempt, member, &route, entered_s(calm, r, to) + route.latency_s);
    if (calm->load != NULL)
        net_link_load_add(calm->load, &route, member->bytes);
    count(calm, member->bytes);
}

/* ---- Whole rounds ---------------------------------------------------------------------------- */

/* By how many ranks all messages of the round go further; -1: not all by the same number, or some
 * have begun. */
static int32_t find_by(const struct member member[], int32_t p)
{
    int32_t by = -1;
    for (int32_t r = 0; r < p; r++) {
        if (member[r].to < 0)
            continue;
        const int32_t far = member[r].to - r + (member[r].to < r ? p : 0);
        if (member[r].flies || (by >= 0 && far != by))
            return -1;
        by = far;
    }
    return by;
}

/* Its links aren't used by those before, whose routes were like it. */
static bool joins(const struct flow_calm *calm, uint8_t used[], const struct platform_route *route,
                  const struct shift *shift)
{
    bool joined = route->count > 0 && route->latency_s == shift->latency_s &&
                  route->bandwidth == shift->bandwidth;
    for (int32_t i = 0; i < route->count; i++) {
        const int32_t l = route->link[i] - calm->alone;
        if (l < 0)
            continue;
        joined &= (used[l / 8] >> l % 8 & 1) == 0;
        used[l / 8] |= (uint8_t)(1 << l % 8);
    }
    return joined;
}

static void check_shift(const struct flow_calm *calm, int32_t p, struct shift *shift)
{
    uint8_t *used = sup_calloc((size_t)(calm->network->links - calm->alone) / 8 + 1, 1);
    shift->checked = shift->alike = true;
    for (int32_t r = 0; r < p && shift->alike; r++) {
        struct platform_route route = {.count = 0};
        struct sup_error error;
        const int32_t to = r + shift->by - (r >= p - shift->by ? p : 0);
        shift->alike = platform_network_route(calm->network, calm->host[r], calm->host[to], 0,
                                              &route, &error) == RB_OK;
        if (r == 0) {
            shift->latency_s = route.latency_s;
            shift->bandwidth = route.bandwidth;
        }
        shift->alike = shift->alike && joins(calm, used, &route, shift);
    }
    free(used);
}

/* What is known of the round's shift, which is checked when it comes again; NULL: it can't be
 * played as a whole. */
static const struct shift *find_shift(struct attempt *attempt, int32_t p)
{
    const int32_t by = attempt->calm->whole ? find_by(attempt->member, p) : -1;
    struct shift *shift = attempt->shift, *end = shift + attempt->shifts;
    while (shift < end && shift->by != by)
        shift++;
    if (by < 0 || (shift == end && attempt->shifts == MOST_SHIFTS))
        return NULL;
    if (shift == end) {
        *shift = (struct shift){.by = by};
        attempt->shifts++;
        return NULL;
    }
    if (!shift->checked)
        check_shift(attempt->calm, p, shift);
    return shift->alike ? shift : NULL;
}

/* True if the round's messages begin when all before them have ended. */
static bool begins_last(const struct attempt *attempt, int32_t p, double latency_s)
{
    double first_s = FLOW_NEVER_S;
    for (int32_t r = 0; r < p; r++) {
        const int32_t to = attempt->member[r].to;
        const double begin_s = to < 0 ? FLOW_NEVER_S : entered_s(attempt->calm, r, to);
        first_s = begin_s < first_s ? begin_s : first_s;
    }
    return !is_after(attempt->last_s, first_s + latency_s);
}

static void play_whole(struct attempt *attempt, int32_t p, const struct shift *shift)
{
    struct member *member = attempt->member;
    const double rate = rate_of(shift->bandwidth, shift->latency_s);
    for (int32_t r = 0; r < p; r++) {
        const int32_t to = member[r].to;
        if (to < 0)
            continue;
        attempt->failed |= member[to].from != r;
        member[r].end_s =
            entered_s(attempt->calm, r, to) + shift->latency_s + (double)member[r].bytes / rate;
        raise(&attempt->last_s, member[r].end_s);
        count(attempt->calm, member[r].bytes);
    }
    attempt->unseen_s = attempt->last_s;
}

/* ---- All rounds ------------------------------------------------------------------------------ */

static void send_all(struct attempt *attempt, int32_t p, int64_t t)
{
    for (int32_t r = 0; r < p && !attempt->failed; r++)
        if (attempt->member[r].to >= 0)
            send(attempt, r, t);
}

static void do_round(struct attempt *attempt, int32_t p, int64_t t)
{
    struct member *member = attempt->member;
    double *finish_s = attempt->calm->finish_s;
    for (int32_t r = 0; r < p; r++)
        ask(attempt, r, t);
    const struct shift *shift = find_shift(attempt, p);
    if (shift != NULL && begins_last(attempt, p, shift->latency_s))
        play_whole(attempt, p, shift);
    else
        send_all(attempt, p, t);
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
    *member =
        (struct member){.state = &calm->state[r], .next = dep_next_round(plan, &calm->state[r], 0)};
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

/* A second attempt has them from the first. */
static void find_states(struct flow_calm *calm, int32_t p)
{
    if (calm->state != NULL || calm->replay != NULL)
        return;
    calm->state = sup_malloc((size_t)p * sizeof *calm->state);
    for (int32_t r = 0; r < p; r++)
        rb_plan_rank(calm->spec->plan, r, &calm->state[r]);
}

bool flow_calm_play(struct flow_calm *calm)
{
    const struct rb_plan *plan = calm->spec->plan;
    const int32_t p = rb_plan_ranks(plan);
    struct attempt attempt = {.calm = calm};
    find_states(calm, p);
    attempt.member = sup_malloc((size_t)p * sizeof *attempt.member);
    attempt.ops = sup_malloc(((size_t)rb_plan_max_ops(plan) + 1) * sizeof *attempt.ops);
    attempt.busy_s =
        sup_calloc((size_t)(calm->network->links - calm->alone) + 1, sizeof *attempt.busy_s);
    do_rounds(&attempt, p);
    free(attempt.busy_s);
    free(attempt.ops);
    free(attempt.member);
    return !attempt.failed;
}
