/* list.h - the list of collectives for which the library has functions, and of these functions;
 * lines here register one. Their settings' variables, MPI's names for them in the library that is
 * preloaded, and Fortran's names there come from this list.
 *
 * Whoever includes this file defines two macros before. LIB_CALL(NAME, name) stands for a
 * collective: its number is LIB_CALL_NAME and its variable RB_NAME. LIB_FUNCTION(Name, name,
 * COLLECTIVE, arguments, key) stands for the function RB_Name, which serves MPI_Name of that
 * collective and is called `name` in Fortran. `arguments` applies a macro to each argument of the
 * function, by its kind and its name in the standard: IN and OUT are buffers; INT is a count or a
 * root; INTS, counts or displacements of all ranks; TYPE, OP and COMM, handles, of which COMM is
 * the last argument. `key` has those that determine the size and the kind of a call (shortcut.h).
 * The file has no guard, because it is included several times.
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
/* Turn the arguments of a function into its parameters in C, and into the values with which another
 * function of the same signature is called. */
#define LIB_PARAMETER(kind, name) LIB_PARAMETER_##kind(name)
#define LIB_PARAMETER_IN(name)    const void *name,
#define LIB_PARAMETER_OUT(name)   void *name,
#define LIB_PARAMETER_INT(name)   int name,
#define LIB_PARAMETER_INTS(name)  const int name[],
#define LIB_PARAMETER_TYPE(name)  MPI_Datatype name,
#define LIB_PARAMETER_OP(name)    MPI_Op name,
#define LIB_PARAMETER_COMM(name)  MPI_Comm name

#define LIB_VALUE(kind, name) LIB_VALUE_##kind(name)
#define LIB_VALUE_IN(name)    name,
#define LIB_VALUE_OUT(name)   name,
#define LIB_VALUE_INT(name)   name,
#define LIB_VALUE_INTS(name)  name,
#define LIB_VALUE_TYPE(name)  name,
#define LIB_VALUE_OP(name)    name,
#define LIB_VALUE_COMM(name)  name

#define LIB_KEY_MOVED     .type = datatype, .count = count
#define LIB_KEY_REDUCED   .type = datatype, .op = op, .count = count
#define LIB_KEY_RECEIVED  .type = recvtype, .count = recvcount
#define LIB_KEY_PARTS \
    .type = sendtype, .other_type = recvtype, .count = sendcount, .other_count = recvcount, .root = root

#define LIB_OF_BCAST(A) \
    A(OUT, buffer) A(INT, count) A(TYPE, datatype) A(INT, root) A(COMM, comm)
LIB_FUNCTION(Bcast, bcast, BCAST, LIB_OF_BCAST, LIB_KEY_MOVED)

#define LIB_OF_REDUCE(A) \
    A(IN, sendbuf) A(OUT, recvbuf) A(INT, count) A(TYPE, datatype) A(OP, op) A(INT, root) A(COMM, comm)
LIB_FUNCTION(Reduce, reduce, REDUCE, LIB_OF_REDUCE, LIB_KEY_REDUCED)

#define LIB_OF_ALLREDUCE(A) \
    A(IN, sendbuf) A(OUT, recvbuf) A(INT, count) A(TYPE, datatype) A(OP, op) A(COMM, comm)
LIB_FUNCTION(Allreduce, allreduce, ALLREDUCE, LIB_OF_ALLREDUCE, LIB_KEY_REDUCED)
LIB_FUNCTION(Scan, scan, SCAN, LIB_OF_ALLREDUCE, LIB_KEY_REDUCED)
LIB_FUNCTION(Exscan, exscan, EXSCAN, LIB_OF_ALLREDUCE, LIB_KEY_REDUCED)
LIB_FUNCTION(Reduce_scatter_block, reduce_scatter_block, REDUCE_SCATTER, LIB_OF_ALLREDUCE, LIB_KEY_REDUCED)

#define LIB_OF_REDUCE_SCATTER(A) \
    A(IN, sendbuf) A(OUT, recvbuf) A(INTS, recvcounts) A(TYPE, datatype) A(OP, op) A(COMM, comm)
#define LIB_KEY_REDUCE_SCATTER .type = datatype, .op = op, .counts = recvcounts
LIB_FUNCTION(Reduce_scatter, reduce_scatter, REDUCE_SCATTER, LIB_OF_REDUCE_SCATTER, LIB_KEY_REDUCE_SCATTER)

#define LIB_OF_ALLGATHER(A) \
    A(IN, sendbuf) A(INT, sendcount) A(TYPE, sendtype) \
    A(OUT, recvbuf) A(INT, recvcount) A(TYPE, recvtype) A(COMM, comm)
LIB_FUNCTION(Allgather, allgather, ALLGATHER, LIB_OF_ALLGATHER, LIB_KEY_RECEIVED)
LIB_FUNCTION(Alltoall, alltoall, ALLTOALL, LIB_OF_ALLGATHER, LIB_KEY_RECEIVED)

#define LIB_OF_ALLGATHERV(A) \
    A(IN, sendbuf) A(INT, sendcount) A(TYPE, sendtype) \
    A(OUT, recvbuf) A(INTS, recvcounts) A(INTS, displs) A(TYPE, recvtype) A(COMM, comm)
#define LIB_KEY_ALLGATHERV .type = recvtype, .counts = recvcounts
LIB_FUNCTION(Allgatherv, allgatherv, ALLGATHER, LIB_OF_ALLGATHERV, LIB_KEY_ALLGATHERV)

#define LIB_OF_ALLTOALLV(A) \
    A(IN, sendbuf) A(INTS, sendcounts) A(INTS, sdispls) A(TYPE, sendtype) \
    A(OUT, recvbuf) A(INTS, recvcounts) A(INTS, rdispls) A(TYPE, recvtype) A(COMM, comm)
#define LIB_KEY_ALLTOALLV .type = recvtype, .root = LIB_IRREGULAR
LIB_FUNCTION(Alltoallv, alltoallv, ALLTOALL, LIB_OF_ALLTOALLV, LIB_KEY_ALLTOALLV)

#define LIB_OF_SCATTER(A) \
    A(IN, sendbuf) A(INT, sendcount) A(TYPE, sendtype) \
    A(OUT, recvbuf) A(INT, recvcount) A(TYPE, recvtype) A(INT, root) A(COMM, comm)
LIB_FUNCTION(Scatter, scatter, SCATTER, LIB_OF_SCATTER, LIB_KEY_PARTS)
LIB_FUNCTION(Gather, gather, GATHER, LIB_OF_SCATTER, LIB_KEY_PARTS)
/* clang-format on */
