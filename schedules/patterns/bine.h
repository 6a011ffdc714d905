/* bine.h - Bine (binomial negabinary) trees and butterflies: who talks to whom.
 *
 * Source: D. De Sensi, S. Pasqualoni, L. Piarulli, T. Bonato, S. Ba, M. Turisini, J. Domke, T.
 * Hoefler, "Bine Trees: Enhancing Collective Operations by Optimizing Communication Locality", SC
 * 2025. docs/library-algorithms.md has examples, and says what is ours where p is no power of two.
 *
 * In step s partners are d(s) = (1 - (-2)^(s+1)) / 3 apart: 1, -1, 3, -5, 11, -21, ... An even rank
 * r exchanges with r + d(s), an odd one with r - d(s). In base -2 d(s) is s + 1 ones. So the
 * numbers that 0 reaches in steps q - 1 .. 0, each of which goes on from where the one before
 * ended, are those of q digits, each of them once, and they are consecutive: I(q) = -2/3 2^q .. 1/3
 * 2^q if q is even, -1/3 2^q .. 2/3 2^q if q is odd (rounded towards 0). */
#pragma once

#include "schedules/plan/plan.h"

/* A number's digits in base -2, digit i in bit i; and back. */
static inline uint32_t rb_negabinary(int32_t value)
{
    return ((uint32_t)value + 0xAAAAAAAAu) ^ 0xAAAAAAAAu;
}
static inline int32_t rb_from_negabinary(uint32_t digits)
{
    return (int32_t)((digits ^ 0xAAAAAAAAu) - 0xAAAAAAAAu);
}

/* d(s). */
static inline int32_t rb_bine_distance(int32_t s)
{
    return rb_from_negabinary(((uint32_t)2 << s) - 1u);
}

/* The ends of I(q). */
static inline int32_t rb_bine_lowest(int32_t q)
{
    return rb_from_negabinary(0xAAAAAAAAu & (((uint32_t)1 << q) - 1u));
}
static inline int32_t rb_bine_highest(int32_t q)
{
    return rb_from_negabinary(0x55555555u & (((uint32_t)1 << q) - 1u));
}

/* The rank with which r exchanges in step s < ceil(log2 p); p even. */
static inline int32_t rb_bine_partner(int32_t p, int32_t r, int32_t s)
{
    const int32_t distance = rb_bine_distance(s);
    const int32_t other = r % 2 == 0 ? r + distance : r - distance;
    return other < 0 ? other + p : other < p ? other : other - p;
}

/* The distance-doubling tree. The number that 0 reaches in the steps s of which bit s is set, the
 * smallest first, and back. In base -2 these are an odd number's digits, or those of an even number
 * times -1, in Gray code. Numbers that 0 reaches in steps below q are the odd numbers of I(q), and
 * the even numbers of I(q) times -1. */
uint32_t rb_bine_steps(int32_t number);
int32_t rb_bine_number(uint32_t steps);

/* The q lowest bits in the opposite order. */
int32_t rb_turned_bits(int32_t bits, int32_t q);

/* Of 2^q participants with consecutive numbers from 0 on: the number of the share that a
 * participant has in the end if shares are halved along distances that double, so that participants
 * that share their first steps have consecutive shares; and back. */
int32_t rb_bine_share(int32_t participant, int32_t q);
int32_t rb_bine_participant(int32_t share, int32_t q);

/* The distance-halving tree over consecutive numbers low .. high, 0 among them: number v is
 * relative rank v mod p. It takes q = ceil(log2 p) rounds, from step q - 1 to step 0. Before step s
 * a part of the tree is an interval of numbers that have all digits but the lowest s + 1 in common;
 * it falls into two halves, and the rank that has the data in one half sends to a rank of the
 * other. For p = 2^q the numbers are I(q). For other p those of I(q) that are beyond low or high
 * are missing, and if the number that should act for a half is missing, the next one of its half
 * that is there acts for it. */
struct rb_bine_tree {
    int32_t p;
    int32_t q;
    int32_t low, high;
};
struct rb_bine_tree rb_bine_tree_of(int32_t p);

/* In step s the rank `from` sends to `to`, in whose half are numbers first .. first + count - 1;
 * relative ranks. */
struct rb_bine_edge {
    int32_t from, to;
    int32_t first, count;
};
/* True if relative rank r is an end of an edge in step s. O(log p). */
bool rb_bine_edge(const struct rb_bine_tree *tree, int32_t r, int32_t s, struct rb_bine_edge *edge);
/* The largest `count` of all edges of step s. */
int32_t rb_bine_longest(const struct rb_bine_tree *tree, int32_t s);

/* The relative rank of a number. */
static inline int32_t rb_bine_rank(const struct rb_bine_tree *tree, int32_t number)
{
    return number < 0 ? number + tree->p : number;
}
