/* list.h - the collectives that the library has functions for, and these functions: all that there
 * is to registering one. Their settings' variables, MPI's names for them in the library that is
 * preloaded, and Fortran's names there come from this list.
 *
 * Whoever includes this says before what RB_CALL makes of a collective, which has a number
 * RB_CALL_NAME, a name and a variable RB_NAME; and what RB_FUNCTION makes of a function RB_Name,
 * which is called `name` in Fortran and has these arguments, of which each is made of by the macro
 * that they are given. So it has no guard. Kinds of arguments: IN and OUT, buffers; INT, a count or
 * root; INTS, counts or displacements of all ranks; TYPE, OP, COMM: handles. The last one is COMM.
 */

RB_CALL(BCAST, "bcast")
RB_CALL(REDUCE, "reduce")
RB_CALL(ALLGATHER, "allgather")
RB_CALL(REDUCE_SCATTER, "reduce-scatter")
RB_CALL(ALLREDUCE, "allreduce")
RB_CALL(ALLTOALL, "alltoall")
RB_CALL(SCATTER, "scatter")
RB_CALL(GATHER, "gather")
RB_CALL(SCAN, "scan")
RB_CALL(EXSCAN, "exscan")

/* clang-format off */
#define RB_OF_BCAST(A) \
    A(OUT, buffer) A(INT, count) A(TYPE, datatype) A(INT, root) A(COMM, comm)
RB_FUNCTION(Bcast, bcast, RB_OF_BCAST)

#define RB_OF_REDUCE(A) \
    A(IN, sendbuf) A(OUT, recvbuf) A(INT, count) A(TYPE, datatype) A(OP, op) A(INT, root) A(COMM, comm)
RB_FUNCTION(Reduce, reduce, RB_OF_REDUCE)

#define RB_OF_ALLREDUCE(A) \
    A(IN, sendbuf) A(OUT, recvbuf) A(INT, count) A(TYPE, datatype) A(OP, op) A(COMM, comm)
RB_FUNCTION(Allreduce, allreduce, RB_OF_ALLREDUCE)
RB_FUNCTION(Scan, scan, RB_OF_ALLREDUCE)
RB_FUNCTION(Exscan, exscan, RB_OF_ALLREDUCE)
RB_FUNCTION(Reduce_scatter_block, reduce_scatter_block, RB_OF_ALLREDUCE)

#define RB_OF_REDUCE_SCATTER(A) \
    A(IN, sendbuf) A(OUT, recvbuf) A(INTS, recvcounts) A(TYPE, datatype) A(OP, op) A(COMM, comm)
RB_FUNCTION(Reduce_scatter, reduce_scatter, RB_OF_REDUCE_SCATTER)

#define RB_OF_ALLGATHER(A) \
    A(IN, sendbuf) A(INT, sendcount) A(TYPE, sendtype) \
    A(OUT, recvbuf) A(INT, recvcount) A(TYPE, recvtype) A(COMM, comm)
RB_FUNCTION(Allgather, allgather, RB_OF_ALLGATHER)
RB_FUNCTION(Alltoall, alltoall, RB_OF_ALLGATHER)

#define RB_OF_ALLGATHERV(A) \
    A(IN, sendbuf) A(INT, sendcount) A(TYPE, sendtype) \
    A(OUT, recvbuf) A(INTS, recvcounts) A(INTS, displs) A(TYPE, recvtype) A(COMM, comm)
RB_FUNCTION(Allgatherv, allgatherv, RB_OF_ALLGATHERV)

#define RB_OF_ALLTOALLV(A) \
    A(IN, sendbuf) A(INTS, sendcounts) A(INTS, sdispls) A(TYPE, sendtype) \
    A(OUT, recvbuf) A(INTS, recvcounts) A(INTS, rdispls) A(TYPE, recvtype) A(COMM, comm)
RB_FUNCTION(Alltoallv, alltoallv, RB_OF_ALLTOALLV)

#define RB_OF_SCATTER(A) \
    A(IN, sendbuf) A(INT, sendcount) A(TYPE, sendtype) \
    A(OUT, recvbuf) A(INT, recvcount) A(TYPE, recvtype) A(INT, root) A(COMM, comm)
RB_FUNCTION(Scatter, scatter, RB_OF_SCATTER)
RB_FUNCTION(Gather, gather, RB_OF_SCATTER)
/* clang-format on */
