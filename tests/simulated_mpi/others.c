/* others.c - what only the recorder passes on. In collectives that it alone knows, all ranks meet
 * and no data move; those that are started are complete at any time. Fortran's functions call those
 * for C. */
#include <string.h>

#include "names.h"
#include "simulation.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

/* ---- Collectives ----------------------------------------------------------------------------- */

static int meet(MPI_Comm comm, const char *name)
{
    sm_meet(comm, name, "", 0);
    return sm_refused(comm);
}

#define RECORD_SERVED(name, fortran, arguments, rule)                                              \
    int PMPI_I##fortran(arguments(RECORD_C), MPI_Request *request)                                 \
    {                                                                                              \
        return sm_start_any(comm, false, request);                                                 \
    }                                                                                              \
    int PMPI_##name##_init(arguments(RECORD_C), MPI_Info info, MPI_Request *request)               \
    {                                                                                              \
        return sm_start_any(comm, true, request);                                                  \
    }
#define RECORD_COLLECTIVE(name, fortran, arguments, rule)                                          \
    int __attribute__((weak)) PMPI_##name(arguments(RECORD_C))                                     \
    {                                                                                              \
        return meet(comm, "MPI_" #name);                                                           \
    }                                                                                              \
    RECORD_SERVED(name, fortran, arguments, rule)
#include "mpi/record/list.h"
#undef RECORD_SERVED
#undef RECORD_COLLECTIVE

/* ---- Messages -------------------------------------------------------------------------------- */

#define SAME(name, arguments, as)                                                                  \
    int PMPI_##name(arguments(RECORD_C))                                                           \
    {                                                                                              \
        return as;                                                                                 \
    }
#define RECORD_SEND(name, fortran, arguments, part)
#define RECORD_OTHER(name, fortran, arguments, part)
#define RECORD_PERSISTENT(name, fortran, arguments)
#include "mpi/record/list.h"
#undef RECORD_SEND
#undef RECORD_OTHER
#undef RECORD_PERSISTENT
SAME(Bsend, RECORD_OF_SEND, PMPI_Send(buf, count, datatype, dest, tag, comm))
SAME(Ssend, RECORD_OF_SEND, PMPI_Send(buf, count, datatype, dest, tag, comm))
SAME(Rsend, RECORD_OF_SEND, PMPI_Send(buf, count, datatype, dest, tag, comm))
SAME(Ibsend, RECORD_OF_ISEND, PMPI_Isend(buf, count, datatype, dest, tag, comm, request))
SAME(Issend, RECORD_OF_ISEND, PMPI_Isend(buf, count, datatype, dest, tag, comm, request))
SAME(Irsend, RECORD_OF_ISEND, PMPI_Isend(buf, count, datatype, dest, tag, comm, request))
SAME(Bsend_init, RECORD_OF_ISEND, PMPI_Send_init(buf, count, datatype, dest, tag, comm, request))
SAME(Ssend_init, RECORD_OF_ISEND, PMPI_Send_init(buf, count, datatype, dest, tag, comm, request))
SAME(Rsend_init, RECORD_OF_ISEND, PMPI_Send_init(buf, count, datatype, dest, tag, comm, request))

static void *copy(const void *data, int count, MPI_Datatype type)
{
    const size_t bytes = (size_t)count * (size_t)sm_type_of(type)->extent;
    return memcpy(sm_memory(bytes), data, bytes);
}
SAME(Sendrecv_replace, RECORD_OF_REPLACE,
     PMPI_Sendrecv(copy(buf, count, datatype), count, datatype, dest, sendtag, buf, count, datatype,
                   source, recvtag, comm, status))

/* Complete with the receive: what is sent is copied. */
static int exchange(int sent, MPI_Request *request, void *buf, int count, MPI_Datatype type,
                    int from, int tag, MPI_Comm comm)
{
    const int error = sent != MPI_SUCCESS ? sent : PMPI_Request_free(request);
    return error != MPI_SUCCESS ? error : PMPI_Irecv(buf, count, type, from, tag, comm, request);
}
SAME(Isendrecv, RECORD_OF_ISENDRECV,
     exchange(PMPI_Isend(copy(sendbuf, sendcount, sendtype), sendcount, sendtype, dest, sendtag,
                         comm, request),
              request, recvbuf, recvcount, recvtype, source, recvtag, comm))
SAME(Isendrecv_replace, RECORD_OF_IREPLACE,
     exchange(PMPI_Isend(copy(buf, count, datatype), count, datatype, dest, sendtag, comm, request),
              request, buf, count, datatype, source, recvtag, comm))

/* A message that was found, of which a rank has one at a time. */
static struct {
    int from, tag;
    MPI_Comm comm;
} probed[SM_MOST_RANKS];

static int keep(int error, int source, int tag, MPI_Comm comm, MPI_Message *message)
{
    probed[sm_current].from = source;
    probed[sm_current].tag = tag;
    probed[sm_current].comm = comm;
    *message = 1;
    return error;
}
SAME(Mprobe, RECORD_OF_MPROBE,
     keep(PMPI_Probe(source, tag, comm, status), source, tag, comm, message))
SAME(Improbe, RECORD_OF_IMPROBE,
     keep(PMPI_Iprobe(source, tag, comm, flag, status), source, tag, comm, message))
SAME(Mrecv, RECORD_OF_MRECV,
     PMPI_Recv(buf, count, datatype, probed[sm_current].from, probed[sm_current].tag,
               probed[sm_current].comm, status))
SAME(Imrecv, RECORD_OF_IMRECV,
     PMPI_Irecv(buf, count, datatype, probed[sm_current].from, probed[sm_current].tag,
                probed[sm_current].comm, request))

/* ---- Fortran --------------------------------------------------------------------------------- */

/* clang-format off */
#define VALUE(kind, name)  VALUE_##kind(name)
#define VALUE_IN(x)        buffer_of(x),
#define VALUE_OUT(x)       buffer_of(x),
#define VALUE_INT(x)       *x,
#define VALUE_INTS(x)      x,
#define VALUE_TYPE(x)      *x,
#define VALUE_TYPES(x)     x,
#define VALUE_PLACES(x)    x,
#define VALUE_OP(x)        *x,
#define VALUE_COMM(x)      *x
#define VALUE_MCOMM(x)     *x,
#define VALUE_ONE(x)       x,
#define VALUE_ONE_(x)      x
#define VALUE_MREQUEST(x)  x,
#define VALUE_REQUEST(x)   x
#define VALUE_STATUS_(x)   x
#define VALUE_FLAG(x)      x,
#define VALUE_INDEX(x)     x,
#define VALUE_MESSAGE(x)   x,
/* clang-format on */

extern int mpi_fortran_in_place_;
static void *buffer_of(void *given)
{
    return given == &mpi_fortran_in_place_ ? MPI_IN_PLACE : given;
}

#define OPEN(...) __VA_ARGS__ /* takes the parentheses off */
#define FORTRAN(name, fortran, arguments, more, values)                                            \
    void pmpi_##fortran##_(arguments(RECORD_F) OPEN more, MPI_Fint *ierr);                         \
    void pmpi_##fortran##_(arguments(RECORD_F) OPEN more, MPI_Fint *ierr)                          \
    {                                                                                              \
        *ierr = PMPI_##name(arguments(VALUE) OPEN values);                                         \
    }
#define PLAIN(name, fortran, arguments) FORTRAN(name, fortran, arguments, (), ())
#define RECORD_SERVED(name, fortran, arguments, rule)                                              \
    FORTRAN(I##fortran, i##fortran, arguments, (, MPI_Fint * request), (, request))                \
    FORTRAN(name##_init, fortran##_init, arguments, (, MPI_Fint * info, MPI_Fint * request),       \
            (, *info, request))
#define RECORD_COLLECTIVE(name, fortran, arguments, rule)                                          \
    PLAIN(name, fortran, arguments)                                                                \
    RECORD_SERVED(name, fortran, arguments, rule)
#define RECORD_SEND(name, fortran, arguments, part)  PLAIN(name, fortran, arguments)
#define RECORD_OTHER(name, fortran, arguments, part) PLAIN(name, fortran, arguments)
#define RECORD_PERSISTENT(name, fortran, arguments)  PLAIN(name, fortran, arguments)
#define RECORD_WAIT(name, fortran, arguments)        PLAIN(name, fortran, arguments)
#define RECORD_START(name, fortran, arguments)       PLAIN(name, fortran, arguments)
#include "mpi/record/list.h"
