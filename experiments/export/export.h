/* export.h - plans for other simulators.
 *
 * A message is named by its sender, its receiver and a tag, round * ports + port: so no two of a
 * plan have one name. Its size is that of all its ranges. Both write rank after rank, and keep
 * nothing but the rounds in flight of one rank. */
#ifndef RB_EXPERIMENTS_EXPORT_EXPORT_H
#define RB_EXPERIMENTS_EXPORT_EXPORT_H

#include <stdio.h>

#include "roundabout.h"
#include "sim/engine/engine.h"
#include "support/error.h"

struct rb_export {
    const struct rb_plan *plan;
    const struct rb_layout *layout;
    struct rb_progress progress; /* what a message waits for */
};

/* GOAL as text (Hoefler, Siebert, Lumsdaine 2009), which LogGOPSim's txt2bin takes. Operations
 * require what the progress rule makes them wait for. Local operations take no time (calc 0). An
 * empty message is written as one byte, because LogGOPSim charges for all bytes but one. Write
 * errors show in the stream. RB_EINVAL in lockstep; RB_ENOMEM. */
int rb_export_goal(const struct rb_export *export, FILE *stream, struct rb_error *error);

/* SimGrid's time-independent traces, which smpirun -replay takes: one file per rank, named by its
 * number, in a directory, which is made, and `traces` there, which lists them. RB_EINVAL unless
 * the rule is blocking; RB_EIO, RB_ENOMEM. */
int rb_export_ti(const struct rb_export *export, const char *directory, struct rb_error *error);

#endif
