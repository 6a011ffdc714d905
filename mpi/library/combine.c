/* combine.c - RB_Reduce, RB_Allreduce, RB_Reduce_scatter, RB_Reduce_scatter_block, RB_Scan,
 * RB_Exscan.
 *
 * An operator takes elements of the datatype, so blocks are cut in elements. Plans accumulate in
 * place, in the receive buffer where it takes the whole vector, else in memory of the call's. */
#include "arguments.h"
#include "call.h"
#include "exact.h"
#include "roundabout-mpi.h"

/* A reduction of `count` elements. */
struct reduction {
    struct lib_call call;
    struct exec_elements elements;
    int64_t count;
};

/* The buffers of a call. */
struct buffers {
    const void *sent, *received;
    bool receives; /* this rank has a receive buffer */
    int64_t part;  /* elements of the result that it receives */
};

/* Any rank's, which receives `part` elements. */
static struct buffers buffers_of(const void *sent, const void *received, int64_t part)
{
    return (struct buffers){.sent = sent, .received = received, .receives = true, .part = part};
}

static int check_buffers(const struct reduction *reduction, const struct buffers *buffers)
{
    const struct exec_elements *elements = &reduction->elements;
    const int64_t count = reduction->count;
    if (!buffers->receives)
        return lib_check_buffer(buffers->sent, elements, count);
    const bool in_place = buffers->sent == MPI_IN_PLACE;
    int error = lib_check_buffer(buffers->received, elements, in_place ? count : buffers->part);
    if (error == MPI_SUCCESS && !in_place)
        error = lib_check_buffer(buffers->sent, elements, count);
    return error == MPI_SUCCESS ? lib_check_alias(buffers->sent, buffers->received, count) : error;
}

/* The plan, for the counts of a reduce-scatter or NULL. Leaves call.cached NULL where the MPI
 * library must do it. */
static int plan_reduction(struct reduction *reduction, const struct buffers *buffers, int64_t count,
                          bool irregular, MPI_Datatype type, MPI_Op op, int root)
{
    reduction->count = count;
    int error = exec_elements_of(type, op, &reduction->elements);
    if (error != MPI_SUCCESS)
        return error;
    if (reduction->elements.extent < 0) {
        reduction->call.event.reason = REPORT_NEGATIVE;
        return MPI_SUCCESS;
    }
    const struct choice_situation situation = {.bytes = count * reduction->elements.size,
                                               .ordered = !reduction->elements.commutative,
                                               .irregular = irregular,
                                               .inexact = !lib_is_exact(type, op)};
    reduction->call.is_fixed = reduction->elements.named && lib_is_own_operator(op);
    error = lib_call_plan(&reduction->call, root, &situation);
    if (error == MPI_SUCCESS && reduction->call.cached != NULL &&
        !lib_check_op(op, &reduction->elements))
        lib_call_refuse(&reduction->call);
    if (error == MPI_SUCCESS && reduction->call.cached != NULL)
        error = check_buffers(reduction, buffers);
    lib_call_check_type(&reduction->call, &reduction->elements);
    return error;
}

static bool is_plain(struct reduction *reduction, MPI_Comm comm, int count, MPI_Datatype type,
                     MPI_Op op)
{
    return op != MPI_OP_NULL && lib_call_is_plain(&reduction->call, comm, count, type);
}

static int copy(const struct reduction *reduction, const void *from, void *to, int64_t count)
{
    return exec_elements_copy(&reduction->elements, from, to, count,
                              &reduction->call.communicator->self);
}

/* The call's own memory for all elements: the address of element 0, or NULL. */
static char *own_memory(struct reduction *reduction)
{
    const size_t room = exec_elements_room(&reduction->elements, reduction->count);
    char *memory = lib_scratch_reserve(&reduction->call.communicator->data, room);
    return memory == NULL ? NULL : memory - reduction->elements.true_lb;
}

/* Runs the plan, with memory for the buffers that only the plan has; the call has the result's
 * buffer and those in `run`. */
static int run_with_buffers(struct reduction *reduction, struct exec_run *run)
{
    struct lib_communicator *communicator = reduction->call.communicator;
    const size_t room = exec_elements_room(&reduction->elements, reduction->count);
    for (int b = 0; b < RB_BUFFERS; b++) {
        if (b == RB_DST || run->buffer[b] != NULL ||
            !rb_plan_has(reduction->call.cached->plan, (enum rb_buffer)b))
            continue;
        char *memory = lib_scratch_reserve(&communicator->plans_own[b], room);
        if (memory == NULL)
            return MPI_ERR_NO_MEM;
        run->buffer[b] = memory - reduction->elements.true_lb;
    }
    return lib_call_run(&reduction->call, run);
}

/* Runs the plan on this rank's contribution, which is copied to `data` unless it is there. */
static int run_on(struct reduction *reduction, const void *contribution, void *data,
                  const int64_t first[])
{
    const struct rb_layout layout = {.bytes = reduction->count, .element = 1, .first = first};
    struct exec_run run = {
        .layout = &layout, .buffer = {[RB_DST] = data}, .elements = &reduction->elements};
    const int error =
        contribution == data ? MPI_SUCCESS : copy(reduction, contribution, data, reduction->count);
    return error != MPI_SUCCESS ? error : run_with_buffers(reduction, &run);
}

static inline struct lib_arguments arguments_of(enum lib_function which, int count,
                                                MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    return (struct lib_arguments){
        .which = which, .comm = comm, .type = datatype, .op = op, .count = count};
}

/* ---- Reduce ---------------------------------------------------------------------------------- */

static int run_reduce(struct reduction *reduction, const void *sendbuf, void *recvbuf, int root)
{
    if (reduction->call.communicator->rank == root)
        return run_on(reduction, sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, recvbuf, NULL);
    char *data = own_memory(reduction);
    return data == NULL ? MPI_ERR_NO_MEM : run_on(reduction, sendbuf, data, NULL);
}

static LIB_CALL_APART int reduce(const void *sendbuf, void *recvbuf, int count,
                                 MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm)
{
    const struct lib_arguments arguments = arguments_of(LIB_CALL_REDUCE, count, datatype, op, comm);
    struct reduction reduction = {.call = lib_call_of(LIB_CALL_REDUCE)};
    int error = MPI_SUCCESS;
    reduction.call.arguments = &arguments;
    if (is_plain(&reduction, comm, count, datatype, op) &&
        (error = lib_call_begin(&reduction.call, comm)) == MPI_SUCCESS) {
        struct buffers buffers = buffers_of(sendbuf, recvbuf, count);
        buffers.receives = reduction.call.communicator->rank == root;
        error = plan_reduction(&reduction, &buffers, count, false, datatype, op, root);
    }
    if (error == MPI_SUCCESS && reduction.call.cached == NULL) {
        return lib_call_left(&reduction.call,
                             PMPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, comm));
    }
    return lib_call_end(&reduction.call, comm,
                        error != MPI_SUCCESS ? error
                                             : run_reduce(&reduction, sendbuf, recvbuf, root));
}

int RB_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
              int root, MPI_Comm comm)
{
    const struct lib_arguments arguments = arguments_of(LIB_CALL_REDUCE, count, datatype, op, comm);
    return lib_shortcut_take(&arguments)
               ? PMPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, comm)
               : reduce(sendbuf, recvbuf, count, datatype, op, root, comm);
}

/* ---- Reduce_scatter -------------------------------------------------------------------------- */

/* first[0 .. p] for the counts. MPI error code. */
static int list_counts(struct lib_communicator *communicator, const int counts[],
                       const int64_t **first, bool *irregular)
{
    const size_t p = (size_t)communicator->p;
    int64_t *list = lib_scratch_reserve(&communicator->counts, (p + 1) * sizeof *list);
    if (list == NULL)
        return MPI_ERR_NO_MEM;
    *first = list;
    *irregular = false;
    list[0] = 0;
    for (size_t i = 0; i < p; i++) {
        if (counts[i] < 0)
            return MPI_ERR_COUNT;
        list[i + 1] = list[i] + counts[i];
        *irregular = *irregular || counts[i] != counts[0];
    }
    return MPI_SUCCESS;
}

/* Rank r's part are elements first[r] .. first[r + 1] - 1; NULL: equal parts. */
static int run_scatter(struct reduction *reduction, const void *sendbuf, void *recvbuf,
                       const int64_t first[])
{
    const int64_t p = reduction->call.communicator->p, rank = reduction->call.communicator->rank;
    const int64_t part = reduction->count / p;
    const int64_t begin = first != NULL ? first[rank] : rank * part;
    const int64_t end = first != NULL ? first[rank + 1] : begin + part;
    char *data = own_memory(reduction);
    if (data == NULL)
        return MPI_ERR_NO_MEM;
    const int error = run_on(reduction, sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, data, first);
    return error != MPI_SUCCESS
               ? error
               : copy(reduction, data + begin * reduction->elements.extent, recvbuf, end - begin);
}

static LIB_CALL_APART int reduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[],
                                         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    struct lib_arguments arguments = arguments_of(LIB_CALL_REDUCE_SCATTER, 0, datatype, op, comm);
    struct reduction reduction = {.call = lib_call_of(LIB_CALL_REDUCE_SCATTER)};
    arguments.counts = recvcounts;
    reduction.call.arguments = &arguments;
    const int64_t *first = NULL;
    bool irregular = false;
    int error = MPI_SUCCESS;
    if (is_plain(&reduction, comm, 0, datatype, op) &&
        (error = lib_call_begin(&reduction.call, comm)) == MPI_SUCCESS) {
        struct lib_communicator *communicator = reduction.call.communicator;
        error = list_counts(communicator, recvcounts, &first, &irregular);
        if (error == MPI_SUCCESS) {
            const struct buffers buffers =
                buffers_of(sendbuf, recvbuf, recvcounts[communicator->rank]);
            error = plan_reduction(&reduction, &buffers, first[communicator->p], irregular,
                                   datatype, op, 0);
        }
    }
    if (error == MPI_SUCCESS && reduction.call.cached == NULL) {
        return lib_call_left(&reduction.call,
                             PMPI_Reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm));
    }
    return lib_call_end(&reduction.call, comm,
                        error != MPI_SUCCESS
                            ? error
                            : run_scatter(&reduction, sendbuf, recvbuf, irregular ? first : NULL));
}

int RB_Reduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[],
                      MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    struct lib_arguments arguments = arguments_of(LIB_CALL_REDUCE_SCATTER, 0, datatype, op, comm);
    arguments.counts = recvcounts;
    return lib_shortcut_take_counts(&arguments)
               ? PMPI_Reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm)
               : reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm);
}

static LIB_CALL_APART int reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount,
                                               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    const struct lib_arguments arguments =
        arguments_of(LIB_CALL_REDUCE_SCATTER, recvcount, datatype, op, comm);
    struct reduction reduction = {.call = lib_call_of(LIB_CALL_REDUCE_SCATTER)};
    int error = MPI_SUCCESS;
    reduction.call.arguments = &arguments;
    if (is_plain(&reduction, comm, recvcount, datatype, op) &&
        (error = lib_call_begin(&reduction.call, comm)) == MPI_SUCCESS) {
        const struct buffers buffers = buffers_of(sendbuf, recvbuf, recvcount);
        error = plan_reduction(&reduction, &buffers,
                               (int64_t)recvcount * reduction.call.communicator->p, false, datatype,
                               op, 0);
    }
    if (error == MPI_SUCCESS && reduction.call.cached == NULL) {
        return lib_call_left(&reduction.call, PMPI_Reduce_scatter_block(sendbuf, recvbuf, recvcount,
                                                                        datatype, op, comm));
    }
    return lib_call_end(&reduction.call, comm,
                        error != MPI_SUCCESS ? error
                                             : run_scatter(&reduction, sendbuf, recvbuf, NULL));
}

int RB_Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount,
                            MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    const struct lib_arguments arguments =
        arguments_of(LIB_CALL_REDUCE_SCATTER, recvcount, datatype, op, comm);
    return lib_shortcut_take(&arguments)
               ? PMPI_Reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm)
               : reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm);
}

/* ---- Allreduce, Scan, Exscan ----------------------------------------------------------------- */

/* MPI_Allreduce, MPI_Scan, MPI_Exscan. */
typedef int reduction_for_all(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                              MPI_Op op, MPI_Comm comm);

/* Every rank has a result; `own` is the MPI library's function. */
static LIB_CALL_APART int reduce_for_all(enum lib_function which, reduction_for_all *own,
                                         int (*run)(struct reduction *reduction,
                                                    const void *contribution, void *recvbuf),
                                         const void *sendbuf, void *recvbuf, int count,
                                         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    const struct lib_arguments arguments = arguments_of(which, count, datatype, op, comm);
    struct reduction reduction = {.call = lib_call_of(which)};
    int error = MPI_SUCCESS;
    reduction.call.arguments = &arguments;
    if (is_plain(&reduction, comm, count, datatype, op) &&
        (error = lib_call_begin(&reduction.call, comm)) == MPI_SUCCESS) {
        struct buffers buffers = buffers_of(sendbuf, recvbuf, count);
        buffers.receives = which != LIB_CALL_EXSCAN || LIB_EXSCAN_WANTS_BUFFER ||
                           reduction.call.communicator->rank != 0 || sendbuf == MPI_IN_PLACE;
        error = plan_reduction(&reduction, &buffers, count, false, datatype, op, 0);
    }
    if (error == MPI_SUCCESS && reduction.call.cached == NULL)
        return lib_call_left(&reduction.call, own(sendbuf, recvbuf, count, datatype, op, comm));
    if (error == MPI_SUCCESS)
        error = run(&reduction, sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, recvbuf);
    return lib_call_end(&reduction.call, comm, error);
}

static int run_in_place(struct reduction *reduction, const void *contribution, void *recvbuf)
{
    return run_on(reduction, contribution, recvbuf, NULL);
}

/* The contribution is copied, because plans may spoil it; nothing is written to rank 0's recvbuf.
 */
static int run_exscan(struct reduction *reduction, const void *contribution, void *recvbuf)
{
    const struct rb_layout layout = {.bytes = reduction->count, .element = 1};
    char *data = own_memory(reduction);
    if (data == NULL)
        return MPI_ERR_NO_MEM;
    struct exec_run run = {.layout = &layout,
                           .buffer = {[RB_SRC] = data, [RB_DST] = recvbuf},
                           .elements = &reduction->elements};
    const int error = copy(reduction, contribution, data, reduction->count);
    return error != MPI_SUCCESS ? error : run_with_buffers(reduction, &run);
}

int RB_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                 MPI_Comm comm)
{
    const struct lib_arguments arguments =
        arguments_of(LIB_CALL_ALLREDUCE, count, datatype, op, comm);
    return lib_shortcut_take(&arguments)
               ? PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm)
               : reduce_for_all(LIB_CALL_ALLREDUCE, PMPI_Allreduce, run_in_place, sendbuf, recvbuf,
                                count, datatype, op, comm);
}

int RB_Scan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
            MPI_Comm comm)
{
    const struct lib_arguments arguments = arguments_of(LIB_CALL_SCAN, count, datatype, op, comm);
    return lib_shortcut_take(&arguments)
               ? PMPI_Scan(sendbuf, recvbuf, count, datatype, op, comm)
               : reduce_for_all(LIB_CALL_SCAN, PMPI_Scan, run_in_place, sendbuf, recvbuf, count,
                                datatype, op, comm);
}

int RB_Exscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
              MPI_Comm comm)
{
    const struct lib_arguments arguments = arguments_of(LIB_CALL_EXSCAN, count, datatype, op, comm);
    return lib_shortcut_take(&arguments)
               ? PMPI_Exscan(sendbuf, recvbuf, count, datatype, op, comm)
               : reduce_for_all(LIB_CALL_EXSCAN, PMPI_Exscan, run_exscan, sendbuf, recvbuf, count,
                                datatype, op, comm);
}
