/* goal.h - what a rank does as operations that wait for one another; schedules in GOAL, as
 * LogGOPSim and ATLAHS take them, say it so, and Chakra's traces. */
#pragma once

#include "interchange/programs/program.h"
#include "support/csv.h"
#include "support/error.h"

struct inter_edge {
    int32_t task, needs; /* by their numbers */
    bool start;          /* the task waits only until the other has begun */
};
struct inter_dag {
    int32_t tasks, edges;
    struct prg_step *step; /* per task: the FIFO that it puts into, `out`, or takes from, `in`, or
                            * neither; and its line; owned, as all */
    int64_t *bytes;        /* per task: of its message; of computing nanoseconds */
    struct inter_edge *edge;
    /* After inter_dag_finish: */
    int32_t *first;  /* tasks + 1: what waits for task t is edge[first[t] .. first[t + 1] - 1] */
    int32_t *order;  /* the tasks, each behind those that it needs */
    int32_t *stream; /* per task: two of one stream are never in flight at once; streams are
                      * numbered as their first tasks come in the order */
    int32_t *next;   /* per task: the one behind it on its stream, -1: none */
    int32_t streams;
};

void inter_dag_add(struct inter_dag *dag, const struct prg_step *step, int64_t bytes);
/* Both tasks must have been added, or must be before inter_dag_finish. */
void inter_dag_wait(struct inter_dag *dag, struct inter_edge edge);
/* After the last. Returns a task that waits for itself by way of others, or -1. O(tasks + edges).
 */
int32_t inter_dag_finish(struct inter_dag *dag);
void inter_dag_free(struct inter_dag *dag);                  /* safe on a zeroed struct */
void inter_free_dags(struct inter_dag dag[], int32_t ranks); /* of each rank; NULL is fine */

/* Adds a rank's finished tasks to the program, a thread for each stream, and to *bytes for each of
 * its steps that of the message (sup_grow). O(tasks + edges). */
void inter_dag_threads(const struct inter_dag *dag, struct prg_program *program, int32_t rank,
                       int64_t **bytes);

/* Reads a file into a program without data, which prg_free frees, also after a failure; the text is
 * changed. Each step has the bytes of its message; the FIFO of a message has its tag as channel.
 * The processors and networks (cpu, nic) of a rank are one, and computations take no time:
 * *computation_ns is the sum of those that are so left out; it may be NULL. RB_EINVAL with path,
 * line and column. O(size of the file). */
int inter_read_goal(struct sup_lines *lines, struct prg_program *program, int64_t *computation_ns,
                    struct sup_error *error);

/* The same file as graphs, dag[r] of each rank, with its computing. Of the program only ranks and
 * FIFOs count. The caller frees both (prg_free, inter_free_dags), also after a failure. */
int inter_read_goal_graph(struct sup_lines *lines, struct prg_program *program,
                          struct inter_dag **dag, struct sup_error *error);
