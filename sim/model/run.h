/* run.h - what the variants of the engine `model` share: a run, and what a message costs.
 *
 * A variant is a function that plays the plan from start to end; model.c lists them. */
#ifndef RB_SIM_MODEL_RUN_H
#define RB_SIM_MODEL_RUN_H

#include "parameters.h"
#include "sim/engine/engine.h"
#include "sim/engine/plan_round.h"
#include "sim/engine/tally.h"

struct rb_model {
    const struct rb_sim_spec *spec;
    int32_t p;
    struct rb_model_parameters parameters;
    /* Per rank: when all its rounds so far were through; at first, when it starts. By relative rank
     * if the variant says so. */
    double *through_s;
    double *next_s; /* per rank: scratch */
    int64_t messages;
    rb_tally bytes;
};

/* Each plays the plan. RB_ENOMEM, RB_EWRONG. */
int rb_model_windows(struct rb_model *model, struct rb_error *error);
int rb_model_waves(struct rb_model *model, struct rb_error *error);
int rb_model_blocking(struct rb_model *model, struct rb_error *error);
int rb_model_events(struct rb_model *model, struct rb_error *error);
int rb_model_loggops(struct rb_model *model, struct rb_error *error);

static inline double rb_later(double a, double b)
{
    return a > b ? a : b;
}

/* Rounds that a rank may have in flight. */
static inline int64_t rb_model_window(const struct rb_model *model)
{
    return rb_progress_window(&model->spec->progress, rb_plan_rounds(model->spec->plan));
}

/* Checking a round takes as long as a fifth of the rest that is done for it, so the fastest
 * variants check the first rounds and then a sample: plans are regular, and rb_verify_plan is the
 * proof. */
static inline bool rb_model_checks(int64_t t)
{
    return t < 16 || t % 16 == 0;
}

/* rb_layout_round, checked in some rounds; RB_EWRONG with a message. */
static inline int32_t rb_model_round(const struct rb_model *model, const struct rb_rank *rank,
                                     int64_t t, struct rb_op ops[], struct rb_error *error)
{
    const struct rb_sim_spec *spec = model->spec;
    return rb_model_checks(t) ? rb_sim_round(spec->plan, spec->layout, rank, t, ops, error)
                              : rb_layout_round(spec->plan, spec->layout, rank, t, ops);
}

static inline void rb_model_show(const struct rb_model *model, const struct rb_sim_message *message)
{
    const struct rb_sim_observer *observer = model->spec->observer;
    if (observer != NULL)
        observer->message(observer->context, message);
}

#endif
