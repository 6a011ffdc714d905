/* cost.c - see cost.h. */
#include "experiments/point/cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/point/native.h"
#include "schedules/dependences/messages.h"
#include "support/memory.h"

/* ---- Effort ---------------------------------------------------------------------------------- */

enum {
    SAMPLED_RANKS = 5,
    SAMPLED_HOSTS = 4,
    SAMPLED_ROUNDS = 24,
    MOST_OF_HOST = 32, /* ranks of a sampled host that are looked at */
    FEW = 16,          /* operations: in rounds of more, exchanges are not looked for */
    MANY = 1 << 14,    /* operations of a rank: after these, rounds are like those so far */
};

struct count { /* of a rank */
    double messages[DEP_DIRECTIONS], operations, exchanged, far;
};

/* Hosts are numbered as ranks are: by blocks of ppn, or in turn. A placement in another order moves
 * hosts, not ranks among them. */
static bool is_cyclic(const struct point *point)
{
    return point->placement_rule->rule == SIM_CYCLIC && !point->placement_rule->search;
}

static int32_t host_count(const struct point *point)
{
    return (point->plan.p - 1) / point->ppn + 1;
}

static int32_t host_of(const struct point *point, int32_t rank)
{
    return is_cyclic(point) ? rank % host_count(point) : rank / point->ppn;
}

/* True if the rank and the message's peer send to each other in this round. */
static bool is_exchanged(const struct rb_op *message, const struct rb_op ops[], int32_t count)
{
    for (int32_t i = 0; i < count && count <= FEW; i++)
        if (!dep_is_local(&ops[i]) && ops[i].peer == message->peer &&
            dep_direction_of(&ops[i]) != dep_direction_of(message))
            return true;
    return false;
}

/* The rank's messages and operations; after the first many, as many per round as so far. */
static void count_rank(const struct point *point, const struct rb_plan *plan, int32_t rank,
                       struct rb_op ops[], struct count *count)
{
    struct rb_rank state;
    const int64_t rounds = rb_plan_rounds(plan);
    int64_t operations = 0, t;
    *count = (struct count){0};
    rb_plan_rank(plan, rank, &state);
    for (t = rb_plan_next(plan, &state, 0); t < rounds && operations < MANY;
         t = rb_plan_next(plan, &state, t + 1)) {
        const int32_t of_round = rb_plan_round(plan, &state, t, ops);
        operations += of_round;
        struct dep_messages left = dep_messages_of(ops, of_round);
        for (struct dep_message message; dep_next_message(&left, &message);) {
            count->messages[dep_direction_of(message.ops)]++;
            const bool exchanged = is_exchanged(message.ops, ops, of_round);
            const int32_t hosts_apart =
                abs(host_of(point, rank) - host_of(point, message.ops->peer));
            count->exchanged += exchanged;
            count->far += !exchanged && hosts_apart > 1;
        }
    }
    const double share = t < rounds && t > 0 ? (double)rounds / (double)t : 1;
    count->messages[DEP_SENDS] *= share;
    count->messages[DEP_RECEIVES] *= share;
    count->exchanged *= share;
    count->far *= share;
    count->operations = (double)operations * share;
}

/* Fills in the first ranks of a host; returns how many. */
static int32_t ranks_of(const struct point *point, const struct rb_plan *plan, int32_t host,
                        struct rb_rank ranks[MOST_OF_HOST])
{
    int32_t count = 0;
    for (int32_t i = 0; i < point->ppn && count < MOST_OF_HOST; i++) {
        const int64_t rank = is_cyclic(point) ? host + (int64_t)i * host_count(point)
                                              : (int64_t)host * point->ppn + i;
        if (rank < point->plan.p)
            rb_plan_rank(plan, (int32_t)rank, &ranks[count++]);
    }
    return count;
}

/* The messages of a host's ranks in a round with other hosts, and whether these are several. */
struct traffic {
    int32_t messages, other;
    bool several;
};

static void note_traffic(struct traffic *traffic, int32_t other)
{
    traffic->several |= traffic->messages > 0 && other != traffic->other;
    traffic->other = other;
    traffic->messages++;
}

/* Adds the messages between this host and others to messages[true] if there are several hosts to
 * which it sends and several from which it receives in this round, otherwise to messages[false]. */
static void count_mixed(const struct point *point, const struct rb_plan *plan,
                        const struct rb_rank ranks[], int32_t count, int64_t t, struct rb_op ops[],
                        double messages[2])
{
    struct traffic traffic[DEP_DIRECTIONS] = {{0}};
    const int32_t host = count > 0 ? host_of(point, ranks[0].rank) : 0;
    for (int32_t i = 0; i < count; i++) {
        struct dep_messages left = dep_messages_of(ops, rb_plan_round(plan, &ranks[i], t, ops));
        for (struct dep_message message; dep_next_message(&left, &message);) {
            const int32_t other = host_of(point, message.ops->peer);
            if (other != host)
                note_traffic(&traffic[dep_direction_of(message.ops)], other);
        }
    }
    messages[traffic[DEP_SENDS].several && traffic[DEP_RECEIVES].several] +=
        traffic[DEP_SENDS].messages + traffic[DEP_RECEIVES].messages;
}

/* How far links connect all messages (struct sim_costs): not at all in a tree, and completely if
 * three tenths of the messages between hosts, in a sample of hosts and rounds, are mixed. */
static double find_connected(const struct point *point, const struct rb_plan *plan,
                             struct rb_op ops[])
{
    const int64_t rounds = rb_plan_rounds(plan);
    const int64_t sampled = rounds < SAMPLED_ROUNDS ? rounds : SAMPLED_ROUNDS;
    double messages[2] = {0};
    if (point->ppn == 1)
        return 0;
    for (int32_t i = 0; i < SAMPLED_HOSTS; i++) {
        struct rb_rank ranks[MOST_OF_HOST];
        const int32_t host = (int32_t)((i + 0.4) * host_count(point) / SAMPLED_HOSTS);
        const int32_t count = ranks_of(point, plan, host, ranks);
        for (int64_t j = 0; j < sampled; j++) {
            const double share = ((double)j + 0.5) / (double)sampled;
            count_mixed(point, plan, ranks, count, (int64_t)(share * (double)rounds), ops,
                        messages);
        }
    }
    const double mixed = messages[true] / fmax(messages[true] + messages[false], 1);
    return pow(fmin(mixed / 0.3, 1), 3);
}

/* Every message is sent once and received once. In a tree one of the two is equal for all ranks but
 * the root, and the other one is that of a few ranks. */
static double fewer(double sent, double received)
{
    return sent > 0 && received > 0 ? fmin(sent, received) : fmax(sent, received);
}

static void count_plan(const struct point *point, const struct rb_plan *plan, struct rb_op ops[],
                       struct point_effort *effort)
{
    const int32_t p = point->plan.p;
    const int32_t sample[SAMPLED_RANKS] = {1 % p, p / 3, p / 2, (int32_t)(0.8 * p), p - 1};
    const double each = (double)p / SAMPLED_RANKS;
    const double rounds = fmax((double)rb_plan_rounds(plan), 1);
    double messages[DEP_DIRECTIONS] = {0}, exchanged = 0, far = 0;
    for (int32_t i = 0; i < SAMPLED_RANKS; i++) {
        struct count count;
        count_rank(point, plan, sample[i], ops, &count);
        messages[DEP_SENDS] += each * count.messages[DEP_SENDS];
        messages[DEP_RECEIVES] += each * count.messages[DEP_RECEIVES];
        exchanged += each * count.exchanged;
        far += each * count.far;
        effort->operations += each * count.operations;
    }
    const double both = messages[DEP_SENDS] + messages[DEP_RECEIVES];
    effort->messages = fewer(messages[DEP_SENDS], messages[DEP_RECEIVES]);
    effort->in_flight = effort->messages / rounds;
    effort->exchanged = both > 0 ? exchanged / both : 0;
    effort->far = both > 0 ? far / both : 0;
    effort->connected = find_connected(point, plan, ops);
}

/* The costs of the variant that the engine would choose. */
static const struct sim_costs *costs_of(const struct point *point, const struct rb_plan *plan)
{
    const struct rb_layout layout = {.bytes = point->m_bytes, .element = point->element_bytes};
    const struct sim_spec spec = {.plan = plan,
                                  .layout = &layout,
                                  .ppn = point->ppn,
                                  .overlap = *point->overlap_rule,
                                  .variant = point->engine_variant};
    const struct sim_costs *costs =
        point->engine->costs_of != NULL ? point->engine->costs_of(&spec) : NULL;
    return costs != NULL ? costs : &point->engine->costs;
}

/* Of two calls and the set-up in the first: whole messages in a tree, shares round a ring, segments
 * of a pipeline. */
static double guess_messages(const struct point *point)
{
    const double p = point->plan.p, segment = 1 << 16;
    return 2 * p * (rb_ceil_log2(point->plan.p) + p + (double)point->m_bytes / segment);
}

int point_effort_find(const struct point *point, struct point_effort *effort,
                      struct sup_error *error)
{
    struct rb_plan *plan = NULL;
    char why[400];
    *effort = (struct point_effort){.in_flight = point->plan.p, .costs = &point->engine->costs};
    if (point_is_native(point)) {
        effort->messages = effort->operations = guess_messages(point);
        return RB_OK;
    }
    struct point_plan found;
    /* The run will say why no plan follows the library's choice. */
    if (point_find_plan(point, &found, error) != RB_OK) {
        point_plan_free(&found);
        return RB_OK;
    }
    const int status = rb_plan_create(&found.spec, &plan, why, sizeof why);
    point_plan_free(&found);
    if (status != RB_OK)
        return sup_fail(error, status, "%s", why);
    struct rb_op *ops = sup_calloc((size_t)rb_plan_max_ops(plan) + 1, sizeof *ops);
    *effort = (struct point_effort){.costs = costs_of(point, plan)};
    count_plan(point, plan, ops, effort);
    free(ops);
    rb_plan_destroy(plan);
    return RB_OK;
}

/* ---- Cost ------------------------------------------------------------------------------------ */

double point_cost_s(const struct point *point, const struct point_effort *effort)
{
    const struct sim_costs *of = effort->costs;
    const double p = point->plan.p;
    const bool is_probed = point->platform != NULL && point->platform->hosts > 0;
    const double hosts = is_probed ? (double)point->platform->hosts : (p - 1) / point->ppn + 1;
    const double idle = fmax(1 - effort->in_flight / p, 0);
    const double irregular = idle * idle * effort->in_flight;
    const double rates_s =
        effort->far * of->flow_s * pow(irregular, of->power) +
        effort->connected * of->connected_s * pow(irregular, of->connected_power);
    const double message_s =
        of->message_s + of->crowd_s * p / (p + 1000) + (1 - effort->exchanged) * rates_s;
    const bool combines = point->collective != NULL && point->collective->reducing;
    const double bytes = combines ? p * (double)point->m_bytes : 0;
    const double rounds = effort->in_flight > 0 ? effort->messages / effort->in_flight : 0;
    const double run_s = of->start_s + of->byte_s * bytes + of->round_s * rounds +
                         message_s * effort->messages + of->operation_s * effort->operations;
    return of->host_s * hosts + run_s * (point->jitter + 1);
}

int point_estimate(struct point *point, struct sup_error *error)
{
    struct point_effort effort;
    const int status = point_effort_find(point, &effort, error);
    sup_had_memory(status != RB_ENOMEM);
    if (status == RB_OK)
        point->cost_s = point_cost_s(point, &effort);
    return status;
}
