/* flow.c - the engine `flow`: messages as flows that share links max-min fairly, as in SimGrid, but
 * with rates that are repaired instead of solved anew (flow.h).
 *
 * The walk says which messages may start. A message waits for the latency of its route, with
 * nic:queue also for its turn (flow.h), then crosses the route's links as a flow. When all its
 * bytes have crossed, the walk is told and offers further messages. Time advances from one moment
 * to the next: all events of a moment are processed before the rates are repaired, once. */
#include "flow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/network.h"
#include "platforms/platform.h"
#include "sim/engine/jitter.h"
#include "sim/network/links.h"
#include "sim/network/place.h"
#include "sim/simgrid/simgrid.h"
#include "sim/workload/walk.h"
#include "support/eta.h"
#include "support/memory.h"

/* ---- The engine ------------------------------------------------------------------------------ */

enum { BATCH = 512, AHEAD = 16, FEW_SLOTS = 4096 }; /* messages of a moment */
enum { FEW_OPS = 8 };                               /* of a rank in a round */

/* A message in flight, in the slot that the walk gives it, which is also the number of its flow.
 * There may be millions: one has the size of a cache line. */
struct flight {
    int32_t from, to;
    int64_t bytes;
    uint64_t key;               /* of its route */
    double weight;              /* of its flow */
    double bandwidth;           /* of its route */
    double rest, rate, since_s; /* bytes left at since_s, and how fast they have moved since */
};

/* What else is told of it when it ends. */
struct sight {
    int64_t round;
    double start_s;
    int32_t port, job, step;
};

struct run {
    const struct sim_spec *spec;
    struct platform_network *network;
    const int32_t *host; /* per rank */
    double *finish_s;    /* per rank */
    struct sim_walk *walk;
    struct rb_rank *known; /* per rank: its state in the plan; NULL: not known */
    struct flow_shares *shares;
    struct flow_arrivals arrivals;
    struct flow_latencies latencies;
    struct flow_arrivals jittered; /* ends of latencies, if each pair of hosts has another one */
    struct flow_arrivals timers;   /* of the walk */
    struct flight *flight;         /* per slot */
    struct sight *sight;           /* per slot; NULL: nobody watches messages */
    int32_t slots;
    int32_t batch;          /* messages of a moment that are taken at once */
    bool walks, over;       /* it is a workload's; it ends now */
    struct flow_rest *rest; /* NULL: not known */
    bool given_up;          /* as it takes longer than spec->most_s */
    bool spread;            /* no two ranks are on one host */
    int32_t alone;          /* so many links are the hosts' own */
    int64_t begun;          /* messages */
    sim_tally begun_bytes;  /* theirs */
    int64_t calm_from;      /* messages: when arithmetic is tried next */
    enum sim_sharing sharing;
    bool queues; /* network interfaces keep queues: nic:queue */
    struct flow_nics nics;
    struct net_link_load *load; /* NULL: not wanted */
    struct net_link_use *use;   /* NULL: not wanted */
    int32_t *in_flight;         /* per link: messages; NULL: routing is not adaptive */
    struct sup_error *error;
    double now_s;
};

/* Somebody wants to see the messages. */
static bool is_watched(const struct sim_spec *spec)
{
    return spec->observer != NULL && spec->observer->message != NULL;
}

static int too_many(struct sup_error *error)
{
    return sup_fail(error, RB_ENOMEM, "out of memory for the messages in flight");
}

/* ---- Messages -------------------------------------------------------------------------------- */

static void count_in_flight(struct run *run, int32_t slot, int32_t change)
{
    if (run->in_flight == NULL)
        return;
    for (int32_t i = 0, link; (link = flow_shares_link(run->shares, slot, i)) >= 0; i++)
        run->in_flight[link] += change;
}

static int find_route(struct run *run, const struct flight *flight, struct platform_route *route)
{
    return platform_network_route(run->network, run->host[flight->from], run->host[flight->to],
                                  flight->key, route, run->error);
}

/* Finds the route of the message in a slot. The slot's flow keeps it, so that a message's route is
 * computed once. */
static int take_route(struct run *run, int32_t slot, struct platform_route *route)
{
    struct flight *flight = &run->flight[slot];
    if (run->in_flight != NULL)
        flight->key = platform_network_choose(run->network, run->host[flight->from],
                                              run->host[flight->to], flight->key, run->in_flight);
    const int status = find_route(run, flight, route);
    if (status != RB_OK)
        return status;
    if (route->count == 0) {
        char from[64], to[64];
        return sup_fail(
            run->error, RB_EFAILED,
            "no links lead from host %s to host %s: roundabout platform check finds such pairs",
            platform_network_host_name(run->network, run->host[flight->from], from, sizeof from),
            platform_network_host_name(run->network, run->host[flight->to], to, sizeof to));
    }
    if (!flow_shares_route(run->shares, slot, route->count, route->link))
        return too_many(run->error);
    flight->bandwidth = route->bandwidth;
    flight->weight = flow_weight(route->latency_s);
    return RB_OK;
}

/* With jitter the latency of each host is another one. The sharing of links stays that of the
 * platform. */
static void wait_for_latency(struct run *run, int32_t slot, double latency_s)
{
    const struct flight *flight = &run->flight[slot];
    const uint64_t seed = run->spec->jitter;
    if (seed == 0) {
        flow_latencies_add(&run->latencies, slot, run->now_s, latency_s);
        return;
    }
    const double factor = (sim_jitter_factor(seed, (uint64_t)run->host[flight->from]) +
                           sim_jitter_factor(seed, (uint64_t)run->host[flight->to])) /
                          2;
    flow_arrivals_set(&run->jittered, slot, run->now_s + latency_s * factor);
}

/* The host whose network interface sends a message on this route; -1: none does. */
static int32_t find_nic(const struct platform_network *network, const struct platform_route *route)
{
    for (int32_t i = 0; i < route->count; i++) {
        const int32_t link = route->link[i] - network->nics;
        if (link >= 0 && link < 2 * network->hosts && link % 2 == 0)
            return link / 2;
    }
    return -1;
}

static void show(struct run *run, int32_t slot);

static void end_message(struct run *run, int32_t slot)
{
    const struct flight *flight = &run->flight[slot];
    run->finish_s[flight->from] = run->finish_s[flight->to] = run->now_s;
    show(run, slot);
    sim_walk_complete(run->walk, run->now_s, slot);
}

static int start_message(struct run *run, const struct sim_walk_message *taken)
{
    const struct sim_replay_message *message = &taken->message;
    const int32_t slot = taken->slot;
    struct platform_route route;
    run->flight[slot] = (struct flight){
        .from = message->from, .to = message->to, .bytes = message->bytes, .key = taken->key};
    if (run->sight != NULL)
        run->sight[slot] =
            (struct sight){message->round, run->now_s, message->port, taken->job, taken->step};
    run->begun++;
    run->begun_bytes += (uint64_t)message->bytes;
    if (run->rest != NULL)
        flow_rest_begin(run->rest, message, run->now_s);
    if (run->sharing == SIM_IMMEDIATE) {
        end_message(run, slot);
        return RB_OK;
    }
    const int status = take_route(run, slot, &route);
    if (status != RB_OK)
        return status;
    count_in_flight(run, slot, 1);
    if (run->load != NULL)
        net_link_load_add(run->load, &route, message->bytes);
    if (run->queues && message->bytes > 0)
        flow_nics_add(&run->nics, slot, find_nic(run->network, &route), run->now_s, message->round);
    wait_for_latency(run, slot, route.latency_s);
    return RB_OK;
}

static int start_messages(struct run *run)
{
    struct sim_walk_message message;
    int status = RB_OK;
    while (status == RB_OK && sim_walk_take(run->walk, &message))
        status = start_message(run, &message);
    run->over = run->walks && sim_walk_over(run->walk);
    return status;
}

/* So many bytes moved since the flow's rate changed last. */
static void count_moved(struct run *run, const struct flight *flight, double bytes)
{
    struct platform_route route;
    if (run->use != NULL && find_route(run, flight, &route) == RB_OK)
        net_link_use_add(run->use, &route, flight->since_s, run->now_s, bytes);
}

static void show(struct run *run, int32_t slot)
{
    const struct flight *flight = &run->flight[slot];
    if (run->sight == NULL)
        return;
    const struct sight *sight = &run->sight[slot];
    const struct sim_observer *observer = run->spec->observer;
    const double alone_s = net_alone_s(run->network, run->host[flight->from], run->host[flight->to],
                                       flight->key, flight->bytes);
    observer->message(observer->context, &(struct sim_message){.from = flight->from,
                                                               .to = flight->to,
                                                               .port = sight->port,
                                                               .round = sight->round,
                                                               .bytes = flight->bytes,
                                                               .start_s = sight->start_s,
                                                               .end_s = run->now_s,
                                                               .alone_s = alone_s,
                                                               .job = sight->job,
                                                               .step = sight->step});
}

static int complete(struct run *run, int32_t slot)
{
    count_in_flight(run, slot, -1);
    end_message(run, slot);
    return start_messages(run);
}

/* ---- Flows ----------------------------------------------------------------------------------- */

static void start_flow(struct run *run, int32_t slot)
{
    struct flight *flight = &run->flight[slot];
    flight->rest = (double)flight->bytes;
    flight->since_s = run->now_s;
    if (run->sharing == SIM_UNSHARED)
        flow_arrivals_set(&run->arrivals, slot, run->now_s + flight->rest / flight->bandwidth);
    else
        flow_shares_add(run->shares, slot, flight->weight, flight->bandwidth);
}

static int end_latency(struct run *run, int32_t slot)
{
    if (run->flight[slot].bytes == 0)
        return complete(run, slot);
    if (!run->queues || flow_nics_ready(&run->nics, slot))
        start_flow(run, slot);
    return RB_OK;
}

static int end_flow(struct run *run, int32_t slot)
{
    if (run->sharing != SIM_UNSHARED)
        flow_shares_remove(run->shares, slot);
    count_moved(run, &run->flight[slot], run->flight[slot].rest);
    const int32_t next = run->queues ? flow_nics_remove(&run->nics, slot) : -1;
    if (next >= 0)
        start_flow(run, next);
    return complete(run, slot);
}

static void change_rates(struct run *run)
{
    const int32_t *changed;
    const int32_t count = flow_shares_solve(run->shares, &changed);
    for (int32_t i = 0; i < count; i++) {
        const int32_t slot = changed[i];
        struct flight *flight = &run->flight[slot];
        const double moved = flight->rate * (run->now_s - flight->since_s);
        count_moved(run, flight, moved);
        flight->rest -= moved;
        flight->rate = flow_shares_rate(run->shares, slot);
        flight->since_s = run->now_s;
        const double rest = flight->rest > 0 ? flight->rest : 0;
        flow_arrivals_set(&run->arrivals, slot, run->now_s + rest / flight->rate);
    }
}

/* ---- The run --------------------------------------------------------------------------------- */

static double next_s(struct run *run)
{
    const double start_s = run->spec->jitter == 0 ? flow_latencies_first_s(&run->latencies)
                                                  : flow_arrivals_first_s(&run->jittered);
    const double end_s = flow_arrivals_first_s(&run->arrivals);
    const double moving_s = start_s < end_s ? start_s : end_s;
    return run->walks ? fmin(moving_s, flow_arrivals_first_s(&run->timers)) : moving_s;
}

/* Takes up to `most` messages whose latency ends by then. */
static int32_t pop_latencies(struct run *run, double until_s, int32_t slot[], int32_t most)
{
    int32_t count = 0;
    if (run->spec->jitter == 0) {
        while (count < most && (slot[count] = flow_latencies_pop(&run->latencies, until_s)) >= 0)
            count++;
    } else if (flow_arrivals_first_s(&run->jittered) <= until_s) {
        slot[count++] = flow_arrivals_pop(&run->jittered);
    }
    return count;
}

/* Takes up to `most` messages whose bytes have crossed by then. */
static int32_t pop_arrivals(struct run *run, double until_s, int32_t slot[], int32_t most)
{
    int32_t count = 0;
    while (count < most && flow_arrivals_first_s(&run->arrivals) <= until_s)
        slot[count++] = flow_arrivals_pop(&run->arrivals);
    return count;
}

/* Messages of a moment are in no order in memory: what one needs is fetched while those before it
 * are dealt with, first what its number gives, then what that leads to. */
static void fetch(const struct run *run, const int32_t slot[], int32_t count, int32_t i,
                  int32_t ahead)
{
    const int32_t far = i + 2 * ahead, near = i + ahead;
    if (far < count) {
        __builtin_prefetch(&run->flight[slot[far]], 1);
        flow_shares_fetch(run->shares, slot[far]);
        sim_walk_fetch(run->walk, slot[far]);
    }
    if (near >= 0 && near < count) {
        flow_shares_fetch_links(run->shares, slot[near]);
        sim_walk_fetch_ends(run->walk, slot[near], run->flight[slot[near]].to);
    }
}

/* Does the same with each, as it would one after another: nothing that it does ends at this
 * moment, or the batch is of one. */
static int do_batch(struct run *run, const int32_t slot[], int32_t count,
                    int (*end)(struct run *run, int32_t slot))
{
    const int32_t ahead = run->batch == 1 ? 0 : count < AHEAD ? count : AHEAD;
    int status = RB_OK;
    for (int32_t i = -2 * ahead; i < count && status == RB_OK && !run->over; i++) {
        if (ahead > 0)
            fetch(run, slot, count, i, ahead);
        if (i >= 0)
            status = end(run, slot[i]);
    }
    return status;
}

/* The clock of the walk: the rank computes, whatever else its host does. */
static void set_timer(void *context, int32_t timer, int32_t rank, double seconds)
{
    struct run *run = context;
    (void)rank;
    flow_arrivals_set(&run->timers, timer, run->now_s + seconds);
}

/* What happens at this moment, and what follows from it at once. */
static int do_moment(struct run *run)
{
    const double until_s = run->now_s * (1 + FLOW_SAME_MOMENT);
    int32_t slot[BATCH], count;
    int status = RB_OK;
    while (status == RB_OK && !run->over) {
        if ((count = pop_latencies(run, until_s, slot, run->batch)) > 0) {
            status = do_batch(run, slot, count, end_latency);
        } else if ((count = pop_arrivals(run, until_s, slot, run->batch)) > 0) {
            status = do_batch(run, slot, count, end_flow);
        } else if (!run->walks) {
            break;
        } else if (flow_arrivals_first_s(&run->timers) <= until_s) {
            sim_walk_fire(run->walk, run->now_s, flow_arrivals_pop(&run->timers));
            status = start_messages(run);
        } else if (sim_walk_settle(run->walk, run->now_s)) {
            status = start_messages(run);
        } else {
            break;
        }
    }
    if (status == RB_OK)
        change_rates(run);
    return status;
}

/* ---- Calm rounds ----------------------------------------------------------------------------- */

/* No two ranks are on one host. */
static bool are_spread(const struct run *run)
{
    const int32_t p = sim_ranks(run->spec);
    bool *taken = sup_calloc((size_t)run->network->hosts, sizeof *taken);
    bool spread = true;
    for (int32_t r = 0; r < p && spread; r++) {
        spread = !taken[run->host[r]];
        taken[run->host[r]] = true;
    }
    free(taken);
    return spread;
}

/* How many links from the first on are hosts' own, where each host has one rank, which sends and
 * receives one message at a time. Adaptive routing counts the messages of all links. */
static int32_t find_alone(const struct run *run)
{
    const struct platform_network *network = run->network;
    if (!run->spread || run->walks || rb_plan_ports(run->spec->plan) > 1 || !network->own_links ||
        network->nics != network->hosts || network->routing.load != PLATFORM_NO_LOAD)
        return 0;
    return 3 * network->hosts;
}

/* As calm.c wants it. Where a message has many operations,
 * asking for them takes most of the time, and an attempt in vain would ask twice. */
static bool may_be_calm(const struct run *run)
{
    const struct sim_spec *spec = run->spec;
    return run->alone > 0 && spec->overlap.rule == SIM_BLOCKING && spec->jitter == 0 &&
           !run->queues && run->sharing == SIM_SHARED && run->use == NULL &&
           rb_plan_max_ops(spec->plan) <= FEW_OPS && !is_watched(spec);
}

/* True if arithmetic does the rest, from where events stand; calm->finish_s is there. */
static bool try_calm(const struct run *run, const struct sim_replay *replay, bool whole,
                     struct flow_calm *calm)
{
    *calm = (struct flow_calm){.spec = run->spec,
                               .network = run->network,
                               .host = run->host,
                               .alone = run->alone,
                               .load = run->load,
                               .replay = replay,
                               .arrivals = &run->arrivals,
                               .latencies = &run->latencies,
                               .whole = whole,
                               .state = calm->state,
                               .finish_s = calm->finish_s};
    memcpy(calm->finish_s, run->finish_s, (size_t)sim_ranks(run->spec) * sizeof *run->finish_s);
    return flow_calm_play(calm);
}

/* The same; otherwise nothing has happened, but for loads. It is tried again after as many messages
 * as this attempt looked at, each of which costs a fraction of one by events. */
static bool play_calm(struct run *run, const struct sim_replay *replay)
{
    const int32_t p = sim_ranks(run->spec);
    const size_t bytes = (size_t)p * sizeof *run->finish_s;
    const bool whole = run->load == NULL && !run->network->routing.per_message;
    struct flow_calm calm = {.finish_s = sup_malloc(bytes)};
    const bool done =
        try_calm(run, replay, whole, &calm) || (calm.lost && try_calm(run, replay, false, &calm));
    if (done) {
        memcpy(run->finish_s, calm.finish_s, bytes);
        run->begun += calm.messages;
        run->begun_bytes += calm.bytes;
    } else {
        run->calm_from = run->begun + p + calm.messages;
        run->known = calm.state;
        calm.state = NULL;
    }
    free(calm.state);
    free(calm.finish_s);
    return done;
}

/* At the beginning. */
static bool play_calm_first(struct run *run)
{
    run->calm_from = INT64_MAX;
    if (!may_be_calm(run))
        return false;
    if (play_calm(run, NULL))
        return true;
    if (run->load != NULL) {
        net_link_load_free(run->load);
        net_link_load_init(run->load, run->network);
        run->calm_from = INT64_MAX;
    }
    return false;
}

/* Between two moments, where no link binds. */
static bool play_calm_rest(struct run *run)
{
    if (run->begun < run->calm_from || flow_shares_bind(run->shares))
        return false;
    const struct sim_replay *replay = sim_walk_replay(run->walk);
    return replay != NULL && play_calm(run, replay);
}

/* ---- All of it ------------------------------------------------------------------------------- */

/* What comes next is at next_s. */
static bool is_too_long(const struct run *run, double next_s)
{
    const double most_s = run->spec->most_s;
    return most_s > 0 && (next_s > most_s ||
                          (run->rest != NULL && flow_rest_end_s(run->rest) > most_s * (1 + 1e-9)));
}

/* *calm: arithmetic has done the rest. */
static int play(struct run *run, bool *calm)
{
    sim_walk_begin(run->walk, run->known);
    free(run->known);
    run->known = NULL;
    int status = start_messages(run);
    if (status == RB_OK)
        status = do_moment(run);
    for (double next; status == RB_OK && !run->over && (next = next_s(run)) < 1e300;) {
        run->given_up = is_too_long(run, next);
        *calm = !run->given_up && play_calm_rest(run);
        if (run->given_up || *calm)
            break;
        run->now_s = next;
        status = do_moment(run);
    }
    return status;
}

/* No message's latency ends at the moment at which it begins. Formulas begin with loopbacks, which
 * no message crosses where ranks are spread, and hosts' own links, which each does. */
static bool have_latencies(const struct platform_network *network, bool spread)
{
    const bool formula = spread && network->find_way != NULL, own = formula && network->own_links;
    const int32_t end = own ? 3 * network->hosts : network->links;
    for (int32_t l = formula ? network->hosts : 0; l < end; l += own ? 2 : 1)
        if (platform_network_link(network, l)->latency_s < 1e-9)
            return false;
    return true;
}

static int reserve(struct run *run, struct sup_error *error)
{
    const struct platform_network *network = run->network;
    const struct sim_walk_clock clock = {set_timer, run};
    const int status = sim_walk_create(run->spec, false, &clock, &run->walk, error);
    if (status != RB_OK)
        return status;
    run->slots = sim_walk_slots(run->walk);
    run->flight = sup_calloc((size_t)run->slots, sizeof *run->flight);
    if (is_watched(run->spec))
        run->sight = sup_calloc((size_t)run->slots, sizeof *run->sight);
    if (network->routing.load != PLATFORM_NO_LOAD)
        run->in_flight = sup_calloc((size_t)network->links, sizeof *run->in_flight);
    run->shares = flow_shares_create(network, run->alone, run->slots);
    if (run->shares == NULL)
        return too_many(error);
    run->batch =
        run->slots > FEW_SLOTS && have_latencies(network, run->spread) && run->spec->jitter == 0
            ? BATCH
            : 1;
    flow_arrivals_init(&run->arrivals, run->slots);
    if (run->spec->jitter != 0)
        flow_arrivals_init(&run->jittered, run->slots);
    flow_latencies_init(&run->latencies, run->slots);
    if (run->walks)
        flow_arrivals_init(&run->timers, sim_walk_timers(run->walk));
    if (run->queues)
        flow_nics_init(&run->nics, network->hosts, run->slots);
    return RB_OK;
}

static void release(struct run *run)
{
    free(run->known);
    sim_walk_destroy(run->walk);
    flow_shares_destroy(run->shares);
    flow_arrivals_free(&run->timers);
    flow_arrivals_free(&run->arrivals);
    flow_arrivals_free(&run->jittered);
    flow_latencies_free(&run->latencies);
    flow_nics_free(&run->nics);
    free(run->in_flight);
    free(run->sight);
    free(run->flight);
}

static int play_events(struct run *run, bool *calm, struct sim_result *result)
{
    int status = reserve(run, run->error);
    if (status == RB_OK)
        status = play(run, calm);
    if (status == RB_OK && !run->given_up && !*calm)
        status = sim_walk_finish(run->walk, run->finish_s, result, run->error);
    release(run);
    return status;
}

static int replay_on(struct run *run, struct sim_result *result)
{
    const double started = sup_clock_s();
    int status = RB_OK;
    run->spread = are_spread(run);
    run->alone = find_alone(run);
    run->rest = flow_rest_create(run->spec, run->network, run->host);
    run->given_up = is_too_long(run, 0);
    bool calm = !run->given_up && play_calm_first(run);
    if (!calm && !run->given_up)
        status = play_events(run, &calm, result);
    flow_rest_destroy(run->rest);
    if (status == RB_OK && calm) {
        result->rounds = rb_plan_rounds(run->spec->plan);
        result->messages = run->begun;
        status = sim_tally_take(run->begun_bytes, run->spec->layout, &result->bytes, run->error);
    }
    result->wall_s = sup_clock_s() - started;
    return status;
}

static int simulate_on(struct platform_network *network, bool queues, const struct sim_spec *spec,
                       struct sim_result *result, struct sup_error *error)
{
    const int32_t p = sim_ranks(spec);
    int32_t *host = sup_malloc((size_t)p * sizeof *host);
    double *finish_s = sup_calloc((size_t)p, sizeof *finish_s);
    struct net_link_load load = {0};
    struct net_link_use use = {0};
    struct run run = {.spec = spec,
                      .error = error,
                      .load = spec->want_links > 0 ? &load : NULL,
                      .use = spec->want_contention ? &use : NULL,
                      .network = network,
                      .queues = queues && spec->sharing == SIM_SHARED,
                      .walks = spec->workload != NULL,
                      .sharing = spec->sharing,
                      .host = host,
                      .finish_s = finish_s};
    platform_network_settle(network);
    int status = net_place(spec, network, host, result, error);
    result->hosts = network->hosts;
    if (status == RB_OK)
        status = net_describe(spec, network, host, result, error);
    if (run.load != NULL)
        net_link_load_init(run.load, network);
    if (run.use != NULL)
        net_link_use_init(run.use, network);
    if (status == RB_OK)
        status = replay_on(&run, result);
    if (status == RB_OK && run.load != NULL)
        status = net_take_links(run.load, spec, host, result, error);
    for (int32_t r = 0; r < p && status == RB_OK; r++)
        result->time_s = fmax(result->time_s, finish_s[r]);
    if (run.given_up || (spec->most_s > 0 && result->time_s > spec->most_s))
        result->time_s = INFINITY;
    if (status == RB_OK && run.use != NULL)
        status = net_link_use_take(run.use, spec, host, result, error);
    if (status == RB_OK && spec->want_finish) {
        result->finish_s = finish_s;
        finish_s = NULL;
    }
    net_link_use_free(&use);
    net_link_load_free(&load);
    free(finish_s);
    free(host);
    return status;
}

/* Of options that contradict each other the last one counts. */
static int read_spec(const struct sim_spec *spec, bool *queues, struct sup_error *error)
{
    *queues = false;
    if (spec->variant != NULL)
        return sup_fail(error, RB_EINVAL, "the flow engine has no variants: leave out '%s'",
                        spec->variant);
    for (int32_t i = 0; i < spec->option_count; i++) {
        *queues = strcmp(spec->options[i], "nic:queue") == 0;
        if (!*queues && strcmp(spec->options[i], "nic:shared") != 0)
            return sup_fail(error, RB_EINVAL,
                            "the flow engine has no option '%s': there are nic:shared and "
                            "nic:queue",
                            spec->options[i]);
    }
    return RB_OK;
}

/* SimGrid finds the routes that no formula gives. */
static int load_network(const struct sim_spec *spec, struct s4u_platform **platform,
                        struct platform_network **network, struct sup_error *error)
{
    if (platform_is_generated(spec->platform))
        return platform_network_create(spec->platform, network, error);
    int status = RB_OK;
    if (!platform_is_generated(spec->platform))
        status = platform_check_flow(spec->platform, error);
    if (status == RB_OK)
        status = s4u_platform_load(spec->platform, NULL, platform, error);
    if (status == RB_OK)
        *network = s4u_network_create(*platform);
    return status;
}

static bool needs_process(const struct sim_spec *spec)
{
    return !platform_is_generated(spec->platform);
}

/* There is a queue for each host: so each must have one network interface, neither none nor
 * several. */
static int check_nics(const struct platform_network *network, const char *platform,
                      struct sup_error *error)
{
    if (network->nics == 0)
        return sup_fail(error, RB_EINVAL,
                        "%s: nic:queue needs a platform whose hosts have a network interface of "
                        "their own, such as crossbar, fat-tree, dragonfly or rails: leave it out",
                        platform);
    if (platform_network_link(network, network->nics)->bandwidth > 1.5 * network->link_bandwidth)
        return sup_fail(error, RB_EINVAL,
                        "%s: nic:queue knows one network interface of each host, not %.0f: give "
                        "the platform ports=1, or leave nic:queue out",
                        platform,
                        platform_network_link(network, network->nics)->bandwidth /
                            network->link_bandwidth);
    return RB_OK;
}

/* What has been told last, and whom it is told. */
struct steady {
    const struct sim_meter *meter;
    double share;
};

/* Events begin where arithmetic began in vain: nobody is told less than before. */
static void tell_steadily(void *context, double share)
{
    struct steady *steady = context;
    if (share < steady->share)
        return;
    steady->share = share;
    steady->meter->tell(steady->meter->context, share);
}

static int simulate(const struct sim_spec *asked, struct sim_result *result,
                    struct sup_error *error)
{
    struct steady steady = {.meter = asked->meter};
    const struct sim_meter meter = {tell_steadily, &steady};
    struct sim_spec told = *asked;
    const struct sim_spec *spec = &told;
    struct s4u_platform *platform = NULL;
    struct platform_network *network = NULL;
    const double started = sup_clock_s();
    bool queues;
    told.meter = asked->meter == NULL ? NULL : &meter;
    int status = read_spec(spec, &queues, error);
    if (status == RB_OK)
        status = load_network(spec, &platform, &network, error);
    result->load_s = sup_clock_s() - started;
    if (status == RB_OK && queues)
        status = check_nics(network, spec->platform, error);
    if (status == RB_OK)
        status = simulate_on(network, queues, spec, result, error);
    platform_network_destroy(network);
    s4u_platform_destroy(platform);
    return status;
}

const struct sim_engine flow_engine = {
    .name = "flow",
    .title = "the flow engine",
    .options = "nic",
    .needs_process = needs_process,
    .costs = {.start_s = 1e-3,
              .host_s = 2e-6,
              .message_s = 3e-7,
              .operation_s = 3.8e-8,
              .flow_s = 1.3e-7,
              .power = 0.57},
    .walks = true,
    .jitters = true,
    .observes = true,
    .counts_links = true,
    .measures_links = true,
    .simulate = simulate,
};
