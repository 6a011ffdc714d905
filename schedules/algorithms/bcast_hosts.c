/* bcast_hosts.c - pipelined broadcast for ranks that share ports: in a round each group of ranks
 * takes in one message at most, and sends out one; and so do groups of groups.
 *
 * Source: this project; docs/groups.md, where it is proved. Rounds: n - 1 + ceil(log2 N) +
 * ceil(log2 K) for N groups of which the largest has K ranks; with more levels, n - 1 + the largest
 * sum of ceil(log2 k) on a way from the top to a rank, k being the children of a node. Groups of
 * one rank: n - 1 + ceil(log2 p). Optimal if groups are alike and a block enters each of them once.
 * Volume: n (p - 1) blocks, of which N - 1 or N times n pass between groups (those that come back
 * into the root's group are for its other ranks). State per rank: its numbers on its way
 * (schedules/patterns/port_tree.h, which has a table). Memory of the plan: the groups, and a few
 * bytes for each sequence of dimensions. */
#include <stdlib.h>
#include <string.h>

#include "schedules/patterns/lanes.h"
#include "schedules/patterns/port_tree.h"

/* ---- The algorithm --------------------------------------------------------------------------- */

static struct rb_port_root root_of(const struct rb_plan *plan)
{
    return (struct rb_port_root){.tree = plan->data.own,
                                 .place = rb_groups_place(&plan->groups, plan->root)};
}

static void fini(struct rb_plan *plan)
{
    struct rb_port_tree *tree = plan->data.own;
    if (rb_has_lanes(plan)) {
        rb_streams_fini(plan);
    } else if (tree != NULL) {
        rb_port_tree_free(tree);
        free(tree);
    }
}

static int make_tree(struct rb_plan *plan, char *why, size_t why_size)
{
    struct rb_port_tree *tree = plan->data.own = malloc(sizeof *tree);
    int32_t height = 0;
    if (tree == NULL)
        return rb_why(why, why_size, RB_ENOMEM, "out of memory for the tree of ports");
    int status = rb_port_tree_init(tree, plan, why, why_size);
    const struct rb_port_root root = root_of(plan);
    if (status == RB_OK)
        status = rb_port_tree_add(&root, &height, why, why_size);
    plan->rounds = plan->n - 1 + height;
    if (status != RB_OK)
        fini(plan);
    return status;
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    plan->max_ops = 2;
    plan->data.own = NULL;
    int status = rb_need_one_port(plan, why, why_size);
    if (plan->p == 1)
        plan->radix = 0;
    if (status == RB_OK && plan->radix > 0)
        status = rb_lanes_init(plan, why, why_size);
    return status != RB_OK || plan->p == 1 || rb_has_lanes(plan) ? status
                                                                 : make_tree(plan, why, why_size);
}

/* A rank's own way, kept in its state. */
static void find_way(const struct rb_plan *plan, struct rb_rank *state)
{
    const struct rb_port_root root = root_of(plan);
    const struct rb_way way = rb_port_way(&root, rb_groups_place(&plan->groups, state->rank));
    _Static_assert(sizeof way <= sizeof state->state, "the way fits");
    memcpy(&state->state, &way, sizeof way);
}

/* The rank at the other end of a message. */
static int32_t find_peer(const struct rb_plan *plan, int32_t rank, const struct rb_way *own,
                         const struct rb_turn *turn, bool gate, int64_t u)
{
    const struct rb_port_root root = root_of(plan);
    const int32_t place = rb_groups_place(&plan->groups, rank);
    return rb_groups_rank(&plan->groups, rb_port_peer(&root, place, own, turn, gate, u));
}

static void schedule(const struct rb_plan *plan, struct rb_rank *state)
{
    if (rb_has_lanes(plan))
        rb_lanes_rank(plan, state);
    else if (plan->p > 1)
        find_way(plan, state);
}

/* A round by turns. ops may be NULL: then only the number of operations is sought. */
static int32_t round_of_turns(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                              struct rb_op ops[])
{
    struct rb_way way;
    int32_t count = 0;
    memcpy(&way, &state->state, sizeof way);
    const struct rb_turn out = rb_way_sends(&way, plan->n, t);
    if (out.block >= 0 && (ops != NULL || out.number == 0)) { /* as the root's is in all cubes */
        const int32_t to = find_peer(plan, state->rank, &way, &out, false, t);
        if (ops != NULL) {
            ops[count] = rb_root_op(plan, RB_SEND, 0, out.block, 1);
            ops[count].peer = to;
        }
        count += to != plan->root;
    } else {
        count += out.block >= 0;
    }
    const struct rb_turn in = rb_way_receives(&way, plan->n, t);
    if (in.block < 0 || state->rank == plan->root)
        return count;
    if (ops != NULL) {
        ops[count] = rb_root_op(plan, RB_RECV, 0, in.block, 1);
        ops[count].peer = find_peer(plan, state->rank, &way, &in, true, t);
    }
    return count + 1;
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    return rb_has_lanes(plan) ? rb_lanes_round(plan, state, t, ops)
                              : round_of_turns(plan, state, t, ops);
}

static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    if (rb_has_lanes(plan))
        return rb_lanes_next(plan, state, t);
    while (t < plan->rounds && round_of_turns(plan, state, t, NULL) == 0)
        t++;
    return t;
}

/* By turns each round has a message. */
static double cost(const struct rb_plan *plan, double bytes, double alpha_s, double beta_s_per_byte)
{
    if (rb_has_lanes(plan))
        return rb_lanes_cost(plan, bytes, alpha_s, beta_s_per_byte);
    return (double)plan->rounds * (alpha_s + beta_s_per_byte * bytes / (double)plan->n);
}

static void pipeline(const struct rb_plan *plan, int64_t *per_block, int64_t *fixed)
{
    *per_block = 1;
    *fixed = plan->rounds - plan->n;
}

RB_ROW(rb_bcast_hosts, "bcast", "hosts", "pipeline through ports that ranks share, by turns",
       "docs/groups.md", "at most n - 1 + ceil(log2 N) + ceil(log2 K)", RB_PIPELINED(""),
       RB_BY_GROUPS, .info.places = true, RB_LANES_RADIX, .init = init, .fini = fini,
       .rank = schedule, .round = round_, .next = next, .cost = cost, .pipeline = pipeline);
