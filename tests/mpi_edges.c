/* mpi_edges.c - what programs do with collectives at the edges of MPI's rules.
 *
 *   mpirun -n P mpi_edges
 *
 * Nothing to move, with NULL for a buffer; a collective called while MPI_Finalize deletes the
 * attributes of MPI_COMM_SELF; a profiling tool in the program, which must see the program's own
 * calls alone. Exit status 1 if one is not as MPI has it. */
#include <roundabout-mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- A profiling tool: it takes MPI's names, and counts -----------------------------------------
 */

static long long seen;

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    seen++;
    return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    seen++;
    return PMPI_Irecv(buffer, count, type, from, tag, comm, request);
}

int MPI_Comm_split(MPI_Comm comm, int colour, int order, MPI_Comm *made)
{
    seen++;
    return PMPI_Comm_split(comm, colour, order, made);
}

int MPI_Type_size(MPI_Datatype type, int *size)
{
    seen++;
    return PMPI_Type_size(type, size);
}

/* ---- Cases --------------------------------------------------------------------------------------
 */

static int wrong;

static void expect(int holds, const char *what)
{
    if (!holds) {
        int rank;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        fprintf(stderr, "rank %d: %s\n", rank, what);
        wrong = 1;
    }
}

static void move_nothing(MPI_Comm comm)
{
    expect(RB_Gather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, 0, comm) == MPI_SUCCESS,
           "RB_Gather of nothing");
    expect(RB_Scatter(NULL, 0, MPI_INT, NULL, 0, MPI_INT, 0, comm) == MPI_SUCCESS,
           "RB_Scatter of nothing");
    expect(RB_Bcast(NULL, 0, MPI_INT, 0, comm) == MPI_SUCCESS, "RB_Bcast of nothing");
    expect(RB_Allgather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, comm) == MPI_SUCCESS,
           "RB_Allgather of nothing");
    expect(RB_Alltoall(NULL, 0, MPI_INT, NULL, 0, MPI_INT, comm) == MPI_SUCCESS,
           "RB_Alltoall of nothing");
    expect(RB_Reduce(NULL, NULL, 0, MPI_INT, MPI_SUM, 0, comm) == MPI_SUCCESS,
           "RB_Reduce of nothing");
    expect(RB_Allreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS,
           "RB_Allreduce of nothing");
    expect(RB_Scan(NULL, NULL, 0, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS, "RB_Scan of nothing");
    expect(RB_Exscan(NULL, NULL, 0, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS, "RB_Exscan of nothing");
}

static void add_up(MPI_Comm comm)
{
    int rank, p, sum = -1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &p);
    expect(RB_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS &&
               sum == p * (p - 1) / 2,
           "RB_Allreduce");
}

/* As HDF5 does: MPI_Finalize calls this one after the library's own deleter, because it was set
 * before. */
static int at_the_end(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    add_up(MPI_COMM_WORLD);
    if (wrong)
        exit(1);
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int key;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_the_end, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    seen = 0;
    move_nothing(MPI_COMM_WORLD);
    add_up(MPI_COMM_WORLD);
    expect(seen == 0, "the library's own calls reach a profiling tool");
    MPI_Comm_free_keyval(&key);
    MPI_Finalize();
    return wrong;
}
