/* roster.h - which ranks have something to do in which round.
 *
 * Most ranks do something in every round, and these are lists; those that pause wait in a heap. */
#ifndef RB_SIM_MODEL_ROSTER_H
#define RB_SIM_MODEL_ROSTER_H

#include <stdbool.h>

#include "roundabout.h"
#include "sim/engine/round_heap.h"

struct rb_roster {
    const struct rb_plan *plan;
    struct rb_rank *rank; /* per rank: its state in the plan */
    int64_t round;        /* the round at hand, whose ranks are */
    int32_t *now;         /* now[0 .. now_count - 1]; not all of them need have an operation */
    int32_t now_count;
    bool in_order; /* now[i] is i */
    int32_t *soon; /* ranks of the round after it */
    int32_t soon_count;
    struct rb_round_heap later; /* all others, by their next round */
};

/* Before the first round. RB_ENOMEM; to be freed in any case. O(p log p). */
int rb_roster_init(struct rb_roster *roster, const struct rb_plan *plan);
void rb_roster_free(struct rb_roster *roster);

/* Goes on to the next round in which a rank may have something to do; false after the last. */
bool rb_roster_advance(struct rb_roster *roster);

/* A rank of the round at hand, in which it had an operation (active) or none, will go on. */
void rb_roster_keep(struct rb_roster *roster, int32_t rank, bool active);

#endif
