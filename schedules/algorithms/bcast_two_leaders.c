/* bcast_two_leaders.c - pipelined broadcast for ranks that share ports, through two leaders of each
 * group that take turns; read backwards it is the reduction `hosts`.
 *
 * Source: this project; docs/groups.md. Built on J. L. Traeff, Optimal Broadcast Schedules in
 * Logarithmic Time, 2024. Rounds: n + max(D (ceil(log2 N) - 1) + E + F, G) for N groups, where D,
 * E, F and G depend on the groups' sizes alone and are O(log of the largest); schedules/patterns/
 * streams.h says what they are and proves that data are there when they are sent. Volume: n (p - 1)
 * blocks, of which n (N - 1) pass between groups: both optimal. State per rank: its group's
 * schedules over groups and its own inside the group, at most 2 q(N) + 2 q(k) bytes. It has more
 * rounds than `turns`, but there each host would send and receive while the round before is still
 * under way, and messages at its port meet. Commutative operators only.
 *
 * p = 6, N = 2 groups of k = 3, n = 3 (D = 2, E = 1, F = 2: six rounds; port rounds begin with
 * t = 1), what each rank of the broadcast receives, from another group where marked *:
 *
 *   t   rank 1     rank 2     rank 3     rank 4     rank 5
 *   0   0 from 0      -          -          -          -
 *   1      -       1 from 0   0 from 1*     -          -
 *   2   2 from 0   0 from 1      -       1 from 2*  0 from 3
 *   3   1 from 2      -       2 from 1*  0 from 5   1 from 4
 *   4      -       2 from 1   1 from 5      -       2 from 3
 *   5      -          -          -       2 from 5      - */
#include <assert.h>

#include "schedules/patterns/lanes.h"
#include "schedules/patterns/sequence.h"
#include "schedules/plan/plan.h"

/* In rb_rank's bytes, one after the other: the group's receive and send schedules over groups, the
 * rank's inside its group; and in the last eight bytes the group. q(N) + q(k) <= 60, because
 * N + k <= p + 1 <= 2^30 + 1. */
enum { PLACE = 15 };

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    plan->max_ops = 2;
    int status = rb_need_one_port(plan, why, why_size);
    if (plan->p == 1)
        plan->radix = 0;
    if (status == RB_OK && plan->radix > 0)
        status = rb_lanes_init(plan, why, why_size);
    if (status != RB_OK || plan->p == 1 || rb_has_lanes(plan))
        return status;
    status = rb_streams_init(plan, true, RB_TURNS, why, why_size);
    if (status == RB_OK)
        plan->rounds = plan->n + rb_streams_extra(rb_streams_of(plan));
    return status;
}

/* Where they are. */
struct schedules {
    const int8_t *over_recv, *over_send, *recv, *send;
};

static struct schedules schedules_of(const struct rb_streams *streams,
                                     const struct rb_inside *inside, const int8_t bytes[])
{
    const int8_t *recv = bytes + 2 * streams->over.q;
    return (struct schedules){bytes, bytes + streams->over.q, recv, recv + inside->q};
}

/* The group's number among all, counted from the root's. */
static int32_t relative_group(const struct rb_streams *streams, int32_t group)
{
    const int32_t relative = group - streams->root_group;
    return relative < 0 ? relative + streams->groups.count : relative;
}

static void schedule(const struct rb_plan *plan, struct rb_rank *state)
{
    if (rb_has_lanes(plan))
        rb_lanes_rank(plan, state);
    if (plan->p == 1 || rb_has_lanes(plan))
        return;
    const struct rb_streams *streams = rb_streams_of(plan);
    const int32_t group = rb_group_of(&streams->groups, state->rank);
    const struct rb_inside inside = rb_streams_inside(plan, group);
    const int32_t relative = relative_group(streams, group);
    int8_t *bytes = state->state.byte;
    rb_circulant_recv(&streams->over, relative, bytes);
    rb_circulant_send(&streams->over, relative, bytes + streams->over.q);
    rb_inside_schedules(&inside, state->rank, bytes + 2 * streams->over.q);
    state->state.number[PLACE] = group;
}

/* The block that is this slot of the rank's group, or -1. */
static int64_t block_of(const struct rb_streams *streams, const struct rb_inside *inside,
                        const struct schedules *own, int64_t slot)
{
    if (inside->group == streams->root_group)
        return slot < streams->n ? slot : -1;
    const struct rb_slot now = rb_streams_slot(streams, slot);
    return now.any ? rb_slot_block(streams, &now, own->over_recv[now.k]) : -1;
}

/* The message that this rank sends to another group in port round u, if there is one. */
static int32_t leave(const struct rb_plan *plan, int32_t group, const struct schedules *own,
                     int64_t u, struct rb_op *op)
{
    const struct rb_streams *streams = rb_streams_of(plan);
    const struct rb_slot now = rb_streams_slot(streams, u);
    const int64_t block = now.any ? rb_slot_block(streams, &now, own->over_send[now.k]) : -1;
    const int32_t to = now.any ? rb_streams_to(streams, group, now.k) : -1;
    if (block < 0 || to == streams->root_group)
        return 0;
    const struct rb_inside there = rb_streams_inside(plan, to);
    *op = rb_root_op(plan, RB_SEND, 0, block, 1);
    op->peer = rb_inside_entry(&there, u);
    return 1;
}

/* The message that this rank receives from another group in port round u, if there is one. */
static int32_t enter(const struct rb_plan *plan, const struct rb_inside *inside,
                     const struct schedules *own, int64_t u, struct rb_op *op)
{
    const struct rb_streams *streams = rb_streams_of(plan);
    const int64_t block = block_of(streams, inside, own, u);
    if (block < 0)
        return 0;
    const struct rb_slot now = rb_streams_slot(streams, u);
    const struct rb_inside there =
        rb_streams_inside(plan, rb_streams_from(streams, inside->group, now.k));
    *op = rb_root_op(plan, RB_RECV, 0, block, 1);
    op->peer = rb_inside_exit(&there, u);
    return 1;
}

static int32_t pass_on(const struct rb_plan *plan, enum rb_op_kind kind, int32_t peer,
                       int64_t block, struct rb_op *op)
{
    if (block < 0)
        return 0;
    *op = rb_root_op(plan, kind, 0, block, 1);
    op->peer = peer;
    return 1;
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const struct rb_streams *streams = rb_streams_of(plan);
    if (rb_has_lanes(plan))
        return rb_lanes_round(plan, state, t, ops);
    const int64_t u = t - streams->root.lead;
    const int32_t group = (int32_t)state->state.number[PLACE];
    const struct rb_inside inside = rb_streams_inside(plan, group);
    const struct schedules own = schedules_of(streams, &inside, state->state.byte);
    const struct rb_inside_step step = rb_inside_step(&inside, state->rank, own.recv, own.send, u);
    int32_t count = 0;
    if (step.leaves)
        count += leave(plan, group, &own, u, &ops[count]);
    else if (step.to >= 0)
        count += pass_on(plan, RB_SEND, step.to, block_of(streams, &inside, &own, step.out),
                         &ops[count]);
    if (step.enters)
        count += enter(plan, &inside, &own, u, &ops[count]);
    else if (step.from >= 0)
        count += pass_on(plan, RB_RECV, step.from, block_of(streams, &inside, &own, step.in),
                         &ops[count]);
    return count;
}

static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    struct rb_op ops[2];
    if (rb_has_lanes(plan))
        return rb_lanes_next(plan, state, t);
    while (t < plan->rounds && round_(plan, state, t, ops) == 0)
        t++;
    return t;
}

/* ---- Closed form ----------------------------------------------------------------------------- */

enum { MOST_OPEN = 8192 };

/* The rounds that have messages, each of one block. From the first port round to the last there is
 * one over groups, unless n < D leaves classes without blocks. The other rounds are tried until all
 * are found to have a block, which most often takes a few ranks. */
static int64_t rounds_with_messages(const struct rb_plan *plan)
{
    const struct rb_streams *streams = rb_streams_of(plan);
    const int64_t lead = streams->root.lead;
    const int64_t sure = streams->n < streams->classes ? 0 : streams->port_rounds;
    const int64_t open = plan->rounds - sure;
    bool has[MOST_OPEN] = {false};
    int64_t found = 0;
    assert(open <= MOST_OPEN);
    for (int32_t rank = 0; rank < plan->p && found < open; rank++) {
        struct rb_rank state;
        rb_plan_rank(plan, rank, &state);
        for (int64_t i = 0; i < open; i++) {
            struct rb_op ops[2];
            if (!has[i] && round_(plan, &state, i < lead ? i : i + sure, ops) > 0) {
                has[i] = true;
                found++;
            }
        }
    }
    return sure + found;
}

static double cost(const struct rb_plan *plan, double bytes, double alpha_s, double beta_s_per_byte)
{
    if (rb_has_lanes(plan))
        return rb_lanes_cost(plan, bytes, alpha_s, beta_s_per_byte);
    return (double)rounds_with_messages(plan) *
           (alpha_s + beta_s_per_byte * bytes / (double)plan->n);
}

static void pipeline(const struct rb_plan *plan, int64_t *per_block, int64_t *fixed)
{
    *per_block = 1;
    *fixed = plan->rounds - plan->n;
}

#define ROUNDS "n + max(D (ceil(log2 N) - 1) + E + F, G)"

RB_ROW(rb_bcast_two_leaders, "bcast", "two-leaders", "two leaders of each group in turn",
       "docs/groups.md, on Traeff 2024", ROUNDS, RB_PIPELINED(""), RB_BY_GROUPS, RB_LANES_RADIX,
       .init = init, .fini = rb_streams_fini, .rank = schedule, .round = round_, .next = next,
       .cost = cost, .pipeline = pipeline);

RB_ROW(rb_reduce_hosts, "reduce", "hosts", "pipeline inside and over groups that share a port",
       "docs/groups.md, on Traeff 2024", ROUNDS, RB_REVERSED(rb_bcast_two_leaders),
       RB_PIPELINED(""), RB_BY_GROUPS, RB_LANES_RADIX, .pipeline = rb_reversed_pipeline);
