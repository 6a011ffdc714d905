/* steps.h - the steps of a recommendation; private to this folder. */
#ifndef STUDIES_RECOMMEND_STEPS_H
#define STUDIES_RECOMMEND_STEPS_H

#include "studies/recommend/recommend.h"

struct predict_model;

struct recommend_work {
    const struct recommend_request *request;
    struct recommend_answer *answer;
    struct decide *decision;       /* of the answer */
    const struct rules_call *call; /* of the present collective */
    struct point common;           /* all but a try's plan and size */
    size_t previous, step, end;    /* calls with fewer ranks, the present ones, and their end */
    double left_s, weight;         /* of the budget; of the steps to come */
    size_t *order;                 /* of the ways that run; owned */
    size_t count;
    struct predict_model *model; /* of the measured rows; owned, */
    double model_left_s;         /* of a budget for times of request->learnt, as large as left_s */
    struct rows_row *assumed;    /* and of these copies of them; owned */
    struct sup_error *error;
};

/* ---- Calls, and what could be done (tries.c) ---- */

enum { RECOMMEND_VALUES = 256 };
/* Numbers of ranks, rising: those that are looked at, and those that were measured. */
size_t recommend_ranks(const struct recommend_request *request, int64_t p[RECOMMEND_VALUES]);
/* The sizes for p ranks in bytes of all data, rising. */
size_t recommend_sizes(const struct recommend_work *work, const char *collective, int32_t p,
                       int64_t m[RECOMMEND_VALUES]);
/* Adds the last call's ways of the library, its own and, with `ours`, plans that it lacks. */
void recommend_add_ways(struct recommend_work *work, bool ours);
/* Adds a way of the last call with its plan, which the library calls `name`, if there is such a
 * plan. */
enum recommend_whose { RECOMMEND_LIBRARY, RECOMMEND_OWN, RECOMMEND_OURS };
void recommend_add_way(struct recommend_work *work, enum recommend_whose whose, const char *name,
                       const struct rb_plan_spec *plan, int64_t segment_bytes);

/* Adds the library's own way to the last call: what the i-th way does. */
void recommend_add_own(struct recommend_work *work, size_t i);

/* ---- Times ---- */

bool recommend_is_nccl(const struct recommend_request *request);
/* Times the last call's ways of NCCL by its cost model, and adds its own choice (nccl.c).
 * RB_EINVAL: none of them has a time. */
int recommend_compute(struct recommend_work *work);

/* Simulates the ways of the present calls within a share of the budget (simulate.c). */
int recommend_simulate(struct recommend_work *work);
/* Runs some of the choices by simgrid. */
int recommend_confirm(const struct recommend_request *request, struct recommend_answer *answer,
                      struct sup_error *error);
/* Gives the ways of the calls from `first` on, all of one collective, the times of request->learnt,
 * and where it can't say, those that are simulated, times the ratio of others. Within one node,
 * where nobody measured, times stay simulated. */
int recommend_correct(struct recommend_work *work, size_t first);
/* Adds the ways of the last call with times that were measured, or are predicted (measured.c). */
int recommend_measure(struct recommend_work *work);
/* Fits the model. */
int recommend_fit(struct recommend_work *work);

/* ---- What was tried (try.c, tried.c) ---- */

/* True if a rule makes the choice of a call. */
bool recommend_is_ruled(const struct decide_call *call);
/* The end of the calls on as many ranks that have the choice of the first, one after the other. */
size_t recommend_rule_end(const struct decide *decision, size_t first);
/* Of all choices: the same for the same rules. */
uint64_t recommend_hash(const struct decide *decision);
/* Judges the rules by what was tried of them, and gives ways the times from which better ones are
 * made. False: nothing of these rules was tried. */
bool recommend_judge_tried(struct recommend_work *work);

#endif
