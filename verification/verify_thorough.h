/* verify_thorough.h - the plans that `verify --level thorough` verifies for each algorithm: sets of
 * plans, each for a range of p, so that expensive choices are made for small p only. Each set has
 * all combinations of
 *
 *   small, p = 1..12: n = 1, 2, q + 1, 7; all roots, radices, ports 1..4, rules of counts
 *   blocks, 1..40: n up to 1000 (129 if p > 16), about powers of two; roots 0, p - 1
 *   roots, 13..48: all roots; n = 1, q + 1
 *   radices, 13..72: all radices; n = 2; ports 1, 3
 *   instances, 1..48: all shifts; redistributions among up to 8 ranks
 *   ranks, 13..130: roots 0, 1, p / 2, p - 1, two others; n = 1, 33 (3 of parts); ports 1, 2, 4
 *   large, some of 131..1025: two roots; n = 1, 3; ports 1, 3
 *   schedules, some of 2..2^30: all ranks of p up to 2^18, 500 ranks of others, each by itself
 *
 * All sets also have plans in rank order, if the algorithm has them, and plans by groups for six
 * ways to cut the ranks into groups. Pseudo-random values depend only on the seed, p and the set. A
 * plan may be in several sets. */
#ifndef VERIFICATION_VERIFY_THOROUGH_H
#define VERIFICATION_VERIFY_THOROUGH_H

#include "verification/verify_work.h"

/* Makes job->cells: those p of job->ranks that a set has, or all p of the sets if any is false.
 * RB_ENOMEM. */
int verify_cells_make(struct verify_job *job, bool any);
void verify_cells_free(struct verify_cells *cells); /* safe on a zeroed struct */

/* True if verifying this plan would take long, or much memory. */
bool verify_too_large(const struct rb_plan *plan);

/* The number of different p in the cells, and the largest p up to which, from 1, none is
 * missing. */
void verify_cells_ranks(const struct verify_cells *cells, int32_t *count, int32_t *gapless);

#endif
