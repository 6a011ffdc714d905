/* search_bound.h - how long a plan takes at least, over whole ranges of n: what a search can leave
 * out.
 *
 * On one-port ranks whose messages take alpha + beta b for b bytes, two things hold.
 *
 * The bound. A pipelined algorithm of a rounds per block and c others (a n + c rounds) keeps some
 * port, or a chain of messages each of which waits for the one before, busy in all its rounds. With
 * one block per message, all blocks go over it a times and the last one, a shortest, in c rounds:
 *
 *     time(n) >= (a n + c) alpha + beta (a m + c (shortest block)).
 *
 * Where shares of all ranks are packed into a message, every rank sends in all rounds, and on
 * average (p - 1) / p m bytes per pass: time(n) >= (a n + c) alpha + beta (that volume). Start-ups
 * grow with n, volume doesn't: so those of the least n and the volume of the largest bound a range.
 * Rounds and volume are read off the closed form; that they bound the time is checked at each n
 * that is tried. Where a rank may have several rounds in flight, two passes one after the other
 * (allreduce as a reduction and a broadcast) may overlap; the longer one, half of it, is then the
 * bound.
 *
 * Growth. Messages that get shorter by a factor don't take less than that part of their time. If
 * more blocks of the same size never take less time, then time(n') >= time(n) (cost of a block at
 * n') / (cost of a block at n) for n' > n. That is an assumption; it, too, is checked. */
#ifndef EXPERIMENTS_SEARCH_SEARCH_BOUND_H
#define EXPERIMENTS_SEARCH_SEARCH_BOUND_H

#include <stdbool.h>
#include <stdint.h>

#include "experiments/point/point.h"
#include "support/error.h"

struct search_bound {
    bool known;                      /* else there is no bound, and growth alone must do */
    bool tight;                      /* the closed form is little above it */
    bool plain;                      /* messages take alpha + beta b, whoever sends them */
    bool even;                       /* shares are as equal as can be */
    bool packed;                     /* a message holds blocks of several shares */
    double part;                     /* of the closed form that bounds the time: 1, or 1/2 */
    int64_t per_block, rest;         /* rounds = per_block n + rest */
    double volume;                   /* bytes without those of the rest */
    int64_t element;                 /* bytes */
    int64_t least_share, most_share; /* elements that are cut into n blocks */
    double alpha_s, beta_s_per_byte;
};

/* For the point's algorithm, p, m, platform and progress rule; its n is not looked at. RB_EINVAL if
 * there is no such plan, RB_ENOMEM. */
int search_bound_make(const struct point *point, struct search_bound *bound,
                      struct sup_error *error);

/* More blocks than this would be empty ones; at least 1. */
int64_t search_most_n(const struct search_bound *bound);

/* No n of least .. most takes less, in seconds; 0 where no bound is known. */
double search_bound(const struct search_bound *bound, int64_t least, int64_t most);

/* time(n) / time(from), n >= from, is not less, by growth. */
double search_growth(const struct search_bound *bound, int64_t from, int64_t n);

#endif
