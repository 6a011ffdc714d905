/* search_grid.h - the best n, algorithm and progress rule for each p and m, and what another engine
 * says of the winner.
 *
 * The engine model searches. On a platform that it knows, its times are those of the platform, and
 * the judge confirms the winners. On any other, the named platform, the search is on a crossbar,
 * whose times say nothing of the named platform: there the judge runs each algorithm, and the
 * winner is the fastest of these runs (search_named.h). */
#ifndef RB_EXPERIMENTS_SEARCH_SEARCH_GRID_H
#define RB_EXPERIMENTS_SEARCH_SEARCH_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "experiments/point/known_platform.h"
#include "experiments/point/point.h"
#include "experiments/search/search.h"
#include "support/error.h"
#include "support/units.h"

struct rb_search_request {
    struct rb_point common; /* all but algorithm, p, n, m_bytes and progress: of the search */
    const char *const *algorithm;
    size_t algorithm_count;
    bool algorithms_named; /* by the user: one that has no plan for a p is a mistake */
    const struct rb_list *p, *m_bytes;
    const char *const *progress;
    size_t progress_count;
    const struct rb_engine *judge; /* confirms winners; NULL: none does, and judge_on is known */
    const struct rb_known_platform *judge_on; /* where; the named platform, if not common's */
    bool bounded; /* no message between two hosts is faster on judge_on than on common's platform */
    double judge_most_s;  /* real time of one run, by estimate: what takes longer goes without */
    double search_most_s; /* likewise, of all simulations of one curve by the model */
    int32_t jobs;
};

/* True if the model does not know the platform that is asked about. */
static inline bool rb_search_is_named(const struct rb_search_request *request)
{
    return request->judge_on != request->common.platform;
}

/* What the judge says of an algorithm on a named platform. */
enum rb_search_state {
    RB_WAITING,
    RB_SIMULATED,
    RB_EXCLUDED,   /* without contention it takes longer than another one does there */
    RB_OVER_LIMIT, /* would take too long to simulate, or did */
    RB_NOT_DONE,   /* the run failed */
    RB_SEARCH_STATES
};
extern const char *const rb_search_state_names[RB_SEARCH_STATES];

enum { RB_NAMED_RUNS = 32 };

/* Times on a named platform. */
struct rb_named {
    enum rb_search_state state;
    struct rb_sample best;                /* time_s INFINITY: none */
    struct rb_sample runs[RB_NAMED_RUNS]; /* INFINITY: no time; the first is the model's best n */
    size_t count;
};

/* One algorithm under one rule at one (p, m). */
struct rb_search_curve {
    struct rb_point point; /* n: the best */
    struct rb_found found; /* by the model */
    struct rb_named named; /* zero if the model knows the platform */
};

/* One run of the judge. */
struct rb_search_run {
    size_t curve;          /* whose algorithm and rule */
    struct rb_point point; /* n: the winner's, or a neighbour's */
    double cost_s;         /* estimated real time, or longer if it was */
    double time_s;         /* NAN: it wasn't run, or failed */
};

enum rb_search_verdict {
    RB_NOT_ASKED,
    RB_CONFIRMED,    /* neither neighbour nor runner-up is faster; named: each algorithm was run, or
                        excluded */
    RB_OTHER_N,      /* a neighbour is */
    RB_OTHER_CHOICE, /* the runner-up is */
    RB_TOO_LARGE,    /* would take too long, or did */
    RB_RUN_FAILED,
    RB_PARTLY, /* named: some algorithms have no time */
    RB_SEARCH_VERDICTS
};
extern const char *const rb_search_verdict_names[RB_SEARCH_VERDICTS];

/* One (p, m). */
struct rb_search_case {
    size_t first, count;                     /* of its curves */
    const struct rb_search_curve *winner;    /* NULL: none has a time on the named platform */
    const struct rb_search_curve *runner_up; /* the fastest of another algorithm; NULL: none */
    size_t first_run, run_count; /* of the judge: the winner's n, its neighbours, the runner-up */
    size_t fastest_run;          /* by the judge */
    enum rb_search_verdict verdict;
};

struct rb_search {
    struct rb_search_case *cases; /* by p, then m, as asked for; owned */
    size_t case_count;
    struct rb_search_curve *curves; /* case by case; owned */
    size_t curve_count;
    struct rb_search_run *runs; /* owned */
    size_t run_count, run_capacity;
    int64_t left_out;    /* pairs of algorithm and p that there are no plans for */
    struct rb_error why; /* of the first of these; and of the first run that failed: */
    struct rb_error failure;
    double search_s, judge_s; /* real time */
};

/* The caller frees search, also on failure. Errors name options where these are wrong. */
int rb_search(const struct rb_search_request *request, struct rb_search *search,
              struct rb_error *error);
void rb_search_free(struct rb_search *search); /* safe on a zeroed struct */

/* The n that is recommended for the curve and its time, where the request asks. */
static inline struct rb_sample rb_search_best(const struct rb_search_request *request,
                                              const struct rb_search_curve *curve)
{
    return rb_search_is_named(request) ? curve->named.best
                                       : (struct rb_sample){curve->found.n, curve->found.time_s};
}

#endif
