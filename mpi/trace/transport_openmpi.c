/* transport_openmpi.c - Open MPI's messages (trace.h).
 *
 * Its blocking collectives (coll/base, tuned, basic, adapt) send and receive by the functions of
 * the chosen PML, the layer of point-to-point messages, whose addresses are in libmpi's table
 * mca_pml; its own component pml/monitoring replaces them in the same way. Persistent requests
 * (alltoall, linear) are noted where they are made: collectives start each of them once, at once.
 * Collectives by shared memory (coll/sm), and those that a network computes, pass no PML. */
#include <mpi.h>
#include <stdlib.h>

#include "trace.h"

/* The beginning of the table, which has been the same from Open MPI 1.0 to 5.0. Blocking functions
 * have a status instead of a request, or nothing. */
typedef int receive_function(void *buffer, size_t count, MPI_Datatype type, int source, int tag,
                             MPI_Comm comm, void *request);
typedef int send_function(const void *buffer, size_t count, MPI_Datatype type, int target, int tag,
                          int mode, MPI_Comm comm, void *request);
struct pml {
    void (*framework[6])(void);
    receive_function *receive_init, *receive, *blocking_receive;
    send_function *send_init, *send, *blocking_send;
};
extern struct pml mca_pml;

static struct pml library; /* the library's own functions */

static int world_rank(MPI_Comm comm, int rank)
{
    MPI_Group group, world;
    int result = rank;
    if (comm == MPI_COMM_WORLD || rank < 0)
        return rank;
    PMPI_Comm_group(comm, &group);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_translate_ranks(group, 1, &rank, world, &result);
    PMPI_Group_free(&group);
    PMPI_Group_free(&world);
    return result;
}

static void note(bool send, const void *buffer, size_t count, MPI_Datatype type, int peer, int tag,
                 MPI_Comm comm)
{
    int size = 0, packed = 0;
    if (!trace_is_on())
        return;
    PMPI_Type_size(type, &size);
    const size_t bytes = count * (size_t)size;
    void *contents = send && bytes <= INT32_MAX ? malloc(bytes + 1) : NULL;
    if (contents != NULL)
        PMPI_Pack(buffer, (int)count, type, contents, (int)bytes, &packed, comm);
    trace_message(send, world_rank(comm, peer), (uint32_t)tag, contents, bytes);
    free(contents);
}

#define RECEIVE(function)                                                                          \
    static int function(void *buffer, size_t count, MPI_Datatype type, int source, int tag,        \
                        MPI_Comm comm, void *request)                                              \
    {                                                                                              \
        note(false, buffer, count, type, source, tag, comm);                                       \
        return library.function(buffer, count, type, source, tag, comm, request);                  \
    }
#define SEND(function)                                                                             \
    static int function(const void *buffer, size_t count, MPI_Datatype type, int target, int tag,  \
                        int mode, MPI_Comm comm, void *request)                                    \
    {                                                                                              \
        note(true, buffer, count, type, target, tag, comm);                                        \
        return library.function(buffer, count, type, target, tag, mode, comm, request);            \
    }
RECEIVE(receive_init)
RECEIVE(receive)
RECEIVE(blocking_receive)
SEND(send_init)
SEND(send)
SEND(blocking_send)

void trace_transport_start(int ranks)
{
    (void)ranks;
    library = mca_pml;
    mca_pml.receive_init = receive_init;
    mca_pml.receive = receive;
    mca_pml.blocking_receive = blocking_receive;
    mca_pml.send_init = send_init;
    mca_pml.send = send;
    mca_pml.blocking_send = blocking_send;
}
