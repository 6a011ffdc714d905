/* rest.c - when a run ends at the earliest, by what some hosts' ranks still have to do.
 *
 * In `blocking` and `lockstep` a rank's rounds come one after another, and none is over before its
 * longest message has had its latency and then all its bytes at its route's bandwidth. What the
 * ranks of a host have for other hosts crosses the host's own links. So a run whose ranks have
 * fallen behind, by contention or by waiting for each other, can be given up (sim_spec.most_s) long
 * before that time.
 *
 * A few hosts' ranks are watched. Their part of the plan is walked through twice: for the sums, and
 * as they enter rounds. */
#include <stdlib.h>

#include "flow.h"
#include "schedules/dependences/envelopes.h"
#include "support/memory.h"

enum { SAMPLE = 16, WATCHED = 64 }; /* ranks whose hosts are watched, until so many ranks are */

struct watched {
    struct rb_rank state;
    int64_t round;  /* its newest; -1: it has begun none */
    double round_s; /* this round alone, */
    double rest_s;  /* and all rounds from it on */
};

struct flow_rest {
    const struct sim_spec *spec;
    struct platform_network *network;
    const int32_t *host; /* per rank */
    int32_t *place;      /* per rank, in watched; -1: it is not watched */
    struct watched *watched;
    int32_t count;
    double (*away)[DEP_DIRECTIONS]; /* per host: bytes of messages to and from other hosts that have
                                     * not begun, if its ranks are watched */
    struct dep_envelopes envelopes;
    struct rb_op *ops;
    double end_s;
};

static void raise(struct flow_rest *rest, double end_s)
{
    if (rest->end_s < end_s)
        rest->end_s = end_s;
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

static void add_away(struct flow_rest *rest, int32_t rank, int32_t peer, bool sends, double bytes)
{
    if (rest->host[rank] != rest->host[peer])
        rest->away[rest->host[rank]][sends ? DEP_SENDS : DEP_RECEIVES] += bytes;
}

/* The longest of a round's messages alone. first: all are counted as not begun. */
static double read_round(struct flow_rest *rest, const struct rb_rank *state, int64_t t, bool first)
{
    const struct sim_spec *spec = rest->spec;
    const int32_t rank = state->rank;
    struct dep_messages left = {NULL, 0};
    struct dep_message message;
    char why[240];
    double longest_s = 0;
    int32_t told = dep_envelopes_round(&rest->envelopes, state, t, rest->ops, why, sizeof why);
    if (told == DEP_UNTOLD)
        left = dep_messages_of(rest->ops,
                               rb_layout_round(spec->plan, spec->layout, state, t, rest->ops));
    for (int32_t i = 0; i < told || dep_next_message(&left, &message); i++) {
        const struct rb_envelope envelope =
            i < told ? rest->envelopes.of_round[i]
                     : dep_envelope_of(spec->plan, spec->layout, &message);
        const int32_t mine = rest->host[rank], theirs = rest->host[envelope.peer];
        const double one_s =
            net_alone_s(rest->network, envelope.sends ? mine : theirs,
                        envelope.sends ? theirs : mine, (uint64_t)t, envelope.bytes);
        longest_s = one_s > longest_s ? one_s : longest_s;
        if (first)
            add_away(rest, rank, envelope.peer, envelope.sends, (double)envelope.bytes);
    }
    return longest_s;
}

/* True if the rank has not begun this round before. */
static bool enter(struct flow_rest *rest, struct watched *rank, int64_t round)
{
    const struct rb_plan *plan = rest->spec->plan;
    if (rank->round >= round)
        return false;
    while (rank->round < round) {
        rank->rest_s -= rank->round_s;
        rank->round = dep_next_round(plan, &rank->state, rank->round + 1);
        rank->round_s = read_round(rest, &rank->state, rank->round, false);
    }
    return true;
}

/* The host's links carry what has not begun from now_s on. */
static void raise_by_links(struct flow_rest *rest, int32_t host, double now_s)
{
    const struct platform_network *network = rest->network;
    for (int32_t i = 0; network->own_links && i < DEP_DIRECTIONS; i++) {
        const int32_t link = network->hosts + 2 * host + (i == DEP_SENDS ? 0 : 1);
        raise(rest, now_s + rest->away[host][i] / platform_network_link(network, link)->bandwidth);
    }
}

void flow_rest_begin(struct flow_rest *rest, const struct sim_replay_message *message, double now_s)
{
    const int32_t end[DEP_DIRECTIONS] = {message->from, message->to};
    for (int32_t i = 0; i < DEP_DIRECTIONS; i++) {
        const int32_t rank = end[i], place = rest->place[rank];
        if (place < 0)
            continue;
        if (enter(rest, &rest->watched[place], message->round))
            raise(rest, now_s + rest->watched[place].rest_s);
        raise_by_links(rest, rest->host[rank], now_s);
        add_away(rest, rank, end[1 - i], i == DEP_SENDS, -(double)message->bytes);
    }
}

/* ---- The beginning --------------------------------------------------------------------------- */

static void watch(struct flow_rest *rest, int32_t r)
{
    const struct rb_plan *plan = rest->spec->plan;
    struct watched *rank = &rest->watched[rest->count];
    rest->place[r] = rest->count++;
    *rank = (struct watched){.round = -1};
    rb_plan_rank(plan, r, &rank->state);
    for (int64_t t = dep_next_round(plan, &rank->state, 0); t < rb_plan_rounds(plan);
         t = dep_next_round(plan, &rank->state, t + 1))
        rank->rest_s += read_round(rest, &rank->state, t, true);
    raise(rest, rank->rest_s);
}

/* Those on the hosts of a sample. */
static void watch_some(struct flow_rest *rest)
{
    const int32_t p = rb_plan_ranks(rest->spec->plan);
    for (int32_t i = 0; i < SAMPLE && rest->count < WATCHED; i++) {
        const int32_t first = (int32_t)((int64_t)i * p / SAMPLE);
        if (rest->place[first] >= 0)
            continue;
        for (int32_t r = 0; r < p; r++)
            if (rest->host[r] == rest->host[first])
                watch(rest, r);
        raise_by_links(rest, rest->host[first], 0);
    }
}

struct flow_rest *flow_rest_create(const struct sim_spec *spec, struct platform_network *network,
                                   const int32_t host[])
{
    const bool in_turn = spec->overlap.rule == SIM_BLOCKING || spec->overlap.rule == SIM_LOCKSTEP;
    if (spec->most_s <= 0 || spec->workload != NULL || !in_turn || spec->jitter != 0 ||
        network->routing.load != PLATFORM_NO_LOAD)
        return NULL;
    const size_t p = (size_t)rb_plan_ranks(spec->plan);
    struct flow_rest *rest = sup_calloc(1, sizeof *rest);
    *rest = (struct flow_rest){.spec = spec,
                               .network = network,
                               .host = host,
                               .place = sup_malloc(p * sizeof *rest->place),
                               .watched = sup_malloc(p * sizeof *rest->watched),
                               .away = sup_calloc((size_t)network->hosts, sizeof *rest->away)};
    rest->ops = sup_malloc(((size_t)rb_plan_max_ops(spec->plan) + 1) * sizeof *rest->ops);
    for (size_t r = 0; r < p; r++)
        rest->place[r] = -1;
    if (dep_envelopes_init(&rest->envelopes, spec->plan, spec->layout) != RB_OK)
        sup_no_memory();
    watch_some(rest);
    return rest;
}

double flow_rest_end_s(const struct flow_rest *rest)
{
    return rest->end_s;
}

void flow_rest_destroy(struct flow_rest *rest)
{
    if (rest == NULL)
        return;
    dep_envelopes_free(&rest->envelopes);
    free(rest->ops);
    free(rest->away);
    free(rest->watched);
    free(rest->place);
    free(rest);
}
