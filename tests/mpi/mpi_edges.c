/* mpi_edges.c - what programs do with collectives at the edges of MPI's rules.
 *
 *   mpirun -n P mpi_edges
 *
 * Nothing to move, with NULL for a buffer; data whose addresses count from MPI_BOTTOM; a collective
 * called while MPI_Finalize deletes the attributes of MPI_COMM_SELF; a profiling tool in the
 * program, which must see the program's own calls alone. Exit status 1 if one is not as MPI has it.
 */
#include <roundabout-mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- A profiling tool: it takes MPI's names, and counts -------------------------------------- */

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

/* ---- Cases ----------------------------------------------------------------------------------- */

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

/* One element that lies where `numbers` are, whatever address it is counted from. */
static MPI_Datatype numbers_at(int numbers[], int count)
{
    MPI_Aint place;
    MPI_Datatype absolute;
    MPI_Get_address(numbers, &place);
    MPI_Type_create_hindexed(1, &count, &place, MPI_INT, &absolute);
    MPI_Type_commit(&absolute);
    return absolute;
}

enum { SHARE = 3, MOST_RANKS = 32 };

/* Addresses that count from MPI_BOTTOM, on the side that sends and on the one that receives. */
static void move_from_bottom(MPI_Comm comm)
{
    int rank, p, mine[SHARE], theirs[SHARE * MOST_RANKS], count[MOST_RANKS], whole[MOST_RANKS];
    int first[MOST_RANKS] = {0}, same = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &p);
    MPI_Datatype own = numbers_at(mine, SHARE), all = numbers_at(theirs, p * SHARE);
    for (int i = 0; i < SHARE; i++)
        mine[i] = 10 * rank + i;
    for (int i = 0; i < p; i++) { /* in Alltoallv each rank has data for itself alone */
        count[i] = i == rank;
        whole[i] = i == rank ? SHARE : 0;
    }
    memset(theirs, -1, sizeof theirs);
    expect(RB_Allgather(MPI_BOTTOM, 1, own, theirs, SHARE, MPI_INT, comm) == MPI_SUCCESS,
           "RB_Allgather from MPI_BOTTOM");
    for (int i = 0; i < p * SHARE; i++)
        same = same && theirs[i] == i / SHARE * 10 + i % SHARE;
    expect(same, "RB_Allgather from MPI_BOTTOM: the data");
    memset(mine, -1, sizeof mine);
    expect(RB_Scatter(theirs, SHARE, MPI_INT, MPI_BOTTOM, 1, own, p - 1, comm) == MPI_SUCCESS &&
               mine[0] == 10 * rank && mine[SHARE - 1] == 10 * rank + SHARE - 1,
           "RB_Scatter to MPI_BOTTOM");
    memset(theirs, -1, sizeof theirs);
    expect(RB_Gather(MPI_BOTTOM, 1, own, theirs, SHARE, MPI_INT, 0, comm) == MPI_SUCCESS &&
               (rank != 0 || theirs[p * SHARE - 1] == 10 * (p - 1) + SHARE - 1),
           "RB_Gather from MPI_BOTTOM");
    expect(RB_Bcast(MPI_BOTTOM, 1, all, 0, comm) == MPI_SUCCESS && theirs[0] == 0 &&
               theirs[p * SHARE - 1] == 10 * (p - 1) + SHARE - 1,
           "RB_Bcast at MPI_BOTTOM");
    memset(theirs, -1, sizeof theirs);
    expect(RB_Alltoallv(MPI_BOTTOM, count, first, own, theirs, whole, first, MPI_INT, comm) ==
                   MPI_SUCCESS &&
               theirs[0] == 10 * rank && theirs[SHARE - 1] == 10 * rank + SHARE - 1,
           "RB_Alltoallv from MPI_BOTTOM");
    MPI_Type_free(&own);
    MPI_Type_free(&all);
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
    move_from_bottom(MPI_COMM_WORLD);
    expect(seen == 0, "the library's own calls reach a profiling tool");
    MPI_Comm_free_keyval(&key);
    MPI_Finalize();
    return wrong;
}
