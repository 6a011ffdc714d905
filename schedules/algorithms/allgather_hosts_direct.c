/* allgather_hosts_direct.c - each group sends its data to each other group at once, by ranks of its
 * own, for short data of ranks that share ports: start-ups between groups pass side by side.
 *
 * Source: this project; docs/groups.md. N groups, of which the smallest has k ranks and the largest
 * K. Three phases:
 *   inside   the ranks of a group bring its data together by dissemination;
 *   between  what group g has for the one at distance d goes in one message, from rank d - 1 of g
 *            to rank d - 1 there; if k < N - 1, from rank (d - 1) mod k, in turn (d - 1) / k. If
 *            two groups have S (N - 1) ranks or more each, in S pieces, by S ranks each;
 *   inside   what the ranks of a group have received, by dissemination.
 * A group takes in all other groups' data once, and a rank all data once, so that the plan may be
 * read backwards.
 *
 * An allreduce has a share for each group, of K n blocks, which its ranks have in equal parts
 * between the reduce-scatter and the allgather.
 *
 * Rounds: 2 ceil(log2 K) + ceil((N - 1) / k). Volume: n (p - 1) blocks received per rank, optimal,
 * and between groups, too. No state per rank.
 *
 * p = 4, N = 2 groups of 2: t = 0: 0 and 1 exchange; t = 1, S = 2: 0 -> 2 block of 0, 1 -> 3 of 1,
 * 2 -> 0 and 3 -> 1 likewise; t = 2: 2 -> 3 block of 0, 3 -> 2 of 1, and so on. */
#include "schedules/patterns/sequence.h"
#include "schedules/plan/plan.h"

struct direct {
    int32_t inside, turns, smallest; /* ceil(log2 K), of messages between groups, k */
    bool of_groups;                  /* the owners are groups */
};

static struct direct direct_of(const struct rb_plan *plan)
{
    const int64_t *number = plan->data.number;
    return (struct direct){(int32_t)number[0], (int32_t)number[1], (int32_t)number[2],
                           number[3] != 0};
}

static int init(struct rb_plan *plan, bool of_groups, char *why, size_t why_size)
{
    int32_t smallest, largest;
    rb_groups_extent(&plan->groups, &smallest, &largest);
    const int64_t turns = rb_ceil_divide(plan->groups.count - 1, smallest);
    plan->data.number[0] = rb_ceil_log2(largest);
    plan->data.number[1] = turns;
    plan->data.number[2] = smallest;
    plan->data.number[3] = of_groups;
    plan->rounds = 2 * rb_ceil_log2(largest) + turns;
    plan->max_ops = plan->p == 1 ? 1 : 2 * (plan->p - 1);
    const int status = rb_need_one_port(plan, why, why_size);
    if (status != RB_OK || !of_groups)
        return status;
    plan->owners = plan->groups.count;
    return rb_multiply_blocks(plan, largest, why, why_size);
}

static int init_ranks(struct rb_plan *plan, char *why, size_t why_size)
{
    return init(plan, false, why, why_size);
}

static int init_groups(struct rb_plan *plan, char *why, size_t why_size)
{
    return init(plan, true, why, why_size);
}

/* ---- Messages -------------------------------------------------------------------------------- */

/* Of one message. Without operations they are only counted. */
struct message {
    const struct rb_plan *plan;
    struct rb_op op; /* but for its range */
    struct rb_op *ops;
    int32_t count;
};

/* Part `i` of `parts` of a group's data. Groups of ranks that own data have a unit for each rank.
 */
static void add_part(struct message *message, int32_t group, int32_t i, int32_t parts)
{
    const struct rb_plan *plan = message->plan;
    const bool of_groups = direct_of(plan).of_groups;
    const int64_t units = of_groups ? plan->blocks : rb_group_size(&plan->groups, group);
    const int64_t first = rb_deal_before(units, parts, i);
    const int64_t end = rb_deal_before(units, parts, (int64_t)i + 1);
    for (int64_t unit = first; unit < end; unit += of_groups ? end - first : 1) {
        const int32_t owner = rb_group_first(&plan->groups, group) + (int32_t)unit;
        message->op.at = of_groups ? (struct rb_range){RB_DST, group, first, end - first}
                                   : (struct rb_range){RB_DST, owner, 0, plan->n};
        if (message->ops != NULL)
            message->ops[message->count] = message->op;
        message->count++;
    }
}

/* A rank's message in a turn: with a group at distance d, piece `piece` of S. */
struct link {
    bool any;
    int32_t peer, piece, pieces;
    int32_t from; /* the group whose data it carries */
};

/* S of a group alone. */
static int32_t pieces_of(const struct rb_plan *plan, int32_t group)
{
    const int32_t others = plan->groups.count - 1;
    return direct_of(plan).turns == 1 ? rb_group_size(&plan->groups, group) / others : 1;
}

static struct link link_of(const struct rb_plan *plan, int32_t group, int32_t place, int32_t turn,
                           bool out)
{
    const struct direct direct = direct_of(plan);
    const int32_t groups = plan->groups.count, mine = pieces_of(plan, group);
    if (direct.turns > 1 && place >= direct.smallest)
        return (struct link){0};
    const int64_t number = (int64_t)turn * direct.smallest + place, before = number / mine;
    if (before >= groups - 1)
        return (struct link){0};
    const int32_t d = (int32_t)before + 1, piece = (int32_t)(number % mine);
    const int32_t other = out ? (group < groups - d ? group + d : group - (groups - d))
                              : (group >= d ? group - d : group + (groups - d));
    const int32_t theirs = pieces_of(plan, other), pieces = mine < theirs ? mine : theirs;
    const int32_t peer_place = direct.turns == 1 ? (d - 1) * theirs + piece : place;
    return (struct link){piece < pieces, rb_group_first(&plan->groups, other) + peer_place, piece,
                         pieces, out ? group : other};
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

/* What a rank of a group has before the dissemination: its own data, or what it has received. */
static void add_content(struct message *message, int32_t group, int32_t place, bool received)
{
    const struct rb_plan *plan = message->plan;
    const struct direct direct = direct_of(plan);
    if (!received)
        add_part(message, group, place, rb_group_size(&plan->groups, group));
    for (int32_t turn = 0; received && turn < direct.turns; turn++) {
        const struct link link = link_of(plan, group, place, turn, false);
        if (link.any)
            add_part(message, link.from, link.piece, link.pieces);
    }
}

static struct message message_after(const struct message *before, enum rb_op_kind kind,
                                    int32_t peer)
{
    return (struct message){before->plan, {.kind = kind, .peer = peer}, before->ops, before->count};
}

/* Round t of a dissemination (allgather_dissemination.c) among the ranks of a group. */
static int32_t inside(const struct rb_plan *plan, int32_t rank, int32_t t, bool received,
                      struct rb_op *ops)
{
    const int32_t group = rb_group_of(&plan->groups, rank);
    const int32_t first = rb_group_first(&plan->groups, group);
    const int32_t size = rb_group_size(&plan->groups, group), place = rank - first;
    if (t >= rb_ceil_log2(size))
        return 0;
    const int32_t h = (int32_t)1 << t, many = h < size - h ? h : size - h;
    const int32_t from = place < size - h ? place + h : place - (size - h);
    struct message sent = {
        plan,
        {.kind = RB_SEND, .peer = first + (place >= h ? place - h : place + (size - h))},
        ops,
        0};
    for (int32_t i = 0; i < many; i++)
        add_content(&sent, group, place < size - i ? place + i : place - (size - i), received);
    struct message got = message_after(&sent, RB_RECV, first + from);
    for (int32_t i = 0; i < many; i++)
        add_content(&got, group, from < size - i ? from + i : from - (size - i), received);
    return got.count;
}

static int32_t between(const struct rb_plan *plan, int32_t rank, int32_t turn, struct rb_op *ops)
{
    const int32_t group = rb_group_of(&plan->groups, rank);
    const int32_t place = rank - rb_group_first(&plan->groups, group);
    const struct link out = link_of(plan, group, place, turn, true);
    const struct link in = link_of(plan, group, place, turn, false);
    struct message sent = {plan, {.kind = RB_SEND, .peer = out.peer}, ops, 0};
    if (out.any)
        add_part(&sent, out.from, out.piece, out.pieces);
    struct message got = message_after(&sent, RB_RECV, in.peer);
    if (in.any)
        add_part(&got, in.from, in.piece, in.pieces);
    return got.count;
}

/* ops may be NULL: then the result is above 0 if there are any. */
static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const struct direct direct = direct_of(plan);
    const int32_t round = (int32_t)t, second = direct.inside + direct.turns;
    if (round < direct.inside)
        return inside(plan, state->rank, round, false, ops);
    return round < second ? between(plan, state->rank, round - direct.inside, ops)
                          : inside(plan, state->rank, round - second, true, ops);
}

static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    return rb_next_by(round_, plan, state, t);
}

/* ---- The plans ------------------------------------------------------------------------------- */

#define DIRECT(symbol, init_)                                                                      \
    RB_ROW(symbol, "allgather", "hosts-direct", "each group to each other one at once",            \
           "docs/groups.md", "at most 2 ceil(log2 K) + N - 1", RB_OF_RANK, .info.groups = true,    \
           .init = init_, .round = round_, .next = next)

DIRECT(rb_allgather_hosts_direct, init_ranks);
static DIRECT(of_groups, init_groups);

RB_ROW(rb_reduce_scatter_hosts_direct, "reduce-scatter", "hosts-direct",
       "each group to each other one at once, read backwards", "docs/groups.md",
       "at most 2 ceil(log2 K) + N - 1", RB_REVERSED_UNPRICED(rb_allgather_hosts_direct),
       RB_OF_RANK, .info.groups = true);
static RB_ROW(to_groups, "reduce-scatter", "hosts-direct", "", "", "",
              RB_REVERSED_UNPRICED(of_groups), .info.groups = true);

RB_ROW(rb_allreduce_hosts_direct, "allreduce", "hosts-direct",
       "shares for groups, each group to each other one at once", "docs/groups.md",
       "at most 4 ceil(log2 K) + 2 (N - 1)", RB_COMPOSED_UNPRICED(to_groups, of_groups),
       .info.blocks = "blocks in each part of a group's share, which travel together",
       .info.groups = true);
