/* dag.h - the operations of a rank that wait for one another in any way, as threads of a program
 * (interchange/programs/program.h).
 *
 * Operations that wait for the same ones form a batch. A batch follows another one on a thread if
 * it waits for all of that. For further operations it waits by steps without data before it:
 *
 *   a, b; c waits for a and b; d for c;      thread 0   a b | c | e waits for (0, 0), (1, 0)
 *   e for c and f; f for a                   thread 1   f, waits for (0, 0)
 */
#ifndef INTERCHANGE_DAG_H
#define INTERCHANGE_DAG_H

#include <stdbool.h>
#include <stdint.h>

#include "interchange/programs/program.h"

struct inter_edge {
    int32_t task, needs; /* by their numbers */
    bool start;          /* the task waits only until the other has begun */
};

struct inter_dag {
    int32_t tasks, edges;
    struct prg_step *step;   /* per task; without dependences */
    int64_t *bytes;          /* per task: of its message */
    struct inter_edge *edge; /* its order does not matter */
};

/* Adds a rank's threads to the program, and to *bytes for each of its steps that of the message
 * (sup_grow). Returns a task that waits for itself by way of others, or -1. O((tasks + edges) log),
 * where an edge to a task's start counts as often as that task has edges. */
int32_t inter_dag_threads(const struct inter_dag *dag, struct prg_program *program, int32_t rank,
                          int64_t **bytes);

#endif
