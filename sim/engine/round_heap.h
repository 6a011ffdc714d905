/* round_heap.h - a heap of ranks by their next round, lowest first; ranks of the same round in
 * order of their numbers. */
#ifndef RB_SIM_ENGINE_ROUND_HEAP_H
#define RB_SIM_ENGINE_ROUND_HEAP_H

#include <stdint.h>

struct rb_round_heap {
    struct rb_round_of {
        int64_t round;
        int32_t rank;
    } * entry; /* owned */
    int32_t count;
};

/* Room for p ranks, each at most once. RB_ENOMEM. */
int rb_round_heap_init(struct rb_round_heap *heap, int32_t p);
void rb_round_heap_free(struct rb_round_heap *heap); /* safe on a zeroed struct */
void rb_round_heap_push(struct rb_round_heap *heap, int64_t round, int32_t rank); /* O(log p) */
/* Removes and returns the rank on top (entry[0]); the heap must not be empty. O(log p). */
int32_t rb_round_heap_pop(struct rb_round_heap *heap);

#endif
