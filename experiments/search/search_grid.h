/* search_grid.h - finds the best n, algorithm and overlap rule for each p and m, and checks the
 * winner with another engine.
 *
 * The engine model searches. On a platform that it knows, its times are those of the platform. On
 * any other platform, the named platform, the search is on a crossbar, whose times do not hold for
 * the named platform: there another engine, which knows contention, runs each algorithm, and the
 * winner is the fastest of these runs (search_steps.c). In both cases the confirming engine runs
 * the winners and what is nearly as fast (search_steps.c). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "experiments/point/point.h"
#include "experiments/point/words.h"
#include "experiments/search/search.h"
#include "support/error.h"
#include "support/units.h"

struct decide_tune_result; /* decide/tune.h */

struct search_request {
    struct point common; /* all but algorithm, p, n, m_bytes and overlap: of the search */
    const char *const *algorithm;
    size_t algorithm_count;
    const char *const *groups; /* for algorithms that plan by groups: words (words.h), sizes */
    size_t groups_count;
    bool groups_named; /* by the user: what the platform does not have is a mistake; otherwise it is
                        * left out, and so are groups that hold all ranks */
    const struct sup_list *radix; /* for algorithms that have one; 0, or NULL: their own choice */
    bool algorithms_named;        /* by the user: one that has no plan for a p is a mistake */
    const struct point_rule
        *order;        /* a placement that is tried with each algorithm, too; NULL: none */
    const char *rules; /* the --format of rules that are made of the times, for messages */
    bool one_block;    /* search_tune_curves has each algorithm's time with one block, too */
    const struct sup_list *p, *m_bytes;
    const struct point_rule *overlap;
    size_t overlap_count;
    const struct sim_engine *named_engine;   /* runs the algorithms on a named platform */
    const struct sim_engine *confirm_engine; /* confirms winners; NULL: none does */
    bool confirm_sample; /* of the named platform's winners no more than fit a share of the time */
    const char *unconfirmed; /* why the confirming engine can't; NULL: none was asked for */
    const struct point_known_platform *asked; /* the named platform, if not common's */
    double least_share; /* no message on `asked` takes less than this share of its time on common's
                         * platform; 0: not known */
    double confirm_most_s; /* real time of one run, by estimate: what takes longer goes without */
    double search_most_s;  /* real time, by estimate, of all simulations of one curve by the model,
                            * and of all on a named platform: longer ones are left out */
    double give_up; /* a run on a named platform that takes so many times as long as the fastest is
                     * given up, and the n of such algorithms is not varied; 0: only the latter, of
                     * those that take four times as long */
    int32_t copies; /* of the fastest runs on a named platform (search_steps.c); 0: none */
    const struct point_rule *arrival; /* on a named platform the choice is for ranks that come so
                                       * (search_steps.c); NULL: together */
    bool by_inside;                   /* it is the one with the least mean time inside, not with the
                                       * least time from the last arrival */
    int32_t jobs;
};

/* Where a search is. */
struct search_platforms {
    struct point_known_platform model; /* what is searched on */
    struct point_known_platform asked; /* the requested platform, if it is another; else zero */
    struct sup_error unconfirmed;      /* why simgrid can't simulate there; empty: it can */
};

/* A platform that the model knows is its own; another is probed, and searched on a crossbar with
 * the same latency and bandwidth between two hosts. The model's options, those of `how`, may change
 * these. Where ranks share hosts, the model has their messages take turns, so that its times are
 * not exact; and its closed forms and bounds are of ranks that come together, not `late`. Messages
 * name the options --platform and --engine-option. The caller frees, also on failure; `found` is
 * zeroed.
 */
int search_find_platforms(const char *text, int32_t ppn, bool late, const struct sim_spec *how,
                          struct search_platforms *found, struct sup_error *error);
void search_platforms_free(struct search_platforms *found);

/* Where ranks lie in blocks on a damaged platform, or on random hosts several each or for a scan,
 * has each algorithm tried with an order of the hosts found for it, too: sets request->order to
 * `order`, which the caller frees. */
int search_find_order(struct search_request *request, struct point_rule *order,
                      struct sup_error *error);

/* True if the model does not know the platform that is asked about. */
static inline bool search_is_named(const struct search_request *request)
{
    return request->asked != request->common.platform;
}

/* What came of an algorithm on a named platform. */
enum search_state {
    SEARCH_WAITING,
    SEARCH_SIMULATED,
    SEARCH_EXCLUDED, /* without contention it takes longer than another one does there; found.tried
                      * is 0 if the least time alone says so */
    SEARCH_OVER_LIMIT, /* would take too long to simulate, or did */
    SEARCH_NOT_DONE,   /* the run failed */
    SEARCH_STATES
};
extern const char *const search_state_names[SEARCH_STATES];

enum { SEARCH_NAMED_RUNS = 32 };

/* Times on a named platform. */
struct search_named_runs {
    enum search_state state;
    struct decide_sample best; /* time_s INFINITY: none */
    struct point_bound bound;  /* of its run: with the hosts that a search found */
    struct decide_sample
        runs[SEARCH_NAMED_RUNS]; /* INFINITY: no time; the first is the model's best n */
    size_t count;
    double cost_s; /* of these runs, by estimate */
};

/* One algorithm under one rule at one (p, m). */
struct search_curve {
    char name[64];      /* "circulant", "leaders:g=router", "fan:r=4:g=host" */
    const char *groups; /* the word for its groups, as a user names them; NULL: none */
    /* The same plan without the order of random hosts that is sought for this one: where it is too
     * slow no order is sought, which takes longer than the run, and gains less than damage costs.
     * NULL: this one waits for no other. */
    const struct search_curve *plain;

    struct point point;             /* n: the best */
    struct search_bound bound;      /* on a named platform, with the least time of all n, */
    double least_s;                 /* without contention; 0: not known */
    struct search_found found;      /* by the model; of what the least time excludes, this time */
    struct search_named_runs named; /* zero if the model knows the platform */
    struct sim_spread spread;       /* of its best n there; no copies: not known */
};

/* One run of the confirming engine, or on a named platform. */
struct search_run {
    size_t curve;       /* the curve with its algorithm and rule */
    struct point point; /* n: the winner's, or a neighbour's */
    double cost_s;      /* estimated real time, or longer if it was */
    double time_s;      /* NAN: it wasn't run, or failed; INFINITY: it was given up */
    bool stopped;       /* it took too long */
    struct sim_spread spread;
    struct point_bound bound;
    double other_s; /* with arrivals: time_s is what the request chooses by, this the other of the
                     * time from the last arrival and the mean time inside */
};

enum search_verdict {
    SEARCH_NOT_ASKED,
    SEARCH_CONFIRMED,    /* neither a neighbour nor a rival is faster; named: and each algorithm was
                            run, or excluded */
    SEARCH_OTHER_N,      /* a neighbour is */
    SEARCH_OTHER_CHOICE, /* a rival is */
    SEARCH_TOO_LARGE,    /* would take too long, or did */
    SEARCH_RUN_FAILED,
    SEARCH_PARTLY,   /* named: confirmed, but some algorithms have no time */
    SEARCH_LEFT_OUT, /* named: not in the sample that is confirmed */
    SEARCH_VERDICTS
};
extern const char *const search_verdict_names[SEARCH_VERDICTS];

/* One (p, m). */
struct search_case {
    size_t first, count;                  /* of its curves */
    const struct search_curve *winner;    /* NULL: none has a time on the named platform */
    const struct search_curve *runner_up; /* the fastest of another algorithm; NULL: none */
    size_t first_run,
        run_count;      /* of the confirming engine: the winner's n, its neighbours, the rivals */
    size_t fastest_run; /* by the confirming engine */
    size_t together;    /* with arrivals: number of the curve that wins if ranks come together, */
    int64_t together_n; /* with so many blocks; 0: none */
    enum search_verdict verdict;
};

struct search_grid {
    struct search_case *cases; /* by p, then m, as asked for; owned */
    size_t case_count;
    struct search_curve *curves; /* case by case; owned */
    size_t curve_count;
    struct search_run *runs; /* owned */
    size_t run_count;
    struct point_groupings groupings;    /* of each p in turn */
    struct point_neighbours *neighbours; /* owned */
    size_t late_first;                   /* of the runs: the first with arrivals */
    size_t named_count;                  /* of these, on the named platform; the others confirm */
    int64_t left_out;                    /* pairs of algorithm and p that there are no plans for */
    struct sup_error why; /* of the first of these; and of the first run that failed: */
    struct sup_error failure;
    double search_s, named_s, confirm_s; /* real time */
};

/* The caller frees search, also on failure. Errors name options where these are wrong. */
int search_grid(const struct search_request *request, struct search_grid *search,
                struct sup_error *error);
void search_grid_free(struct search_grid *search); /* safe on a zeroed struct */

/* The n that is recommended for the curve and its time, where the request asks. */
static inline struct decide_sample search_best(const struct search_request *request,
                                               const struct search_curve *curve)
{
    return search_is_named(request) ? curve->named.best
                                    : (struct decide_sample){curve->found.n, curve->found.time_s};
}

/* The least time of the other algorithms than this one that the case excludes; INFINITY: it
 * excludes none. curves: of all cases. */
double search_excluded_s(const struct search_request *request, const struct search_case *a_case,
                         const struct search_curve curves[], const char *algorithm);

/* The lower bound for the case, with the ports of its winner; time_s NAN: none is known. */
struct point_bound search_bound_of(const struct search_request *request,
                                   const struct search_case *a_case);

/* ---- As tables and notes (search_table.c), and for files of rules (search_curves.c) ---- */

/* One search of several that are decided together, each of its own collective, platform or ranks
 * per host. */
struct search {
    struct search_request request;
    struct search_grid grid;
};

/* Fills the tables `best`, each curve's, and `decision`, each case's winner, the notes and the
 * screen. Texts of the searches must live as long as tuning, which the caller frees. */
void search_tables(const struct search *const searches[], size_t count,
                   struct decide_tune_result *tuning);

/* Fills curves of the times that were found, for files of rules: the confirming engine's if there
 * is one, else those of the search; notes on algorithms that were not simulated but might have won;
 * and what was simulated on a named platform, by which engine: a line "# Simulated on ..." for each
 * case. RB_EINVAL if the confirming engine has not run each winner, or on a named platform anything
 * of a case. The caller frees tuning, also on failure. */
int search_curves(const struct search *const searches[], size_t count,
                  struct decide_tune_result *tuning, struct sup_error *error);

/* ---- Runs on the requested platform: lined up, then done in worker processes ----------------- */

/* Simulates the curves that are marked by the model, and fills in what it found. */
int search_by_model(const struct search_request *request, struct search_grid *search,
                    const bool marked[], struct sup_error *error);

/* Lines up a run of any point by this engine on the platform that the request asks about. */
struct search_run *search_add_point(const struct search_request *request,
                                    const struct sim_engine *engine, struct search_grid *search,
                                    const struct point *point);

/* Does the runs from the given first one on; a progress line says what they are for. The estimate
 * of a run must be at most most_s; a run that takes ten times as long, and a minute, is ended. A
 * run that takes too long or fails keeps the time NAN. Errors are those of sup_pool_run. */
int search_do_runs(const struct search_request *request, struct search_grid *search, size_t first,
                   double most_s, const char *what, struct sup_error *error);

/* ---- The steps after the search itself ------------------------------------------------------ */

/* ---- Times on a named platform (search_steps.c) ---- */

/* Fills found and named of all curves, whose least times are known. A run that takes too long, or
 * fails, is not an error. */
int search_named(const struct search_request *request, struct search_grid *search,
                 struct sup_error *error);

/* ---- Late ranks (search_steps.c) ---- */

/* After search_named and the choice by it, which it keeps in each case's `together`: fills named of
 * all curves anew, for ranks that come as request->arrival says. Nothing is excluded, as a plan can
 * take less from the last arrival than if ranks come together. */
int search_late(const struct search_request *request, struct search_grid *search,
                struct sup_error *error);

/* ---- Copies of the fastest runs (search_steps.c) ---- */

/* For each case's winner and its close rivals, at their best n: fills the spread, and replaces the
 * time by the median. What would take longer than request->search_most_s, by estimate, keeps its
 * time and has no spread. */
int search_jitter(const struct search_request *request, struct search_grid *search,
                  struct sup_error *error);

/* "tie" if another curve of the case, one of `curves`, may be as fast as its winner, and takes
 * another time, else "no"; NULL: not known. */
const char *search_tie(const struct search_case *a_case, const struct search_curve curves[]);

/* ---- The confirming engine (search_steps.c) ---- */

enum { SEARCH_CLOSE = 4 };

/* If the model found the winners, runs each case's winner, its neighbours in n and a close
 * runner-up; on a named platform, where neighbours have been run, the winner and up to three close
 * rivals. Fills the verdicts. Without a confirming engine it only says what has no time. */
int search_confirm(const struct search_request *request, struct search_grid *search,
                   struct sup_error *error);

/* ---- What tables and files of rules share (search_table.c) ---- */

/* Room for the settings of all searches, to which the curves or the decision point. */
void search_make_room(const struct search *const searches[], size_t count,
                      struct decide_curves *data);
/* One for each rule, and the last for all of them, when there are several. Returns the first. */
size_t search_add_settings(const struct search *search, const char *engine,
                           const struct point_known_platform *platform, struct decide_curves *data);
bool search_has_time(const struct decide_sample *sample);
/* The runs that have a time. */
int64_t search_times_of(const struct search_named_runs *named);
/* A run of the confirming engine; NULL: none. */
const struct search_run *search_run_of(const struct search_grid *search,
                                       const struct search_case *a_case, size_t run);
/* Says what was searched, how sure that is, and what was left out though it might have won. */
void search_notes(const struct search *const searches[], size_t count,
                  struct decide_tune_result *tuning);
