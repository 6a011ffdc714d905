/* active_ranks.h - which ranks have something to do in which round.
 *
 * Most ranks do something in every round, and these are lists; those that pause wait in a heap. */
#ifndef SIM_MODEL_ACTIVE_RANKS_H
#define SIM_MODEL_ACTIVE_RANKS_H

#include <stdbool.h>

#include "roundabout.h"
#include "sim/engine/round_heap.h"

struct model_active_ranks {
    const struct rb_plan *plan;
    struct rb_rank *rank; /* per rank: its state in the plan */
    int64_t round;        /* the current round, whose ranks are */
    int32_t *now;         /* now[0 .. now_count - 1]; not all of them need have an operation */
    int32_t now_count;
    bool in_order; /* now[i] is i */
    int32_t *soon; /* ranks of the round after it */
    int32_t soon_count;
    struct sim_round_heap later; /* all others, by their next round */
};

/* Before the first round. O(p log p). */
void model_active_ranks_init(struct model_active_ranks *active_ranks, const struct rb_plan *plan);
void model_active_ranks_free(struct model_active_ranks *active_ranks);

/* Advances to the next round in which a rank may have an operation; false after the last round. */
bool model_active_ranks_advance(struct model_active_ranks *active_ranks);

/* Keeps a rank of the current round, in which it had an operation (active) or none, for later
 * rounds. */
void model_active_ranks_keep(struct model_active_ranks *active_ranks, int32_t rank, bool active);

#endif
