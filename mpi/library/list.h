/* list.h - the list of collectives for which the library has functions, and of these functions;
 * lines here register one. Their settings' variables, MPI's names for them in the library that is
 * preloaded, and Fortran's names there come from this list.
 *
 * Whoever includes this says before what LIB_CALL makes of a collective, which has a number
 * LIB_CALL_NAME, a name and a variable RB_NAME; and what LIB_FUNCTION makes of a function RB_Name,
 * which is called `name` in Fortran and has these arguments, of which each is made of by the macro
 * that they are given. So it has no guard. Kinds of arguments: IN and OUT, buffers; INT, a count or
 * root; INTS, counts or displacements of all ranks; TYPE, OP, COMM: handles. The last one is COMM.
 */

LIB_CALL(BCAST, "bcast")
LIB_CALL(REDUCE, "reduce")
LIB_CALL(ALLGATHER, "allgather")
LIB_CALL(REDUCE_SCATTER, "reduce-scatter")
LIB_CALL(ALLREDUCE, "allreduce")
LIB_CALL(ALLTOALL, "alltoall")
LIB_CALL(SCATTER, "scatter")
LIB_CALL(GATHER, "gather")
LIB_CALL(SCAN, "scan")
LIB_CALL(EXSCAN, "exscan")

/* clang-format off */
#define LIB_OF_BCAST(A) \
    A(OUT, buffer) A(INT, count) A(TYPE, datatype) A(INT, root) A(COMM, comm)
LIB_FUNCTION(Bcast, bcast, LIB_OF_BCAST)

#define LIB_OF_REDUCE(A) \
    A(IN, sendbuf) A(OUT, recvbuf) A(INT, count) A(TYPE, datatype) A(OP, op) A(INT, root) A(COMM, comm)
LIB_FUNCTION(Reduce, reduce, LIB_OF_REDUCE)

#define LIB_OF_ALLREDUCE(A) \
    A(IN, sendbuf) A(OUT, recvbuf) A(INT, count) A(TYPE, datatype) A(OP, op) A(COMM, comm)
LIB_FUNCTION(Allreduce, allreduce, LIB_OF_ALLREDUCE)
LIB_FUNCTION(Scan, scan, LIB_OF_ALLREDUCE)
LIB_FUNCTION(Exscan, exscan, LIB_OF_ALLREDUCE)
LIB_FUNCTION(Reduce_scatter_block, reduce_scatter_block, LIB_OF_ALLREDUCE)

#define LIB_OF_REDUCE_SCATTER(A) \
    A(IN, sendbuf) A(OUT, recvbuf) A(INTS, recvcounts) A(TYPE, datatype) A(OP, op) A(COMM, comm)
LIB_FUNCTION(Reduce_scatter, reduce_scatter, LIB_OF_REDUCE_SCATTER)

#define LIB_OF_ALLGATHER(A) \
    A(IN, sendbuf) A(INT, sendcount) A(TYPE, sendtype) \
    A(OUT, recvbuf) A(INT, recvcount) A(TYPE, recvtype) A(COMM, comm)
LIB_FUNCTION(Allgather, allgather, LIB_OF_ALLGATHER)
LIB_FUNCTION(Alltoall, alltoall, LIB_OF_ALLGATHER)

#define LIB_OF_ALLGATHERV(A) \
    A(IN, sendbuf) A(INT, sendcount) A(TYPE, sendtype) \
    A(OUT, recvbuf) A(INTS, recvcounts) A(INTS, displs) A(TYPE, recvtype) A(COMM, comm)
LIB_FUNCTION(Allgatherv, allgatherv, LIB_OF_ALLGATHERV)

#define LIB_OF_ALLTOALLV(A) \
    A(IN, sendbuf) A(INTS, sendcounts) A(INTS, sdispls) A(TYPE, sendtype) \
    A(OUT, recvbuf) A(INTS, recvcounts) A(INTS, rdispls) A(TYPE, recvtype) A(COMM, comm)
LIB_FUNCTION(Alltoallv, alltoallv, LIB_OF_ALLTOALLV)

#define LIB_OF_SCATTER(A) \
    A(IN, sendbuf) A(INT, sendcount) A(TYPE, sendtype) \
    A(OUT, recvbuf) A(INT, recvcount) A(TYPE, recvtype) A(INT, root) A(COMM, comm)
LIB_FUNCTION(Scatter, scatter, LIB_OF_SCATTER)
LIB_FUNCTION(Gather, gather, LIB_OF_SCATTER)
/* clang-format on */
