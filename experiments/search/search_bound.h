/* search_bound.h - lower bounds on a plan's time for whole ranges of n, which a search can then
 * leave out.
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
 * average (p - 1) / p m bytes per pass: time(n) >= (a n + c) alpha + beta (that volume). Where some
 * rounds move all blocks at once after or before a pipeline, the volume is that for very many
 * blocks, and the c rounds add a part that shrinks with n, as their blocks do; plans by groups are
 * left out, because their groups need not be busy at the same time. Start-ups
 * grow with n and volume does not, so the start-ups of the smallest n and the volume of the largest
 * n give a bound for a range. Rounds and volume come from the closed form; the search checks the
 * bound at each n that it tries. Where a rank may have several rounds in flight, two passes one
 * after the other (allreduce as a reduction and a broadcast) may overlap; the longer one, half of
 * it, is then the bound.
 *
 * Growth. Messages that get shorter by a factor don't take less than that part of their time. If
 * more blocks of the same size never take less time, then time(n') >= time(n) (cost of a block at
 * n') / (cost of a block at n) for n' > n. This is an assumption; the search checks it too. */
#ifndef EXPERIMENTS_SEARCH_SEARCH_BOUND_H
#define EXPERIMENTS_SEARCH_SEARCH_BOUND_H

#include <stdbool.h>
#include <stdint.h>

#include "experiments/point/point.h"
#include "support/error.h"

struct search_bound {
    bool known;                      /* otherwise there is no bound, and only growth is used */
    bool tight;                      /* the bound is close to the closed form */
    bool plain;                      /* all messages take alpha + beta b */
    bool even;                       /* shares are as equal as possible */
    bool packed;                     /* a message holds blocks of several shares */
    bool mixed;                      /* packed in some rounds, one block per message in others */
    double part;                     /* the part of the closed form that bounds the time: 1, or
                                      * 1/2 */
    int64_t per_block, rest;         /* rounds = per_block n + rest */
    double shrinking;                /* bytes of the remaining rounds for n = 1, if mixed */
    double volume;                   /* bytes without those of the remaining rounds */
    int64_t element;                 /* bytes */
    int64_t least_share, most_share; /* elements that are cut into n blocks */
    double alpha_s, beta_s_per_byte;
};

/* For the point's algorithm, p, m, platform and overlap rule; its n is not used. RB_EINVAL if
 * there is no such plan, RB_ENOMEM. */
int search_bound_make(const struct point *point, struct search_bound *bound,
                      struct sup_error *error);

/* The largest useful n: more blocks would be empty; at least 1. */
int64_t search_most_n(const struct search_bound *bound);

/* The bound in seconds for all n in least .. most; 0 if no bound is known. */
double search_bound(const struct search_bound *bound, int64_t least, int64_t most);

/* time(n) / time(from), n >= from, is not less, by growth. */
double search_growth(const struct search_bound *bound, int64_t from, int64_t n);

/* No message between two hosts of `asked` takes less than this share of its time on the platform
 * that was searched, whose messages are all alike; at most 1. 0: not known, as of files. Times
 * without contention are sums of maxima of messages' times, so the share holds for them, too. */
double search_least_share(const struct point_known_platform *asked,
                          const struct point_known_platform *searched);

#endif
