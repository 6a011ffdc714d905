/* executor.h - runs plans on MPI (any library with MPI 3.1).
 *
 * Every rank of a communicator calls exec_run with the same plan and a layout of the same sizes;
 * it returns when this rank's part is done, as a collective does. Up to `width` rounds of a rank
 * are in flight (window.h); width 1 is the overlap rule `blocking`, w is `window:w`.
 *
 * Matching. A message is identified only by its sender, its port's tag, and the communicator. MPI
 * keeps messages with the same identification in order, and both ends start the messages of one
 * port in the order of rounds, at most one per round. So the i-th send matches the i-th receive,
 * within a run and from run to run, if no other messages between these ranks use those tags, and if
 * all ranks make their runs with them in the same order. This needs a private communicator, and
 * tags on it that only the caller's communicator uses (communicator.h).
 *
 * Memory besides the caller's: at most one message per task in flight, if it is packed or combined;
 * the number of blocks does not matter. */
#pragma once

#include <mpi.h>
#include <roundabout.h>

#include "elements.h"
#include "script.h"

struct exec_run {
    const struct rb_plan *plan;
    const struct rb_rank *state; /* of this rank */
    /* element = 1: lengths are `elements`, not bytes. The same at all ranks, except where
     * rows have counts of their own: then only its bytes are used, as the most that a buffer of
     * this rank has. Where data are personalized and rows have no displacement, parts must be
     * equal.
     */
    const struct rb_layout *layout;
    MPI_Comm comm;            /* private, with MPI_ERRORS_RETURN */
    const int *peers;         /* numbers of the plan's ranks in `comm`; NULL: the same numbers */
    int first_tag;            /* of EXEC_TAGS that are this run's alone */
    void *buffer[RB_BUFFERS]; /* the buffers that the plan uses, with room for all rows */
    struct exec_rows rows[RB_BUFFERS];
    const struct exec_elements *elements; /* of a committed type, extent >= 0 */
    int32_t width;                        /* rounds in flight, >= 1 */
    bool wants_whole; /* a message that is shorter than its receive is an error */
    /* The cached script of this plan and state; NULL: there is no cache for it. With a
     * script, short messages are sent by it, a round at a time. */
    struct exec_script *script;
};

/* A rank of the plan, and a port, as MPI's numbers. */
static inline int exec_run_peer(const struct exec_run *run, int32_t rank)
{
    return run->peers != NULL ? run->peers[rank] : rank;
}
static inline int exec_run_tag(const struct exec_run *run, int32_t port)
{
    return run->first_tag + port;
}

/* Memory that is reused from run to run. Each communicator and thread has its own. */
struct exec_context;

/* NULL: out of memory. */
struct exec_context *exec_context_create(void);
void exec_context_destroy(struct exec_context *executor); /* NULL is fine */

/* Returns an MPI error code. MPI_ERR_TRUNCATE: a message was longer than its receive, or
 * MPI_ERR_OTHER: shorter, because the ranks' layouts differ; the data are then undefined, but if
 * the plans were the same, no message is left over and the next run works. After another error the
 * run's messages may still be in flight: the buffers are undefined, and the executor refuses all
 * further runs with the same code. */
int exec_run(struct exec_context *executor, const struct exec_run *run);
