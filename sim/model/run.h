/* run.h - common parts of the variants of the engine `model`: a run, and the cost of a message.
 *
 * A variant is a function that simulates the plan from start to end; model.c lists them. */
#ifndef SIM_MODEL_RUN_H
#define SIM_MODEL_RUN_H

#include "machine_parameters.h"
#include "sim/engine/engine.h"
#include "sim/engine/plan_round.h"
#include "sim/engine/tally.h"

struct model_run {
    const struct sim_spec *spec;
    int32_t p;
    struct model_parameters parameters;
    /* Per rank: the time at which all its rounds so far were complete; at first, its start time. By
     * relative rank if the variant says so. */
    double *through_s;
    double *next_s; /* per rank: scratch */
    int64_t messages;
    sim_tally bytes;
};

/* Each function simulates the plan. RB_EWRONG; RB_ENOMEM for the blocks in flight of very many
 * ranks. */
int model_windows(struct model_run *model, struct sup_error *error);
int model_waves(struct model_run *model, struct sup_error *error);
int model_blocking(struct model_run *model, struct sup_error *error);
int model_events(struct model_run *model, struct sup_error *error);
int model_loggops(struct model_run *model, struct sup_error *error);

static inline double model_later(double a, double b)
{
    return a > b ? a : b;
}

/* The number of rounds that a rank may have in flight. */
static inline int64_t model_window(const struct model_run *model)
{
    return sim_overlap_window(&model->spec->overlap, rb_plan_rounds(model->spec->plan));
}

/* A check takes a fifth of the rest of a round's time, so the fastest variants check the first
 * rounds and then a sample. That suffices because plans are regular, and rb_verify_plan checks
 * every round. */
static inline bool model_checks(int64_t t)
{
    return t < 16 || t % 16 == 0;
}

/* rb_layout_round, checked in some rounds; RB_EWRONG with a message. */
static inline int32_t model_round(const struct model_run *model, const struct rb_rank *rank,
                                  int64_t t, struct rb_op ops[], struct sup_error *error)
{
    const struct sim_spec *spec = model->spec;
    return model_checks(t) ? sim_round(spec->plan, spec->layout, rank, t, ops, error)
                           : rb_layout_round(spec->plan, spec->layout, rank, t, ops);
}

/* A run is that far. */
static inline void model_tell(const struct model_run *model, double share)
{
    const struct sim_meter *meter = model->spec->meter;
    if (meter != NULL)
        meter->tell(meter->context, share);
}

static inline void model_show(const struct model_run *model, const struct sim_message *message)
{
    const struct sim_observer *observer = model->spec->observer;
    if (observer != NULL)
        observer->message(observer->context, message);
}

#endif
