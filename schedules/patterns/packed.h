/* packed.h - the length of a packed message without a walk over its blocks.
 *
 * In a packed allgather each node of the circulant graph C_N owns data: one rank's, or those of a
 * group of ranks. In round k node `from` sends of each owner o, but the receiver, one block of each
 * of o's ranks: which one, the send schedule of o's broadcast says, row[from - o mod N]. So owners
 * with the same entry have the same block, and there are at most 2 q entries.
 *
 * A table has for each round k the nodes of a row by rising entry. If blocks have regular lengths,
 * the owners of one length are an interval (rb_layout_edge), and in it those with an entry are
 * found by bisection: O(q log N) for a message. With irregular counts, or groups of several sizes,
 * it is a walk over the owners, O(N) or O(p). */
#pragma once

#include "schedules/plan/plan.h"

/* A row's highest entry, a node that has it, and the highest entry of all other nodes. */
struct rb_row_top {
    int8_t highest, second;
    int32_t node;
};
struct rb_row_top rb_packed_top(const int8_t row[], int32_t nodes);

/* Fills the table (NULL: no) for rows 0 .. q - 1 of `nodes` entries each; returns its bytes. */
size_t rb_packed_table(const int8_t rows[], int32_t nodes, int32_t q, void *table);

/* A message from one node to another; `block` gives an entry's block, or -1. */
struct rb_packed {
    const struct rb_plan *plan;
    const struct rb_lengths *lengths; /* with the table */
    const struct rb_groups *groups;   /* whose number is N; NULL: each owner is alone */
    int32_t nodes, q;
    const int8_t *row; /* of round k */
    int32_t k, from, to;
    int64_t (*block)(const void *context, int8_t entry);
    const void *context;
};
/* *any: the message exists (rb_layout_round). */
int64_t rb_packed_length(const struct rb_packed *packed, bool *any);
