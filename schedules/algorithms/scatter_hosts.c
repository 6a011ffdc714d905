/* scatter_hosts.c - over groups of ranks that share a port: the root passes what is for other
 * groups to the ranks of its own, which send it over the group's port.
 *
 * Source: this project; docs/groups.md. The root's port carries data inside faster than the group's
 * port carries them outside, so the latter can always be busy, which needs the root to send nothing
 * there itself. The ranks of each other group are cut into C chunks of at most r - 1. The root
 * sends chunk c to helper c mod H, one of the H ranks next to it in its group; in the next round
 * the helper sends it to the chunk's first rank, and there it spreads by a binomial tree. Between
 * the chunks the root sends the L other ranks of its group their parts, evenly, so that the port is
 * busy from the beginning to the end, also backwards (gather). A root that is alone in its group
 * sends to the chunks itself. H = min(L, 4): two keep the port busy but for latencies; with more,
 * gather fills all of them at once and then empties them while the port is idle.
 *
 * Rounds: C + L, or up to ceil(log2 (r - 1)) more, until the last chunk has spread; r = 2: p - 1.
 * Volume between groups: optimal. Memory of the plan: a number per group. No state per rank.
 *
 * p = 6, groups of 3, r = 2 (H = L = 2, C = 3): t = 0: 0 -> 1 part 3; t = 1: 0 -> 2 part 4, 1 -> 3;
 * t = 2: 0 -> 1 part 1, 2 -> 4; t = 3: 0 -> 1 part 5; t = 4: 0 -> 2 part 2, 1 -> 5. */
#include <stdlib.h>

#include "schedules/plan/plan.h"

enum { MOST_HELPERS = 4 };

struct chunks {
    int32_t root_group, others, helpers, count; /* others: of the root's group; H; C */
    int32_t at[]; /* the first chunk of each group, from the one after the root's; N */
};

/* Consecutive ranks, and the round in which the first of them gets what is for all. */
struct chunk {
    int32_t first, size;
    int64_t round;
};

static const struct chunks *chunks_of(const struct rb_plan *plan)
{
    return plan->data.own;
}

static int32_t group_at(const struct rb_plan *plan, const struct chunks *chunks, int32_t i)
{
    const int32_t left = plan->groups.count - chunks->root_group - 1;
    return i < left ? chunks->root_group + 1 + i : i - left;
}

/* The round in which the root sends a chunk: parts of its own group come between. */
static int64_t round_of(const struct chunks *chunks, int64_t c)
{
    return c + c * chunks->others / chunks->count;
}

/* Chunk c, of the i-th group after the root's. */
static struct chunk chunk_of(const struct rb_plan *plan, int32_t i, int32_t c)
{
    const struct chunks *chunks = chunks_of(plan);
    const int32_t group = group_at(plan, chunks, i), each = plan->radix - 1;
    const int32_t before = (c - chunks->at[i]) * each;
    const int32_t left = rb_group_size(&plan->groups, group) - before;
    return (struct chunk){rb_group_first(&plan->groups, group) + before, left < each ? left : each,
                          round_of(chunks, c) + (chunks->helpers > 0)};
}

static struct chunk chunk_at(const struct rb_plan *plan, int32_t c)
{
    const struct chunks *chunks = chunks_of(plan);
    int32_t low = 0, high = plan->groups.count - 1;
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        if (chunks->at[middle] <= c)
            low = middle;
        else
            high = middle;
    }
    return chunk_of(plan, low, c);
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    const struct rb_groups *groups = &plan->groups;
    int status = rb_need_one_port(plan, why, why_size);
    if (status != RB_OK)
        return status;
    struct chunks *chunks = malloc(sizeof *chunks + (size_t)groups->count * sizeof chunks->at[0]);
    if (chunks == NULL)
        return rb_why(why, why_size, RB_ENOMEM, "out of memory");
    plan->data.own = chunks;
    if (plan->radix == 0)
        plan->radix = 2;
    chunks->root_group = rb_group_of(groups, plan->root);
    chunks->others = rb_group_size(groups, chunks->root_group) - 1;
    chunks->helpers = chunks->others < MOST_HELPERS ? chunks->others : MOST_HELPERS;
    chunks->count = 0;
    for (int32_t i = 0; i < groups->count; i++) {
        chunks->at[i] = chunks->count;
        if (i == groups->count - 1) /* the root's own */
            break;
        const int32_t size = rb_group_size(groups, group_at(plan, chunks, i));
        chunks->count += (int32_t)rb_ceil_divide(size, plan->radix - 1);
    }
    plan->rounds = chunks->count + (int64_t)chunks->others;
    plan->max_ops = 2;
    for (int32_t i = 0; i < groups->count - 1; i++) /* a group's last chunk may be smaller */
        for (int32_t c = chunks->at[i + 1] - 1; c >= chunks->at[i] && c >= chunks->at[i + 1] - 2;
             c--) {
            const struct chunk chunk = chunk_of(plan, i, c);
            const int64_t end = chunk.round + 1 + rb_ceil_log2(chunk.size);
            plan->rounds = end > plan->rounds ? end : plan->rounds;
            if (2 * chunk.size + 1 > plan->max_ops)
                plan->max_ops = 2 * chunk.size + 1;
        }
    return RB_OK;
}

static void fini(struct rb_plan *plan)
{
    free(plan->data.own);
}

/* The parts of ranks first .. first + count - 1. */
static int32_t pack(const struct rb_plan *plan, enum rb_op_kind kind, int32_t peer, int32_t first,
                    int32_t count, struct rb_op ops[])
{
    for (int32_t i = 0; i < count; i++)
        ops[i] = (struct rb_op){.kind = kind, .peer = peer, .at = {RB_DST, first + i, 0, plan->n}};
    return count;
}

/* The rank of the root's group at a distance from the root: helpers are nearest. */
static int32_t near_root(const struct rb_plan *plan, int32_t distance)
{
    const struct chunks *chunks = chunks_of(plan);
    const int32_t first = rb_group_first(&plan->groups, chunks->root_group);
    return first + (plan->root - first + distance) % (chunks->others + 1);
}

/* The root's round t: the chunk that it sends, or else -1 and the rank near it that gets its part.
 */
struct turn {
    int32_t chunk, local;
};

static struct turn turn_of(const struct chunks *chunks, int64_t t)
{
    int64_t c = t * chunks->count / (chunks->count + (int64_t)chunks->others);
    while (c + 1 < chunks->count && round_of(chunks, c + 1) <= t)
        c++;
    while (c > 0 && round_of(chunks, c) > t)
        c--;
    if (chunks->count > 0 && round_of(chunks, c) == t)
        return (struct turn){.chunk = (int32_t)c};
    return (struct turn){-1, 1 + (int32_t)(chunks->count > 0 ? t - c - 1 : t)};
}

static int32_t in_root_group(const struct rb_plan *plan, int32_t rank, int64_t t,
                             struct rb_op ops[])
{
    const struct chunks *chunks = chunks_of(plan);
    const int32_t helpers = chunks->helpers;
    const int64_t turns = chunks->count + (int64_t)chunks->others;
    const bool sends = rank == plan->root;
    int32_t count = 0;
    if (t > 0 && t <= turns && !sends) { /* what it got in the round before */
        const struct turn turn = turn_of(chunks, t - 1);
        if (turn.chunk >= 0 && rank == near_root(plan, 1 + turn.chunk % helpers)) {
            const struct chunk chunk = chunk_at(plan, turn.chunk);
            count = pack(plan, RB_SEND, chunk.first, chunk.first, chunk.size, ops);
        }
    }
    if (t >= turns)
        return count;
    const struct turn turn = turn_of(chunks, t);
    const struct chunk chunk = turn.chunk >= 0 ? chunk_at(plan, turn.chunk)
                                               : (struct chunk){near_root(plan, turn.local), 1, 0};
    const int32_t to =
        turn.chunk >= 0 && helpers > 0 ? near_root(plan, 1 + turn.chunk % helpers) : chunk.first;
    if (sends)
        return pack(plan, RB_SEND, to, chunk.first, chunk.size, ops);
    return count +
           (rank == to ? pack(plan, RB_RECV, plan->root, chunk.first, chunk.size, ops + count) : 0);
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const struct chunks *chunks = chunks_of(plan);
    const int32_t rank = state->rank, group = rb_group_of(&plan->groups, rank);
    if (group == chunks->root_group)
        return in_root_group(plan, rank, t, ops);
    const int32_t i = group > chunks->root_group
                          ? group - chunks->root_group - 1
                          : group + (plan->groups.count - chunks->root_group - 1);
    const int32_t place = rank - rb_group_first(&plan->groups, group), each = plan->radix - 1;
    const int32_t c = chunks->at[i] + place / each, member = place % each;
    const struct chunk chunk = chunk_of(plan, i, c);
    const int64_t step = t - chunk.round - 1;
    const int32_t steps = rb_ceil_log2(chunk.size);
    if (step == -1 && member == 0) {
        const int32_t from =
            chunks->helpers > 0 ? near_root(plan, 1 + c % chunks->helpers) : plan->root;
        return pack(plan, RB_RECV, from, chunk.first, chunk.size, ops);
    }
    if (step < 0 || step >= steps)
        return 0;
    const int32_t h = (int32_t)1 << (steps - 1 - step), within = member & (2 * h - 1);
    const int32_t first = within == h ? member : member + h;
    const int32_t many = h < chunk.size - first ? h : chunk.size - first;
    if (within == h)
        return pack(plan, RB_RECV, rank - h, chunk.first + first, many, ops);
    if (within == 0 && many > 0)
        return pack(plan, RB_SEND, rank + h, chunk.first + first, many, ops);
    return 0;
}

RB_ROW(rb_scatter_hosts, "scatter", "hosts",
       "through the ranks of the root's group, which share its port, to chunks of other groups",
       "docs/groups.md", "at most p - 1 + ceil(log2 (r - 1))", RB_FOR_RANK, RB_BY_GROUPS,
       .info.radix = "r: r - 1 ranks of a group get their parts in one message, 2 by default",
       .init = init, .fini = fini, .round = round_);
