/* mpi.h - the simulated MPI: what mpi/ calls, but for mpi/trace, for p ranks in one process.
 * Handles are numbers that are never given twice in a case, so a stale one is found. It has MPICH's
 * quirk of world_handler.h. */
#ifndef SIMULATED_MPI_H
#define SIMULATED_MPI_H

#include <stddef.h>
#include <stdint.h>

#define MPI_VERSION   4
#define MPICH_VERSION "simulated"

typedef int MPI_Comm, MPI_Datatype, MPI_Op, MPI_Request, MPI_Group, MPI_Errhandler, MPI_Info;
typedef int MPI_Message, MPI_Fint;
typedef intptr_t MPI_Aint;
typedef long long MPI_Count, MPI_Offset;
typedef struct {
    int MPI_SOURCE, MPI_TAG, MPI_ERROR;
    size_t bytes;
} MPI_Status;
typedef void MPI_User_function(void *in, void *inout, int *length, MPI_Datatype *type);
typedef int MPI_Comm_copy_attr_function(MPI_Comm, int, void *, void *, void *, int *);
typedef int MPI_Comm_delete_attr_function(MPI_Comm, int, void *, void *);

/* clang-format off */
enum {
    MPI_SUCCESS, MPI_ERR_BUFFER, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_TAG, MPI_ERR_RANK, MPI_ERR_OP, MPI_ERR_ARG,
    MPI_ERR_TRUNCATE, MPI_ERR_OTHER, MPI_ERR_INTERN, MPI_ERR_IN_STATUS, MPI_ERR_NO_MEM, MPI_ERR_KEYVAL, MPI_ERR_LASTCODE = 100
};
/* Numbers apart from each other and from 0, so that one kind is not taken for another. */
enum {
    MPI_COMM_NULL = 1001, MPI_COMM_WORLD, MPI_COMM_SELF, MPI_REQUEST_NULL = 1101, MPI_GROUP_NULL, MPI_INFO_NULL,
    MPI_ERRORS_RETURN, MPI_ERRORS_ARE_FATAL, MPI_KEYVAL_INVALID = 1201, MPI_TAG_UB,
    MPI_OP_NULL = 1301, MPI_SUM, MPI_MAX, MPI_MIN, MPI_PROD, MPI_LAND, MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR,
    MPI_MAXLOC, MPI_MINLOC, MPI_REPLACE, MPI_NO_OP,
    MPI_UNDEFINED = -32766, MPI_MAX_ERROR_STRING = 512, MPI_COMM_TYPE_SHARED = 1,
    MPI_PROC_NULL = -2, MPI_MAX_LIBRARY_VERSION_STRING = 256,
    MPI_THREAD_SINGLE = 0, MPI_THREAD_SERIALIZED = 2, MPI_THREAD_MULTIPLE, MPI_COMBINER_NAMED = 0, MPI_COMBINER_HINDEXED
};
/* Reductions know MPI_INT, MPI_UINT32_T, MPI_UINT64_T and MPI_DOUBLE. */
enum {
    MPI_DATATYPE_NULL = 1400, MPI_INT, MPI_UINT32_T, MPI_INT64_T, MPI_DOUBLE, MPI_UINT64_T, MPI_BYTE, MPI_CHAR,
    MPI_PACKED, MPI_LONG, MPI_UNSIGNED, MPI_UNSIGNED_LONG, MPI_LONG_LONG, MPI_SIGNED_CHAR, MPI_SHORT, MPI_INT32_T,
    MPI_UNSIGNED_SHORT, MPI_UNSIGNED_LONG_LONG, MPI_UNSIGNED_CHAR, MPI_INT8_T, MPI_INT16_T, MPI_UINT8_T, MPI_UINT16_T,
    MPI_C_BOOL, MPI_AINT, MPI_COUNT, MPI_OFFSET, MPI_INTEGER, MPI_LOGICAL, MPI_CXX_BOOL, MPI_FLOAT, MPI_LONG_DOUBLE,
    MPI_DOUBLE_PRECISION, MPI_REAL, MPI_REAL4, MPI_REAL8, MPI_2INT, MPI_DOUBLE_INT, MPI_FLOAT_INT, MPI_LONG_INT,
    MPI_SHORT_INT, MPI_LONG_DOUBLE_INT, MPI_2INTEGER, MPI_2REAL, MPI_2DOUBLE_PRECISION, MPI_CHARACTER, MPI_DOUBLE_COMPLEX,
    SM_TYPES_END, MPI_LONG_LONG_INT = MPI_LONG_LONG
};
#define MPI_BOTTOM            ((void *)0)
#define MPI_IN_PLACE          ((void *)-1)
#define MPI_STATUS_IGNORE     ((MPI_Status *)0)
#define MPI_COMM_NULL_COPY_FN ((MPI_Comm_copy_attr_function *)0)

/* Handles in Fortran. */
#define MPI_Type_f2c(type)        (type)
#define MPI_Op_f2c(op)            (op)
#define MPI_Comm_f2c(comm)        (comm)
#define PMPI_Type_f2c(type)       (type)
#define PMPI_Op_f2c(op)           (op)
#define PMPI_Comm_f2c(comm)       (comm)
#define PMPI_Request_f2c(request) (request)

/* Messages; those that the recorder passes on are declared in others.c. */
int PMPI_Isend(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
int PMPI_Irecv(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
int PMPI_Send(const void *, int, MPI_Datatype, int, int, MPI_Comm);
int PMPI_Recv(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *);
int PMPI_Sendrecv(const void *, int, MPI_Datatype, int, int, void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *);
int PMPI_Sendrecv_replace(void *, int, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Status *);
int PMPI_Send_init(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
int PMPI_Probe(int, int, MPI_Comm, MPI_Status *);
int PMPI_Iprobe(int, int, MPI_Comm, int *, MPI_Status *);
int PMPI_Start(MPI_Request *);
int PMPI_Startall(int, MPI_Request *);
int PMPI_Wait(MPI_Request *, MPI_Status *);
int PMPI_Waitall(int, MPI_Request *, MPI_Status *);
int PMPI_Waitany(int, MPI_Request *, int *, MPI_Status *);
int PMPI_Test(MPI_Request *, int *, MPI_Status *);
int PMPI_Testall(int, MPI_Request *, int *, MPI_Status *);
int PMPI_Testany(int, MPI_Request *, int *, int *, MPI_Status *);
int PMPI_Testsome(int, MPI_Request *, int *, int *, MPI_Status *);
int PMPI_Request_get_status(MPI_Request, int *, MPI_Status *);
int PMPI_Waitsome(int, MPI_Request *, int *, int *, MPI_Status *);
int PMPI_Cancel(MPI_Request *);
int PMPI_Request_free(MPI_Request *);
int PMPI_Get_count(const MPI_Status *, MPI_Datatype, int *);
/* Datatypes and operators. */
int PMPI_Type_size(MPI_Datatype, int *);
int PMPI_Type_size_x(MPI_Datatype, MPI_Count *);
int PMPI_Type_get_extent(MPI_Datatype, MPI_Aint *, MPI_Aint *);
int PMPI_Type_get_true_extent(MPI_Datatype, MPI_Aint *, MPI_Aint *);
int PMPI_Type_get_envelope(MPI_Datatype, int *, int *, int *, int *);
int PMPI_Type_contiguous(int, MPI_Datatype, MPI_Datatype *);
int PMPI_Type_create_hindexed(int, const int *, const MPI_Aint *, MPI_Datatype, MPI_Datatype *);
int PMPI_Type_create_hindexed_block(int, int, const MPI_Aint *, MPI_Datatype, MPI_Datatype *);
int PMPI_Type_create_struct(int, const int *, const MPI_Aint *, const MPI_Datatype *, MPI_Datatype *);
int PMPI_Type_create_resized(MPI_Datatype, MPI_Aint, MPI_Aint, MPI_Datatype *);
int PMPI_Type_commit(MPI_Datatype *);
int PMPI_Type_free(MPI_Datatype *);
int PMPI_Get_address(const void *, MPI_Aint *);
int PMPI_Pack(const void *, int, MPI_Datatype, void *, int, int *, MPI_Comm);
int PMPI_Unpack(const void *, int, int *, void *, int, MPI_Datatype, MPI_Comm);
int PMPI_Op_create(MPI_User_function *, int, MPI_Op *);
int PMPI_Op_free(MPI_Op *);
int PMPI_Op_commutative(MPI_Op, int *);
int PMPI_Reduce_local(const void *, void *, int, MPI_Datatype, MPI_Op);
/* Communicators, groups, attributes, errors. */
int PMPI_Comm_size(MPI_Comm, int *);
int PMPI_Comm_rank(MPI_Comm, int *);
int PMPI_Comm_test_inter(MPI_Comm, int *);
int PMPI_Comm_group(MPI_Comm, MPI_Group *);
int PMPI_Group_translate_ranks(MPI_Group, int, const int *, MPI_Group, int *);
int PMPI_Group_free(MPI_Group *);
int PMPI_Comm_create_group(MPI_Comm, MPI_Group, int, MPI_Comm *);
int PMPI_Comm_split(MPI_Comm, int, int, MPI_Comm *);
int PMPI_Comm_split_type(MPI_Comm, int, int, MPI_Info, MPI_Comm *);
int PMPI_Comm_free(MPI_Comm *);
int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function *, MPI_Comm_delete_attr_function *, int *, void *);
int PMPI_Comm_free_keyval(int *);
int PMPI_Comm_get_attr(MPI_Comm, int, void *, int *);
int PMPI_Comm_set_attr(MPI_Comm, int, void *);
int PMPI_Comm_delete_attr(MPI_Comm, int);
int PMPI_Comm_get_errhandler(MPI_Comm, MPI_Errhandler *);
int PMPI_Comm_set_errhandler(MPI_Comm, MPI_Errhandler);
int PMPI_Comm_call_errhandler(MPI_Comm, int);
int PMPI_Errhandler_free(MPI_Errhandler *);
int PMPI_Error_class(int, int *);
int PMPI_Add_error_class(int *);
int PMPI_Add_error_code(int, int *);
int PMPI_Add_error_string(int, const char *);
int PMPI_Initialized(int *);
int PMPI_Init(int *, char ***);
int PMPI_Init_thread(int *, char ***, int, int *);
int PMPI_Finalize(void);
int PMPI_Abort(MPI_Comm, int);
int PMPI_Get_library_version(char *, int *);
int PMPI_Comm_get_parent(MPI_Comm *);
int PMPI_Query_thread(int *);
double PMPI_Wtime(void);
/* Collectives. */
int PMPI_Bcast(void *, int, MPI_Datatype, int, MPI_Comm);
int PMPI_Reduce(const void *, void *, int, MPI_Datatype, MPI_Op, int, MPI_Comm);
int PMPI_Allreduce(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
int PMPI_Scan(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
int PMPI_Exscan(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
int PMPI_Reduce_scatter(const void *, void *, const int *, MPI_Datatype, MPI_Op, MPI_Comm);
int PMPI_Reduce_scatter_block(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
int PMPI_Allgather(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
int PMPI_Allgatherv(const void *, int, MPI_Datatype, void *, const int *, const int *, MPI_Datatype, MPI_Comm);
int PMPI_Alltoall(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
int PMPI_Alltoallv(const void *, const int *, const int *, MPI_Datatype, void *, const int *, const int *, MPI_Datatype, MPI_Comm);
int PMPI_Scatter(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm);
int PMPI_Gather(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm);
int PMPI_Gatherv(const void *, int, MPI_Datatype, void *, const int *, const int *, MPI_Datatype, int, MPI_Comm);
/* clang-format on */

/* What the tests' own helpers call. */
#define MPI_Type_create_hindexed_block PMPI_Type_create_hindexed_block
#define MPI_Type_create_resized        PMPI_Type_create_resized
#define MPI_Type_commit                PMPI_Type_commit
#define MPI_Type_free                  PMPI_Type_free
#define MPI_Type_get_extent            PMPI_Type_get_extent
#define MPI_Type_get_true_extent       PMPI_Type_get_true_extent
#define MPI_Op_create                  PMPI_Op_create
#define MPI_Op_free                    PMPI_Op_free

#endif
