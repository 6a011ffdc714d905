/* move.c - RB_Bcast, RB_Allgather, RB_Allgatherv: data move, nothing is combined. */
#include "arguments.h"
#include "call.h"
#include "data.h"

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

static int plan_bcast(struct lib_call *call, const struct lib_arguments *given,
                      struct lib_data *place)
{
    if (!lib_call_is_plain(call, given->comm, given->count, given->datatype))
        return MPI_SUCCESS;
    int error = lib_call_begin(call, given->comm);
    if (error == MPI_SUCCESS)
        error = lib_data_of(given->buffer, given->datatype, given->count, place);
    if (error != MPI_SUCCESS)
        return error;
    const struct choice_situation situation = {.bytes = lib_data_bytes(place)};
    call->is_fixed = place->elements.named;
    error = lib_call_plan(call, given->root, &situation);
    if (lib_call_is_planned(call, error))
        error = lib_check_buffer(given->buffer, &place->elements, given->count);
    lib_call_check_type(call, &place->elements);
    return error;
}

int lib_serve_bcast(struct lib_call *call, const struct lib_arguments *given)
{
    struct lib_data place;
    const int error = plan_bcast(call, given, &place);
    return lib_call_is_planned(call, error) ? run_bcast(call, &place, given->root) : error;
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

/* Copies a rank's own data to where the plan expects them, unless there is no room for them. */
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

/* Counts and displs are NULL where all ranks send as many elements. */
static int plan_gather(struct lib_call *call, struct gather *gather,
                       const struct lib_arguments *given)
{
    *gather = (struct gather){.in_place = given->sendbuf == MPI_IN_PLACE,
                              .counts = given->recvcounts,
                              .displs = given->displs};
    if (!lib_call_are_plain(call, given))
        return MPI_SUCCESS;
    int error = lib_call_begin(call, given->comm);
    if (error == MPI_SUCCESS)
        error = lib_data_of(given->recvbuf, given->recvtype, given->recvcount, &gather->received);
    if (error == MPI_SUCCESS && !gather->in_place)
        error = lib_data_of(given->sendbuf, given->sendtype, given->sendcount, &gather->sent);
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
    if (lib_call_is_planned(call, error))
        error = check_buffers(gather, given->sendbuf, given->recvbuf);
    lib_call_check_type(call, &gather->received.elements);
    if (!gather->in_place)
        lib_call_check_type(call, &gather->sent.elements);
    return error;
}

int lib_serve_allgather(struct lib_call *call, const struct lib_arguments *given)
{
    struct gather gather;
    const int error = plan_gather(call, &gather, given);
    return lib_call_is_planned(call, error) ? run_gather(call, &gather) : error;
}

int lib_serve_allgatherv(struct lib_call *call, const struct lib_arguments *given)
{
    return lib_serve_allgather(call, given);
}
