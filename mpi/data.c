/* data.c - see data.h. */
#include "data.h"

/* MPI_Pack counts bytes with int. */
#define PACKED_AT_ONCE ((int64_t)1 << 30)

int rb_data_of(void *address, MPI_Datatype type, int64_t count, struct rb_data *data)
{
    int size;
    *data = (struct rb_data){.address = address, .count = count};
    int error = rb_elements_of(type, MPI_OP_NULL, &data->elements);
    if (error == MPI_SUCCESS)
        error = PMPI_Type_size(type, &size);
    if (error == MPI_SUCCESS)
        data->size = size;
    return error;
}

static int pack(const struct rb_data *data, char *packed, bool unpack, MPI_Comm comm)
{
    const int64_t most = data->size == 0 ? data->count : PACKED_AT_ONCE / data->size + 1;
    char *address = data->address;
    for (int64_t done = 0; done < data->count;) {
        const int64_t left = data->count - done;
        const int now = (int)(left < most ? left : most);
        const int bytes = (int)(now * data->size);
        int position = 0;
        const int error =
            unpack ? PMPI_Unpack(packed, bytes, &position, address, now, data->elements.type, comm)
                   : PMPI_Pack(address, now, data->elements.type, packed, bytes, &position, comm);
        if (error != MPI_SUCCESS)
            return error;
        if (position != bytes)
            return MPI_ERR_INTERN;
        address += now * data->elements.extent;
        packed += bytes;
        done += now;
    }
    return MPI_SUCCESS;
}

int rb_data_pack(const struct rb_data *data, char *packed, MPI_Comm comm)
{
    return pack(data, packed, false, comm);
}

int rb_data_unpack(const struct rb_data *data, char *packed, MPI_Comm comm)
{
    return pack(data, packed, true, comm);
}
