/* rounds.h - the rounds of one rank that are in flight: the next one to enter and the oldest.
 *
 * A rank has up to `width` rounds in flight: 1 is the overlap rule `blocking`, w is `window:w`. It
 * enters rounds in their order, and leaves a round when it and all rounds before it are complete.
 * Rounds in which the rank has no operation by its plan do not count. The rounds entered are
 * numbered from 0, and number i uses place i % width in a ring of `width` places. The rounds in
 * flight are left .. entered - 1.
 *
 *   width 3    round    0  1  4  5  8
 *              number   0  1  2  3  4       left 1, entered 4, next 8: no room until 1 is left
 *                          [in flight]
 *
 * The caller finds out when a round is complete and increments `left`. Each function takes O(1),
 * plus the time of rb_plan_next. */
#ifndef RB_SCHEDULES_DEPENDENCES_ROUNDS_H
#define RB_SCHEDULES_DEPENDENCES_ROUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "roundabout.h"

struct dep_rounds {
    int64_t next;    /* round to enter next; rb_plan_rounds() if there is none */
    int64_t entered; /* rounds entered, since the start */
    int64_t left;    /* rounds left: complete, with all earlier ones */
};

/* The first round from t on in which the rank has an operation; rb_plan_rounds() if there is none.
 * t may lie beyond the last round. */
static inline int64_t dep_next_round(const struct rb_plan *plan, const struct rb_rank *state,
                                     int64_t t)
{
    const int64_t rounds = rb_plan_rounds(plan);
    return t < rounds ? rb_plan_next(plan, state, t) : rounds;
}

/* Before the first round. */
static inline struct dep_rounds dep_rounds_of(const struct rb_plan *plan,
                                              const struct rb_rank *state)
{
    return (struct dep_rounds){.next = dep_next_round(plan, state, 0)};
}

/* True if a round is in flight. */
static inline bool dep_in_flight(const struct dep_rounds *rounds)
{
    return rounds->left < rounds->entered;
}

/* True if the next of the plan's `count` rounds may be entered. */
static inline bool dep_may_enter(const struct dep_rounds *rounds, int64_t count, int64_t width)
{
    return rounds->entered - rounds->left < width && rounds->next < count;
}

/* Counts the next round as entered, and finds the one after it. */
static inline void dep_enter(struct dep_rounds *rounds, const struct rb_plan *plan,
                             const struct rb_rank *state)
{
    rounds->entered++;
    rounds->next = dep_next_round(plan, state, rounds->next + 1);
}

#endif
