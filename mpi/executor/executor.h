/* executor.h - runs plans on MPI (any library with MPI 3.1).
 *
 * Every rank of a communicator calls exec_run with the same plan and a layout of the same sizes;
 * it returns when this rank's part is done, as a collective does. Up to `width` rounds of a rank
 * are in flight (window.h); width 1 is the progress rule `blocking`, w is `window:w`.
 *
 * Matching. A message is named by its sender, its port's tag, and the communicator, and by nothing
 * else: MPI keeps messages of one name in order, and both ends start those of one port in the order
 * of rounds, each round having one at most. So the i-th send of a name meets the i-th receive,
 * within a run and from run to run, as long as nobody else has those tags between those ranks, and
 * all ranks make their runs on them in the same order. Hence: a private communicator, and tags on
 * it that belong to the caller's communicator alone (communicator.h).
 *
 * Memory besides the caller's: per task in flight one message at most, where it is packed or
 * combined; never more for more blocks. */
#ifndef MPI_EXECUTOR_EXECUTOR_H
#define MPI_EXECUTOR_EXECUTOR_H

#include <mpi.h>
#include <roundabout.h>

#include "elements.h"
#include "script.h"

struct exec_run {
    const struct rb_plan *plan;
    const struct rb_rank *state; /* of this rank */
    /* element = 1: lengths are `elements`, not bytes. The same at all ranks, except where
     * rows have counts of their own: then only its bytes are used, as the most that a buffer of
     * this rank has. Where data are addressed and rows have no displacement, parts must be equal.
     */
    const struct rb_layout *layout;
    MPI_Comm comm;            /* private, with MPI_ERRORS_RETURN */
    const int *peers;         /* the plan's ranks, as `comm` has them; NULL: they are the same */
    int first_tag;            /* of EXEC_TAGS that are this run's alone */
    void *buffer[RB_BUFFERS]; /* those that the plan uses, with room for all rows */
    struct exec_rows rows[RB_BUFFERS];
    const struct exec_elements *elements; /* of a committed type, extent >= 0 */
    int32_t width;                        /* rounds in flight, >= 1 */
    bool wants_whole; /* a message that is shorter than its receive is an error */
    /* Of this plan and state, and kept for the next run of them; NULL: none is kept. With one,
     * short messages go by it, a round at a time. */
    struct exec_script *script;
};

/* A rank of the plan's, and a port, as MPI gets them. */
static inline int exec_run_peer(const struct exec_run *run, int32_t rank)
{
    return run->peers != NULL ? run->peers[rank] : rank;
}
static inline int exec_run_tag(const struct exec_run *run, int32_t port)
{
    return run->first_tag + port;
}

/* What runs have in common: memory, kept from run to run. One per communicator and thread. */
struct exec_context;

/* NULL: out of memory. */
struct exec_context *exec_context_create(void);
void exec_context_destroy(struct exec_context *executor); /* NULL is fine */

/* Returns an MPI error code. MPI_ERR_TRUNCATE: a message was longer than its receive, or
 * MPI_ERR_OTHER: shorter, because the ranks' layouts differ; nothing can be said of the data, but
 * if the plans were the same, no message is left over and the next run is as any other. After
 * another error the run's messages may still be under way, so that nothing can be said of the
 * buffers, and the executor refuses all further runs with the same code. */
int exec_run(struct exec_context *executor, const struct exec_run *run);

#endif
