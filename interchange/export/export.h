/* export.h - plans for other simulators.
 *
 * A message is named by its sender, its receiver and a tag, round * ports + port: so no two of a
 * plan have one name. Its size is that of all its ranges. All write rank after rank, and keep
 * nothing but the rounds in flight of one rank. */
#ifndef INTERCHANGE_EXPORT_EXPORT_H
#define INTERCHANGE_EXPORT_EXPORT_H

#include <stdio.h>

#include "roundabout.h"
#include "sim/engine/engine.h"
#include "support/error.h"
#include "support/output/output.h"

struct export_request {
    const struct rb_plan *plan;
    const struct rb_layout *layout;
    const struct out_file *output; /* of GOAL, for a progress line; NULL: none is shown */
    struct sim_overlap overlap;    /* the rule that says what a message waits for */
};

/* GOAL as text (Hoefler, Siebert, Lumsdaine 2009), which LogGOPSim's txt2bin takes. Operations
 * require what the overlap rule makes them wait for. Local operations take no time (calc 0). An
 * empty message is written as one byte, because LogGOPSim charges for all bytes but one. Write
 * errors show in the stream. RB_EINVAL in lockstep; RB_ENOMEM. */
int export_write_goal(const struct export_request *export, FILE *stream, struct sup_error *error);

/* SimGrid's time-independent traces, which smpirun -replay takes: one file per rank, named by its
 * number, in a directory, which is made, and `traces` there, which lists them. RB_EINVAL unless
 * the rule is blocking; RB_EIO. */
int export_write_ti(const struct export_request *export, const char *directory,
                    struct sup_error *error);

/* Chakra execution traces, which ASTRA-sim takes: one file per rank, DIRECTORY/plan.RANK.et, in a
 * directory, which is made. Nodes wait as in GOAL; a reduction of what came in is a computation
 * behind the receive, which takes no time, nor do local operations. RB_EINVAL in lockstep; RB_EIO;
 * RB_ENOMEM. */
int export_write_chakra(const struct export_request *export, const char *directory,
                        struct sup_error *error);

#endif
