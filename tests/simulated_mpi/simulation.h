/* simulation.h - the parts of the simulated MPI: ranks as coroutines of one thread, and a scheduler
 * that draws, from a seed, who goes on and what happens in the network. A call of MPI may let
 * others go first at its start and its end. */
#ifndef SIMULATED_MPI_SIMULATION_H
#define SIMULATED_MPI_SIMULATION_H

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>

enum { SM_MOST_RANKS = 17, SM_MOST_REQUESTS = 200 };

/* How the world of a case behaves. */
struct sm_nature {
    uint64_t seed;
    int64_t surprises;  /* choices that differ from the calm one, at most */
    int order;          /* one of SM_ORDERS ways to choose among what can happen */
    int late;           /* the most steps that a rank comes late or loses in a call; 0: none */
    size_t eager_bytes; /* a send of more is complete only when its receive is there */
    bool world_quirk;   /* errors of waiting go to the handler of MPI_COMM_WORLD */
    int level;          /* MPI_Query_thread's answer */
    int failing;        /* the rank at which something fails; -1: none */
    int64_t allocation, call, message, writing; /* which of its own fails, from 1; 0: none */
};
enum sm_order {
    SM_UNIFORM,
    SM_RANKS_FIRST,
    SM_NETWORK_FIRST,
    SM_LAST_FIRST,
    SM_ONE_STARVES,
    SM_ORDERS
};

/* ---- The scheduler --------------------------------------------------------------------------- */

extern struct sm_nature sm_nature;
extern int sm_ranks, sm_current;      /* the rank that runs; -1: none */
extern bool sm_failed[SM_MOST_RANKS]; /* something failed at this rank on purpose */

/* A rank is in what is tested: only there its calls and allocations fail. */
extern bool sm_inside[SM_MOST_RANKS];

/* Forgets the last case. */
void sm_begin(void);
/* Then: a world of so many ranks. */
void sm_world_begin(const struct sm_nature *nature, int ranks);
/* Runs `body` as each rank. False: they wait for each other. */
bool sm_run(void (*body)(int rank));
/* Ends the case: a fault was found. */
_Noreturn void sm_fault(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* 0 is the calm choice. */
int sm_choose(int bound);
int64_t sm_surprises(void); /* drawn so far */
/* The current rank waits until it is woken. What for: these requests, or a collective's name. */
void sm_wait(const char *what, const MPI_Request request[], int count);
void sm_wake(int rank);
/* The border of a call: others may go first. */
void sm_pause(void);
/* The current rank ends here. */
_Noreturn void sm_end_rank(void);
/* Who waits for what, a line each. */
void sm_describe(char *text, size_t size);

/* What is tested writes here instead of to standard error. */
extern FILE *sm_said;
/* What a rank's environment has besides the process's: one variable; NULL: none. */
extern const char *sm_own_name[SM_MOST_RANKS], *sm_own_value[SM_MOST_RANKS];
/* Another thread of the rank runs. */
extern bool sm_other_thread[SM_MOST_RANKS];
/* A write of the current rank fails; it does so on purpose. */
bool sm_write_fails(void);

/* Memory that is freed with the case. */
void *sm_memory(size_t bytes);
/* Memory of the current rank; what it has not freed counts as lost. */
void *sm_allocate(size_t bytes);
void *sm_reallocate(void *old, size_t bytes);
void sm_free(void *memory);
int64_t sm_allocated(int rank);

/* A request that is complete at any time after its start, which for a persistent one is PMPI_Start.
 */
int sm_start_any(MPI_Comm comm, bool persistent, MPI_Request *request);

/* What the network can do next. */
int sm_events(void);
int sm_event_rank(int event);
void sm_event_do(int event);
void sm_messages_begin(void);
/* A line on each message that nobody received, of two ends that did not fail; NULL: none. */
void sm_describe_request(MPI_Request request, char *text, size_t size);
bool sm_messages_left(char *text, size_t size);
/* A receive of this rank got fewer bytes than it has room for, or more. */
extern bool sm_got_short[SM_MOST_RANKS], sm_got_long[SM_MOST_RANKS];

/* ---- Objects behind handles ------------------------------------------------------------------ */

enum sm_kind { SM_REQUEST, SM_TYPE, SM_OP, SM_COMM, SM_GROUP, SM_HANDLER, SM_KEY, SM_KINDS };
struct sm_object {
    enum sm_kind kind;
    int owner, handle;
    bool freed;
};
void *sm_object_make(enum sm_kind kind, size_t bytes);
/* Ends the case if it is stale, another rank's, or of another kind. */
void *sm_object_of(int handle, enum sm_kind kind);
void sm_object_free(void *object);
/* How many a rank has not freed. */
int sm_objects(int rank, enum sm_kind kind);
extern const char *const sm_kind_name[SM_KINDS];

/* ---- Datatypes ------------------------------------------------------------------------------- */

struct sm_run {
    MPI_Aint at;
    size_t bytes;
};
struct sm_type {
    struct sm_object object;
    bool named, committed;
    size_t size;
    MPI_Aint lb, extent, true_lb, true_extent;
    int runs;
    struct sm_run *run;
};
void sm_types_begin(void);
const struct sm_type *sm_type_of(MPI_Datatype type);
/* Between elements in memory and `bytes` packed bytes. */
void sm_pack(const struct sm_type *type, int count, const void *data, char *packed);
void sm_unpack(const struct sm_type *type, int count, void *data, const char *packed, size_t bytes);
/* inout = in op inout. False: the operator is not for this type. */
bool sm_combine(MPI_Op op, MPI_Datatype type, const void *in, void *inout, int count);

/* ---- Communicators --------------------------------------------------------------------------- */

struct sm_comm {
    struct sm_object object;
    bool inter; /* said to be an inter-communicator; its ranks are one group here */
    int context, size, rank;
    int world[SM_MOST_RANKS]; /* the ranks' numbers in MPI_COMM_WORLD */
    MPI_Errhandler handler;
    struct sm_attribute *attributes;
    int meetings;
};
void sm_comms_begin(void);
/* PMPI_Comm_create_group had no more communicators. */
extern bool sm_group_refused;
extern bool sm_aborted[SM_MOST_RANKS]; /* PMPI_Abort has ended the rank */
struct sm_comm *sm_comm_of(MPI_Comm comm);
/* Gives the error to the communicator's handler; returns it if the handler does. */
int sm_raise(MPI_Comm comm, int error);
/* The error of a call that is to fail here, after the handler had it; MPI_SUCCESS: it is not. */
int sm_refused(MPI_Comm comm);
/* The call that fails at the failing rank is its next one, the one after that, and so on. */
void sm_refuse_soon(int which);

/* What all ranks of a communicator bring to a collective. */
struct sm_meeting {
    void *data[SM_MOST_RANKS];
    size_t bytes[SM_MOST_RANKS];
};
const struct sm_meeting *sm_meet(MPI_Comm comm, const char *name, const void *mine, size_t bytes);
/* As MPI_Finalize does: deletes the attributes of MPI_COMM_SELF and MPI_COMM_WORLD. */
void sm_finalize(void);

#endif
