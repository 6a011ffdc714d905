/* concatenation.h - allgather on k ports with the smallest number of rounds or the least volume.
 *
 * Source: J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby 1997, Section 4. The paper's n
 * ranks are p here, its blocks of b bytes n blocks: a rank's data are cut into n blocks, and the
 * areas that the paper cuts by bytes are cut by blocks. So n bounds how evenly the last round is
 * divided among the ports; if n is a multiple of k, the division is even. k stands for min(k, p -
 * 1).
 *
 * Before round t every rank has the data of itself and the h - 1 ranks before it, h = (k + 1)^t. A
 * round is a table: a column for each of the next c distances h .. h + c - 1 from an owner, with
 * the owner's n blocks from top to bottom. It is cut, column by column, into areas of a entries
 * each, one per port. An area has an offset o: the rank at distance j from an owner gets the area's
 * entries of column j from the rank o before it, which must have them: 0 <= j - o < h for all
 * columns of the area. So an area may touch at most h columns. All rounds except the last have c =
 * k h and a = n h, areas of h whole columns. The last, t = d - 1, d = ceil(log p to base k + 1),
 * has the rest: c = p - h <= k h columns.
 *
 * If areas of a = ceil(n c / k), the least, touch at most h columns each, rounds (C1) and volume in
 * sequence (C2) are both the least, d and ceil(n (p - 1)/k). This is always possible unless n >= 3,
 * k >= 3 and (k + 1)^d - k < p < (k + 1)^d (Proposition 4.2), and in some of these cases too. Where
 * it is impossible,
 *   RB_LEAST_ROUNDS  makes the areas larger, by n - 1 at most: an area that starts e blocks into a
 *                    column fits if it has n (h - 1) + e blocks and e divides n, since the areas
 *                    then start at multiples of e, or together end within a column;
 *   RB_LEAST_VOLUME  takes one more round: k (h - 1) whole columns first, then what is left of less
 *                    than k columns.
 *
 * Offsets are the areas' first columns, or less by one each where areas begin in the same column,
 * so that a rank's messages of a round go to different ranks. p = 5, k = 2, n = 2 (h = 1, then 3),
 * what comes to rank 0 from the rank o before it:
 *
 *   round  o = 1        o = 2        o = 3         o = 4
 *     0    0..1 of 4    0..1 of 3
 *     1                              0..1 of 2     0..1 of 1
 *
 * and p = 6, where ports share rank 2's blocks in round 1:
 *
 *     1                              0..1 of 3, 0 of 2    1 of 2, 0..1 of 1 */
#pragma once

#include "schedules/plan/plan.h"

enum rb_concatenation { RB_LEAST_ROUNDS, RB_LEAST_VOLUME };

/* The members of an algorithm. No memory; a round takes O(k) steps besides its operations. */
int rb_concatenation_init(struct rb_plan *plan, enum rb_concatenation aim);
int32_t rb_concatenation_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                               struct rb_op ops[]);
double rb_concatenation_cost(const struct rb_plan *plan, double bytes, double alpha_s,
                             double beta_s_per_byte);

/* The table of a round, as above. Entry x is in column have + x / rows, row x mod rows. */
struct rb_table {
    int64_t have, columns, rows;
    int64_t area; /* entries of each area; the last may have fewer */
};
struct rb_area {
    int64_t first, end; /* entries first .. end - 1 */
    int64_t offset;
};
/* The number of areas. */
int32_t rb_table_areas(const struct rb_table *table);
/* Area i, whose offset is below `limit`: that of area i + 1, or INT64_MAX for the last. O(1). */
struct rb_area rb_table_area(const struct rb_table *table, int32_t i, int64_t limit);
/* True if every area touches at most `have` columns. O(areas). */
bool rb_table_fits(const struct rb_table *table);
/* The smallest area that fits k of them; table->area is ignored. columns <= k have. O(k + sqrt
 * rows). */
int64_t rb_table_cut(const struct rb_table *table, int32_t k);
