/* alltoall_two_levels.c - all-to-all over nodes whose ranks each have a NIC, evened out: what a
 * node has for another one goes over all rails in equal shares, whoever owns it or wants it.
 *
 * Source: two levels as FAST has them (arXiv 2505.09764), with an open shop (patterns/open_shop.h)
 * in place of matchings; docs/rails.md. N nodes of J to K ranks. Volume: between nodes optimal;
 * inside, what is not at the place of its rail, and what came over the rail of another place. No
 * state per rank; 16 N^2 + 8 (K n + 1) N^2 bytes of the plan for unlike sizes.
 *
 * A part has 16 n blocks. What node a has for node b, in the order of owners, ranks and blocks, is
 * cut into s n slices of equally many elements, s being the ranks of the smaller of the two: slices
 * j n .. j n + n - 1 go over rail j, one after another. If sizes are equal, rail j carries what
 * place j owns. Nodes are the places of an open shop. Step u < n R, with R its rounds, is slice u
 * mod n of its round floor(u / n):
 *
 *   round u                owners give the slice to the place that sends it
 *   round u + AHEAD n      it goes over the rail
 *   round u + AHEAD n + 1  and to its ranks
 *
 * Stages of different slices overlap; the first is so far ahead that a node can even out a large
 * part while its rails carry others. In each round also a share of what a node's ranks have for
 * each other goes along. Rounds: n (R + AHEAD) + 1; n R for K = 1, 1 for N = 1. A row of TMP has a
 * part of an owner's and a rank's place, and of a pair of nodes: a + b mod N, and which one is
 * larger.
 *
 * N = 2 nodes of 2, n = 1, equal sizes: t = 8: 0 -> 2 its parts for 2 and 3; t = 9: 2 -> 3 that of
 * 0 for 3. */
#include <stdlib.h>

#include "schedules/circulant/rails.h"
#include "schedules/patterns/open_shop.h"

enum { PIECES = 16, AHEAD = 8 };

struct levels {
    struct rb_shop shop;
    int32_t inside; /* K */
    int64_t steps, ahead;
    int64_t *cut; /* of each pair of nodes K n + 1: where its slices begin; NULL: sizes are equal */
};

struct node {
    int32_t number, first, size;
};

static struct node node_of(const struct rb_plan *plan, int32_t number)
{
    return (struct node){number, rb_group_first(&plan->groups, number),
                         rb_group_size(&plan->groups, number)};
}

static int64_t slices_of(const struct rb_plan *plan, struct node a, struct node b)
{
    return rb_smaller(a.size, b.size) * plan->n;
}

/* ---- The plan -------------------------------------------------------------------------------- */

/* Where the slices of what node a has for node b begin, in blocks of its parts; and a rail's share
 * of it. */
static int64_t cut(const struct rb_plan *plan, struct node a, struct node b, int64_t at[])
{
    const int64_t blocks = rb_part_blocks(plan), slices = slices_of(plan, a, b);
    int64_t total = 0, before = 0, slice = 1;
    at[0] = 0;
    for (int32_t owner = a.first; owner < a.first + a.size; owner++) {
        const int64_t *row = plan->first + (int64_t)owner * plan->p + b.first;
        total += row[b.size] - row[0];
    }
    for (int64_t part = 0; part < (int64_t)a.size * b.size; part++) {
        const int64_t owner = a.first + part / b.size, to = b.first + part % b.size;
        const int64_t *pair = plan->first + owner * plan->p + to, size = pair[1] - pair[0];
        for (int64_t in; slice < slices; slice++) {
            if ((in = rb_deal_before(total, slices, slice) - before) >= size)
                break;
            at[slice] = part * blocks + (int64_t)((double)in / (double)size * (double)blocks + 0.5);
        }
        before += size;
    }
    for (; slice <= slices; slice++)
        at[slice] = (int64_t)a.size * b.size * blocks;
    return rb_ceil_divide(total, rb_smaller(a.size, b.size));
}

static int32_t row_of(const struct rb_plan *plan, int32_t owner, int32_t to)
{
    const int32_t inside = ((const struct levels *)plan->data.own)->inside;
    const struct node a = node_of(plan, rb_group_of(&plan->groups, owner));
    const struct node b = node_of(plan, rb_group_of(&plan->groups, to));
    const int32_t pair = (a.number + b.number) % plan->groups.count * 2 + (a.number < b.number);
    return (pair * inside + owner - a.first) * inside + to - b.first;
}

static void fini(struct rb_plan *plan)
{
    struct levels *levels = plan->data.own;
    free(levels->shop.turn);
    free(levels->cut);
    free(levels);
}

/* The cuts, and the open shop of nodes. */
static int plan_nodes(const struct rb_plan *plan, struct levels *levels, char *why, size_t why_size)
{
    const int64_t nodes = plan->groups.count, pairs = plan->first == NULL ? 1 : nodes * nodes;
    const int64_t cuts = levels->inside * plan->n + 1;
    int64_t *size = calloc((size_t)pairs, sizeof *size);
    levels->cut = plan->first == NULL || cuts > INT64_MAX / 8 / pairs
                      ? NULL
                      : calloc((size_t)(pairs * cuts), sizeof *levels->cut);
    if (size == NULL || (plan->first != NULL && levels->cut == NULL)) {
        free(size);
        return rb_why(why, why_size, RB_ENOMEM, "out of memory");
    }
    for (int64_t i = 0; i < pairs && plan->first != NULL; i++)
        if (i / nodes != i % nodes)
            size[i] = cut(plan, node_of(plan, (int32_t)(i / nodes)),
                          node_of(plan, (int32_t)(i % nodes)), levels->cut + i * cuts);
    const int status = rb_shop_make(plan, plan->groups.count, size, &levels->shop, why, why_size);
    free(size);
    return status;
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    int status = rb_rails_init(plan, false, why, why_size);
    if (status == RB_OK)
        status = rb_multiply_blocks(plan, (int64_t)PIECES * plan->p, why, why_size);
    if (status != RB_OK)
        return status;
    const int32_t inside = plan->data.circulant.rails.inside;
    struct levels *levels = calloc(1, sizeof *levels);
    if (levels == NULL)
        return rb_why(why, why_size, RB_ENOMEM, "out of memory");
    levels->inside = inside;
    plan->data.own = levels;
    status = plan_nodes(plan, levels, why, why_size);
    if (status != RB_OK) {
        fini(plan);
        return status;
    }
    levels->steps = levels->shop.rounds * plan->n;
    levels->ahead = inside > 1 ? AHEAD * plan->n : 0;
    plan->rounds = levels->steps == 0 ? 1 : levels->steps + levels->ahead + (inside > 1);
    plan->max_ops = 4 * inside * inside + 6 * inside + 1;
    plan->tmp_row = row_of;
    plan->tmp_rows = 2 * plan->groups.count * inside * inside;
    plan->buffers |= 1u << RB_TMP;
    return RB_OK;
}

/* ---- Its rounds ------------------------------------------------------------------------------ */

/* A rank's round, and its operations, which are only counted if there is no room. */
struct writing {
    const struct rb_plan *plan;
    const struct levels *levels;
    struct rb_rail_place at;
    struct node here;
    struct rb_op *ops;
    int32_t count;
};

static void write_range(struct writing *writing, struct rb_op op, int32_t owner, int32_t to,
                        int64_t first, int64_t end)
{
    const int32_t rank = writing->at.first + writing->at.place;
    op.at = rb_part_range(writing->plan,
                          owner == rank ? RB_SRC
                          : to == rank  ? RB_DST
                                        : RB_TMP,
                          owner, to);
    op.at.first += first;
    op.at.count = end - first;
    if (end > first && writing->ops != NULL)
        writing->ops[writing->count] = op;
    writing->count += end > first;
}

/* What goes over a rail from node a to node b in a step; only what is owned by `owner` or is for
 * `to`, unless that is -1. */
static void write_slice(struct writing *writing, struct rb_op op, struct node a, struct node b,
                        int32_t rail, int64_t step, int32_t owner, int32_t to)
{
    const struct rb_plan *plan = writing->plan;
    const int64_t slice = rail * plan->n + step % plan->n, blocks = rb_part_blocks(plan);
    const int64_t pair = (int64_t)a.number * plan->groups.count + b.number;
    const int64_t parts = (int64_t)a.size * b.size, slices = slices_of(plan, a, b);
    if (rail >= a.size || rail >= b.size)
        return;
    const int64_t *cut =
        writing->levels->cut == NULL
            ? (int64_t[]){rb_deal_before(parts * blocks, slices, slice),
                          rb_deal_before(parts * blocks, slices, slice + 1)}
            : writing->levels->cut + pair * (writing->levels->inside * plan->n + 1) + slice;
    for (int64_t first = cut[0], next; first < cut[1]; first = next) {
        const int64_t part = first / blocks;
        const int32_t i = (int32_t)(part / b.size), d = (int32_t)(part % b.size);
        next = rb_smaller((part + 1) * blocks, cut[1]);
        if ((owner < 0 || owner == i) && (to < 0 || to == d))
            write_range(writing, op, a.first + i, b.first + d, first - part * blocks,
                        next - part * blocks);
    }
}

/* The node to which this one sends in a step, or from which it receives; of no ranks: none. */
static struct node partner_in(const struct writing *writing, bool receives, int64_t step)
{
    const int64_t t = step / writing->plan->n;
    if (step < 0 || step >= writing->levels->steps)
        return (struct node){0};
    const struct rb_turn turn = rb_shop_turn(&writing->levels->shop, writing->at.node, receives, t);
    return turn.round == t ? node_of(writing->plan, turn.peer) : (struct node){0};
}

/* The message over the rail. */
static void over(struct writing *writing, enum rb_op_kind kind, int64_t step)
{
    const bool sends = kind == RB_SEND;
    const struct node here = writing->here, other = partner_in(writing, !sends, step);
    const struct rb_op op = {.kind = kind, .peer = other.first + writing->at.place};
    write_slice(writing, op, sends ? here : other, sends ? other : here, writing->at.place, step,
                -1, -1);
}

/* The message from one place of the node to another. */
static void inside(struct writing *writing, enum rb_op_kind kind, int32_t other, int64_t t)
{
    const int64_t last = t - writing->levels->ahead - 1, rounds = writing->plan->rounds;
    const int64_t blocks = rb_part_blocks(writing->plan);
    const struct node here = writing->here;
    const int32_t from = kind == RB_SEND ? writing->at.place : other;
    const int32_t to = kind == RB_SEND ? other : writing->at.place;
    const struct rb_op op = rb_rails_inside(&writing->at, kind, other, (struct rb_range){0});
    write_slice(writing, op, here, partner_in(writing, false, t), to, t, from, -1);
    write_range(writing, op, here.first + from, here.first + to, rb_deal_before(blocks, rounds, t),
                rb_deal_before(blocks, rounds, t + 1));
    write_slice(writing, op, partner_in(writing, true, last), here, from, last, -1, to);
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const struct node here = node_of(plan, rb_group_of(&plan->groups, state->rank));
    struct writing writing = {
        .plan = plan,
        .levels = plan->data.own,
        .at = {here.number, here.first, here.size, state->rank - here.first, 0},
        .here = here,
        .ops = ops};
    for (int kind = RB_SEND; kind <= RB_RECV; kind++) {
        over(&writing, (enum rb_op_kind)kind, t - writing.levels->ahead);
        for (int32_t other = 0; other < here.size; other++)
            if (other != writing.at.place)
                inside(&writing, (enum rb_op_kind)kind, other, t);
    }
    if (t == 0 && ops != NULL)
        ops[writing.count] = rb_keep_own(plan, state->rank);
    return writing.count + (t == 0);
}

static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    return rb_next_by(round_, plan, state, t);
}

RB_ROW(rb_alltoall_two_levels, "alltoall", "two-levels",
       "evened out inside, over all rails in an order by size, dealt out inside",
       "docs/rails.md, on FAST", "n (N - 1) + min(1, K - 1) (1 + 8 n min(1, N - 1))",
       RB_PIPELINED(" of what a node has for another"), .info.sizes = true, RB_ON_RAILS,
       .init = init, .fini = fini, .round = round_, .next = next);
