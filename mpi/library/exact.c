/* exact.c - see exact.h. */
#include "exact.h"

#include <stddef.h>

bool lib_is_own_operator(MPI_Op op)
{
    return op == MPI_SUM || op == MPI_MAX || op == MPI_MIN || op == MPI_PROD || op == MPI_LAND ||
           op == MPI_LOR || op == MPI_LXOR || op == MPI_BAND || op == MPI_BOR || op == MPI_BXOR;
}

/* Handles are no constants in every MPI library. */
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
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (whole[i] == type)
            return true;
    return false;
}

bool lib_is_exact(MPI_Datatype type, MPI_Op op)
{
    return lib_is_own_operator(op) && type != MPI_DATATYPE_NULL && is_whole(type);
}
