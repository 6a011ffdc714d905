/* goal.h - reads schedules in GOAL, as LogGOPSim and ATLAHS take them. */
#ifndef INTERCHANGE_GOAL_H
#define INTERCHANGE_GOAL_H

#include "interchange/dag.h"
#include "interchange/programs/program.h"
#include "support/csv.h"
#include "support/error.h"

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

#endif
