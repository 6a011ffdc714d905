/* smpi_rank.c - all that a rank does under SMPI: the plan by the executor, or the native call. */
#include <mpi.h>
#include <simgrid/actor.h>
#include <simgrid/barrier.h>
#include <simgrid/engine.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/executor/executor.h"
#include "smpi.h"
#include "support/memory.h"

/* One rank's arguments of a call: elements of `type`; RB_SRC is sent, RB_DST received. */
struct simmpi_call {
    const struct simmpi_run *run;
    int rank;
    void *const *buffer;
    MPI_Datatype type;
    MPI_Op op;
};

/* ---- SMPI's own collectives ------------------------------------------------------------------ */

static int elements_of(const struct simmpi_call *call)
{
    return (int)(call->run->buffer_bytes / call->run->spec->layout->element);
}

/* Where an owner's share begins in a buffer. */
static char *share_in(const struct simmpi_call *call, enum rb_buffer buffer, int owner)
{
    return (char *)call->buffer[buffer] +
           call->run->first[owner] * call->run->spec->layout->element;
}

static int share_length(const struct simmpi_call *call, int owner)
{
    return (int)(call->run->first[owner + 1] - call->run->first[owner]);
}

/* Lengths of all shares, and where they begin; to be freed together. */
static int *share_lengths(const struct simmpi_call *call, int **begins)
{
    const int p = call->run->spec->native->p;
    int *lengths = sup_malloc(2 * (size_t)p * sizeof *lengths);
    *begins = lengths + p;
    for (int owner = 0; owner < p; owner++) {
        lengths[owner] = share_length(call, owner);
        (*begins)[owner] = (int)call->run->first[owner];
    }
    return lengths;
}

static int call_bcast(const struct simmpi_call *call)
{
    return MPI_Bcast(call->buffer[RB_DST], elements_of(call), call->type,
                     call->run->spec->native->root, MPI_COMM_WORLD);
}

static int call_reduce(const struct simmpi_call *call)
{
    return MPI_Reduce(call->buffer[RB_SRC], call->buffer[RB_DST], elements_of(call), call->type,
                      call->op, call->run->spec->native->root, MPI_COMM_WORLD);
}

static int call_allreduce(const struct simmpi_call *call)
{
    return MPI_Allreduce(call->buffer[RB_SRC], call->buffer[RB_DST], elements_of(call), call->type,
                         call->op, MPI_COMM_WORLD);
}

static int call_allgather(const struct simmpi_call *call)
{
    const char *own = share_in(call, RB_SRC, call->rank);
    const int length = share_length(call, call->rank);
    if (call->run->spec->layout->first == NULL)
        return MPI_Allgather(own, length, call->type, call->buffer[RB_DST], length, call->type,
                             MPI_COMM_WORLD);
    int *begins, *lengths = share_lengths(call, &begins);
    int error = MPI_Allgatherv(own, length, call->type, call->buffer[RB_DST], lengths, begins,
                               call->type, MPI_COMM_WORLD);
    free(lengths);
    return error;
}

static int call_reduce_scatter(const struct simmpi_call *call)
{
    int *begins, *lengths = share_lengths(call, &begins);
    int error = MPI_Reduce_scatter(call->buffer[RB_SRC], share_in(call, RB_DST, call->rank),
                                   lengths, call->type, call->op, MPI_COMM_WORLD);
    free(lengths);
    return error;
}

static int call_scatter(const struct simmpi_call *call)
{
    const int length = share_length(call, call->rank);
    return MPI_Scatter(call->buffer[RB_SRC], length, call->type, share_in(call, RB_DST, call->rank),
                       length, call->type, call->run->spec->native->root, MPI_COMM_WORLD);
}

static int call_gather(const struct simmpi_call *call)
{
    const int length = share_length(call, call->rank);
    return MPI_Gather(share_in(call, RB_SRC, call->rank), length, call->type, call->buffer[RB_DST],
                      length, call->type, call->run->spec->native->root, MPI_COMM_WORLD);
}

/* Lengths of the data for each rank and from each rank, and the beginnings of their rows. */
static int call_alltoallv(const struct simmpi_call *call, int *room)
{
    const int p = call->run->spec->native->p;
    const int64_t *first = call->run->spec->layout->first;
    int *to = room, *from = room + p, *row = room + 2 * p;
    for (int other = 0; other < p; other++) {
        const int64_t there = (int64_t)call->rank * p + other,
                      here = (int64_t)other * p + call->rank;
        to[other] = (int)(first[there + 1] - first[there]);
        from[other] = (int)(first[here + 1] - first[here]);
        row[other] = (int)call->run->first[other];
    }
    return MPI_Alltoallv(call->buffer[RB_SRC], to, row, call->type, call->buffer[RB_DST], from, row,
                         call->type, MPI_COMM_WORLD);
}

static int call_alltoall(const struct simmpi_call *call)
{
    const int length = (int)call->run->first[1];
    if (call->run->spec->layout->first == NULL)
        return MPI_Alltoall(call->buffer[RB_SRC], length, call->type, call->buffer[RB_DST], length,
                            call->type, MPI_COMM_WORLD);
    int *room = sup_malloc(3 * (size_t)call->run->spec->native->p * sizeof *room);
    int error = call_alltoallv(call, room);
    free(room);
    return error;
}

static const struct {
    const char *collective;
    int (*call)(const struct simmpi_call *call);
} calls[] = {
    {"bcast", call_bcast},         {"reduce", call_reduce},
    {"allgather", call_allgather}, {"reduce-scatter", call_reduce_scatter},
    {"allreduce", call_allreduce}, {"scatter", call_scatter},
    {"gather", call_gather},       {"alltoall", call_alltoall},
};

/* Calls the run's native collective on MPI_COMM_WORLD. Returns an MPI error code. */
static int call_native(const struct simmpi_call *call)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(calls[i].collective, call->run->collective->name) == 0)
            return calls[i].call(call);
    return MPI_ERR_UNSUPPORTED_OPERATION;
}

/* ---- A rank ---------------------------------------------------------------------------------- */

struct rank {
    struct simmpi_run *run;
    int number;
    double started_s;
    void *buffer[RB_BUFFERS];
    MPI_Datatype type;
    MPI_Op op;
    bool made_type, made_op;
};

/* ---- Operators ---- */

static void combine(void *incoming, void *result, int *count, MPI_Datatype *type)
{
    int size;
    MPI_Type_size(*type, &size);
    for (int64_t i = 0; i < (int64_t)*count * size; i++)
        ((unsigned char *)result)[i] ^= ((unsigned char *)incoming)[i];
}

/* Local work takes no simulated time, and is needed only if data are checked. */
static void leave_as_it_is(void *incoming, void *result, int *count, MPI_Datatype *type)
{
    (void)incoming;
    (void)result;
    (void)count;
    (void)type;
}

/* ---- Set-up ---- */

/* A predefined type where there is one: SMPI packs others. */
static void choose_type(struct rank *rank)
{
    const int64_t element = rank->run->spec->layout->element;
    rank->type = element == 1   ? MPI_BYTE
                 : element == 2 ? MPI_INT16_T
                 : element == 4 ? MPI_INT32_T
                 : element == 8 ? MPI_INT64_T
                                : MPI_DATATYPE_NULL;
    rank->made_type = rank->type == MPI_DATATYPE_NULL;
    if (rank->made_type) {
        MPI_Type_contiguous((int)element, MPI_BYTE, &rank->type);
        MPI_Type_commit(&rank->type);
    }
}

/* SMPI's own take a predefined one where there is one: some crash with others (reduce `rab`). */
static void choose_op(struct rank *rank)
{
    rank->op = MPI_OP_NULL;
    if (!rank->run->collective->reducing)
        return;
    rank->made_op = rank->run->spec->plan != NULL || rank->made_type;
    if (rank->made_op)
        MPI_Op_create(rank->run->checked ? combine : leave_as_it_is, 1, &rank->op);
    else
        rank->op = MPI_BXOR;
}

/* Bytes that any buffer may need. */
static int64_t room_of(const struct simmpi_run *run)
{
    const struct rb_plan *plan = run->spec->plan;
    const int64_t element = run->spec->layout->element;
    const struct rb_layout layout = {.bytes = run->buffer_bytes / element, .element = 1};
    const bool has_slots = plan != NULL && rb_plan_slot_blocks(plan) > 0;
    return has_slots ? exec_tmp_room(plan, &layout) * element : run->buffer_bytes;
}

static void set_up(struct rank *rank)
{
    struct simmpi_run *run = rank->run;
    choose_type(rank);
    choose_op(rank);
    for (int b = 0; b < RB_BUFFERS; b++)
        rank->buffer[b] = run->checked ? sup_malloc((size_t)room_of(run) + 1) : run->shared[b];
}

static void clean_up(struct rank *rank)
{
    for (int b = 0; b < RB_BUFFERS && rank->run->checked; b++)
        free(rank->buffer[b]);
    if (rank->made_op)
        MPI_Op_free(&rank->op);
    if (rank->made_type)
        MPI_Type_free(&rank->type);
}

static void fill(const struct rank *rank)
{
    for (int b = 0; b < RB_BUFFERS && rank->run->checked; b++)
        simmpi_fill(rank->buffer[b], rank->number, rank->run->buffer_bytes);
}

/* ---- The run ---- */

/* All ranks leave at the same moment; earlier messages have arrived. */
static void start_together(struct rank *rank)
{
    sg_barrier_wait(rank->run->together);
    rank->run->counting = true;
    rank->started_s = simgrid_get_clock();
}

static void stop(const struct rank *rank)
{
    rank->run->finish_s[rank->number] = simgrid_get_clock() - rank->started_s;
}

static int run_plan(struct rank *rank)
{
    const struct sim_spec *spec = rank->run->spec;
    const int64_t element = spec->layout->element;
    const struct rb_layout layout = {
        .bytes = spec->layout->bytes / element, .element = 1, .first = spec->layout->first};
    const int64_t window = sim_overlap_window(&spec->overlap, rb_plan_rounds(spec->plan));
    struct rb_rank state;
    struct exec_elements elements;
    int error = exec_elements_of(rank->type, rank->op, &elements);
    if (error != MPI_SUCCESS)
        return error;
    struct exec_context *executor = exec_context_create();
    if (executor == NULL)
        return MPI_ERR_NO_MEM;
    rb_plan_rank(spec->plan, rank->number, &state);
    struct exec_run execution = {
        .plan = spec->plan,
        .state = &state,
        .layout = &layout,
        .elements = &elements,
        .width = window < INT32_MAX ? (int32_t)window : INT32_MAX,
    };
    for (int b = 0; b < RB_BUFFERS; b++) {
        execution.buffer[b] = rank->buffer[b];
        if (rank->run->collective->personalized)
            execution.rows[b].displacement = rank->run->first;
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &execution.comm);
    MPI_Comm_set_errhandler(execution.comm, MPI_ERRORS_RETURN);
    fill(rank);
    start_together(rank);
    error = exec_run(executor, &execution);
    stop(rank);
    MPI_Comm_free(&execution.comm);
    exec_context_destroy(executor);
    return error;
}

/* The first call does the set-up of the communicator, with additional messages; the second one
 * counts. */
static int run_native(struct rank *rank)
{
    const struct simmpi_call call = {rank->run, rank->number, rank->buffer, rank->type, rank->op};
    int error = call_native(&call);
    if (error != MPI_SUCCESS)
        return error;
    fill(rank);
    start_together(rank);
    error = call_native(&call);
    stop(rank);
    return error;
}

static void fail(struct rank *rank, int status, const char *what)
{
    if (rank->run->status == RB_OK)
        rank->run->status =
            sup_fail(&rank->run->error, status, "SMPI: rank %d: %s", rank->number, what);
}

static void check(struct rank *rank)
{
    const struct simmpi_run *run = rank->run;
    const int64_t wrong =
        run->checked ? simmpi_first_wrong(run, rank->number, rank->buffer[RB_DST]) : -1;
    char what[64];
    snprintf(what, sizeof what, "byte %lld of the result is wrong", (long long)wrong);
    if (wrong >= 0)
        fail(rank, RB_EWRONG, what);
}

static void explain(struct rank *rank, int error)
{
    char what[MPI_MAX_ERROR_STRING];
    int length;
    if (error == MPI_ERR_NO_MEM) {
        fail(rank, RB_ENOMEM, "out of memory");
        return;
    }
    MPI_Error_string(error, what, &length);
    fail(rank, RB_EFAILED, what);
}

void simmpi_rank(int argc, char *argv[])
{
    struct rank rank = {.run = sg_actor_self_get_data()};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank.number);
    set_up(&rank);
    const int error = rank.run->spec->plan != NULL ? run_plan(&rank) : run_native(&rank);
    if (error == MPI_SUCCESS) {
        check(&rank);
    } else {
        explain(&rank, error);
        /* The others may wait for it, and messages be under way: SimGrid wouldn't survive its end.
         */
        sg_actor_suspend(sg_actor_self());
    }
    clean_up(&rank);
    MPI_Finalize();
    rank.run->ended++;
}
