/* post_order.h - binary trees over consecutive ranks, numbered in postorder, so that partial
 * results of neighbours meet.
 *
 * The ranks a .. b of a subtree have their results combined at b, the subtree's top: the first
 * floor((b - a + 1) / 2) of them are one subtree, whose top is b's farther child, and those between
 * that subtree and b are the other one, whose top, b - 1, is the nearer child. */
#ifndef RB_SCHEDULES_PATTERNS_POST_ORDER_H
#define RB_SCHEDULES_PATTERNS_POST_ORDER_H

#include <stdint.h>

struct rb_post_order {
    int32_t parent;          /* -1: it is the top of all */
    int32_t farther, nearer; /* its children; -1: none */
    int32_t far, near;       /* steps to a farther and to a nearer child, on the way from the top */
};

/* Of rank `rank` in the tree of the ranks first .. top. O(log (top - first)). */
static inline struct rb_post_order rb_post_order(int32_t first, int32_t top, int32_t rank)
{
    struct rb_post_order place = {.parent = -1, .farther = -1, .nearer = -1};
    while (rank != top) {
        const int32_t nearer = first + (top - first + 1) / 2; /* its first rank */
        place.parent = top;
        if (rank < nearer) {
            top = nearer - 1;
            place.far++;
        } else {
            first = nearer;
            top--;
            place.near++;
        }
    }
    if (top > first)
        place.farther = first + (top - first + 1) / 2 - 1;
    if (top > first + 1)
        place.nearer = top - 1;
    return place;
}

/* The largest number of far + 2 near in a tree of N - 1 ranks. If this is f(N), then f(N) = max(1 +
 * f(ceil(N/2)), 2 + f(floor(N/2))), f(2) = 0, and by induction f(N) = floor(log2 N) + floor(log2 (2
 * N / 3)) - 1. */
static inline int64_t rb_post_order_latest(int64_t ranks)
{
    const uint64_t n = (uint64_t)ranks + 1;
    return 125 - __builtin_clzll(n) - __builtin_clzll(2 * n / 3);
}

#endif
