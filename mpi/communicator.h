/* communicator.h - what the library keeps with a communicator: a private duplicate, the plans it
 * has used, and the executor with its memory. Freed with the communicator, or when MPI ends. */
#ifndef RB_MPI_COMMUNICATOR_H
#define RB_MPI_COMMUNICATOR_H

#include "executor.h"
#include "plan_cache.h"
#include "settings.h"
#include "trial.h"

/* Memory that a call needs besides; kept for the next call. */
struct rb_scratch {
    void *memory;
    size_t bytes;
};

struct rb_communicator {
    MPI_Comm of;   /* the caller's */
    MPI_Comm comm; /* private: the same ranks, MPI_ERRORS_RETURN, no attributes */
    int p, rank;
    struct rb_plan_cache plans;
    struct rb_executor *executor;
    struct rb_decision_row decisions[RB_CALLS][2]; /* regular, irregular; those asked for */
    struct rb_trials trials;
    struct rb_scratch data;                  /* a vector of the caller's */
    struct rb_scratch counts;                /* per rank */
    struct rb_scratch plans_own[RB_BUFFERS]; /* buffers that only the plan knows */
    struct rb_communicator *next;
};

/* Of an intra-communicator; collective when it is asked for the first time. MPI error code. Threads
 * may call it at once for different communicators. */
int rb_communicator_of(MPI_Comm comm, struct rb_communicator **found);

/* True once MPI_Finalize has freed everything that the library kept: rb_communicator_of must not be
 * called any more. */
bool rb_communicators_ended(void);

/* At least so many bytes, aligned for anything, with undefined content; NULL: out of memory. */
void *rb_scratch_reserve(struct rb_scratch *scratch, size_t bytes);

#endif
