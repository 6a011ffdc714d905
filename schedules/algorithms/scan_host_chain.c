/* scan_host_chain.c - pipelined scans over groups that share a port: a chain of groups, into each
 * of which the prefix comes by its first rank and out of which by its last one.
 *
 * Source: this project; docs/groups.md. Ranks 0 .. K - 1 of a group have x_0 .. x_(K-1), E is what
 * precedes the group. Rank 0 receives E and sends F = E x_0. Ranks 1 .. K - 2 meanwhile combine P_j
 * = x_1 .. x_j in a chain. Rank K - 2 gets F, sends G = F P_(K-2) to rank K - 1, which sends G
 * x_(K-1) to the next group; F goes down the chain as P goes up, two neighbours exchanging both in
 * one round. With two ranks F is G, and one rank alone is both ends.
 *
 * Rounds come in pairs. Between groups, from rank 0 and to rank K - 1 messages pass in odd rounds;
 * ranks K - 3 and K - 2 exchange in even ones, K - 4 and K - 3 in odd ones, ... So the ranks at the
 * port have one message each way in a pair of rounds, and no rank more than one in a round. If no
 * group has more than three ranks, even rounds are empty and left out. Rounds: 2 (n - 1), or n - 1,
 * and those of one block, min(K, 3) pairs for each group. Volume between groups: n blocks, optimal
 * for a chain. Rank order is kept. No state per rank; the plan has a number per group.
 *
 * p = 6, 2 groups of 3, n = 1: t = 0: 0 -> 1 F; 1: 1 -> 2 G; 2: 2 -> 3 E; 3: 3 -> 4 F; 4: 4 -> 5 G.
 */
#include <stdlib.h>

#include "schedules/plan/plan.h"

/* In the plan's own data: the number of rounds between blocks, 2 or 1, and for each group f: F of
 * block 0 is sent in odd round 2 f + 1. */
static int64_t stride_of(const struct rb_plan *plan)
{
    return ((const int64_t *)plan->data.own)[0];
}

static int64_t odd_of(const struct rb_plan *plan, int32_t group)
{
    return 2 * ((const int64_t *)plan->data.own)[1 + group] + 1;
}

/* From rank 0 to rank K - 1, messages. */
static int32_t hops(int32_t size)
{
    return size < 3 ? size - 1 : 2;
}

/* P_j of block 0 is sent in round up + j. */
static int64_t first_up(int32_t size)
{
    return size % 2 == 0 ? -1 : 0;
}

/* A rank's message of each block b, in round first + 2 b; without even rounds, (first - 1)/2 + b.
 */
struct stream {
    enum { INTO, VALUE, UP, DOWN } what; /* E, F or G; what ranks have combined; P; F on its way */
    bool sends;
    int32_t peer;
    int64_t first;
};

enum { MOST_STREAMS = 4 };

static int64_t odd_out_of(const struct rb_plan *plan, int32_t group)
{
    return odd_of(plan, group) + 2 * hops(rb_group_size(&plan->groups, group));
}

static int32_t streams_of(const struct rb_plan *plan, int32_t rank, struct stream streams[])
{
    const struct rb_groups *groups = &plan->groups;
    const int32_t group = rb_group_of(groups, rank), size = rb_group_size(groups, group);
    const int32_t j = rank - rb_group_first(groups, group), last = size - 1;
    const int64_t odd = odd_of(plan, group), up = first_up(size);
    int32_t count = 0;
    if (j == 0 && group > 0)
        streams[count++] = (struct stream){INTO, false, rank - 1, odd_out_of(plan, group - 1)};
    if (j == last && group + 1 < groups->count)
        streams[count++] = (struct stream){VALUE, true, rank + 1, odd_out_of(plan, group)};
    if (size == 1)
        return count;
    if (j == 0)
        streams[count++] =
            (struct stream){VALUE, true, size == 2 ? rank + 1 : rank + size - 2, odd};
    else if (j == last)
        streams[count++] = (struct stream){INTO, false, rank - 1, size == 2 ? odd : odd + 2};
    else if (j == last - 1)
        streams[count++] = (struct stream){VALUE, true, rank + 1, odd + 2};
    else
        streams[count++] = (struct stream){UP, true, rank + 1, up + j};
    if (j == 0 || j == last)
        return count;
    streams[count++] =
        (struct stream){DOWN, false, j == last - 1 ? rank - j : rank + 1, odd + last - 1 - j};
    if (j > 1) {
        streams[count++] = (struct stream){UP, false, rank - 1, up + j - 1};
        streams[count++] = (struct stream){DOWN, true, rank - 1, odd + last - j};
    }
    return count;
}

/* The round of block 0. */
static int64_t round_of(const struct rb_plan *plan, const struct stream *stream)
{
    return stride_of(plan) == 2 ? stream->first : (stream->first - 1) / 2;
}

/* The stream's block of this round, or -1. */
static int64_t block_in(const struct rb_plan *plan, const struct stream *stream, int64_t t)
{
    const int64_t stride = stride_of(plan), since = t - round_of(plan, stream);
    return since < 0 || since % stride != 0 || since / stride >= plan->n ? -1 : since / stride;
}

/* ---- Operations ------------------------------------------------------------------------------ */

/* What the ranks up to this one have, as far as it is combined: where the contribution was. What
 * precedes the rank is in DST in exclusive scans alone. */
static struct rb_range in(enum rb_buffer buffer, int64_t block)
{
    return (struct rb_range){buffer, 0, block, 1};
}

struct list {
    const struct rb_plan *plan;
    int32_t rank;
    bool inclusive;
    struct rb_op *ops;
    int32_t count;
};

static void add(struct list *list, enum rb_op_kind kind, int32_t peer, struct rb_range at,
                struct rb_range from)
{
    list->ops[list->count++] =
        (struct rb_op){.kind = kind,
                       .peer = peer,
                       .at = at,
                       .from = from,
                       .incoming_is_left = kind == RB_RECV_REDUCE || kind == RB_REDUCE};
}

static enum rb_buffer value_buffer(const struct list *list)
{
    return list->inclusive ? RB_DST : RB_SRC;
}

/* What comes precedes all that the rank has; but what goes on to lower ranks, F, is needed as it
 * is, and then also precedes P before this rank. */
static void receive(struct list *list, const struct stream *stream, int64_t block, bool goes_on)
{
    const struct rb_range none = {0}, value = in(value_buffer(list), block);
    const struct rb_range earlier = in(RB_DST, block), passing = in(RB_TMP, block);
    if (stream->what == DOWN && goes_on)
        add(list, RB_RECV, stream->peer, passing, none);
    else if (list->inclusive)
        add(list, RB_RECV_REDUCE, stream->peer, value, none);
    else
        add(list, RB_RECV, stream->peer, earlier, none);
    if (stream->what == DOWN && goes_on) {
        add(list, RB_REDUCE, list->rank, value, passing);
        if (!list->inclusive)
            add(list, RB_REDUCE, list->rank, earlier, passing);
    } else if (!list->inclusive) {
        add(list, RB_REDUCE, list->rank, value, earlier);
    }
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    struct stream streams[MOST_STREAMS];
    const int32_t count = streams_of(plan, state->rank, streams);
    struct list list = {plan, state->rank, plan->collective == &rb_scan, ops, 0};
    bool goes_on = false;
    for (int32_t i = 0; i < count; i++)
        goes_on = goes_on || (streams[i].what == DOWN && streams[i].sends);
    for (int32_t i = 0; i < count; i++) {
        const int64_t block = streams[i].sends ? block_in(plan, &streams[i], t) : -1;
        const enum rb_buffer from = streams[i].what == DOWN ? RB_TMP : value_buffer(&list);
        if (block >= 0)
            add(&list, RB_SEND, streams[i].peer, in(from, block), (struct rb_range){0});
    }
    for (int32_t i = 0; i < count; i++) {
        const int64_t block = streams[i].sends ? -1 : block_in(plan, &streams[i], t);
        if (block >= 0)
            receive(&list, &streams[i], block, goes_on);
    }
    return list.count;
}

static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    struct stream streams[MOST_STREAMS];
    const int32_t count = streams_of(plan, state->rank, streams);
    int64_t least = plan->rounds;
    for (int32_t i = 0; i < count; i++) {
        const int64_t first = round_of(plan, &streams[i]), stride = stride_of(plan);
        const int64_t block = t > first ? rb_ceil_divide(t - first, stride) : 0;
        if (block < plan->n)
            least = rb_smaller(least, first + stride * block);
    }
    return least;
}

/* ---- The plan -------------------------------------------------------------------------------- */

/* Pairs of rounds, of block 0 in all groups: twice as many rounds. F must not come to rank K - 2
 * before P of the one below. */
static int64_t lay_out(const struct rb_groups *groups, int64_t start[])
{
    int64_t end = 0, next_start = 0;
    for (int32_t g = 0; g < groups->count; g++) {
        const int32_t size = rb_group_size(groups, g);
        const int64_t least = (first_up(size) + size - 3) / 2;
        const int64_t f = next_start > least ? next_start : least;
        const int64_t through = 2 * (f + hops(size)), down = 2 * f + size - 1;
        start[g] = f;
        next_start = f + hops(size) + 1;
        end = through > end ? through : end;
        end = size > 3 && down > end ? down : end;
    }
    return end;
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    int32_t smallest, largest;
    const int status = rb_need_one_port(plan, why, why_size);
    if (status != RB_OK)
        return status;
    int64_t *own = malloc(((size_t)plan->groups.count + 1) * sizeof *own);
    if (own == NULL)
        return RB_ENOMEM;
    rb_groups_extent(&plan->groups, &smallest, &largest);
    own[0] = largest > 3 ? 2 : 1;
    const int64_t of_one = lay_out(&plan->groups, own + 1);
    plan->data.own = own;
    plan->rounds = plan->p == 1 ? 0 : of_one * own[0] / 2 + own[0] * (plan->n - 1);
    plan->max_ops = 4;
    plan->buffers |= 1u << RB_TMP;
    return RB_OK;
}

static void fini(struct rb_plan *plan)
{
    free(plan->data.own);
}

static void pipeline(const struct rb_plan *plan, int64_t *per_block, int64_t *fixed)
{
    *per_block = stride_of(plan);
    *fixed = plan->rounds - *per_block * plan->n;
}

/* The rounds that have messages. Odd ones do; even ones while P goes up in some group, from the
 * first on, or F goes down in some group, which it does in the order of the groups. */
static int64_t used_rounds(const struct rb_plan *plan)
{
    const struct rb_groups *groups = &plan->groups;
    int64_t first = 1, end = 0;
    if (stride_of(plan) == 1)
        return plan->rounds;
    for (int32_t g = 0; g < groups->count; g++) {
        const int32_t size = rb_group_size(groups, g);
        const int64_t of_one = (size + size % 2) / 2 - 1;
        first = size > 3 && size % 2 == 0 ? 0 : first;
        end = size > 3 && of_one + plan->n - 1 > end ? of_one + plan->n - 1 : end;
    }
    int64_t even = end > first ? end - first : 0;
    for (int32_t g = 0; g < groups->count; g++) {
        const int32_t size = rb_group_size(groups, g);
        const int64_t down = odd_of(plan, g) / 2 + 1, up_to = down + size / 2 - 2 + plan->n;
        if (size < 4 || up_to <= end)
            continue;
        even += up_to - (down > end ? down : end);
        end = up_to;
    }
    return plan->rounds / 2 + even;
}

static double cost(const struct rb_plan *plan, double bytes, double alpha_s, double beta_s_per_byte)
{
    return (double)used_rounds(plan) * (alpha_s + beta_s_per_byte * bytes / (double)plan->n);
}

#define HOST_CHAIN(collective_)                                                                    \
    RB_ROW(rb_##collective_##_host_chain, #collective_, "host-chain",                              \
           "pipelined chain of groups that share a port, into the first rank and out of the last", \
           "docs/groups.md", "at most 2 n + 6 N + 2 K - 6", RB_PIPELINED(), RB_BY_GROUPS,          \
           .init = init, .fini = fini, .round = round_, .next = next, .pipeline = pipeline,        \
           .cost = cost, .ordered_for_root_0 = true)

HOST_CHAIN(scan);
HOST_CHAIN(exscan);
