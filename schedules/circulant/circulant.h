/* circulant.h - common parts of plans on the circulant graph: Algorithm 1's numbering of rounds
 * and the two peers of a round (Traeff 2024).
 *
 * A plan's round t is the algorithm's round i = t + x: round k = i mod q of its phase, where
 * x = (q - (n - 1) mod q) mod q virtual rounds come before the first. A schedule's entry plus shift
 * is the block; negative: none; beyond n - 1: block n - 1. */
#pragma once

#include "schedules/plan/plan.h"

struct rb_circulant_round {
    int32_t k;
    int64_t shift;
};

/* Sets rounds, graph and virtual_rounds of a one-port plan. As rb_algorithm's init. */
int rb_circulant_rounds_init(struct rb_plan *plan, char *why, size_t why_size);
/* The same for a graph of `nodes` nodes, 1 <= nodes <= p, with any number of ports. */
void rb_circulant_rounds_over(struct rb_plan *plan, int32_t nodes);
/* Makes plan->data.circulant.table, which the plan frees: the send rows of all nodes, then the
 * baseblocks. RB_ENOMEM with why. O(nodes log nodes). */
int rb_circulant_rounds_table(struct rb_plan *plan, char *why, size_t why_size);

static inline struct rb_circulant_round rb_circulant_round_of(const struct rb_plan *plan, int64_t t)
{
    const int64_t x = plan->data.circulant.virtual_rounds, q = plan->data.circulant.graph.q;
    const int64_t i = t + x;
    /* A division would be most of a round's time. The reciprocal gives the right quotient for i <
     * 2^28: it is too large by less than 1, so the product is too large by less than 2^28 / 2^36 <
     * 1 / q, because q <= 31. */
    const int64_t phase =
        i >> 28 == 0 ? (int64_t)((uint64_t)i * plan->data.circulant.reciprocal >> 36) : i / q;
    return (struct rb_circulant_round){(int32_t)(i - phase * q), phase * q - x};
}

/* r + skip[k] and r - skip[k], modulo p, without overflow. */
static inline int32_t rb_circulant_to(const struct rb_circulant *graph, int32_t r, int32_t k)
{
    const int32_t back = graph->p - graph->skip[k];
    return r < back ? r + graph->skip[k] : r - back;
}

static inline int32_t rb_circulant_from(const struct rb_circulant *graph, int32_t r, int32_t k)
{
    return r >= graph->skip[k] ? r - graph->skip[k] : r + (graph->p - graph->skip[k]);
}
