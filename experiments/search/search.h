/* search.h - finds the best n of one algorithm at one point with few simulations, and bounds that
 * spare some. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "experiments/decide/curves.h"
#include "experiments/point/point.h"
#include "support/error.h"

/* ---- Bounds ---------------------------------------------------------------------------------- */

/* Lower bounds on a plan's time for whole ranges of n, which a search can then leave out.
 *
 * On one-port ranks whose messages take alpha + beta b for b bytes, two things hold.
 *
 * The bound. A pipelined algorithm of a rounds per block and c others (a n + c rounds) keeps some
 * port, or a chain of messages each of which waits for the one before, busy in all its rounds.
 * With one block per message, all blocks go over it a times and the last one, a shortest, in c
 * rounds:
 *
 *     time(n) >= (a n + c) alpha + beta (a m + c (shortest block)).
 *
 * Where shares of all ranks are packed into a message, every rank sends in all rounds, and on
 * average (p - 1) / p m bytes per pass: time(n) >= (a n + c) alpha + beta (that volume). Where
 * some rounds move all blocks at once after or before a pipeline, the volume is that for very many
 * blocks, and the c rounds add a part that shrinks with n, as their blocks do; plans by groups are
 * left out, because their groups need not be busy at the same time. Start-ups grow with n and
 * volume does not, so the start-ups of the smallest n and the volume of the largest n give a bound
 * for a range. Rounds and volume come from the closed form; the search checks the bound at each n
 * that it tries. Where a rank may have several rounds in flight, two passes one after the other
 * (allreduce as a reduction and a broadcast) may overlap; the longer one, half of it, is then the
 * bound.
 *
 * Growth. Messages that get shorter by a factor don't take less than that part of their time. If
 * more blocks of the same size never take less time, then time(n') >= time(n) (cost of a block at
 * n') / (cost of a block at n) for n' > n. This is an assumption; the search checks it too. */

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

/* The bound in seconds for all n in least .. most; 0 if no bound is known. */
double search_bound(const struct search_bound *bound, int64_t least, int64_t most);

/* The least time of the point for any n, which needs no simulation: of a pipelined algorithm by its
 * bound, of another by the messages of a few ranks, the root among them, which pass a rank's ports
 * one after another; 0: not known. Fills in found: this time, and the closed form's n, or 1. Errors
 * as of search_bound_make. */
struct search_found;
int search_least_time(const struct point *point, struct search_bound *bound,
                      struct search_found *found, struct sup_error *error);

/* No message between two of the ranks, ppn on each host of `asked`, takes less than this share of
 * its time on the platform that was searched, whose messages are all alike; at most 1. 0: not
 * known, as of files. Times without contention are sums of maxima of messages' times, so the share
 * holds for them, too. */
double search_least_share(const struct point_known_platform *asked,
                          const struct point_known_platform *searched, int32_t ppn);

/* ---- The search ------------------------------------------------------------------------------ */

/* Finds the best n of one algorithm at one point with few simulations.
 *
 * Time as a function of n is only roughly unimodal: blocks are whole elements, and plans have
 * virtual rounds. So the search tries every n that search.h cannot exclude. It starts from
 * the closed form's n, and doubles and halves n until the time grows.
 *
 * If more blocks cost nothing, as without latency, or if messages are huge, this would take far
 * too long. So the time is limited, by estimates that are the same on every machine. */

/* The reason why no other n is faster. */
enum search_proof {
    SEARCH_BY_ALL,     /* every n was tried */
    SEARCH_BY_BOUND,   /* the algorithm's lower bound excludes the n not tried */
    SEARCH_BY_GROWTH,  /* excluded if more blocks of the same size never take less time */
    SEARCH_BY_ANALOGY, /* excluded if, besides, this platform behaves like one with equal shares and
                        * messages of alpha + beta b; n beyond the first that takes three times as
                        * long are left out */
    SEARCH_BY_DESCENT, /* n a sixteenth below and above the best are slower: used instead of the
                        * analogy if simulations are long */
    SEARCH_BY_LIMIT,   /* another n may be faster: simulations of more blocks, or more simulations,
                        * take too long */
    SEARCH_BY_NOTHING, /* the time of an n that was tried contradicts the assumption: a better n may
                        * be far away */
    SEARCH_NOT_DONE_YET, /* by search_first_n, which excludes no n */
    SEARCH_PROOFS
};
extern const char *const search_proof_names[SEARCH_PROOFS];

/* Times that differ by less are equal; of equals the smallest n is the best. */
#define SEARCH_TIE 1e-12

enum { SEARCH_FOUND_SAMPLES = 16 };

struct search_found {
    int64_t n;
    double time_s;
    int64_t most_n; /* searched are 1 .. most_n */
    int64_t tried;  /* simulations */
    enum search_proof proof;
    /* The largest rise of the time on the way to the best n, among the n tried; 0: unimodal. */
    double ripple;
    int64_t closed_n; /* the closed form's, at most most_n; 0: none */
    double closed_s;  /* time with it, simulated, or of search_least_time by the closed form with
                       * found.n; NAN: none */
    struct decide_sample
        samples[SEARCH_FOUND_SAMPLES]; /* tried, by rising n: those around the best */
    size_t count;
};

enum { SEARCH_TRIES = 2000, SEARCH_PARTS = 4 };

/* The point's own n is not used; an algorithm that is not pipelined has n = 1. By estimate all
 * simulations together take at most limit_s, and each one a fourth of that, except the first one,
 * of one block. There are at most SEARCH_TRIES simulations. tried (or NULL) counts simulations
 * while they are done. Errors are those of the plan and the engine. */
int search_n(const struct point *point, double limit_s, _Atomic int64_t *tried,
             struct search_found *found, struct sup_error *error);

/* An n to start with where the time is another: as search_n, but it ends with the closed form's n,
 * or without a closed form with what doubling from 1 finds. */
int search_first_n(const struct point *point, double limit_s, _Atomic int64_t *tried,
                   struct search_found *found, struct sup_error *error);

/* The estimated real time of the point's simulation; infinite if the point has no plan. */
double search_estimate(const struct point *point);

/* True if (n, time_s) is preferred to the other. */
bool search_is_better(const struct decide_sample *sample, const struct decide_sample *than);
