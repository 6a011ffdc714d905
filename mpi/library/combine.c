/* combine.c - RB_Reduce, RB_Allreduce, RB_Reduce_scatter, RB_Reduce_scatter_block, RB_Scan,
 * RB_Exscan.
 *
 * An operator takes elements of the datatype, so blocks are cut in elements. Plans accumulate in
 * place, in the receive buffer where it takes the whole vector, else in memory of the call's. */
#include "arguments.h"
#include "call.h"

/* A reduction of `count` elements. */
struct reduction {
    struct lib_call *call;
    const struct lib_arguments *given;
    struct exec_elements elements;
    int64_t count;
    bool receives; /* this rank has a receive buffer */
};

/* The result at this rank has `part` elements. */
static int check_buffers(const struct reduction *reduction, int64_t part)
{
    const void *sent = reduction->given->sendbuf, *received = reduction->given->recvbuf;
    const struct exec_elements *elements = &reduction->elements;
    const int64_t count = reduction->count;
    if (!reduction->receives)
        return lib_check_buffer(sent, elements, count);
    const bool in_place = sent == MPI_IN_PLACE;
    int error = lib_check_buffer(received, elements, in_place ? count : part);
    if (error == MPI_SUCCESS && !in_place)
        error = lib_check_buffer(sent, elements, count);
    return error == MPI_SUCCESS ? lib_check_alias(sent, received, count) : error;
}

/* True if the arguments may be used for a plan; then the call has its communicator. */
static bool begin(struct reduction *reduction, struct lib_call *call,
                  const struct lib_arguments *given, int *error)
{
    *reduction = (struct reduction){.call = call, .given = given, .receives = true};
    *error = MPI_SUCCESS;
    if (given->op == MPI_OP_NULL ||
        !lib_call_is_plain(call, given->comm, given->count, given->datatype))
        return false;
    *error = lib_call_begin(call, given->comm);
    return *error == MPI_SUCCESS;
}

/* The plan to reduce `count` elements, of which this rank receives `part`. Leaves call->cached NULL
 * where the MPI library must serve the call. */
static int plan_reduction(struct reduction *reduction, int64_t count, int64_t part, bool irregular)
{
    struct lib_call *call = reduction->call;
    const struct lib_arguments *given = reduction->given;
    reduction->count = count;
    int error = exec_elements_of(given->datatype, given->op, &reduction->elements);
    if (error != MPI_SUCCESS)
        return error;
    if (reduction->elements.extent < 0) {
        call->event.reason = REPORT_NEGATIVE;
        return MPI_SUCCESS;
    }
    const struct choice_situation situation = {.bytes = count * reduction->elements.size,
                                               .ordered = !reduction->elements.commutative,
                                               .irregular = irregular,
                                               .inexact =
                                                   !lib_is_exact(given->datatype, given->op)};
    call->is_fixed = reduction->elements.named && lib_is_own_operator(given->op);
    error = lib_call_plan(call, given->root, &situation);
    if (lib_call_is_planned(call, error) && !lib_check_op(given->op, &reduction->elements))
        lib_call_refuse(call);
    if (lib_call_is_planned(call, error))
        error = check_buffers(reduction, part);
    lib_call_check_type(call, &reduction->elements);
    return error;
}

/* Where this rank's contribution is at the start. */
static const void *contribution_of(const struct reduction *reduction)
{
    const struct lib_arguments *given = reduction->given;
    return given->sendbuf == MPI_IN_PLACE ? given->recvbuf : given->sendbuf;
}

static int copy(const struct reduction *reduction, const void *from, void *to, int64_t count)
{
    return exec_elements_copy(&reduction->elements, from, to, count,
                              &reduction->call->communicator->self);
}

/* The call's own memory for all elements: the address of element 0, or NULL. */
static char *own_memory(struct reduction *reduction)
{
    const size_t room = exec_elements_room(&reduction->elements, reduction->count);
    char *memory = lib_scratch_reserve(&reduction->call->communicator->data, room);
    return memory == NULL ? NULL : memory - reduction->elements.true_lb;
}

/* Runs the plan, with memory for the buffers that only the plan has; the call has the result's
 * buffer and those in `run`. */
static int run_with_buffers(struct reduction *reduction, struct exec_run *run)
{
    struct lib_communicator *communicator = reduction->call->communicator;
    for (int b = 0; b < RB_BUFFERS; b++) {
        if (b == RB_DST || run->buffer[b] != NULL ||
            !rb_plan_has(reduction->call->cached->plan, (enum rb_buffer)b))
            continue;
        const int64_t count = b == RB_TMP
                                  ? exec_tmp_room(reduction->call->cached->plan, run->layout)
                                  : reduction->count;
        char *memory = lib_scratch_reserve(&communicator->plans_own[b],
                                           exec_elements_room(&reduction->elements, count));
        if (memory == NULL)
            return MPI_ERR_NO_MEM;
        run->buffer[b] = memory - reduction->elements.true_lb;
    }
    return lib_call_run(reduction->call, run);
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

/* ---- Reduce ---------------------------------------------------------------------------------- */

static int run_reduce(struct reduction *reduction)
{
    const struct lib_arguments *given = reduction->given;
    if (reduction->call->communicator->rank == given->root)
        return run_on(reduction, contribution_of(reduction), given->recvbuf, NULL);
    char *data = own_memory(reduction);
    return data == NULL ? MPI_ERR_NO_MEM : run_on(reduction, given->sendbuf, data, NULL);
}

int lib_serve_reduce(struct lib_call *call, const struct lib_arguments *given)
{
    struct reduction reduction;
    int error;
    if (begin(&reduction, call, given, &error)) {
        reduction.receives = call->communicator->rank == given->root;
        error = plan_reduction(&reduction, given->count, given->count, false);
    }
    return lib_call_is_planned(call, error) ? run_reduce(&reduction) : error;
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
static int run_scatter(struct reduction *reduction, const int64_t first[])
{
    const int64_t p = reduction->call->communicator->p, rank = reduction->call->communicator->rank;
    const int64_t part = reduction->count / p;
    const int64_t begin = first != NULL ? first[rank] : rank * part;
    const int64_t end = first != NULL ? first[rank + 1] : begin + part;
    char *data = own_memory(reduction);
    if (data == NULL)
        return MPI_ERR_NO_MEM;
    const int error = run_on(reduction, contribution_of(reduction), data, first);
    return error != MPI_SUCCESS ? error
                                : copy(reduction, data + begin * reduction->elements.extent,
                                       reduction->given->recvbuf, end - begin);
}

int lib_serve_reduce_scatter(struct lib_call *call, const struct lib_arguments *given)
{
    struct reduction reduction;
    const int64_t *first = NULL;
    bool irregular = false;
    int error;
    if (begin(&reduction, call, given, &error)) {
        const struct lib_communicator *communicator = call->communicator;
        error = list_counts(call->communicator, given->recvcounts, &first, &irregular);
        if (error == MPI_SUCCESS)
            error = plan_reduction(&reduction, first[communicator->p],
                                   given->recvcounts[communicator->rank], irregular);
    }
    if (!lib_call_is_planned(call, error))
        return error;
    return run_scatter(&reduction, irregular ? first : NULL);
}

int lib_serve_reduce_scatter_block(struct lib_call *call, const struct lib_arguments *given)
{
    struct reduction reduction;
    int error;
    if (begin(&reduction, call, given, &error))
        error = plan_reduction(&reduction, (int64_t)given->count * call->communicator->p,
                               given->count, false);
    return lib_call_is_planned(call, error) ? run_scatter(&reduction, NULL) : error;
}

/* ---- Allreduce, Scan, Exscan ----------------------------------------------------------------- */

int lib_serve_allreduce(struct lib_call *call, const struct lib_arguments *given)
{
    struct reduction reduction;
    int error;
    if (begin(&reduction, call, given, &error))
        error = plan_reduction(&reduction, given->count, given->count, false);
    return lib_call_is_planned(call, error)
               ? run_on(&reduction, contribution_of(&reduction), given->recvbuf, NULL)
               : error;
}

int lib_serve_scan(struct lib_call *call, const struct lib_arguments *given)
{
    return lib_serve_allreduce(call, given);
}

/* The contribution is copied, because plans may spoil it; nothing is written to rank 0's recvbuf.
 */
static int run_exscan(struct reduction *reduction)
{
    const struct rb_layout layout = {.bytes = reduction->count, .element = 1};
    char *data = own_memory(reduction);
    if (data == NULL)
        return MPI_ERR_NO_MEM;
    struct exec_run run = {.layout = &layout,
                           .buffer = {[RB_SRC] = data, [RB_DST] = reduction->given->recvbuf},
                           .elements = &reduction->elements};
    const int error = copy(reduction, contribution_of(reduction), data, reduction->count);
    return error != MPI_SUCCESS ? error : run_with_buffers(reduction, &run);
}

int lib_serve_exscan(struct lib_call *call, const struct lib_arguments *given)
{
    struct reduction reduction;
    int error;
    if (begin(&reduction, call, given, &error)) {
        reduction.receives = LIB_EXSCAN_WANTS_BUFFER || call->communicator->rank != 0 ||
                             given->sendbuf == MPI_IN_PLACE;
        error = plan_reduction(&reduction, given->count, given->count, false);
    }
    return lib_call_is_planned(call, error) ? run_exscan(&reduction) : error;
}
