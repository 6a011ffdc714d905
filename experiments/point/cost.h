/* cost.h - how much work a point is, and how long an engine takes for it: the one model of costs,
 * which sweeps, searches and single simulations announce. */
#ifndef EXPERIMENTS_POINT_COST_H
#define EXPERIMENTS_POINT_COST_H

#include "experiments/point/point.h"

/* What an engine has to do, counted at a sample of ranks and rounds. */
struct point_effort {
    double messages;   /* in all */
    double operations; /* in all; packed messages have many */
    double in_flight;  /* messages at a time */
    double exchanged;  /* share of messages of two ranks that send to each other in a round */
    double far;        /* share of the other messages that go beyond a host's neighbours */
    double connected;  /* from 0 to 1: how far links connect all messages (struct sim_costs) */
    const struct sim_costs *costs; /* of the engine's variant that runs the plan */
};

/* A native algorithm's messages are not known: a guess. RB_EINVAL if there is no such plan, with a
 * message that says why; RB_ENOMEM. */
int point_effort_find(const struct point *point, struct point_effort *effort,
                      struct sup_error *error);

/* The seconds of real time that the point's engine takes for it on a core of its own, of a machine
 * of 2020. docs/sweep.md says how good this is, bench/point_cost.c how the constants of engines
 * (sim_costs) were found. */
double point_cost_s(const struct point *point, const struct point_effort *effort);

#endif
