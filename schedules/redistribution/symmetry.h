/* symmetry.h - the symmetry of a block-cyclic redistribution: a small table of cells that describes
 * the whole problem.
 *
 * Let r and s have no common factor, M be a multiple of L, and r = r' r'', s = s' s'', P = s' P', Q
 * = r' Q' with r' = gcd(r, Q), s' = gcd(s, P), g0 = gcd(P', Q'), a = P' / g0, b = Q' / g0. How much
 * sender p has for receiver q depends on p r - q s modulo g = r' s' g0 only. It follows:
 *
 * - The communication grid is a x b copies of a tile of s' g0 senders and r' g0 receivers.
 * - In a tile, sender p + s' has for receiver q + r' k what p has for q, k = r''/s'' modulo g0:
 * what goes from senders i, i + s', ... to receivers j, j + r', ... falls into g0 families of g0
 *   messages, none of which share a port. A family can be scheduled as one message.
 * - What remains is an open shop (shop.h) of a s' senders and b r' receivers, with a cell of up to
 *   g0 families between every two. All senders have the same to send there, all receivers the same
 *   to receive. With r'' s'' units in a cell on average, T_opt is r'' s'' max(a s', b r').
 * - If s' = 1, all cells have r'' s'' units, because the b receivers of each of the r' kinds take
 *   the same share of a sender's data; likewise if r' = 1.
 *
 * (16, 9) -> (18, 5): r' = 9, s' = 1, g0 = 2, a = 8, b = 1; 8 x 9 cells of 5 units, T_opt 45. */
#ifndef SCHEDULES_REDISTRIBUTION_SYMMETRY_H
#define SCHEDULES_REDISTRIBUTION_SYMMETRY_H

#include "redistribution.h"

/* Sides: 0 senders, 1 receivers. */
struct redist_symmetry {
    int64_t part[2];   /* s', r': kinds of senders, of receivers */
    int64_t copies[2]; /* a, b */
    int64_t families;  /* g0 */
    int64_t slope;     /* k */
    int64_t mean;      /* units of a cell, on average */
    int longer;        /* the side with more ports in the shop: 0 if a s' >= b r' */
    int64_t *length;   /* of families, or 0: redist_symmetry_length; owned */
};

/* Where a message is: port inner[side] of copy copy[side], of which family. */
struct redist_symmetry_place {
    int64_t inner[2], copy[2], family;
};

/* True if the problem has one dimension of whole slices of L elements and none stays at its rank.
 */
bool redist_symmetry_applies(const struct rb_redistribution *problem,
                             const struct rb_traffic *traffic);

/* The grid of such a problem. Deinit it also after a failure. RB_ENOMEM. O(messages). */
int redist_symmetry_init(struct redist_symmetry *grid, const struct rb_cyclic *problem,
                         const struct rb_traffic *traffic);
void redist_symmetry_deinit(struct redist_symmetry *grid);

struct redist_symmetry_place redist_symmetry_place(const struct redist_symmetry *grid,
                                                   const struct rb_message *message);

/* Units of a family of the cell between a sender and a receiver of the shop (their kind is what
 * counts); 0: no such message. */
int64_t redist_symmetry_length(const struct redist_symmetry *grid, int64_t sender, int64_t receiver,
                               int64_t family);

/* Units of the first `families` families of the cell. */
int64_t redist_symmetry_cell(const struct redist_symmetry *grid, int64_t sender, int64_t receiver,
                             int64_t families);

#endif
