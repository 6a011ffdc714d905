/* allgather_hosts.c - every group of ranks broadcasts its data over the groups, the blocks of all
 * of them packed into one message: for ranks that share ports.
 *
 * Source: this project; docs/groups.md. Built on J. L. Traeff, Optimal Broadcast Schedules in
 * Logarithmic Time, 2024, Algorithm 7. First the ranks of a group bring their data together, by
 * dissemination (allgather_dissemination.c), in L = ceil(log2 K) rounds, K being the largest
 * group's size. Then a port round (schedules/patterns/streams.h) is that of bcast_hosts.c for each
 * group as the owner: a slot has a block of every rank of each owner that has come so far, and
 * these travel inside the group together. Nothing of an owner is sent to it.
 *
 * The allgather in an allreduce has a share for each group, which its two leaders have block by
 * block in turn: then L = 0, and block u of the share goes inside with slot u. Two ranks of a group
 * have a half each, and exchange these first, L = 1.
 *
 * Rounds: n + D (ceil(log2 N) - 1) + L + F; groups of one rank: n - 1 + ceil(log2 p), the circulant
 * allgather. Volume: n (p - 1) blocks received per rank, optimal; a group's port takes in each
 * block of other groups once: optimal as well. Memory of the plan: q(N) N bytes, the send schedules
 * of all groups. State per rank: its schedules inside the group.
 *
 * p = 4, N = 2 groups of k = 2, n = 1 (L = 1, F = 1: three rounds), what ranks 0 and 1 receive; 2
 * and 3 likewise:
 *
 *   t   rank 0                   rank 1
 *   0   data of 1 from 1         data of 0 from 0
 *   1   data of 2, 3 from 3         -
 *   2      -                     data of 2, 3 from 0 */
#include <stdlib.h>

#include "schedules/patterns/packed.h"
#include "schedules/patterns/sequence.h"
#include "schedules/patterns/streams.h"
#include "schedules/plan/plan.h"

static int make_table(struct rb_streams *streams)
{
    const size_t groups = (size_t)streams->over.p, q = (size_t)streams->over.q;
    streams->table = malloc((q + 1) * groups);
    if (streams->table == NULL)
        return RB_ENOMEM;
    rb_circulant_table(&streams->over, streams->table + q * groups, NULL, streams->table);
    for (size_t k = 0; k < q; k++)
        streams->top[k] = rb_packed_top(streams->table + k * groups, streams->over.p);
    return RB_OK;
}

/* Of data that groups own, only two ranks bring theirs together. */
static int32_t gathering_of_groups(const struct rb_streams *streams)
{
    for (int32_t group = 0; group < streams->groups.count; group++)
        if (rb_group_size(&streams->groups, group) == 2)
            return 1;
    return 0;
}

/* With up to four ranks leaders were not seen to come to the link together (docs/groups.md), and a
 * deputy would only cost rounds. */
enum { MOST_WITHOUT_DEPUTY = 4 };

static int init(struct rb_plan *plan, enum rb_stream_kind kind, bool of_groups, char *why,
                size_t why_size)
{
    int32_t smallest, largest;
    plan->max_ops = plan->p == 1 ? 1 : 2 * (plan->p - 1);
    int status = rb_need_one_port(plan, why, why_size);
    if (status != RB_OK || plan->p == 1)
        return status;
    rb_groups_extent(&plan->groups, &smallest, &largest);
    if (kind == RB_DEPUTY && largest <= MOST_WITHOUT_DEPUTY)
        kind = RB_TURNS;
    status = rb_streams_init(plan, false, kind, why, why_size);
    if (status != RB_OK)
        return status;
    struct rb_streams *streams = plan->data.own;
    rb_groups_extent(&streams->groups, &smallest, &largest);
    streams->of_groups = of_groups;
    streams->gathering = of_groups ? gathering_of_groups(streams) : rb_ceil_log2(largest);
    if (of_groups)
        plan->owners = streams->groups.count;
    if (make_table(streams) != RB_OK) {
        const int groups = (int)streams->over.p;
        rb_streams_fini(plan);
        return rb_why(why, why_size, RB_ENOMEM, "out of memory for the schedules of %d groups",
                      groups);
    }
    plan->rounds = plan->n + rb_streams_extra(streams) + streams->gathering;
    return RB_OK;
}

static int init_hosts(struct rb_plan *plan, char *why, size_t why_size)
{
    return init(plan, RB_DEPUTY, false, why, why_size);
}

static int init_turns(struct rb_plan *plan, char *why, size_t why_size)
{
    return init(plan, RB_TURNS, false, why, why_size);
}

static int init_groups(struct rb_plan *plan, char *why, size_t why_size)
{
    return init(plan, RB_DEPUTY, true, why, why_size);
}

static int init_leaders(struct rb_plan *plan, char *why, size_t why_size)
{
    return init(plan, RB_LEADER, false, why, why_size);
}

/* In rb_rank's bytes: the receive and send schedules inside the group. */
static void schedule(const struct rb_plan *plan, struct rb_rank *state)
{
    if (plan->p == 1)
        return;
    const struct rb_streams *streams = rb_streams_of(plan);
    const struct rb_inside inside =
        rb_streams_inside(plan, rb_group_of(&streams->groups, state->rank));
    rb_inside_schedules(&inside, state->rank, state->state.byte);
}

/* A block of each rank of an owner, or of the group itself, in operations like this one; ops may be
 * NULL. */
static int32_t pack_block(const struct rb_streams *streams, struct rb_op op, int32_t owner,
                          int64_t block, struct rb_op *ops)
{
    const int32_t first = streams->of_groups ? owner : rb_group_first(&streams->groups, owner);
    const int32_t count = streams->of_groups ? 1 : rb_group_size(&streams->groups, owner);
    for (int32_t i = 0; ops != NULL && i < count; i++) {
        op.at = (struct rb_range){RB_DST, first + i, block, 1};
        ops[i] = op;
    }
    return count;
}

/* What a message has: what goes from one group to another in a port round, which is of each owner
 * but the receiver a block of each rank; and a block of a group's own. */
struct content {
    const struct rb_streams *streams;
    int32_t peer;
    struct rb_slot slot;
    int32_t from, to;
    int64_t own; /* block of `to`; -1: none */
};

static const int8_t *row_of(const struct content *content)
{
    const struct rb_streams *streams = content->streams;
    return streams->table + (size_t)content->slot.k * (size_t)streams->over.p;
}

static int64_t block_of(const void *context, int8_t entry)
{
    const struct content *content = context;
    return rb_slot_block(content->streams, &content->slot, entry);
}

static bool has_any(const struct content *content)
{
    if (content->own >= 0)
        return true;
    if (!content->slot.any)
        return false;
    const struct rb_row_top *top = &content->streams->top[content->slot.k];
    const int32_t groups = content->streams->over.p;
    const int32_t to = content->from - content->to + (content->from < content->to ? groups : 0);
    return block_of(content, to == top->node ? top->second : top->highest) >= 0;
}

static int32_t pack(const struct content *content, enum rb_op_kind kind, struct rb_op *ops)
{
    const struct rb_streams *streams = content->streams;
    const struct rb_op op = {.kind = kind, .peer = content->peer};
    const int32_t groups = streams->over.p, from = content->from;
    int32_t count = 0;
    for (int32_t owner = 0; content->slot.any && owner < groups; owner++) {
        const int64_t block = block_of(
            content, row_of(content)[from >= owner ? from - owner : from + (groups - owner)]);
        if (block >= 0 && owner != content->to)
            count += pack_block(streams, op, owner, block, ops + count);
    }
    if (content->own >= 0)
        count += pack_block(streams, op, content->to, content->own, ops + count);
    return count;
}

/* The content of a slot of this group; and, of data that groups own, this one's block u, which
 * the leader that takes in slot u has. */
static struct content received(const struct rb_streams *streams, int32_t peer, int32_t group,
                               int64_t u)
{
    const struct rb_slot slot = rb_streams_slot(streams, u);
    const bool owns = streams->of_groups && u >= 0 && u < streams->n &&
                      rb_group_size(&streams->groups, group) > 2;
    return (struct content){.streams = streams,
                            .peer = peer,
                            .slot = slot,
                            .from = slot.any ? rb_streams_from(streams, group, slot.k) : group,
                            .to = group,
                            .own = owns ? u : -1};
}

/* Of two ranks that own data together, each has a half. */
static int32_t exchange_halves(const struct rb_plan *plan, int32_t group, bool is_first,
                               struct rb_op *ops)
{
    const int64_t half = plan->n - plan->n / 2;
    const struct rb_range halves[] = {{RB_DST, group, 0, half},
                                      {RB_DST, group, half, plan->n - half}};
    const int32_t peer = rb_group_first(&rb_streams_of(plan)->groups, group) + is_first;
    int32_t count = 0;
    for (int i = 0; i < 2 && ops != NULL; i++) { /* what is sent, and received */
        const struct rb_range *at = &halves[is_first ? i : 1 - i];
        if (at->count > 0)
            ops[count++] = (struct rb_op){i == 0 ? RB_SEND : RB_RECV, peer, .at = *at};
    }
    return ops != NULL ? count : 1;
}

/* What passes between this group and another in port round u. */
static struct content over(const struct rb_plan *plan, int32_t group, bool leaves, int64_t u)
{
    const struct rb_streams *streams = rb_streams_of(plan);
    const struct rb_slot slot = rb_streams_slot(streams, u);
    struct content content = {streams, -1, slot, group, group, -1};
    if (!slot.any)
        return content;
    if (leaves)
        content.to = rb_streams_to(streams, group, slot.k);
    else
        content.from = rb_streams_from(streams, group, slot.k);
    const struct rb_inside there = rb_streams_inside(plan, leaves ? content.to : content.from);
    content.peer = leaves ? rb_inside_entry(&there, u) : rb_inside_exit(&there, u);
    return content;
}

/* What a rank sends in a port round, and what it receives. */
static void find_contents(const struct rb_plan *plan, const struct rb_rank *state, int64_t u,
                          struct content contents[2])
{
    const struct rb_streams *streams = rb_streams_of(plan);
    const int32_t group = rb_group_of(&streams->groups, state->rank);
    const struct rb_inside inside = rb_streams_inside(plan, group);
    const int8_t *recv = state->state.byte, *send = recv + inside.q;
    const struct rb_inside_step step = rb_inside_step(&inside, state->rank, recv, send, u);
    const struct content nothing = {.streams = streams, .own = -1};
    contents[0] = step.leaves    ? over(plan, group, true, u)
                  : step.to >= 0 ? received(streams, step.to, group, step.out)
                                 : nothing;
    contents[1] = step.enters      ? over(plan, group, false, u)
                  : step.from >= 0 ? received(streams, step.from, group, step.in)
                                   : nothing;
}

/* Round t of the dissemination in a group: the data of 2^t ranks from this one on go to the rank
 * 2^t before. */
static int32_t gather(const struct rb_plan *plan, int32_t rank, int64_t t, struct rb_op *ops)
{
    const struct rb_streams *streams = rb_streams_of(plan);
    const int32_t group = rb_group_of(&streams->groups, rank);
    const int32_t first = rb_group_first(&streams->groups, group);
    const int32_t size = rb_group_size(&streams->groups, group), r = rank - first;
    if (streams->of_groups)
        return size == 2 ? exchange_halves(plan, group, r == 0, ops) : 0;
    if (t >= rb_ceil_log2(size))
        return 0;
    const int32_t h = (int32_t)1 << t, many = h < size - h ? h : size - h;
    const int32_t to = r >= h ? r - h : r + (size - h);
    const int32_t from = r < size - h ? r + h : r - (size - h);
    for (int32_t i = 0; ops != NULL && i < many; i++) {
        const int32_t sent = r < size - i ? r + i : r - (size - i);
        const int32_t got = from < size - i ? from + i : from - (size - i);
        ops[i] = (struct rb_op){
            .kind = RB_SEND, .peer = first + to, .at = {RB_DST, first + sent, 0, plan->n}};
        ops[many + i] = (struct rb_op){
            .kind = RB_RECV, .peer = first + from, .at = {RB_DST, first + got, 0, plan->n}};
    }
    return 2 * many;
}

/* ops may be NULL: then the result is above 0 if there are any. */
static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const struct rb_streams *streams = rb_streams_of(plan);
    struct content contents[2];
    if (t < streams->gathering)
        return gather(plan, state->rank, t, ops);
    find_contents(plan, state, t - streams->gathering, contents);
    if (ops == NULL)
        return has_any(&contents[0]) || has_any(&contents[1]);
    const int32_t count = pack(&contents[0], RB_SEND, ops);
    return count + pack(&contents[1], RB_RECV, ops + count);
}

static bool find_envelope(const struct rb_plan *plan, const struct rb_lengths *lengths, bool sends,
                          const struct content *content, struct rb_envelope *envelope)
{
    const struct rb_streams *streams = content->streams;
    const struct rb_packed packed = {plan,
                                     lengths,
                                     streams->of_groups ? NULL : &streams->groups,
                                     streams->over.p,
                                     streams->over.q,
                                     row_of(content),
                                     content->slot.k,
                                     content->from,
                                     content->to,
                                     block_of,
                                     content};
    bool any = false;
    *envelope = (struct rb_envelope){.sends = sends, .peer = content->peer};
    if (content->slot.any)
        envelope->bytes = rb_packed_length(&packed, &any);
    if (content->own >= 0)
        envelope->bytes += rb_block_bytes(lengths, plan, content->to, content->own);
    return any || content->own >= 0;
}

static int32_t envelopes(const struct rb_plan *plan, const struct rb_lengths *lengths,
                         const struct rb_rank *state, int64_t t, struct rb_envelope envelope[])
{
    const struct rb_streams *streams = rb_streams_of(plan);
    struct content contents[2];
    int32_t count = 0;
    if (t < streams->gathering)
        return -1;
    find_contents(plan, state, t - streams->gathering, contents);
    for (int32_t i = 0; i < 2; i++)
        count += find_envelope(plan, lengths, i == 0, &contents[i], &envelope[count]);
    return count;
}

static size_t envelope_table(const struct rb_plan *plan, void *table)
{
    const struct rb_streams *streams = rb_streams_of(plan);
    return rb_packed_table(streams->table, streams->over.p, streams->over.q, table);
}

static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    return rb_next_by(round_, plan, state, t);
}

/* Each round but the first L passes at most a block of every other group's ranks. */
static void pipeline(const struct rb_plan *plan, int64_t *per_block, int64_t *fixed)
{
    const struct rb_streams *streams = rb_streams_of(plan);
    *per_block = 1;
    *fixed = rb_streams_extra(streams) + streams->gathering;
}

#define ROUNDS "n + D (ceil(log2 N) - 1) + ceil(log2 K) + F"

#define PACKED(symbol, name_, title_, init_)                                                       \
    RB_ROW(symbol, "allgather", name_, title_, "docs/groups.md, on Traeff 2024", ROUNDS,           \
           RB_PIPELINED(" of every rank"), RB_BY_GROUPS, .init = init_, .fini = rb_streams_fini,   \
           .rank = schedule, .round = round_, .next = next, .pipeline = pipeline,                  \
           .envelopes = envelopes, .envelope_table = envelope_table)

PACKED(rb_allgather_hosts, "hosts", "packed broadcasts over groups that share a port", init_hosts);
PACKED(rb_allgather_leaders, "leaders", "packed broadcasts over groups, into a leader of each",
       init_leaders);

/* Read backwards a leader waits for what it sends, and leaders stay in turn without a deputy. */
static PACKED(in_turns, "hosts", "without a deputy", init_turns);

RB_ROW(rb_reduce_scatter_hosts, "reduce-scatter", "hosts",
       "packed reductions over groups that share a port", "docs/groups.md, on Traeff 2024", ROUNDS,
       RB_REVERSED_UNPRICED(in_turns), RB_PIPELINED(" of every rank"), RB_BY_GROUPS,
       .pipeline = rb_reversed_pipeline);

/* ---- Allreduce, with a share for each group -------------------------------------------------- */

static PACKED(of_groups, "hosts", "of groups' shares", init_groups);
static RB_ROW(to_groups, "reduce-scatter", "hosts", "to groups' shares", "", "", RB_PIPELINED(""),
              RB_BY_GROUPS, RB_REVERSED_UNPRICED(of_groups), .pipeline = rb_reversed_pipeline);

RB_ROW(rb_allreduce_hosts, "allreduce", "hosts",
       "packed reductions, then packed broadcasts, over groups that share a port",
       "docs/groups.md, on Traeff 2024", "at most 2 (n + D (ceil(log2 N) - 1) + F + 1)",
       RB_COMPOSED_UNPRICED(to_groups, of_groups), RB_PIPELINED(" of each group's share"),
       RB_BY_GROUPS, .pipeline = rb_composed_pipeline);
