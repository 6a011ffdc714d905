#include "lanes.h"

#include <assert.h>

#include "sequence.h"

/* A group. Its ranks have places: 0 .. members - 1, of which the first `leaders` have lanes, then
 * nodes 1, 2, ... of the broadcast inside; the root has place -1, unless it is alone. */
struct group {
    int32_t number, first, size, index_0;
    int32_t ranks; /* k */
    int32_t leaders, members;
    int32_t nodes, q; /* 1, 0: there is no broadcast inside */
    bool fed;         /* by the root */
};

static struct group group_of(const struct rb_plan *plan, int32_t number)
{
    const struct rb_streams *streams = rb_streams_of(plan);
    const int32_t lanes = streams->lanes.count;
    struct group group = {.number = number,
                          .first = rb_group_first(&streams->groups, number),
                          .size = rb_group_size(&streams->groups, number)};
    if (number == streams->root_group) {
        group.index_0 = plan->root - group.first;
        group.fed = group.size > 1;
    }
    group.ranks = group.size - group.fed;
    group.leaders = group.ranks < lanes ? group.ranks : lanes;
    group.members = group.ranks < 2 * lanes ? group.ranks : lanes;
    group.nodes = group.ranks - group.members + 1;
    group.q = rb_ceil_log2(group.nodes);
    return group;
}

/* Schedules over groups of a rank's group, and inside of the rank: in its state's bytes. */
struct schedules {
    const int8_t *over_recv, *over_send, *inside;
};

static int32_t rank_at(const struct group *group, int32_t place)
{
    const int32_t index = place + group->fed + group->index_0;
    return group->first + (index < group->size ? index : index - group->size);
}

static int32_t place_of(const struct group *group, int32_t rank)
{
    const int32_t index = rank - group->first - group->index_0;
    return (index < 0 ? index + group->size : index) - group->fed;
}

/* The place of the leader of port round u's lane; u >= -D. */
static int32_t leader_of(const struct rb_streams *streams, const struct group *group, int64_t u)
{
    const int32_t lanes = streams->lanes.count;
    return (int32_t)((u + lanes) % lanes) % group->leaders;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

static int64_t lane_first(const struct rb_streams *streams, int32_t lane)
{
    return rb_deal_before(streams->n, streams->lanes.count, lane);
}

/* The block of this entry of a schedule over groups in port round u, or -1. */
static int64_t block_over(const struct rb_streams *streams, const int8_t schedule[], int64_t u)
{
    const struct rb_slot slot = rb_streams_slot(streams, u);
    const int64_t index = slot.any ? schedule[slot.k] + slot.shift : -1;
    return index < 0 ? -1 : lane_first(streams, slot.first) + rb_smaller(index, slot.last);
}

/* What the root sends to a leader in port round u >= -D, or -1. */
static int64_t block_fed(const struct rb_streams *streams, int64_t u)
{
    const int64_t lanes = streams->lanes.count, index = (u + lanes) / lanes;
    const int32_t lane = (int32_t)((u + lanes) % lanes);
    const int64_t block = lane_first(streams, lane) + index;
    return block < lane_first(streams, lane + 1) ? block : -1;
}

/* What a group's leader takes in in port round u, or -1. */
static int64_t block_in(const struct rb_streams *streams, const struct group *group,
                        const struct schedules *own, int64_t u)
{
    if (u < -streams->lanes.lead)
        return -1;
    return group->fed ? block_fed(streams, u) : block_over(streams, own->over_recv, u);
}

/* ---- Operations ------------------------------------------------------------------------------ */

static int32_t put(const struct rb_plan *plan, enum rb_op_kind kind, int32_t peer, int64_t block,
                   int64_t count, struct rb_op *op)
{
    if (block < 0 || count == 0)
        return 0;
    *op = rb_root_op(plan, kind, 0, block, count);
    op->peer = peer;
    return 1;
}

/* The leader on the port. */
static int32_t on_port(const struct rb_plan *plan, const struct group *group,
                       const struct schedules *own, int64_t u, struct rb_op ops[])
{
    const struct rb_streams *streams = rb_streams_of(plan);
    const struct rb_slot slot = rb_streams_slot(streams, u);
    int32_t count = 0;
    if (slot.any) {
        const struct group to = group_of(plan, rb_streams_to(streams, group->number, slot.k));
        if (to.number != streams->root_group)
            count += put(plan, RB_SEND, rank_at(&to, leader_of(streams, &to, u)),
                         block_over(streams, own->over_send, u), 1, ops);
    }
    if (group->fed)
        return count + put(plan, RB_RECV, plan->root, block_fed(streams, u), 1, ops + count);
    if (slot.any && group->number != streams->root_group) {
        const struct group from = group_of(plan, rb_streams_from(streams, group->number, slot.k));
        count += put(plan, RB_RECV, rank_at(&from, leader_of(streams, &from, u)),
                     block_over(streams, own->over_recv, u), 1, ops + count);
    }
    return count;
}

/* The rank that is this node in inner round w. */
static int32_t node_rank(const struct rb_streams *streams, const struct group *group, int32_t node,
                         int64_t w)
{
    return rank_at(group, node == 0 ? leader_of(streams, group, w) : group->members + node - 1);
}

/* Inner round w of a node of the broadcast inside. */
static int32_t inside(const struct rb_plan *plan, const struct group *group, int32_t node,
                      const struct schedules *own, int64_t w, struct rb_op ops[])
{
    const struct rb_streams *streams = rb_streams_of(plan);
    const int8_t *recv = own->inside, *send = recv + group->q;
    const int32_t rest = (int32_t)(w % group->q), k = rest < 0 ? rest + group->q : rest;
    const int32_t halvings = group->q - k; /* rb_inside_skip */
    const int32_t skip =
        (int32_t)(((int64_t)group->nodes + ((INT64_C(1) << halvings) - 1)) >> halvings);
    const int32_t back = group->nodes - skip, to = node < back ? node + skip : node - back;
    const int32_t from = node >= skip ? node - skip : node + back;
    int32_t count = 0;
    if (to != 0)
        count += put(plan, RB_SEND, node_rank(streams, group, to, w),
                     block_in(streams, group, own, w - k + send[k]), 1, ops);
    if (node != 0)
        count += put(plan, RB_RECV, node_rank(streams, group, from, w),
                     block_in(streams, group, own, w - k + recv[k]), 1, ops + count);
    return count;
}

/* ---- The exchange at the end ----------------------------------------------------------------- */

/* One member lacks all of three lanes or more. */
static bool is_ring(const struct rb_streams *streams, const struct group *group)
{
    return streams->lanes.count > 2 && group->members == streams->lanes.count + 1;
}

static int64_t exchange_rounds(const struct rb_streams *streams, const struct group *group)
{
    return is_ring(streams, group) ? streams->lanes.count : rb_ceil_log2(group->members);
}

/* Lanes of the members `from`, from - 1, ..., so many, in one message. */
static int32_t put_lanes(const struct rb_plan *plan, const struct group *group,
                         enum rb_op_kind kind, int32_t peer, int32_t from, int32_t many,
                         struct rb_op ops[])
{
    const struct rb_streams *streams = rb_streams_of(plan);
    int32_t count = 0;
    for (int32_t lane = 0; lane < streams->lanes.count; lane++) {
        const int32_t member = lane % group->leaders;
        const int32_t before = from >= member ? from - member : from - member + group->members;
        if (before < many)
            count += put(plan, kind, rank_at(group, peer), lane_first(streams, lane),
                         lane_first(streams, lane + 1) - lane_first(streams, lane), ops + count);
    }
    return count;
}

/* What leader `to` of the ring receives in round j, and from whom: from the leader before it, or
 * from the member without a lane. Round 0 is only for leader 0 (put_lane). */
struct ring_step {
    int32_t from, lane;
};

static struct ring_step ring_step(int32_t lanes, int32_t to, int32_t j)
{
    const int32_t before = to > 0 ? to - 1 : lanes - 1;
    struct ring_step step = {.from = before == j ? lanes : before,
                             .lane = to >= j ? to - j : to - j + lanes};
    if (to == 2 && j <= 2) /* when member D has lane 0 only */
        step.lane = j - 1;
    if (j == 0)
        step.lane = lanes - 1;
    return step;
}

/* Read backwards, where nobody feeds the lanes in turn, two leaders would begin at once. So there
 * leader D - 1 sends the last block of its lane to leader 0 in round 0, and the others in round 1
 * as everywhere. */
static bool is_early(const struct rb_plan *plan, int32_t lane, int32_t j)
{
    return plan->collective->info.reducing && lane == rb_streams_of(plan)->lanes.count - 1 && j < 2;
}

static int32_t put_lane(const struct rb_plan *plan, const struct group *group, enum rb_op_kind kind,
                        int32_t peer, int32_t lane, int32_t j, struct rb_op *op)
{
    const struct rb_streams *streams = rb_streams_of(plan);
    int64_t first = lane_first(streams, lane), end = lane_first(streams, lane + 1);
    if (is_early(plan, lane, j) && first < end) {
        first = j == 0 ? end - 1 : first;
        end = j == 0 ? end : end - 1;
    }
    return put(plan, kind, rank_at(group, peer), first, end - first, op);
}

static int32_t ring(const struct rb_plan *plan, const struct group *group, int32_t place, int32_t j,
                    struct rb_op ops[])
{
    const int32_t lanes = rb_streams_of(plan)->lanes.count, last = lanes - 1;
    const int32_t leader = place == lanes ? j : place, next = leader < last ? leader + 1 : 0;
    const bool early = is_early(plan, last, j);
    int32_t count = 0;
    if (place == j)
        count = put_lane(plan, group, RB_SEND, lanes, j, j, ops);
    else if (j > 0 || (early && place == last))
        count = put_lane(plan, group, RB_SEND, next, ring_step(lanes, next, j).lane, j, ops);
    if (place == lanes) {
        count += put_lane(plan, group, RB_RECV, j, j, j, ops + count);
    } else if (j > 0 || (early && place == 0)) {
        const struct ring_step step = ring_step(lanes, place, j);
        count += put_lane(plan, group, RB_RECV, step.from, step.lane, j, ops + count);
    }
    return count;
}

static int32_t exchange(const struct rb_plan *plan, const struct group *group, int32_t place,
                        int64_t step, struct rb_op ops[])
{
    const struct rb_streams *streams = rb_streams_of(plan);
    if (step >= exchange_rounds(streams, group))
        return 0;
    if (is_ring(streams, group))
        return ring(plan, group, place, (int32_t)step, ops);
    const int32_t members = group->members, h = (int32_t)1 << step;
    const int32_t many = h < members - h ? h : members - h;
    const int32_t to = place + h < members ? place + h : place + h - members;
    const int32_t from = place >= h ? place - h : place - h + members;
    const int32_t count = put_lanes(plan, group, RB_SEND, to, place, many, ops);
    return count + put_lanes(plan, group, RB_RECV, from, from, many, ops + count);
}

/* ---- The plan -------------------------------------------------------------------------------- */

/* Rounds and operations of streams that have their lanes. */
static void set_rounds(struct rb_plan *plan)
{
    struct rb_streams *streams = plan->data.own;
    const int32_t lanes = streams->lanes.count;
    int32_t drain = 0;
    int64_t steps = 0;
    int32_t known = 0; /* nodes of a group before */
    for (int32_t number = 0; number < streams->groups.count; number++) {
        const struct group group = group_of(plan, number);
        const int64_t rounds = exchange_rounds(streams, &group);
        steps = rounds > steps ? rounds : steps;
        if (group.nodes > 1 && group.nodes != known) {
            known = group.nodes;
            const int32_t after = 1 + rb_stream_delays(known).drain;
            drain = after > drain ? after : drain;
        }
    }
    streams->lanes.exchange = streams->port_rounds + (drain > 0);
    const int64_t last = streams->lanes.exchange + steps, drained = streams->port_rounds + drain;
    plan->rounds = streams->lanes.lead + (last > drained ? last : drained);
    plan->max_ops = 2 * lanes;
}

int rb_lanes_init(struct rb_plan *plan, char *why, size_t why_size)
{
    const struct rb_groups *groups = &plan->groups;
    int32_t smallest, largest;
    rb_groups_extent(groups, &smallest, &largest);
    if (groups->above != NULL || groups->rank_at != NULL)
        return rb_why(why, why_size, RB_ENOTSUP,
                      "%s %s with a radix has plans for groups of consecutive ranks on one level",
                      plan->collective->info.name, plan->algorithm->info.name);
    /* The root's group must not have more lanes than leaders. */
    const int32_t lanes = plan->radix < largest ? plan->radix : largest - 1;
    if (groups->count == 1 || lanes < 2) {
        plan->radix = 0;
        return RB_OK;
    }
    const int status = rb_streams_init(plan, true, RB_TURNS, why, why_size);
    if (status != RB_OK)
        return status;
    struct rb_streams *streams = plan->data.own;
    rb_streams_set_classes(streams, lanes);
    streams->lanes.count = lanes;
    streams->lanes.lead = rb_group_size(groups, streams->root_group) > 1 ? lanes : 0;
    set_rounds(plan);
    return RB_OK;
}

/* The schedules of a rank: receive and send schedules of its group over groups, and inside of the
 * rank. */
void rb_lanes_rank(const struct rb_plan *plan, struct rb_rank *state)
{
    const struct rb_streams *streams = rb_streams_of(plan);
    const int32_t q = streams->over.q;
    const struct group group = group_of(plan, rb_group_of(&streams->groups, state->rank));
    const int32_t node = place_of(&group, state->rank) - group.members + 1;
    const int32_t ahead = group.number - streams->root_group;
    int8_t *bytes = state->state.byte;
    struct rb_circulant graph;
    rb_circulant_recv(&streams->over, ahead < 0 ? ahead + streams->over.p : ahead, bytes);
    rb_circulant_send(&streams->over, ahead < 0 ? ahead + streams->over.p : ahead, bytes + q);
    if (group.nodes == 1)
        return;
    rb_circulant_init(&graph, group.nodes);
    rb_circulant_recv(&graph, node > 0 ? node : 0, bytes + 2 * q);
    rb_circulant_send(&graph, node > 0 ? node : 0, bytes + 2 * q + graph.q);
}

int32_t rb_lanes_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                       struct rb_op ops[])
{
    const struct rb_streams *streams = rb_streams_of(plan);
    const struct group group = group_of(plan, rb_group_of(&streams->groups, state->rank));
    const int32_t place = place_of(&group, state->rank), q = streams->over.q;
    const int8_t *bytes = state->state.byte;
    const struct schedules schedules = {bytes, bytes + q, bytes + 2 * q}, *own = &schedules;
    const int64_t u = t - streams->lanes.lead;
    if (place >= 0 && place < group.members && u >= streams->lanes.exchange)
        return exchange(plan, &group, place, u - streams->lanes.exchange, ops);
    if (u < streams->port_rounds) {
        const int32_t leader = leader_of(streams, &group, u);
        if (place < 0)
            return put(plan, RB_SEND, rank_at(&group, leader), block_fed(streams, u), 1, ops);
        if (place == leader)
            return on_port(plan, &group, own, u, ops);
    }
    const int64_t w = u - 1;
    if (place < 0 || group.nodes == 1 || w < -streams->lanes.lead)
        return 0;
    if (place >= group.members)
        return inside(plan, &group, place - group.members + 1, own, w, ops);
    return w < streams->port_rounds && place == leader_of(streams, &group, w)
               ? inside(plan, &group, 0, own, w, ops)
               : 0;
}

/* More operations than rb_plan_next tries without memory. */
int64_t rb_lanes_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    struct rb_op ops[2 * RB_MOST_LANES];
    while (t < plan->rounds && rb_lanes_round(plan, state, t, ops) == 0)
        t++;
    return t;
}

/* ---- Closed form ----------------------------------------------------------------------------- */

enum { MOST_OPEN = 8192 };

/* From the first port round to the last there is a message of one block over groups, unless n < D
 * leaves lanes without blocks. All ranks are asked for the other rounds: which have messages, and
 * how long is each one's longest; before the exchange, until one is found. */
double rb_lanes_cost(const struct rb_plan *plan, double bytes, double alpha_s,
                     double beta_s_per_byte)
{
    const struct rb_streams *streams = rb_streams_of(plan);
    const int64_t lead = streams->lanes.lead, ports = streams->port_rounds;
    const int64_t sure = streams->n < streams->classes ? 0 : ports, open = plan->rounds - sure;
    int64_t longest[MOST_OPEN] = {0}, rounds = sure, blocks = sure;
    assert(open <= MOST_OPEN);
    for (int32_t rank = 0; rank < plan->p; rank++) {
        struct rb_rank state;
        rb_plan_rank(plan, rank, &state);
        for (int64_t i = 0; i < open; i++) {
            const int64_t t = i < lead ? i : i + sure;
            struct rb_op ops[2 * RB_MOST_LANES];
            int64_t sent = 0;
            if (longest[i] > 0 && t < lead + streams->lanes.exchange)
                continue;
            for (int32_t of = rb_lanes_round(plan, &state, t, ops); of > 0; of--)
                sent += ops[of - 1].kind == RB_SEND ? ops[of - 1].at.count : 0;
            longest[i] = sent > longest[i] ? sent : longest[i];
        }
    }
    for (int64_t i = 0; i < open; i++) {
        rounds += longest[i] > 0;
        blocks += longest[i];
    }
    return (double)rounds * alpha_s + (double)blocks * beta_s_per_byte * bytes / (double)plan->n;
}

/* ---- A vector in shares, of which ranks of a group bring others together, and reduce --------- */

/* Parts of a collective in lanes (levels.h). They are no algorithms of a collective of their own */

static int32_t shares_of(const struct rb_plan *plan)
{
    return plan->radix > 0 ? plan->radix : 1;
}

static int shares_init(struct rb_plan *plan, char *why, size_t why_size)
{
    plan->rounds = rb_ceil_log2(plan->p);
    plan->max_ops = 4;
    return rb_need_one_port(plan, why, why_size);
}

/* The shares of the ranks first .. first + many - 1, which may go round: none, or in one range or
 * two. */
static int32_t shares_put(const struct rb_plan *plan, enum rb_op_kind kind, int32_t peer,
                          int32_t first, int32_t many, struct rb_op ops[])
{
    const int32_t p = plan->p, shares = shares_of(plan);
    const int32_t ends[2][2] = {{first, first + many < p ? first + many : p},
                                {0, first + many < p ? 0 : first + many - p}};
    const int64_t blocks = plan->n / shares;
    int32_t count = 0;
    for (int i = 0; i < 2; i++) {
        const int64_t from = rb_shares_before(p, shares, ends[i][0]);
        const int64_t end = rb_shares_before(p, shares, ends[i][1]);
        if (from < end)
            ops[count++] = rb_root_op(plan, kind, peer, from * blocks, (end - from) * blocks);
    }
    return count;
}

static int32_t shares_round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                             struct rb_op ops[])
{
    const int32_t p = plan->p, h = (int32_t)1 << t, many = h < p - h ? h : p - h, r = state->rank;
    const int32_t to = rb_after(plan, r, p - h), from = rb_after(plan, r, h);
    const int32_t sent = shares_put(plan, RB_SEND, to, r, many, ops);
    return sent + shares_put(plan, RB_RECV, from, from, many, ops + sent);
}

static int64_t shares_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    struct rb_op ops[4];
    while (t < plan->rounds && shares_round_(plan, state, t, ops) == 0)
        t++;
    return t;
}

int32_t rb_shares_in_round(const struct rb_plan *plan, int64_t t)
{
    const int64_t forward = plan->algorithm->forward != NULL ? plan->rounds - 1 - t : t;
    const int32_t h = (int32_t)1 << forward, many = h < plan->p - h ? h : plan->p - h;
    return rb_shares_before(plan->p, shares_of(plan), many);
}

const struct rb_algorithm rb_gathered_shares = {
    .info = {.collective = "allreduce", .name = "dissemination", .radix = "shares"},
    .init = shares_init,
    .round = shares_round_,
    .next = shares_next,
};
const struct rb_algorithm rb_reduced_shares = {
    .info = {.collective = "allreduce", .name = "dissemination", .radix = "shares"},
    RB_REVERSED_UNPRICED(rb_gathered_shares),
};
