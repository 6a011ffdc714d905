/* search.h - finds the best n of one algorithm at one point with few simulations.
 *
 * Time as a function of n is only roughly unimodal: blocks are whole elements, and plans have
 * virtual rounds. So the search tries every n that search_bound.h cannot exclude. It starts from
 * the closed form's n, and doubles and halves n until the time grows.
 *
 * If more blocks cost nothing, as without latency, or if messages are huge, this would take far too
 * long. So the time is limited, by estimates that are the same on every machine. */
#ifndef EXPERIMENTS_SEARCH_SEARCH_H
#define EXPERIMENTS_SEARCH_SEARCH_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "experiments/decide/curves.h"
#include "experiments/point/point.h"
#include "support/error.h"

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
    double closed_s;  /* time with it, simulated; NAN: none */
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

#endif
