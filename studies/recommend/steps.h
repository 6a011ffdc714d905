/* steps.h - the steps of a recommendation; private to this folder. */
#ifndef STUDIES_RECOMMEND_STEPS_H
#define STUDIES_RECOMMEND_STEPS_H

#include "studies/recommend/recommend.h"

struct predict_model;

struct recommend_work {
    const struct recommend_request *request;
    struct recommend_answer *answer;
    const struct rules_call *call; /* of the present collective */
    struct point common;           /* all but a try's plan and size */
    size_t previous, step, end;    /* cells with fewer ranks, the present ones, and their end */
    double left_s, weight;         /* of the budget; of the steps to come */
    size_t *order;                 /* of the tries that run; owned */
    size_t count;
    struct predict_model *model; /* of the measured rows; owned */
    struct sup_error *error;
};

/* ---- Calls, and what could be done (tries.c) ---- */

enum { RECOMMEND_VALUES = 256 };
/* Numbers of ranks, rising: those that are looked at, and those that were measured. */
size_t recommend_ranks(const struct recommend_request *request, int64_t p[RECOMMEND_VALUES]);
/* Adds cells for p ranks, by size. */
void recommend_add_cells(struct recommend_work *work, int32_t collective, int32_t p);
/* Adds the cell's tries of the library, of its default and, with `ours`, of plans that it lacks,
 * behind all others. */
void recommend_add_tries(struct recommend_work *work, const struct recommend_cell *cell, bool ours);
/* NULL: there is no such plan. Valid until the next. */
struct recommend_try *recommend_add_try(struct recommend_work *work,
                                        const struct recommend_cell *cell,
                                        enum recommend_whose whose, const struct rb_plan_spec *plan,
                                        int64_t segment_bytes);

/* Ranks of a node, which may have several hosts. */
int32_t recommend_per_node(const struct recommend_request *request);

/* ---- Times ---- */

/* Simulates the tries of the present cells within a share of the budget (simulate.c). */
int recommend_simulate(struct recommend_work *work);
/* Runs some of the choices by simgrid. */
int recommend_confirm(const struct recommend_request *request, struct recommend_answer *answer,
                      struct sup_error *error);
/* Adds the tries of a cell with times that were measured, or are predicted (measured.c). */
int recommend_measure(struct recommend_work *work, struct recommend_cell *cell);
/* Fits the model. */
int recommend_fit(struct recommend_work *work);

/* ---- Rules (rules.c) ---- */

/* Makes the file, and fills `standard`, `ours`, `best` and `name` of all cells by what the library
 * reads in it. */
int recommend_rules(const struct recommend_request *request, struct recommend_answer *answer,
                    struct sup_error *error);

#endif
