/* move.c - RB_Bcast, RB_Allgather, RB_Allgatherv: data move, nothing is combined. */
#include "arguments.h"
#include "call.h"
#include "data.h"
#include "roundabout-mpi.h"

/* ---- Bcast ----------------------------------------------------------------------------------- */

static int run_bcast(struct lib_call *call, const struct lib_data *place, int root)
{
    const struct rb_layout layout = {.bytes = lib_data_bytes(place), .element = 1};
    const struct exec_self *self = &call->communicator->self;
    const bool is_root = call->communicator->rank == root;
    char *data = place->address;
    int error = MPI_SUCCESS;
    if (!place->elements.dense) {
        data = lib_scratch_reserve(&call->communicator->data, (size_t)layout.bytes);
        if (data == NULL)
            return MPI_ERR_NO_MEM;
        if (is_root)
            error = lib_data_pack(place, data, self);
    }
    struct exec_run run = {.layout = &layout,
                           .buffer = {[RB_DST] = data},
                           .elements = &exec_elements_bytes,
                           .wants_whole = LIB_BCAST_WANTS_WHOLE};
    if (error == MPI_SUCCESS)
        error = lib_call_run(call, &run);
    if (error == MPI_SUCCESS && !place->elements.dense && !is_root)
        error = lib_data_unpack(place, data, self);
    return error;
}

static LIB_CALL_APART int bcast(void *buffer, int count, MPI_Datatype datatype, int root,
                                MPI_Comm comm)
{
    const struct lib_arguments arguments = lib_arguments_of(LIB_CALL_BCAST, comm, datatype, count);
    struct lib_call call = lib_call_of(LIB_CALL_BCAST);
    struct lib_data place;
    int error = MPI_SUCCESS;
    call.arguments = &arguments;
    if (lib_call_is_plain(&call, comm, count, datatype) &&
        (error = lib_call_begin(&call, comm)) == MPI_SUCCESS &&
        (error = lib_data_of(buffer, datatype, count, &place)) == MPI_SUCCESS) {
        const struct choice_situation situation = {.bytes = lib_data_bytes(&place)};
        call.is_fixed = place.elements.named;
        error = lib_call_plan(&call, root, &situation);
        if (error == MPI_SUCCESS && call.cached != NULL)
            error = lib_check_buffer(buffer, &place.elements, count);
        lib_call_check_type(&call, &place.elements);
    }
    if (error == MPI_SUCCESS && call.cached == NULL) {
        return lib_call_left(&call, PMPI_Bcast(buffer, count, datatype, root, comm));
    }
    return lib_call_end(&call, comm, error != MPI_SUCCESS ? error : run_bcast(&call, &place, root));
}

int RB_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    const struct lib_arguments arguments = lib_arguments_of(LIB_CALL_BCAST, comm, datatype, count);
    return lib_shortcut_take(&arguments) ? PMPI_Bcast(buffer, count, datatype, root, comm)
                                         : bcast(buffer, count, datatype, root, comm);
}

/* ---- Allgather, Allgatherv ------------------------------------------------------------------- */

/* Where every rank's data go: per rank counts and displs, or `count` each, one after the other. */
struct gather {
    struct lib_data sent; /* address NULL: in place */
    bool in_place;
    struct lib_data received; /* of rank 0 where the counts are regular */
    const int *counts, *displs;
    int p, rank;
    int64_t bytes;         /* of all ranks */
    int64_t *first;        /* irregular: p + 1, in bytes */
    int64_t *displacement; /* irregular: p, in bytes */
};

static int64_t first_byte(const struct gather *gather, int rank)
{
    return gather->counts != NULL ? gather->first[rank] : rank * lib_data_bytes(&gather->received);
}

static struct lib_data part_of(const struct gather *gather, int rank)
{
    struct lib_data part = gather->received;
    if (gather->counts != NULL)
        part.count = gather->counts[rank];
    const int64_t element =
        gather->counts != NULL ? gather->displs[rank] : rank * gather->received.count;
    part.address = lib_data_at(&part, element);
    return part;
}

static bool is_too_long(const struct gather *gather)
{
    const struct lib_data own = part_of(gather, gather->rank);
    return !gather->in_place && lib_data_bytes(&gather->sent) > lib_data_bytes(&own);
}

/* A rank's own data to where the plan expects them, unless there is no room for them. */
static int put_own(const struct gather *gather, char *data, const struct exec_self *self)
{
    const struct lib_data own = part_of(gather, gather->rank);
    const bool dense = own.elements.dense;
    char *target = dense ? own.address : data + first_byte(gather, gather->rank);
    if (gather->in_place)
        return dense ? MPI_SUCCESS : lib_data_pack(&own, target, self);
    return is_too_long(gather) ? MPI_SUCCESS : lib_data_pack(&gather->sent, target, self);
}

/* A rank whose own data are too long runs the plan nevertheless, because the others wait for its
 * messages. */
static int run_gather(struct lib_call *call, struct gather *gather)
{
    const struct exec_self *self = &call->communicator->self;
    const struct rb_layout layout = {.bytes = gather->bytes, .element = 1, .first = gather->first};
    const bool dense = gather->received.elements.dense;
    char *data = gather->received.address;
    if (!dense) {
        data = lib_scratch_reserve(&call->communicator->data, (size_t)gather->bytes);
        if (data == NULL)
            return MPI_ERR_NO_MEM;
    }
    struct exec_run run = {
        .layout = &layout, .buffer = {[RB_DST] = data}, .elements = &exec_elements_bytes};
    if (dense)
        run.rows[RB_DST].displacement = gather->displacement;
    int error = put_own(gather, data, self);
    if (error == MPI_SUCCESS)
        error = lib_call_run(call, &run);
    for (int i = 0; i < gather->p && error == MPI_SUCCESS && !dense; i++) {
        const struct lib_data part = part_of(gather, i);
        if (i != gather->rank || !gather->in_place)
            error = lib_data_unpack(&part, data + first_byte(gather, i), self);
    }
    return error == MPI_SUCCESS && is_too_long(gather) ? MPI_ERR_TRUNCATE : error;
}

/* Irregular counts in bytes, in the form of layouts. MPI error code. */
static int list_counts(struct lib_call *call, struct gather *gather)
{
    const size_t p = (size_t)gather->p;
    int64_t *room = lib_scratch_reserve(&call->communicator->counts, (2 * p + 1) * sizeof *room);
    if (room == NULL)
        return MPI_ERR_NO_MEM;
    gather->first = room;
    gather->displacement = room + p + 1;
    gather->first[0] = 0;
    for (size_t i = 0; i < p; i++) {
        if (gather->counts[i] < 0)
            return MPI_ERR_COUNT;
        gather->first[i + 1] =
            gather->first[i] + gather->counts[i] * gather->received.elements.size;
        gather->displacement[i] = gather->displs[i] * gather->received.elements.extent;
    }
    gather->bytes = gather->first[p];
    return MPI_SUCCESS;
}

static bool counts_differ(const struct gather *gather)
{
    for (int i = 1; i < gather->p && gather->counts != NULL; i++)
        if (gather->counts[i] != gather->counts[0])
            return true;
    return false;
}

/* The send buffer must not be this rank's part of the receive buffer. */
static int check_buffers(const struct gather *gather, const void *sendbuf, const void *recvbuf)
{
    const struct lib_data *sent = &gather->sent, own = part_of(gather, gather->rank);
    int error = lib_check_buffer(recvbuf, &gather->received.elements, gather->bytes);
    if (error != MPI_SUCCESS || gather->in_place)
        return error;
    error = lib_check_buffer(sendbuf, &sent->elements, sent->count);
    if (error == MPI_SUCCESS && sent->elements.type == own.elements.type &&
        sent->count == own.count)
        error = lib_check_alias(sendbuf, own.address, sent->count);
    return error;
}

/* The gather's counts and displs are filled in already. */
static int plan_gather(struct lib_call *call, struct gather *gather, const void *sendbuf,
                       int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                       MPI_Datatype recvtype, MPI_Comm comm)
{
    gather->in_place = sendbuf == MPI_IN_PLACE;
    if (!lib_call_is_plain(call, comm, recvcount, recvtype) ||
        (!gather->in_place && !lib_call_is_plain(call, comm, sendcount, sendtype)))
        return MPI_SUCCESS;
    int error = lib_call_begin(call, comm);
    if (error == MPI_SUCCESS)
        error = lib_data_of(recvbuf, recvtype, recvcount, &gather->received);
    if (error == MPI_SUCCESS && !gather->in_place) /* it is only read */
        error = lib_data_of((void *)(uintptr_t)sendbuf, sendtype, sendcount, &gather->sent);
    if (error != MPI_SUCCESS)
        return error;
    gather->p = call->communicator->p;
    gather->rank = call->communicator->rank;
    gather->bytes = gather->p * lib_data_bytes(&gather->received);
    if (gather->counts != NULL && (error = list_counts(call, gather)) != MPI_SUCCESS)
        return error;
    const struct choice_situation situation = {.bytes = gather->bytes,
                                               .irregular = counts_differ(gather)};
    call->is_fixed = gather->received.elements.named;
    error = lib_call_plan(call, 0, &situation);
    if (error == MPI_SUCCESS && call->cached != NULL)
        error = check_buffers(gather, sendbuf, recvbuf);
    lib_call_check_type(call, &gather->received.elements);
    if (!gather->in_place)
        lib_call_check_type(call, &gather->sent.elements);
    return error;
}

static LIB_CALL_APART int allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                    void *recvbuf, int recvcount, MPI_Datatype recvtype,
                                    MPI_Comm comm)
{
    const struct lib_arguments arguments =
        lib_arguments_of(LIB_CALL_ALLGATHER, comm, recvtype, recvcount);
    struct lib_call call = lib_call_of(LIB_CALL_ALLGATHER);
    struct gather gather = {0};
    call.arguments = &arguments;
    const int error = plan_gather(&call, &gather, sendbuf, sendcount, sendtype, recvbuf, recvcount,
                                  recvtype, comm);
    if (error == MPI_SUCCESS && call.cached == NULL) {
        return lib_call_left(&call, PMPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount,
                                                   recvtype, comm));
    }
    return lib_call_end(&call, comm, error != MPI_SUCCESS ? error : run_gather(&call, &gather));
}

int RB_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                 int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    const struct lib_arguments arguments =
        lib_arguments_of(LIB_CALL_ALLGATHER, comm, recvtype, recvcount);
    return lib_shortcut_take(&arguments)
               ? PMPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm)
               : allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

static LIB_CALL_APART int allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                     void *recvbuf, const int recvcounts[], const int displs[],
                                     MPI_Datatype recvtype, MPI_Comm comm)
{
    struct lib_arguments arguments = lib_arguments_of(LIB_CALL_ALLGATHER, comm, recvtype, 0);
    struct lib_call call = lib_call_of(LIB_CALL_ALLGATHER);
    struct gather gather = {.counts = recvcounts, .displs = displs};
    arguments.counts = recvcounts;
    call.arguments = &arguments;
    const int error =
        plan_gather(&call, &gather, sendbuf, sendcount, sendtype, recvbuf, 0, recvtype, comm);
    if (error == MPI_SUCCESS && call.cached == NULL) {
        return lib_call_left(&call, PMPI_Allgatherv(sendbuf, sendcount, sendtype, recvbuf,
                                                    recvcounts, displs, recvtype, comm));
    }
    return lib_call_end(&call, comm, error != MPI_SUCCESS ? error : run_gather(&call, &gather));
}

int RB_Allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                  const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm)
{
    struct lib_arguments arguments = lib_arguments_of(LIB_CALL_ALLGATHER, comm, recvtype, 0);
    arguments.counts = recvcounts;
    return lib_shortcut_take_counts(&arguments)
               ? PMPI_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                                 recvtype, comm)
               : allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                            comm);
}
