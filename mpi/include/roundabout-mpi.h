/* roundabout-mpi.h - collectives from Roundabout's plans, with MPI's own signatures and meaning.
 *
 * Call RB_Bcast where you would call MPI_Bcast; all of MPI's rules hold. The first call on
 * MPI_COMM_WORLD makes one private communicator, which carries the messages of all communicators
 * with ranks of MPI_COMM_WORLD; the first call on each of these agrees on tags by an MPI_Allreduce.
 * Before that, and with other ranks, a communicator gets a private one of its own; if MPI has none
 * left, its calls go to the MPI library. The MPI library's own collective serves calls that no plan
 * can serve, and RB_Fallbacks counts them: inter-communicators; operators that do not commute,
 * where the algorithm does not keep rank order; datatypes of negative extent in reductions;
 * Alltoallv by an algorithm that forwards data, on more than 128 ranks or where a few pairs have
 * far more than others; calls for which a setting says native; and calls without a setting, until
 * one of the plans has proved faster (RB_ONLINE, docs/mpi.md). Calls with wrong arguments also go
 * to the MPI library, which reports the error.
 *
 * Errors: MPI error codes, after the communicator's error handler was called. Threads may be in
 * these functions at once as MPI allows for the functions they stand for.
 *
 * Memory, besides memory that the rounds in flight bound: one copy of the data in Reduce (except at
 * the root), Reduce_scatter and Exscan; one copy in Bcast, Allgather, Alltoall and at the root of
 * Scatter and Gather unless the datatype is a predefined one without gaps; in Alltoall one copy of
 * a rank's data with MPI_IN_PLACE, and one if the algorithm forwards data; in Scatter and Gather,
 * at ranks other than the root, the parts that the algorithm forwards. All ranks must have the same
 * byte order and sizes of types.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef ROUNDABOUT_MPI_H
#define ROUNDABOUT_MPI_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

int RB_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm);
int RB_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
              int root, MPI_Comm comm);
int RB_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                 MPI_Comm comm);
int RB_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                 int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
int RB_Allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                  const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm);
int RB_Reduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[],
                      MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
int RB_Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount,
                            MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
int RB_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
int RB_Alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
                 MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[],
                 MPI_Datatype recvtype, MPI_Comm comm);
int RB_Scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
               int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
int RB_Gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
              int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
int RB_Scan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
            MPI_Comm comm);
int RB_Exscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
              MPI_Comm comm);

/* Sets the algorithm that serves a collective in this process from now on. Call it with the same
 * arguments at all ranks, and while no other thread is in a function above. collective: "bcast",
 * "reduce", "allgather" (both), "reduce-scatter" (both), "allreduce", "alltoall" (both), "scatter",
 * "gather", "scan", "exscan". setting: ALGORITHM[:n=N][,window=W], such as
 * "circulant:n=16,window=4"; n=F:50 stands for n = sqrt(m/4 q)/50, m the bytes of all data;
 * "native" for the MPI library's own; NULL: the decision file chooses, otherwise the online choice,
 * or the rules if RB_ONLINE is off. The environment's RB_BCAST, RB_REDUCE, RB_ALLGATHER,
 * RB_REDUCE_SCATTER, RB_ALLREDUCE, RB_ALLTOALL, RB_SCATTER, RB_GATHER, RB_SCAN and RB_EXSCAN set it
 * at the start, and RB_DECISIONS names a decision file for collectives without any other setting; a
 * mistake there is an error of the first call. Returns an MPI error code, whose string says what is
 * wrong until another call is refused; no error handler is called. */
int RB_Choose(const char *collective, const char *setting);

/* The number of calls of a collective (NULL: of all) in this process that went to the MPI library;
 * -1: there is no such collective. */
long long RB_Fallbacks(const char *collective);

#ifdef __cplusplus
}
#endif
#endif
