/* sequence.h - a collective as a sequence of two others: allreduce as reduce-scatter and allgather,
 * or reduce and broadcast; broadcast as scatter and allgather; reduce as reduce-scatter and gather.
 *
 * The rounds of the second follow those of the first. The data are one vector. If the data of a
 * part are divided among the ranks, rank j's share is the j-th of p shares with equal numbers of
 * blocks; if a part has a root, this is the composed plan's root, or rank 0. Parts that have a
 * radix have the composed plan's. An algorithm of this kind has RB_COMPOSED(first, second) in its
 * descriptor, and .pipeline too if a part has one. */
#pragma once

#include "schedules/plan/plan.h"

int rb_composed_init(struct rb_plan *plan, char *why, size_t why_size);
void rb_composed_fini(struct rb_plan *plan);
void rb_composed_rank(const struct rb_plan *plan, struct rb_rank *state);
int32_t rb_composed_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                          struct rb_op ops[]);
int64_t rb_composed_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t);
double rb_composed_cost(const struct rb_plan *plan, double bytes, double alpha_s,
                        double beta_s_per_byte);
void rb_composed_pipeline(const struct rb_plan *plan, int64_t *per_block, int64_t *fixed);
int32_t rb_composed_envelopes(const struct rb_plan *plan, const struct rb_lengths *lengths,
                              const struct rb_rank *state, int64_t t,
                              struct rb_envelope envelope[]);
size_t rb_composed_envelope_table(const struct rb_plan *plan, void *table);

/* For parts without a closed form. */
#define RB_COMPOSED_UNPRICED(first, second)                                                        \
    .parts = {&(first), &(second)}, .init = rb_composed_init, .fini = rb_composed_fini,            \
    .rank = rb_composed_rank, .round = rb_composed_round, .next = rb_composed_next,                \
    .envelopes = rb_composed_envelopes, .envelope_table = rb_composed_envelope_table

#define RB_COMPOSED(first, second) RB_COMPOSED_UNPRICED(first, second), .cost = rb_composed_cost

/* ---- Reversal -------------------------------------------------------------------------------- */

/* Reductions as broadcasts read backwards, reduce-scatters as allgathers, and gathers as scatters.
 *
 * If every rank but the owner receives every block exactly once in a broadcast or allgather, the
 * edges of each block form a spanning tree; with the rounds reversed and sends and receives
 * exchanged, partial results flow up that tree and are combined on the way (Traeff 2024, Section
 * 2, Observation 1.3). A rank never sends a block before it has all of the block's partial
 * results, because in the forward direction it received the block before it sent it. In a scatter
 * the edges of a block are a path, and in a gather the block returns on this path unchanged. An
 * algorithm of this kind has RB_REVERSED(broadcast) in its descriptor, and .pipeline too if the
 * broadcast has one. */

int rb_reversed_init(struct rb_plan *plan, char *why, size_t why_size);
void rb_reversed_fini(struct rb_plan *plan);
void rb_reversed_rank(const struct rb_plan *plan, struct rb_rank *state);
int32_t rb_reversed_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                          struct rb_op ops[]);
int64_t rb_reversed_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t);
double rb_reversed_cost(const struct rb_plan *plan, double bytes, double alpha_s,
                        double beta_s_per_byte);
void rb_reversed_pipeline(const struct rb_plan *plan, int64_t *per_block, int64_t *fixed);
int32_t rb_reversed_envelopes(const struct rb_plan *plan, const struct rb_lengths *lengths,
                              const struct rb_rank *state, int64_t t,
                              struct rb_envelope envelope[]);
size_t rb_reversed_envelope_table(const struct rb_plan *plan, void *table);

/* For an algorithm without a closed form. */
#define RB_REVERSED_UNPRICED(algorithm)                                                            \
    .forward = &(algorithm), .init = rb_reversed_init, .fini = rb_reversed_fini,                   \
    .rank = rb_reversed_rank, .round = rb_reversed_round, .next = rb_reversed_next,                \
    .envelopes = rb_reversed_envelopes, .envelope_table = rb_reversed_envelope_table

#define RB_REVERSED(algorithm) RB_REVERSED_UNPRICED(algorithm), .cost = rb_reversed_cost
