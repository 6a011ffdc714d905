/* cost.c - see cost.h. */
#include "experiments/point/cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/dependences/messages.h"

/* ---- Effort ---------------------------------------------------------------------------------- */

enum {
    SAMPLED_RANKS = 5,
    MANY = 1 << 14, /* operations of a rank: after these, rounds are like those so far */
};

struct count { /* of a rank */
    double messages[DEP_DIRECTIONS], operations, far;
};

/* How many hosts apart two ranks are, by their numbers. */
static int32_t distance(const struct point *point, int32_t a, int32_t b)
{
    const int32_t hosts = (point->plan.p - 1) / point->ppn + 1;
    return strncmp(point->placement, "cyclic", 6) == 0 ? abs(a % hosts - b % hosts)
                                                       : abs(a / point->ppn - b / point->ppn);
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
            count->far += distance(point, rank, message.ops->peer) > 1;
        }
    }
    const double share = t < rounds && t > 0 ? (double)rounds / (double)t : 1;
    count->messages[DEP_SENDS] *= share;
    count->messages[DEP_RECEIVES] *= share;
    count->far *= share;
    count->operations = (double)operations * share;
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
    const double hosts = (double)((p - 1) / point->ppn + 1);
    double messages[DEP_DIRECTIONS] = {0}, far = 0;
    for (int32_t i = 0; i < SAMPLED_RANKS; i++) {
        struct count count;
        count_rank(point, plan, sample[i], ops, &count);
        messages[DEP_SENDS] += each * count.messages[DEP_SENDS];
        messages[DEP_RECEIVES] += each * count.messages[DEP_RECEIVES];
        far += each * count.far;
        effort->operations += each * count.operations;
    }
    const double both = messages[DEP_SENDS] + messages[DEP_RECEIVES];
    effort->messages = fewer(messages[DEP_SENDS], messages[DEP_RECEIVES]);
    effort->in_flight = effort->messages / rounds;
    effort->far = both > 0 ? effort->in_flight * (far / both) / hosts : 0;
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
    *effort = (struct point_effort){.in_flight = point->plan.p, .far = point->ppn};
    if (sim_native_name(point->plan.algorithm) != NULL) {
        effort->messages = effort->operations = guess_messages(point);
        return RB_OK;
    }
    const int status = rb_plan_create(&point->plan, &plan, why, sizeof why);
    if (status != RB_OK)
        return sup_fail(error, status, "%s", why);
    struct rb_op *ops = calloc((size_t)rb_plan_max_ops(plan) + 1, sizeof *ops);
    *effort = (struct point_effort){0};
    if (ops != NULL)
        count_plan(point, plan, ops, effort);
    free(ops);
    rb_plan_destroy(plan);
    return ops != NULL ? RB_OK : sup_fail(error, RB_ENOMEM, "out of memory");
}

/* ---- Cost ------------------------------------------------------------------------------------ */

double point_cost_s(const struct point *point, const struct point_effort *effort)
{
    const struct sim_costs *of = &point->engine->costs;
    const double p = point->plan.p;
    const double hosts =
        point->platform != NULL ? (double)point->platform->hosts : (p - 1) / point->ppn + 1;
    const double idle = fmax(1 - effort->in_flight / p, 0);
    const double message_s = of->message_s + of->flow_s *
                                                 pow(idle * idle * effort->in_flight, of->power) *
                                                 pow(effort->far, of->sharing);
    const bool combines = point->collective != NULL && point->collective->reducing;
    const double bytes = combines ? p * (double)point->m_bytes : 0;
    const double run_s = of->start_s + of->byte_s * bytes + message_s * effort->messages +
                         of->operation_s * effort->operations;
    return of->host_s * hosts + run_s * (point->jitter + 1);
}

int point_estimate(struct point *point, struct sup_error *error)
{
    struct point_effort effort;
    const int status = point_effort_find(point, &effort, error);
    if (status == RB_OK)
        point->cost_s = point_cost_s(point, &effort);
    return status;
}
