#include "arguments.h"

#include <threads.h>

#include "mpi/executor/world_handler.h"

/* ---- Operators ------------------------------------------------------------------------------- */

/* A cache of the last valid pairs. Predefined operators and datatypes can't be freed. */
enum { KNOWN = 4 };
static thread_local struct {
    MPI_Op op;
    MPI_Datatype type;
    bool used;
} known[KNOWN];
static thread_local int oldest;

static bool is_known(MPI_Op op, MPI_Datatype type)
{
    for (int i = 0; i < KNOWN; i++)
        if (known[i].used && known[i].op == op && known[i].type == type)
            return true;
    return false;
}

bool lib_is_own_operator(MPI_Op op)
{
    return op == MPI_SUM || op == MPI_MAX || op == MPI_MIN || op == MPI_PROD || op == MPI_LAND ||
           op == MPI_LOR || op == MPI_LXOR || op == MPI_BAND || op == MPI_BOR || op == MPI_BXOR;
}

static bool is_predefined(MPI_Op op)
{
    return lib_is_own_operator(op) || op == MPI_MAXLOC || op == MPI_MINLOC;
}

/* Tests it with the MPI library, whose error must not reach the program's handlers. */
static bool is_accepted(MPI_Op op, MPI_Datatype type)
{
    struct exec_world_handler suspended;
    char none[2] = {0};
    exec_world_handler_suspend_all(&suspended);
    const int error = PMPI_Reduce_local(none, none + 1, 0, type, op);
    exec_world_handler_restore_all(&suspended);
    return error == MPI_SUCCESS;
}

bool lib_check_op(MPI_Op op, const struct exec_elements *elements)
{
    if (op == MPI_REPLACE || op == MPI_NO_OP) /* of one-sided communication only */
        return false;
    if (!is_predefined(op) || is_known(op, elements->type))
        return true;
    if (!elements->named || !is_accepted(op, elements->type))
        return false;
    known[oldest].op = op;
    known[oldest].type = elements->type;
    known[oldest].used = true;
    oldest = (oldest + 1) % KNOWN;
    return true;
}

static bool is_one_of(MPI_Datatype type, const MPI_Datatype types[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (types[i] == type)
            return true;
    return false;
}

/* Handles are not constants in every MPI library. */
static bool is_whole(MPI_Datatype type)
{
    const MPI_Datatype whole[] = {
        MPI_INT,       MPI_LONG,     MPI_UNSIGNED,       MPI_UNSIGNED_LONG,
        MPI_LONG_LONG, MPI_BYTE,     MPI_CHAR,           MPI_SIGNED_CHAR,
        MPI_SHORT,     MPI_INT32_T,  MPI_UNSIGNED_SHORT, MPI_UNSIGNED_LONG_LONG,
        MPI_INT64_T,   MPI_UINT32_T, MPI_UINT64_T,       MPI_UNSIGNED_CHAR,
        MPI_INT8_T,    MPI_INT16_T,  MPI_UINT8_T,        MPI_UINT16_T,
        MPI_C_BOOL,    MPI_AINT,     MPI_COUNT,          MPI_OFFSET,
        MPI_INTEGER,   MPI_LOGICAL,  MPI_CXX_BOOL,
    };
    return is_one_of(type, whole, sizeof whole / sizeof *whole);
}

static bool is_real(MPI_Datatype type)
{
    const MPI_Datatype real[] = {MPI_DOUBLE, MPI_FLOAT, MPI_LONG_DOUBLE, MPI_DOUBLE_PRECISION,
                                 MPI_REAL,   MPI_REAL4, MPI_REAL8};
    return is_one_of(type, real, sizeof real / sizeof *real);
}

/* A number and where it is. */
static bool is_pair(MPI_Datatype type)
{
    const MPI_Datatype pair[] = {MPI_2INT,     MPI_DOUBLE_INT, MPI_FLOAT_INT,
                                 MPI_LONG_INT, MPI_SHORT_INT,  MPI_LONG_DOUBLE_INT,
                                 MPI_2INTEGER, MPI_2REAL,      MPI_2DOUBLE_PRECISION};
    return is_one_of(type, pair, sizeof pair / sizeof *pair);
}

bool lib_is_exact(MPI_Datatype type, MPI_Op op)
{
    if (type == MPI_DATATYPE_NULL)
        return false;
    if (op == MPI_MAXLOC || op == MPI_MINLOC)
        return is_pair(type);
    return (lib_is_own_operator(op) && is_whole(type)) ||
           ((op == MPI_MAX || op == MPI_MIN) && is_real(type));
}

/* ---- Datatypes ------------------------------------------------------------------------------- */

/* A persistent request checks its arguments and sends nothing. What else it may fail for is no
 * reason to leave the call to the MPI library: the other ranks have a plan. */
bool lib_check_committed(const struct exec_elements *elements, MPI_Comm comm)
{
    char none[2] = {0};
    MPI_Request request;
    int class;
    if (elements->named)
        return true;
    const int error = PMPI_Send_init(none, 1, elements->type, 0, 0, comm, &request);
    if (error != MPI_SUCCESS)
        return PMPI_Error_class(error, &class) != MPI_SUCCESS || class != MPI_ERR_TYPE;
    PMPI_Request_free(&request);
    return true;
}

/* ---- Buffers --------------------------------------------------------------------------------- */

/* MPICH's class is MPI_ERR_BUFFER for all that is wrong with buffers. */
#ifdef OPEN_MPI
enum { IN_PLACE_ERROR = MPI_ERR_ARG, ALIAS_ERROR = MPI_SUCCESS };
#else
enum { IN_PLACE_ERROR = MPI_ERR_BUFFER, ALIAS_ERROR = MPI_ERR_BUFFER };
#endif

int lib_check_buffer(const void *address, const struct exec_elements *elements, int64_t count)
{
    if (count == 0)
        return MPI_SUCCESS;
    if (address == MPI_IN_PLACE)
        return IN_PLACE_ERROR;
    /* Of a derived datatype it may be MPI_BOTTOM. */
    return address == NULL && elements->named ? MPI_ERR_BUFFER : MPI_SUCCESS;
}

int lib_check_alias(const void *sent, const void *received, int64_t count)
{
    return count > 0 && sent == received ? ALIAS_ERROR : MPI_SUCCESS;
}
