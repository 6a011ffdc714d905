/* export.h - plans for other simulators.
 *
 * A message is named by its sender, its receiver and a tag, round * ports + port: so no two of a
 * plan have one name. Its size is that of all its ranges. All write rank after rank, and keep
 * nothing but the rounds in flight of one rank. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "roundabout.h"
#include "schedules/dependences/window.h"
#include "sim/engine/engine.h"
#include "support/error.h"
#include "support/output/files.h"
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

/* The same files of ranks of which `write` writes what is between init and finalize. */
typedef int export_rank_writer(void *context, FILE *file, int32_t rank, struct sup_error *error);
int export_ti_ranks(const char *directory, int32_t ranks, export_rank_writer *write, void *context,
                    struct sup_error *error);

/* Chakra execution traces, which ASTRA-sim takes: one file per rank, DIRECTORY/plan.RANK.et, in a
 * directory, which is made. Nodes wait as in GOAL; a reduction of what came in is a computation
 * behind the receive, which takes no time, nor do local operations. RB_EINVAL in lockstep; RB_EIO;
 * RB_ENOMEM. */
int export_write_chakra(const struct export_request *export, const char *directory,
                        struct sup_error *error);

/* ---- Tasks ----------------------------------------------------------------------------------- */

/* What each rank does in a plan as tasks that wait for one another, for formats that say it so. */

struct export_task {
    enum dep_task_kind kind;
    int64_t label; /* counts a rank's tasks from 1 */
    int64_t bytes; /* of a message: at least 1, because simulators expect some; of a local task the
                    * nanoseconds that it takes */
    int32_t peer;
    uint32_t tag; /* export.h */
    const int64_t *required;
    int32_t required_count; /* labels of the tasks that must be done before, each once */
};

/* A task's lines, in a rank of GOAL, and in the file of a rank. */
void export_goal_task(FILE *stream, const struct export_task *task);
void export_ti_task(FILE *file, int32_t rank, const struct export_task *task);

/* A format. begin and end of a rank return RB_OK, or an error with its message. */
struct export_writer {
    bool reductions; /* what comes in and is combined is a receive, and then a local task */
    int (*begin)(void *context, int32_t rank, struct sup_error *error);
    void (*task)(void *context, const struct export_task *task);
    int (*end)(void *context, struct sup_error *error);
};

/* Calls the writer for the tasks of rank after rank, each behind those that it requires. RB_EINVAL
 * in lockstep; RB_EWRONG for a plan that breaks the rules; RB_ENOMEM. */
int export_tasks(const struct export_request *export, const struct export_writer *writer,
                 void *context, struct sup_error *error);

/* The same under the rule blocking, of one rank: a message needs those of the round before. */
struct export_round_writer {
    void (*message)(void *context, const struct export_task *task);
    void (*end)(void *context); /* of a round that has messages */
};
/* The messages of a rank's rounds; they have no labels, and as many bytes as they have. RB_EWRONG
 * for a plan that breaks the rules. */
int export_rounds(const struct rb_plan *plan, const struct rb_layout *layout, int32_t rank,
                  const struct export_round_writer *writer, void *context, struct sup_error *error);

/* ---- Directories ----------------------------------------------------------------------------- */

/* Exports that are many files in a directory, which appear when all are complete. */

struct export_directory {
    const char *path;
    struct out_staging staging;
    bool mine; /* made here, and removed if the export fails */
};

/* Makes the directory if it isn't there. RB_EINVAL, RB_EIO. Close it also after a failure. */
int export_directory_open(struct export_directory *directory, const char *path,
                          struct sup_error *error);
/* Moves the files to their places if status is RB_OK, and else removes them. Returns the status, or
 * what out_staging_publish does. */
int export_directory_close(struct export_directory *directory, int status, struct sup_error *error);

/* A file to write in it. RB_EINVAL, RB_EIO. */
int export_file_open(const struct export_directory *directory, const char *name, FILE **file,
                     struct sup_error *error);
/* Returns the status if it isn't RB_OK; RB_EIO if not everything could be written. A file that is
 * NULL is ignored. */
int export_file_close(const struct export_directory *directory, const char *name, FILE *file,
                      int status, struct sup_error *error);
