/* halving.h - scans of shares of a vector among nodes, each up and down a binomial tree that ends
 * at the node whose number the share has: of one share per node, 2 q rounds move 2 (P - 1)/P of the
 * vector, q = ceil(log2 P).
 *
 * Source: this project; the two sweeps of G. E. Blelloch 1989, "Scans as primitive parallel
 * operations", in P rotated trees. The order of nodes is kept. The nodes are ranks, or groups of
 * which one rank works on the share.
 *
 * Node r is e = (o - r) mod P in share o's tree. One that is a multiple of 2^k covers, on level k,
 * e .. e + 2^k - 1 below P: nodes up to r, in cyclic order. Where they pass node P - 1 and 0,
 * values count only the part from 0 on, V.
 *   Up, k = 0 .. q - 1: odd multiples of 2^k send V to e - 2^k, which keeps it as T_k and combines
 *   it from the left. Node P - 1 does not: no result needs what it would send.
 *   Down, k = q - 1 .. 0: a node sends E, what precedes the nodes that it covers on level k + 1, to
 *   e + 2^k. For the nodes that it covers on level k, this is then E T_k; or T_k, if e + 2^k covers
 *   node 0; or nothing, if they begin with node 0.
 *
 * The root's first E is its own V, since node o + 1 follows node o.
 *
 * P = 3, share 1 (e: nodes 1, 0, 2 are 0, 1, 2): 0 -> 1 x0, kept as T_0, V = x0 x1; node 2 does not
 * send. Then 1 -> 2 E = x0 x1, since node 2 begins what the root covers; then node 1's E is T_0. */
#pragma once

#include "schedules/plan/plan.h"

struct rb_halving {
    const struct rb_plan *plan;
    int32_t nodes, node;            /* P, r */
    int32_t rank;                   /* the node's, of local operations */
    int64_t before;                 /* blocks before share 0; a share has n */
    struct rb_range value, earlier; /* buffer and owner of V, of E */
    /* T_k is in TMP, in slots: of its level from the given one on, which have room for all shares;
     * or, first_kept < 0, of e + 2^k, which have room for one share. */
    int32_t first_kept;
    bool inclusive; /* E is combined into V as soon as V ends with it */
};

/* Level k of an up sweep, and of a down sweep. They write at most 3 (P / 2) + 1 operations, whose
 * peers are nodes, and return their number. */
int32_t rb_halving_up(const struct rb_halving *halving, int32_t k, struct rb_op ops[]);
int32_t rb_halving_down(const struct rb_halving *halving, int32_t k, struct rb_op ops[]);
