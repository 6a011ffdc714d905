/* move.c - RB_Bcast, RB_Allgather, RB_Allgatherv: data move, nothing is combined.
 *
 * The ranks' datatypes must agree in what MPI calls their signature only: one may give 10 MPI_INT
 * where another gives one vector of 10. The size in bytes is all that they have in common, so
 * blocks are cut in bytes. Data of a dense datatype lie there as such; others are packed as a whole
 * first and unpacked at the end. */
#include "call.h"
#include "roundabout-mpi.h"

/* MPI_Pack counts bytes with int. */
#define PACKED_AT_ONCE ((int64_t)1 << 30)

/* A buffer of a call: `count` elements of a datatype. */
struct place {
    char *address;
    int64_t count;
    struct rb_elements elements;
    int64_t size; /* bytes of data in an element */
};

static int place_of(void *address, MPI_Datatype type, int64_t count, struct place *place)
{
    int size;
    *place = (struct place){.address = address, .count = count};
    int error = rb_elements_of(type, MPI_OP_NULL, &place->elements);
    if (error == MPI_SUCCESS)
        error = MPI_Type_size(type, &size);
    if (error == MPI_SUCCESS)
        place->size = size;
    return error;
}

static int64_t packed_bytes(const struct place *place)
{
    return place->count * place->size;
}

/* Packs into, or unpacks from, `packed`. Homogeneous ranks: packed data are the basic values one
 * after the other, as a dense datatype has them. */
static int pack(const struct place *place, char *packed, bool unpack, MPI_Comm comm)
{
    const int64_t most = place->size == 0 ? place->count : PACKED_AT_ONCE / place->size + 1;
    char *address = place->address;
    for (int64_t done = 0; done < place->count;) {
        const int64_t left = place->count - done;
        const int now = (int)(left < most ? left : most);
        const int bytes = (int)(now * place->size);
        int position = 0;
        const int error =
            unpack ? MPI_Unpack(packed, bytes, &position, address, now, place->elements.type, comm)
                   : MPI_Pack(address, now, place->elements.type, packed, bytes, &position, comm);
        if (error != MPI_SUCCESS)
            return error;
        if (position != bytes)
            return MPI_ERR_INTERN;
        address += now * place->elements.extent;
        packed += bytes;
        done += now;
    }
    return MPI_SUCCESS;
}

/* ---- Bcast ----------------------------------------------------------------------------------- */

static int run_bcast(struct rb_call *call, const struct place *place, int root)
{
    const struct rb_layout layout = {.bytes = packed_bytes(place), .element = 1};
    const MPI_Comm comm = call->communicator->comm;
    const bool is_root = call->communicator->rank == root;
    char *data = place->address;
    int error = MPI_SUCCESS;
    if (!place->elements.dense) {
        data = rb_scratch_reserve(&call->communicator->data, (size_t)layout.bytes);
        if (data == NULL)
            return MPI_ERR_NO_MEM;
        if (is_root)
            error = pack(place, data, false, comm);
    }
    if (error == MPI_SUCCESS)
        error = rb_call_run(call, data, &layout, NULL, MPI_BYTE, MPI_OP_NULL);
    if (error == MPI_SUCCESS && !place->elements.dense && !is_root)
        error = pack(place, data, true, comm);
    return error;
}

int RB_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    struct rb_call call = {0};
    struct place place;
    int error = MPI_SUCCESS;
    if (rb_call_is_plain(comm, count, datatype) &&
        (error = rb_call_begin(&call, comm)) == MPI_SUCCESS &&
        (error = place_of(buffer, datatype, count, &place)) == MPI_SUCCESS) {
        const struct rb_situation situation = {.bytes = packed_bytes(&place)};
        error = rb_call_plan(&call, RB_CALL_BCAST, root, &situation);
    }
    if (error == MPI_SUCCESS && call.cached == NULL) {
        rb_call_fall_back(RB_CALL_BCAST);
        return PMPI_Bcast(buffer, count, datatype, root, comm);
    }
    return rb_call_end(comm, error != MPI_SUCCESS ? error : run_bcast(&call, &place, root));
}

/* ---- Allgather, Allgatherv ------------------------------------------------------------------- */

/* Where every rank's data go: per rank counts and displs, or `count` each, one after the other. */
struct gather {
    struct place sent; /* address NULL: in place */
    bool in_place;
    struct place received; /* of rank 0 where the counts are regular */
    const int *counts, *displs;
    int p, rank;
    int64_t bytes;         /* of all ranks */
    int64_t *first;        /* irregular: p + 1, in bytes */
    int64_t *displacement; /* irregular: p, in bytes */
};

static int64_t first_byte(const struct gather *gather, int rank)
{
    return gather->counts != NULL ? gather->first[rank] : rank * packed_bytes(&gather->received);
}

static struct place part_of(const struct gather *gather, int rank)
{
    struct place part = gather->received;
    if (gather->counts != NULL)
        part.count = gather->counts[rank];
    const int64_t element =
        gather->counts != NULL ? gather->displs[rank] : rank * gather->received.count;
    part.address += element * part.elements.extent;
    return part;
}

/* A rank's own data to where the plan expects them. */
static int put_own(const struct gather *gather, char *data, MPI_Comm comm)
{
    const struct place own = part_of(gather, gather->rank);
    const bool dense = own.elements.dense;
    char *target = dense ? own.address : data + first_byte(gather, gather->rank);
    if (gather->in_place)
        return dense ? MPI_SUCCESS : pack(&own, target, false, comm);
    if (packed_bytes(&gather->sent) > packed_bytes(&own))
        return MPI_ERR_TRUNCATE;
    return pack(&gather->sent, target, false, comm);
}

static int run_gather(struct rb_call *call, struct gather *gather)
{
    const MPI_Comm comm = call->communicator->comm;
    const struct rb_layout layout = {.bytes = gather->bytes, .element = 1, .first = gather->first};
    const bool dense = gather->received.elements.dense;
    char *data = gather->received.address;
    if (!dense) {
        data = rb_scratch_reserve(&call->communicator->data, (size_t)gather->bytes);
        if (data == NULL)
            return MPI_ERR_NO_MEM;
    }
    int error = put_own(gather, data, comm);
    if (error == MPI_SUCCESS)
        error = rb_call_run(call, data, &layout, dense ? gather->displacement : NULL, MPI_BYTE,
                            MPI_OP_NULL);
    for (int i = 0; i < gather->p && error == MPI_SUCCESS && !dense; i++) {
        const struct place part = part_of(gather, i);
        if (i != gather->rank || !gather->in_place)
            error = pack(&part, data + first_byte(gather, i), true, comm);
    }
    return error;
}

/* Irregular counts, in bytes, as layouts want them. False: out of memory. */
static bool list_counts(struct rb_call *call, struct gather *gather)
{
    const size_t p = (size_t)gather->p;
    int64_t *room = rb_scratch_reserve(&call->communicator->counts, (2 * p + 1) * sizeof *room);
    if (room == NULL)
        return false;
    gather->first = room;
    gather->displacement = room + p + 1;
    gather->first[0] = 0;
    for (size_t i = 0; i < p; i++) {
        gather->first[i + 1] = gather->first[i] + gather->counts[i] * gather->received.size;
        gather->displacement[i] = gather->displs[i] * gather->received.elements.extent;
    }
    gather->bytes = gather->first[p];
    return true;
}

static bool counts_differ(const struct gather *gather)
{
    for (int i = 1; i < gather->p && gather->counts != NULL; i++)
        if (gather->counts[i] != gather->counts[0])
            return true;
    return false;
}

/* The gather's counts and displs are filled in already. */
static int plan_gather(struct rb_call *call, struct gather *gather, const void *sendbuf,
                       int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                       MPI_Datatype recvtype, MPI_Comm comm)
{
    gather->in_place = sendbuf == MPI_IN_PLACE;
    if (!rb_call_is_plain(comm, recvcount, recvtype) ||
        (!gather->in_place && !rb_call_is_plain(comm, sendcount, sendtype)))
        return MPI_SUCCESS;
    int error = rb_call_begin(call, comm);
    if (error == MPI_SUCCESS)
        error = place_of(recvbuf, recvtype, recvcount, &gather->received);
    if (error == MPI_SUCCESS && !gather->in_place) /* it is only read */
        error = place_of((void *)(uintptr_t)sendbuf, sendtype, sendcount, &gather->sent);
    if (error != MPI_SUCCESS)
        return error;
    gather->p = call->communicator->p;
    gather->rank = call->communicator->rank;
    gather->bytes = gather->p * packed_bytes(&gather->received);
    if (gather->counts != NULL && !list_counts(call, gather))
        return MPI_ERR_NO_MEM;
    const struct rb_situation situation = {.bytes = gather->bytes,
                                           .irregular = counts_differ(gather)};
    return rb_call_plan(call, RB_CALL_ALLGATHER, 0, &situation);
}

int RB_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                 int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    struct rb_call call = {0};
    struct gather gather = {0};
    const int error = plan_gather(&call, &gather, sendbuf, sendcount, sendtype, recvbuf, recvcount,
                                  recvtype, comm);
    if (error == MPI_SUCCESS && call.cached == NULL) {
        rb_call_fall_back(RB_CALL_ALLGATHER);
        return PMPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    }
    return rb_call_end(comm, error != MPI_SUCCESS ? error : run_gather(&call, &gather));
}

int RB_Allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                  const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm)
{
    struct rb_call call = {0};
    struct gather gather = {.counts = recvcounts, .displs = displs};
    const int error =
        plan_gather(&call, &gather, sendbuf, sendcount, sendtype, recvbuf, 0, recvtype, comm);
    if (error == MPI_SUCCESS && call.cached == NULL) {
        rb_call_fall_back(RB_CALL_ALLGATHER);
        return PMPI_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                               comm);
    }
    return rb_call_end(comm, error != MPI_SUCCESS ? error : run_gather(&call, &gather));
}
