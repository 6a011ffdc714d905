/* mpi_count.c - a library to preload that counts what a program calls, apart from all of
 * Roundabout's code: calls of collectives, the bytes of all their data, the communicators that
 * were used, and messages sent. When MPI ends, rank 0 prints the sums of all ranks. */
#include <mpi.h>
#include <stdio.h>

static long long calls, bytes, communicators, messages;
static int key = MPI_KEYVAL_INVALID;
static struct persistent {
    MPI_Request request;
    long long bytes; /* -1: a message */
} persistent[100];
static int persistents;

static int size_of(MPI_Datatype type)
{
    int size;
    PMPI_Type_size(type, &size);
    return size;
}

/* A communicator's first rank speaks for all. */
static int leads(MPI_Comm comm)
{
    int rank, seen;
    void *value;
    if (key == MPI_KEYVAL_INVALID)
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_get_attr(comm, key, &value, &seen);
    if (!seen) {
        PMPI_Comm_set_attr(comm, key, &calls);
        communicators += rank == 0;
    }
    return rank == 0;
}

static int inter(MPI_Comm comm)
{
    int is;
    PMPI_Comm_test_inter(comm, &is);
    return is;
}

static void count(MPI_Comm comm, long long all)
{
    if (inter(comm))
        return;
    calls++;
    bytes += leads(comm) ? all : 0;
}

static long long size(MPI_Comm comm)
{
    int p;
    PMPI_Comm_size(comm, &p);
    return p;
}

static long long sum(const int n[], long long p)
{
    long long all = 0;
    for (long long i = 0; i < p; i++)
        all += n[i];
    return all;
}

#define B(n, type) ((long long)(n)*size_of(type))
int MPI_Barrier(MPI_Comm c)
{
    count(c, 0);
    return PMPI_Barrier(c);
}
int MPI_Bcast(void *b, int n, MPI_Datatype t, int r, MPI_Comm c)
{
    count(c, B(n, t));
    return PMPI_Bcast(b, n, t, r, c);
}
int MPI_Ibcast(void *b, int n, MPI_Datatype t, int r, MPI_Comm c, MPI_Request *q)
{
    count(c, B(n, t));
    return PMPI_Ibcast(b, n, t, r, c, q);
}
int MPI_Reduce(const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, int r, MPI_Comm c)
{
    count(c, B(n, t));
    return PMPI_Reduce(a, b, n, t, o, r, c);
}
int MPI_Allreduce(const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c)
{
    count(c, B(n, t));
    return PMPI_Allreduce(a, b, n, t, o, c);
}
int MPI_Scan(const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c)
{
    count(c, B(n, t));
    return PMPI_Scan(a, b, n, t, o, c);
}
int MPI_Exscan(const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c)
{
    count(c, B(n, t));
    return PMPI_Exscan(a, b, n, t, o, c);
}
int MPI_Gather(const void *a, int n, MPI_Datatype t, void *b, int m, MPI_Datatype u, int r,
               MPI_Comm c)
{
    int rank;
    PMPI_Comm_rank(c, &rank);
    count(c, (rank == r ? B(m, u) : B(n, t)) * size(c));
    return PMPI_Gather(a, n, t, b, m, u, r, c);
}
int MPI_Reduce_scatter(const void *a, void *b, const int n[], MPI_Datatype t, MPI_Op o, MPI_Comm c)
{
    count(c, B(sum(n, size(c)), t));
    return PMPI_Reduce_scatter(a, b, n, t, o, c);
}
int MPI_Allgather(const void *a, int n, MPI_Datatype t, void *b, int m, MPI_Datatype u, MPI_Comm c)
{
    count(c, B(m, u) * size(c));
    return PMPI_Allgather(a, n, t, b, m, u, c);
}
int MPI_Allgatherv(const void *a, int n, MPI_Datatype t, void *b, const int m[], const int d[],
                   MPI_Datatype u, MPI_Comm c)
{
    count(c, B(sum(m, size(c)), u));
    return PMPI_Allgatherv(a, n, t, b, m, d, u, c);
}
int MPI_Alltoall(const void *a, int n, MPI_Datatype t, void *b, int m, MPI_Datatype u, MPI_Comm c)
{
    count(c, B(m, u) * size(c) * size(c));
    return PMPI_Alltoall(a, n, t, b, m, u, c);
}
int MPI_Scatter(const void *a, int n, MPI_Datatype t, void *b, int m, MPI_Datatype u, int r,
                MPI_Comm c)
{
    int rank;
    PMPI_Comm_rank(c, &rank);
    count(c, (rank == r ? B(n, t) : B(m, u)) * size(c));
    return PMPI_Scatter(a, n, t, b, m, u, r, c);
}
int MPI_Gatherv(const void *a, int n, MPI_Datatype t, void *b, const int m[], const int d[],
                MPI_Datatype u, int r, MPI_Comm c)
{
    count(c, 0);
    bytes += B(n, t);
    return PMPI_Gatherv(a, n, t, b, m, d, u, r, c);
}
int MPI_Alltoallv(const void *a, const int n[], const int e[], MPI_Datatype t, void *b,
                  const int m[], const int d[], MPI_Datatype u, MPI_Comm c)
{
    count(c, 0);
    bytes += B(sum(n, size(c)), t);
    return PMPI_Alltoallv(a, n, e, t, b, m, d, u, c);
}
#if MPI_VERSION >= 4
static int place_of(MPI_Request request)
{
    int i = 0;
    while (i < persistents && persistent[i].request != request)
        i++;
    return i;
}
/* Its handle is given again. */
int MPI_Request_free(MPI_Request *q)
{
    const int i = place_of(*q);
    if (i < persistents)
        persistent[i] = persistent[--persistents];
    return PMPI_Request_free(q);
}
int MPI_Allreduce_init(const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c,
                       MPI_Info i, MPI_Request *q)
{
    const int error = PMPI_Allreduce_init(a, b, n, t, o, c, i, q);
    persistent[persistents++] = (struct persistent){*q, leads(c) ? B(n, t) : 0};
    return error;
}
int MPI_Psend_init(const void *b, int parts, MPI_Count n, MPI_Datatype t, int to, int tag,
                   MPI_Comm c, MPI_Info i, MPI_Request *q)
{
    const int error = PMPI_Psend_init(b, parts, n, t, to, tag, c, i, q);
    leads(c);
    persistent[persistents++] = (struct persistent){*q, -1};
    return error;
}
int MPI_Isendrecv(const void *b, int n, MPI_Datatype t, int to, int tag, void *d, int m,
                  MPI_Datatype u, int from, int tag_2, MPI_Comm c, MPI_Request *q)
{
    leads(c);
    messages += to != MPI_PROC_NULL;
    return PMPI_Isendrecv(b, n, t, to, tag, d, m, u, from, tag_2, c, q);
}
int MPI_Start(MPI_Request *q)
{
    const int i = place_of(*q);
    if (i < persistents && persistent[i].bytes < 0) {
        messages++;
    } else if (i < persistents) {
        calls++;
        bytes += persistent[i].bytes;
    }
    return PMPI_Start(q);
}
#endif

int MPI_Send(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c)
{
    leads(c);
    messages += to != MPI_PROC_NULL;
    return PMPI_Send(b, n, t, to, tag, c);
}
int MPI_Isend(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request *q)
{
    leads(c);
    messages += to != MPI_PROC_NULL;
    return PMPI_Isend(b, n, t, to, tag, c, q);
}
int MPI_Sendrecv(const void *b, int n, MPI_Datatype t, int to, int tag, void *d, int m,
                 MPI_Datatype u, int from, int tag_2, MPI_Comm c, MPI_Status *s)
{
    leads(c);
    messages += to != MPI_PROC_NULL;
    return PMPI_Sendrecv(b, n, t, to, tag, d, m, u, from, tag_2, c, s);
}

int MPI_Finalize(void)
{
    int rank;
    leads(MPI_COMM_WORLD);
    const long long here[] = {calls, bytes, communicators, messages};
    long long all[4];
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Reduce(here, all, 4, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("counted: %lld calls of collectives, %lld bytes, on %lld communicators; %lld "
               "messages\n",
               all[0], all[1], all[2], all[3]);
    return PMPI_Finalize();
}
