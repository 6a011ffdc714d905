/* record_large.c - the calls of record_calls.c with large counts, such as MPI_Send_c, and messages
 * in parts, where the MPI library has them. */
#define _POSIX_C_SOURCE 200809L

#include <mpi.h>

#if MPI_VERSION >= 4
#include "mpi/record/record.h" /* all collectives have numbers */
#define RECORD_LARGE
#define FORM        .is_large = true
#define NAMED(name) name##_c

/* Of an argument that is an int, or an array of such, in the other calls. */
#undef RECORD_INT
#define RECORD_INT(x)         RECORD_INT_##x
#define RECORD_INT_count      MPI_Count
#define RECORD_INT_sendcount  MPI_Count
#define RECORD_INT_recvcount  MPI_Count
#define RECORD_INT_sendcounts MPI_Count
#define RECORD_INT_recvcounts MPI_Count
#define RECORD_INT_displs     MPI_Aint
#define RECORD_INT_sdispls    MPI_Aint
#define RECORD_INT_rdispls    MPI_Aint
#define RECORD_INT_root       int
#define RECORD_INT_dest       int
#define RECORD_INT_source     int
#define RECORD_INT_tag        int
#define RECORD_INT_sendtag    int
#define RECORD_INT_recvtag    int

#include "mpi/record/record_calls.c"

/* ---- Messages in parts ----------------------------------------------------------------------- */

/* clang-format off */
#define RECORD_INT_partitions int
#define RECORD_KIND_NUMBER(A, x) A(int x, , x, MORE, )
#define RECORD_KIND_INFO(A, x) A(MPI_Info x, , x, MORE, )
#define RECORD_KIND_READY_(A, x) A(MPI_Request x, , x, LAST, )
#define RECORD_OF_PSEND(A) \
    A(IN, buf) A(INT, partitions) A(INT, count) A(TYPE, datatype) A(INT, dest) A(INT, tag) \
    A(MCOMM, comm) A(INFO, info) A(REQUEST, request)
#define RECORD_OF_PREADY(A) A(NUMBER, partition) A(READY_, request)
#define RECORD_OF_PREADY_RANGE(A) A(NUMBER, low) A(NUMBER, high) A(READY_, request)
/* clang-format on */

#undef NAMED
#define NAMED(name) name /* their counts are large as they are */
RECORD_PERSISTENT(Psend_init, psend_init, RECORD_OF_PSEND)
RECORD_OTHER(Pready, pready, RECORD_OF_PREADY, 0)
RECORD_OTHER(Pready_range, pready_range, RECORD_OF_PREADY_RANGE, 0)
#endif
