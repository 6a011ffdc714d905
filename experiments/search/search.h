/* search.h - the best n of one algorithm at one point, with as few simulations as can be.
 *
 * Time as a function of n is only roughly unimodal: blocks are whole elements, and plans have
 * virtual rounds. So the search tries every n that search_bound.h can't exclude. It starts from the
 * closed form's n and its doubles and halves, up and down to the first that is slower.
 *
 * Where nothing speaks for fewer blocks, as without latency, or messages are huge, that would take
 * forever: so the time is limited, by estimates, which are the same on each machine. */
#ifndef EXPERIMENTS_SEARCH_SEARCH_H
#define EXPERIMENTS_SEARCH_SEARCH_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "experiments/point/point.h"
#include "experiments/tune/tune_curves.h"
#include "support/error.h"

/* Why no other n is faster. */
enum search_proof {
    SEARCH_BY_ALL,     /* each was tried */
    SEARCH_BY_BOUND,   /* those not tried are, by the algorithm's lower bound */
    SEARCH_BY_GROWTH,  /* if more blocks of the same size never take less time */
    SEARCH_BY_ANALOGY, /* likewise, and if this platform is like one with equal shares and messages
                      of alpha + beta b; n beyond the first that takes three times as long are left
                      out */
    SEARCH_BY_DESCENT, /* n beside the best, a sixteenth of it away, are slower: where there is no
                      more than analogy, and simulations are long */
    SEARCH_BY_LIMIT, /* they may be: simulations of more blocks, or more simulations, take too long
                      */
    SEARCH_BY_NOTHING, /* an n that was tried belied the assumption: a better n may be far away */
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
    /* Of those tried: the most by which time rises towards the best n; 0: unimodal. */
    double ripple;
    int64_t closed_n; /* the closed form's, at most most_n; 0: none */
    double closed_s;  /* time with it, simulated; NAN: none */
    struct tune_sample
        samples[SEARCH_FOUND_SAMPLES]; /* tried, by rising n: those around the best */
    size_t count;
};

enum { SEARCH_TRIES = 2000, SEARCH_PARTS = 4 };

/* The point's own n is not looked at; that of an algorithm that isn't pipelined is 1. All
 * simulations take limit_s by estimate, at most, and one a fourth of that, except the first one,
 * of one block; there are at most SEARCH_TRIES. tried (or NULL) counts simulations while they
 * are done. Errors are those of the plan and the engine. */
int search_n(const struct point *point, double limit_s, _Atomic int64_t *tried,
             struct search_found *found, struct sup_error *error);

/* Real time of the point's simulation, by estimate; infinite if it can't be planned, which is no
 * error. RB_ENOMEM. */
int search_estimate(const struct point *point, double *cost_s, struct sup_error *error);

/* True if (n, time_s) is preferred to the other. */
bool search_is_better(const struct tune_sample *sample, const struct tune_sample *than);

#endif
