/* list.h - the calls that are recorded, in C and in Fortran; a line here registers one.
 *
 * Whoever includes this file defines RECORD_COLLECTIVE(Name, name, arguments, rule), of which the
 * started and the persistent form are recorded too. `arguments` applies a macro to each argument
 * (mpi/library/list.h, which must be included before); `rule` says how bytes are counted (enum
 * record_rule). RECORD_SERVED is the same for collectives that the library has plans for;
 * RECORD_SEND and RECORD_OTHER(Name, name, arguments, part) are messages from this rank and
 * other calls for messages, RECORD_WAIT(Name, name, arguments) calls that complete requests. Kinds
 * of arguments besides those of mpi/library/list.h: MCOMM, MREQUEST and ONE, a single request,
 * which are not the last; FLAG, INDEX, MESSAGE, TYPES and PLACES, which are passed on; and as last
 * ones STATUS_, REQUEST and ONE_. With RECORD_LARGE it has the calls that MPI 4 also has with large
 * counts. No guard: it is included several times. */

/* clang-format off */
#define RECORD_OF_BARRIER(A) A(COMM, comm)
#define RECORD_OF_GATHERV(A) \
    A(IN, sendbuf) A(INT, sendcount) A(TYPE, sendtype) A(OUT, recvbuf) \
    A(INTS, recvcounts) A(INTS, displs) A(TYPE, recvtype) A(INT, root) A(COMM, comm)
#define RECORD_OF_SCATTERV(A) \
    A(IN, sendbuf) A(INTS, sendcounts) A(INTS, displs) A(TYPE, sendtype) A(OUT, recvbuf) \
    A(INT, recvcount) A(TYPE, recvtype) A(INT, root) A(COMM, comm)
#define RECORD_OF_ALLTOALLW(A) \
    A(IN, sendbuf) A(INTS, sendcounts) A(INTS, sdispls) A(TYPES, sendtypes) \
    A(OUT, recvbuf) A(INTS, recvcounts) A(INTS, rdispls) A(TYPES, recvtypes) A(COMM, comm)
#define RECORD_OF_NEIGHBORW(A) \
    A(IN, sendbuf) A(INTS, sendcounts) A(PLACES, sdispls) A(TYPES, sendtypes) \
    A(OUT, recvbuf) A(INTS, recvcounts) A(PLACES, rdispls) A(TYPES, recvtypes) A(COMM, comm)

#ifdef RECORD_COLLECTIVE
RECORD_SERVED(Bcast, bcast, LIB_OF_BCAST, RECORD_WHOLE)
RECORD_SERVED(Reduce, reduce, LIB_OF_REDUCE, RECORD_WHOLE)
RECORD_SERVED(Allreduce, allreduce, LIB_OF_ALLREDUCE, RECORD_WHOLE)
RECORD_SERVED(Scan, scan, LIB_OF_ALLREDUCE, RECORD_WHOLE)
RECORD_SERVED(Exscan, exscan, LIB_OF_ALLREDUCE, RECORD_WHOLE)
RECORD_SERVED(Reduce_scatter_block, reduce_scatter_block, LIB_OF_ALLREDUCE, RECORD_PARTS)
RECORD_SERVED(Reduce_scatter, reduce_scatter, LIB_OF_REDUCE_SCATTER, RECORD_SUMMED)
RECORD_SERVED(Allgather, allgather, LIB_OF_ALLGATHER, RECORD_RECEIVED)
RECORD_SERVED(Allgatherv, allgatherv, LIB_OF_ALLGATHERV, RECORD_SUMMED)
RECORD_SERVED(Alltoall, alltoall, LIB_OF_ALLGATHER, RECORD_PAIRS)
RECORD_SERVED(Alltoallv, alltoallv, LIB_OF_ALLTOALLV, RECORD_SENT)
RECORD_SERVED(Scatter, scatter, LIB_OF_SCATTER, RECORD_SCATTERED)
RECORD_SERVED(Gather, gather, LIB_OF_SCATTER, RECORD_GATHERED)
#ifndef RECORD_LARGE
RECORD_COLLECTIVE(Barrier, barrier, RECORD_OF_BARRIER, RECORD_NOTHING)
#endif
RECORD_COLLECTIVE(Gatherv, gatherv, RECORD_OF_GATHERV, RECORD_GIVEN)
RECORD_COLLECTIVE(Scatterv, scatterv, RECORD_OF_SCATTERV, RECORD_TAKEN)
RECORD_COLLECTIVE(Alltoallw, alltoallw, RECORD_OF_ALLTOALLW, RECORD_SENT)
RECORD_COLLECTIVE(Neighbor_allgather, neighbor_allgather, LIB_OF_ALLGATHER, RECORD_NEIGHBOURS)
RECORD_COLLECTIVE(Neighbor_allgatherv, neighbor_allgatherv, LIB_OF_ALLGATHERV, RECORD_NEIGHBOURS)
RECORD_COLLECTIVE(Neighbor_alltoall, neighbor_alltoall, LIB_OF_ALLGATHER, RECORD_NEIGHBOURS)
RECORD_COLLECTIVE(Neighbor_alltoallv, neighbor_alltoallv, LIB_OF_ALLTOALLV, RECORD_NEIGHBOURS)
RECORD_COLLECTIVE(Neighbor_alltoallw, neighbor_alltoallw, RECORD_OF_NEIGHBORW, RECORD_NEIGHBOURS)
#endif

#ifdef RECORD_SEND
#define RECORD_OF_SEND(A) \
    A(IN, buf) A(INT, count) A(TYPE, datatype) A(INT, dest) A(INT, tag) A(COMM, comm)
#define RECORD_OF_ISEND(A) \
    A(IN, buf) A(INT, count) A(TYPE, datatype) A(INT, dest) A(INT, tag) A(MCOMM, comm) A(REQUEST, request)
#define RECORD_OF_RECV(A) \
    A(OUT, buf) A(INT, count) A(TYPE, datatype) A(INT, source) A(INT, tag) A(MCOMM, comm) A(STATUS_, status)
#define RECORD_OF_IRECV(A) \
    A(OUT, buf) A(INT, count) A(TYPE, datatype) A(INT, source) A(INT, tag) A(MCOMM, comm) A(REQUEST, request)
#define RECORD_OF_EXCHANGE(A) \
    A(IN, sendbuf) A(INT, sendcount) A(TYPE, sendtype) A(INT, dest) A(INT, sendtag) \
    A(OUT, recvbuf) A(INT, recvcount) A(TYPE, recvtype) A(INT, source) A(INT, recvtag) \
    A(MCOMM, comm)
#define RECORD_OF_EXCHANGE_IN_PLACE(A) \
    A(OUT, buf) A(INT, count) A(TYPE, datatype) A(INT, dest) A(INT, sendtag) A(INT, source) \
    A(INT, recvtag) A(MCOMM, comm)
#define RECORD_OF_SENDRECV(A) RECORD_OF_EXCHANGE(A) A(STATUS_, status)
#define RECORD_OF_REPLACE(A) RECORD_OF_EXCHANGE_IN_PLACE(A) A(STATUS_, status)
#define RECORD_OF_ISENDRECV(A) RECORD_OF_EXCHANGE(A) A(REQUEST, request)
#define RECORD_OF_IREPLACE(A) RECORD_OF_EXCHANGE_IN_PLACE(A) A(REQUEST, request)
#define RECORD_OF_PROBE(A) A(INT, source) A(INT, tag) A(MCOMM, comm) A(STATUS_, status)
#define RECORD_OF_IPROBE(A) A(INT, source) A(INT, tag) A(MCOMM, comm) A(FLAG, flag) A(STATUS_, status)
#define RECORD_OF_MPROBE(A) A(INT, source) A(INT, tag) A(MCOMM, comm) A(MESSAGE, message) A(STATUS_, status)
#define RECORD_OF_IMPROBE(A) \
    A(INT, source) A(INT, tag) A(MCOMM, comm) A(FLAG, flag) A(MESSAGE, message) A(STATUS_, status)
#define RECORD_OF_MRECV(A) A(OUT, buf) A(INT, count) A(TYPE, datatype) A(MESSAGE, message) A(STATUS_, status)
#define RECORD_OF_IMRECV(A) A(OUT, buf) A(INT, count) A(TYPE, datatype) A(MESSAGE, message) A(REQUEST, request)
RECORD_SEND(Send, send, RECORD_OF_SEND, RECORD_POSTS)
RECORD_SEND(Bsend, bsend, RECORD_OF_SEND, RECORD_POSTS)
RECORD_SEND(Ssend, ssend, RECORD_OF_SEND, RECORD_POSTS)
RECORD_SEND(Rsend, rsend, RECORD_OF_SEND, RECORD_POSTS)
RECORD_SEND(Isend, isend, RECORD_OF_ISEND, RECORD_POSTS)
RECORD_SEND(Ibsend, ibsend, RECORD_OF_ISEND, RECORD_POSTS)
RECORD_SEND(Issend, issend, RECORD_OF_ISEND, RECORD_POSTS)
RECORD_SEND(Irsend, irsend, RECORD_OF_ISEND, RECORD_POSTS)
RECORD_SEND(Sendrecv, sendrecv, RECORD_OF_SENDRECV, RECORD_POSTS | RECORD_COMPLETES)
RECORD_SEND(Sendrecv_replace, sendrecv_replace, RECORD_OF_REPLACE, RECORD_POSTS | RECORD_COMPLETES)
RECORD_PERSISTENT(Send_init, send_init, RECORD_OF_ISEND)
RECORD_PERSISTENT(Bsend_init, bsend_init, RECORD_OF_ISEND)
RECORD_PERSISTENT(Ssend_init, ssend_init, RECORD_OF_ISEND)
RECORD_PERSISTENT(Rsend_init, rsend_init, RECORD_OF_ISEND)
RECORD_OTHER(Recv, recv, RECORD_OF_RECV, RECORD_COMPLETES)
RECORD_OTHER(Irecv, irecv, RECORD_OF_IRECV, RECORD_POSTS)
RECORD_OTHER(Mrecv, mrecv, RECORD_OF_MRECV, RECORD_COMPLETES)
RECORD_OTHER(Imrecv, imrecv, RECORD_OF_IMRECV, RECORD_POSTS)
#ifndef RECORD_LARGE
RECORD_OTHER(Probe, probe, RECORD_OF_PROBE, RECORD_COMPLETES)
RECORD_OTHER(Iprobe, iprobe, RECORD_OF_IPROBE, 0)
RECORD_OTHER(Mprobe, mprobe, RECORD_OF_MPROBE, RECORD_COMPLETES)
RECORD_OTHER(Improbe, improbe, RECORD_OF_IMPROBE, 0)
#endif
#if MPI_VERSION >= 4
RECORD_SEND(Isendrecv, isendrecv, RECORD_OF_ISENDRECV, RECORD_POSTS)
RECORD_SEND(Isendrecv_replace, isendrecv_replace, RECORD_OF_IREPLACE, RECORD_POSTS)
#endif
#endif

#ifdef RECORD_WAIT
#define RECORD_OF_WAIT(A) A(ONE, request) A(STATUS_, status)
#define RECORD_OF_WAITALL(A) A(INT, count) A(MREQUEST, request) A(STATUS_, statuses)
#define RECORD_OF_WAITANY(A) A(INT, count) A(MREQUEST, request) A(INDEX, index) A(STATUS_, status)
#define RECORD_OF_WAITSOME(A) \
    A(INT, count) A(MREQUEST, request) A(INDEX, outcount) A(INDEX, indices) A(STATUS_, statuses)
#define RECORD_OF_TEST(A) A(ONE, request) A(FLAG, flag) A(STATUS_, status)
#define RECORD_OF_TESTALL(A) A(INT, count) A(MREQUEST, request) A(FLAG, flag) A(STATUS_, statuses)
#define RECORD_OF_TESTANY(A) \
    A(INT, count) A(MREQUEST, request) A(INDEX, index) A(FLAG, flag) A(STATUS_, status)
#define RECORD_OF_START(A) A(ONE_, request)
#define RECORD_OF_STARTALL(A) A(INT, count) A(REQUEST, request)
RECORD_WAIT(Wait, wait, RECORD_OF_WAIT)
RECORD_WAIT(Waitall, waitall, RECORD_OF_WAITALL)
RECORD_WAIT(Waitany, waitany, RECORD_OF_WAITANY)
RECORD_WAIT(Waitsome, waitsome, RECORD_OF_WAITSOME)
RECORD_WAIT(Test, test, RECORD_OF_TEST)
RECORD_WAIT(Testall, testall, RECORD_OF_TESTALL)
RECORD_WAIT(Testany, testany, RECORD_OF_TESTANY)
RECORD_WAIT(Testsome, testsome, RECORD_OF_WAITSOME)
RECORD_WAIT(Request_free, request_free, RECORD_OF_START)
RECORD_START(Start, start, RECORD_OF_START)
RECORD_START(Startall, startall, RECORD_OF_STARTALL)
#endif
/* clang-format on */
