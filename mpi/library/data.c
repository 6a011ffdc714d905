/* data.c - see data.h.
 *
 * MPI_Pack serves but two cases: MPICH's refuses the address NULL, which MPI_BOTTOM is, and an
 * element may have more bytes than an int can count. Then the rank sends itself a message. */
#include "data.h"

int lib_data_of(const void *address, MPI_Datatype type, int64_t count, struct lib_data *data)
{
    *data = (struct lib_data){.address = (char *)(uintptr_t)address, .count = count};
    return exec_elements_of(type, MPI_OP_NULL, &data->elements);
}

/* A datatype of `bytes` packed bytes, more than LIB_PACKED_AT_ONCE. The caller frees it. */
static int make_packed(int64_t bytes, MPI_Datatype *type)
{
    const int64_t whole = bytes / LIB_PACKED_AT_ONCE;
    const int lengths[] = {(int)whole, (int)(bytes - whole * LIB_PACKED_AT_ONCE)};
    const MPI_Aint places[] = {0, (MPI_Aint)(whole * LIB_PACKED_AT_ONCE)};
    MPI_Datatype types[] = {MPI_DATATYPE_NULL, MPI_PACKED};
    int error = PMPI_Type_contiguous((int)LIB_PACKED_AT_ONCE, MPI_PACKED, &types[0]);
    if (error != MPI_SUCCESS)
        return error;
    error = PMPI_Type_create_struct(2, lengths, places, types, type);
    PMPI_Type_free(&types[0]);
    if (error != MPI_SUCCESS)
        return error;
    error = PMPI_Type_commit(type);
    if (error != MPI_SUCCESS)
        PMPI_Type_free(type);
    return error;
}

/* `count` elements at `address`, to or from `packed`. */
static int send_to_self(const struct lib_data *data, char *address, int count, char *packed,
                        bool unpack, const struct exec_self *self)
{
    const int64_t bytes = count * data->elements.size;
    const bool many = bytes > LIB_PACKED_AT_ONCE;
    MPI_Datatype type = MPI_PACKED;
    int error = many ? make_packed(bytes, &type) : MPI_SUCCESS;
    if (error != MPI_SUCCESS)
        return error;
    const int units = many ? 1 : (int)bytes;
    error = unpack
                ? PMPI_Sendrecv(packed, units, type, self->rank, self->tag, address, count,
                                data->elements.type, self->rank, self->tag, self->comm,
                                MPI_STATUS_IGNORE)
                : PMPI_Sendrecv(address, count, data->elements.type, self->rank, self->tag, packed,
                                units, type, self->rank, self->tag, self->comm, MPI_STATUS_IGNORE);
    if (many)
        PMPI_Type_free(&type);
    return error;
}

static int pack_some(const struct lib_data *data, char *address, int count, char *packed,
                     bool unpack, const struct exec_self *self)
{
    const int64_t bytes = count * data->elements.size;
    if (address == MPI_BOTTOM || bytes > LIB_PACKED_AT_ONCE)
        return send_to_self(data, address, count, packed, unpack, self);
    int position = 0;
    const int error = unpack ? PMPI_Unpack(packed, (int)bytes, &position, address, count,
                                           data->elements.type, self->comm)
                             : PMPI_Pack(address, count, data->elements.type, packed, (int)bytes,
                                         &position, self->comm);
    return error == MPI_SUCCESS && position != bytes ? MPI_ERR_INTERN : error;
}

static int pack(const struct lib_data *data, char *packed, bool unpack,
                const struct exec_self *self)
{
    const int64_t size = data->elements.size;
    const int64_t most = size == 0 ? 0 : size < LIB_PACKED_AT_ONCE ? LIB_PACKED_AT_ONCE / size : 1;
    for (int64_t left = size == 0 ? 0 : data->count; left > 0;) {
        const int now = (int)(left < most ? left : most);
        char *address = lib_data_at(data, data->count - left);
        const int error = pack_some(data, address, now, packed, unpack, self);
        if (error != MPI_SUCCESS)
            return error;
        packed += now * size;
        left -= now;
    }
    return MPI_SUCCESS;
}

int lib_data_pack(const struct lib_data *data, char *packed, const struct exec_self *self)
{
    return pack(data, packed, false, self);
}

int lib_data_unpack(const struct lib_data *data, char *packed, const struct exec_self *self)
{
    return pack(data, packed, true, self);
}
