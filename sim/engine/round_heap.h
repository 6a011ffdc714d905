/* round_heap.h - a heap of ranks by their next round, lowest first; ranks of the same round in
 * order of their numbers. */
#ifndef SIM_ENGINE_ROUND_HEAP_H
#define SIM_ENGINE_ROUND_HEAP_H

#include <stdint.h>

struct sim_round_heap {
    struct sim_round_of {
        int64_t round;
        int32_t rank;
    } * entry; /* owned */
    int32_t count;
};

/* Room for p ranks, each at most once. */
void sim_round_heap_init(struct sim_round_heap *heap, int32_t p);
void sim_round_heap_free(struct sim_round_heap *heap); /* safe on a zeroed struct */
void sim_round_heap_push(struct sim_round_heap *heap, int64_t round, int32_t rank); /* O(log p) */
/* Removes and returns the rank on top (entry[0]); the heap must not be empty. O(log p). */
int32_t sim_round_heap_pop(struct sim_round_heap *heap);

#endif
