/* move.c - RB_Bcast, RB_Allgather, RB_Allgatherv: data move, nothing is combined. */
#include "call.h"
#include "check.h"
#include "data.h"
#include "roundabout-mpi.h"

/* ---- Bcast ----------------------------------------------------------------------------------- */

static int run_bcast(struct rb_call *call, const struct rb_data *place, int root)
{
    const struct rb_layout layout = {.bytes = rb_data_bytes(place), .element = 1};
    const struct rb_self *self = &call->communicator->self;
    const bool is_root = call->communicator->rank == root;
    char *data = place->address;
    int error = MPI_SUCCESS;
    if (!place->elements.dense) {
        data = rb_scratch_reserve(&call->communicator->data, (size_t)layout.bytes);
        if (data == NULL)
            return MPI_ERR_NO_MEM;
        if (is_root)
            error = rb_data_pack(place, data, self);
    }
    struct rb_execution run = {.layout = &layout,
                               .buffer = {[RB_DST] = data},
                               .elements = &rb_elements_bytes,
                               .wants_whole = RB_BCAST_WANTS_WHOLE};
    if (error == MPI_SUCCESS)
        error = rb_call_run(call, &run);
    if (error == MPI_SUCCESS && !place->elements.dense && !is_root)
        error = rb_data_unpack(place, data, self);
    return error;
}

int RB_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    const struct rb_arguments arguments = {
        .which = RB_CALL_BCAST, .comm = comm, .type = datatype, .count = count};
    if (rb_shortcut_take(&arguments))
        return PMPI_Bcast(buffer, count, datatype, root, comm);
    struct rb_call call = rb_call_of(RB_CALL_BCAST);
    struct rb_data place;
    int error = MPI_SUCCESS;
    call.arguments = &arguments;
    if (rb_call_is_plain(&call, comm, count, datatype) &&
        (error = rb_call_begin(&call, comm)) == MPI_SUCCESS &&
        (error = rb_data_of(buffer, datatype, count, &place)) == MPI_SUCCESS) {
        const struct rb_situation situation = {.bytes = rb_data_bytes(&place)};
        call.is_fixed = place.elements.named;
        error = rb_call_plan(&call, root, &situation);
        if (error == MPI_SUCCESS && call.cached != NULL)
            error = rb_check_buffer(buffer, &place.elements, count);
        rb_call_check_type(&call, &place.elements);
    }
    if (error == MPI_SUCCESS && call.cached == NULL) {
        return rb_call_left(&call, PMPI_Bcast(buffer, count, datatype, root, comm));
    }
    return rb_call_end(&call, comm, error != MPI_SUCCESS ? error : run_bcast(&call, &place, root));
}

/* ---- Allgather, Allgatherv ------------------------------------------------------------------- */

/* Where every rank's data go: per rank counts and displs, or `count` each, one after the other. */
struct gather {
    struct rb_data sent; /* address NULL: in place */
    bool in_place;
    struct rb_data received; /* of rank 0 where the counts are regular */
    const int *counts, *displs;
    int p, rank;
    int64_t bytes;         /* of all ranks */
    int64_t *first;        /* irregular: p + 1, in bytes */
    int64_t *displacement; /* irregular: p, in bytes */
};

static int64_t first_byte(const struct gather *gather, int rank)
{
    return gather->counts != NULL ? gather->first[rank] : rank * rb_data_bytes(&gather->received);
}

static struct rb_data part_of(const struct gather *gather, int rank)
{
    struct rb_data part = gather->received;
    if (gather->counts != NULL)
        part.count = gather->counts[rank];
    const int64_t element =
        gather->counts != NULL ? gather->displs[rank] : rank * gather->received.count;
    part.address = rb_data_at(&part, element);
    return part;
}

static bool is_too_long(const struct gather *gather)
{
    const struct rb_data own = part_of(gather, gather->rank);
    return !gather->in_place && rb_data_bytes(&gather->sent) > rb_data_bytes(&own);
}

/* A rank's own data to where the plan expects them, unless there is no room for them. */
static int put_own(const struct gather *gather, char *data, const struct rb_self *self)
{
    const struct rb_data own = part_of(gather, gather->rank);
    const bool dense = own.elements.dense;
    char *target = dense ? own.address : data + first_byte(gather, gather->rank);
    if (gather->in_place)
        return dense ? MPI_SUCCESS : rb_data_pack(&own, target, self);
    return is_too_long(gather) ? MPI_SUCCESS : rb_data_pack(&gather->sent, target, self);
}

/* A rank whose own data are too long runs the plan nevertheless: the others wait for its messages.
 */
static int run_gather(struct rb_call *call, struct gather *gather)
{
    const struct rb_self *self = &call->communicator->self;
    const struct rb_layout layout = {.bytes = gather->bytes, .element = 1, .first = gather->first};
    const bool dense = gather->received.elements.dense;
    char *data = gather->received.address;
    if (!dense) {
        data = rb_scratch_reserve(&call->communicator->data, (size_t)gather->bytes);
        if (data == NULL)
            return MPI_ERR_NO_MEM;
    }
    struct rb_execution run = {
        .layout = &layout, .buffer = {[RB_DST] = data}, .elements = &rb_elements_bytes};
    if (dense)
        run.rows[RB_DST].displacement = gather->displacement;
    int error = put_own(gather, data, self);
    if (error == MPI_SUCCESS)
        error = rb_call_run(call, &run);
    for (int i = 0; i < gather->p && error == MPI_SUCCESS && !dense; i++) {
        const struct rb_data part = part_of(gather, i);
        if (i != gather->rank || !gather->in_place)
            error = rb_data_unpack(&part, data + first_byte(gather, i), self);
    }
    return error == MPI_SUCCESS && is_too_long(gather) ? MPI_ERR_TRUNCATE : error;
}

/* Irregular counts, in bytes, as layouts want them. MPI error code. */
static int list_counts(struct rb_call *call, struct gather *gather)
{
    const size_t p = (size_t)gather->p;
    int64_t *room = rb_scratch_reserve(&call->communicator->counts, (2 * p + 1) * sizeof *room);
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
    const struct rb_data *sent = &gather->sent, own = part_of(gather, gather->rank);
    int error = rb_check_buffer(recvbuf, &gather->received.elements, gather->bytes);
    if (error != MPI_SUCCESS || gather->in_place)
        return error;
    error = rb_check_buffer(sendbuf, &sent->elements, sent->count);
    if (error == MPI_SUCCESS && sent->elements.type == own.elements.type &&
        sent->count == own.count)
        error = rb_check_alias(sendbuf, own.address, sent->count);
    return error;
}

/* The gather's counts and displs are filled in already. */
static int plan_gather(struct rb_call *call, struct gather *gather, const void *sendbuf,
                       int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                       MPI_Datatype recvtype, MPI_Comm comm)
{
    gather->in_place = sendbuf == MPI_IN_PLACE;
    if (!rb_call_is_plain(call, comm, recvcount, recvtype) ||
        (!gather->in_place && !rb_call_is_plain(call, comm, sendcount, sendtype)))
        return MPI_SUCCESS;
    int error = rb_call_begin(call, comm);
    if (error == MPI_SUCCESS)
        error = rb_data_of(recvbuf, recvtype, recvcount, &gather->received);
    if (error == MPI_SUCCESS && !gather->in_place) /* it is only read */
        error = rb_data_of((void *)(uintptr_t)sendbuf, sendtype, sendcount, &gather->sent);
    if (error != MPI_SUCCESS)
        return error;
    gather->p = call->communicator->p;
    gather->rank = call->communicator->rank;
    gather->bytes = gather->p * rb_data_bytes(&gather->received);
    if (gather->counts != NULL && (error = list_counts(call, gather)) != MPI_SUCCESS)
        return error;
    const struct rb_situation situation = {.bytes = gather->bytes,
                                           .irregular = counts_differ(gather)};
    call->is_fixed = gather->received.elements.named;
    error = rb_call_plan(call, 0, &situation);
    if (error == MPI_SUCCESS && call->cached != NULL)
        error = check_buffers(gather, sendbuf, recvbuf);
    rb_call_check_type(call, &gather->received.elements);
    if (!gather->in_place)
        rb_call_check_type(call, &gather->sent.elements);
    return error;
}

int RB_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                 int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    const struct rb_arguments arguments = {
        .which = RB_CALL_ALLGATHER, .comm = comm, .type = recvtype, .count = recvcount};
    if (rb_shortcut_take(&arguments))
        return PMPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    struct rb_call call = rb_call_of(RB_CALL_ALLGATHER);
    struct gather gather = {0};
    call.arguments = &arguments;
    const int error = plan_gather(&call, &gather, sendbuf, sendcount, sendtype, recvbuf, recvcount,
                                  recvtype, comm);
    if (error == MPI_SUCCESS && call.cached == NULL) {
        return rb_call_left(&call, PMPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount,
                                                  recvtype, comm));
    }
    return rb_call_end(&call, comm, error != MPI_SUCCESS ? error : run_gather(&call, &gather));
}

int RB_Allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                  const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm)
{
    struct rb_call call = rb_call_of(RB_CALL_ALLGATHER);
    struct gather gather = {.counts = recvcounts, .displs = displs};
    const int error =
        plan_gather(&call, &gather, sendbuf, sendcount, sendtype, recvbuf, 0, recvtype, comm);
    if (error == MPI_SUCCESS && call.cached == NULL) {
        return rb_call_left(&call, PMPI_Allgatherv(sendbuf, sendcount, sendtype, recvbuf,
                                                   recvcounts, displs, recvtype, comm));
    }
    return rb_call_end(&call, comm, error != MPI_SUCCESS ? error : run_gather(&call, &gather));
}
