#include "bine.h"

uint32_t rb_bine_steps(int32_t number)
{
    const uint32_t digits = rb_negabinary(number % 2 == 0 ? -number : number);
    return digits ^ digits >> 1;
}

int32_t rb_bine_number(uint32_t steps)
{
    uint32_t digits = steps;
    for (int32_t by = 1; by < 32; by *= 2)
        digits ^= digits >> by;
    const int32_t number = rb_from_negabinary(digits);
    return number % 2 == 0 ? -number : number;
}

int32_t rb_turned_bits(int32_t bits, int32_t q)
{
    uint32_t turned = 0;
    for (int32_t i = 0; i < q; i++)
        turned |= ((uint32_t)bits >> i & 1u) << (q - 1 - i);
    return (int32_t)turned;
}

int32_t rb_bine_share(int32_t participant, int32_t q)
{
    /* Of the numbers that are the participant modulo 2^q, the one that 0 reaches. */
    const int32_t all = (int32_t)((uint32_t)1 << q);
    const bool odd = participant % 2 != 0;
    const int32_t highest = odd ? rb_bine_highest(q) : -rb_bine_lowest(q);
    const int32_t number = participant > highest ? participant - all : participant;
    return rb_turned_bits((int32_t)rb_bine_steps(number), q);
}

int32_t rb_bine_participant(int32_t share, int32_t q)
{
    const int32_t number = rb_bine_number((uint32_t)rb_turned_bits(share, q));
    return number < 0 ? number + (int32_t)((uint32_t)1 << q) : number;
}

/* The numbers reach to d(q - 1) on one side and to d(q - 2) on the other, which are 2^(q-1) + 1
 * numbers; what p has beyond these lies first on the side of d(q - 2), as far as I(q) goes. */
struct rb_bine_tree rb_bine_tree_of(int32_t p)
{
    const int32_t q = rb_ceil_log2(p);
    struct rb_bine_tree tree = {.p = p, .q = q};
    if (q % 2 == 1) {
        const int32_t room = -rb_bine_lowest(q), left = p - 1 - rb_bine_distance(q - 1);
        tree.low = left < room ? -left : -room;
        tree.high = p - 1 + tree.low;
    } else if (q > 0) {
        const int32_t room = rb_bine_highest(q), left = p - 1 + rb_bine_distance(q - 1);
        tree.high = left < room ? left : room;
        tree.low = tree.high - (p - 1);
    }
    return tree;
}

/* A part of the tree that is reached through number `top`, given by its digits, with steps k - 1 ..
 * 0 left: the numbers that have the digits of top but for the lowest k. */
struct interval {
    int32_t first, end; /* those that are there; none if end <= first */
};

static struct interval numbers_of(const struct rb_bine_tree *tree, uint32_t top, int32_t k)
{
    const int32_t base = rb_from_negabinary(top >> k << k);
    const int32_t lowest = base + rb_bine_lowest(k), highest = base + rb_bine_highest(k);
    return (struct interval){lowest > tree->low ? lowest : tree->low,
                             (highest < tree->high ? highest : tree->high) + 1};
}

static bool is_empty(struct interval part)
{
    return part.end <= part.first;
}

/* The number that acts for a part that is not empty: its top; if this is missing, the one that acts
 * for the half of the top; and if that half is empty, the one that acts for the other half. */
static int32_t acting(const struct rb_bine_tree *tree, uint32_t top, int32_t k)
{
    for (;;) {
        const int32_t number = rb_from_negabinary(top);
        if (number >= tree->low && number <= tree->high)
            return number;
        k--;
        if (is_empty(numbers_of(tree, top, k)))
            top ^= ((uint32_t)2 << k) - 1u;
    }
}

/* The digits of the top of a number's part with k steps left: the path from 0 to a number turns
 * where neighbouring digits differ, and it has not turned yet in the k lowest. */
static uint32_t top_of(uint32_t digits, int32_t k)
{
    const uint32_t lowest = ((uint32_t)1 << k) - 1u;
    return (digits >> k & 1u) != 0 ? digits | lowest : digits & ~lowest;
}

bool rb_bine_edge(const struct rb_bine_tree *tree, int32_t r, int32_t s, struct rb_bine_edge *edge)
{
    const int32_t number = r > tree->high ? r - tree->p : r;
    const uint32_t top = top_of(rb_negabinary(number), s + 1);
    const uint32_t other = top ^ (((uint32_t)2 << s) - 1u);
    const struct interval there = numbers_of(tree, other, s);
    if (is_empty(there) || is_empty(numbers_of(tree, top, s)))
        return false;
    const int32_t from = acting(tree, top, s), to = acting(tree, other, s);
    *edge = (struct rb_bine_edge){rb_bine_rank(tree, from), rb_bine_rank(tree, to), there.first,
                                  there.end - there.first};
    return number == from || number == to;
}

/* More than half of I(q) is there. So if it has 16 parts of step s, of which two are partly there,
 * at least one of the pairs of parts is there as a whole. */
int32_t rb_bine_longest(const struct rb_bine_tree *tree, int32_t s)
{
    const int32_t higher = tree->q - s - 1;
    int32_t longest = 0;
    if (higher > 3)
        return (int32_t)1 << s;
    for (uint32_t pair = 0; pair < (uint32_t)1 << higher; pair++) {
        const uint32_t top = top_of(pair << (s + 1), s + 1);
        const struct interval here = numbers_of(tree, top, s),
                              there = numbers_of(tree, top ^ (((uint32_t)2 << s) - 1u), s);
        if (!is_empty(here) && there.end - there.first > longest)
            longest = there.end - there.first;
    }
    return longest;
}
