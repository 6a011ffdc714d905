/* record_fortran.c - the calls of record_calls.c under Fortran's names, for Open MPI: mpif.h and
 * the module mpi call mpi_send_, the module mpi_f08 calls ompi_send_f
 * (mpi/preload/preload_fortran.c). The MPI library's own functions are there if the program is one
 * in Fortran. */
#define _POSIX_C_SOURCE 200809L
#define RECORD_FORTRAN

#include <mpi.h>
#include <stddef.h>

extern int mpi_fortran_in_place_ __attribute__((weak));

static const void *buffer_of(const void *address)
{
    return address == &mpi_fortran_in_place_ && address != NULL ? MPI_IN_PLACE : address;
}

static void give(MPI_Fint *ierr, MPI_Fint error)
{
    if (ierr != NULL)
        *ierr = error;
}

#define RECORD_TO_BUFFER(name) buffer_of(name)
#define RECORD_TO_INT(name)    *name
#define RECORD_TO_TYPE(name)   PMPI_Type_f2c(*name)
#define RECORD_TO_OP(name)     PMPI_Op_f2c(*name)
#define RECORD_TO_COMM(name)   PMPI_Comm_f2c(*name)
#define PARAMETER              RECORD_F
#define LAST_PARAMETER         , MPI_Fint *ierr
#define LAST_VALUE             , &error
#define FORM                   .is_fortran = true
#define MORE_REQUEST           (, MPI_Fint * request)
#define MORE_INFO              (, MPI_Fint * info, MPI_Fint * request)
#define WRAP(X, x, name, fortran, parameters, values, before, after, ...)                          \
    void pmpi##x##_##fortran##_ parameters __attribute__((weak));                                  \
    void ompi##x##_##fortran##_f parameters;                                                       \
    void mpi##x##_##fortran##_ parameters __attribute__((alias("ompi" #x "_" #fortran "_f")));     \
    void ompi##x##_##fortran##_f parameters                                                        \
    {                                                                                              \
        MPI_Fint error = MPI_SUCCESS;                                                              \
        if (record_is_on()) {                                                                      \
            const struct record_arguments given = {__VA_ARGS__};                                   \
            before;                                                                                \
            const int64_t enter = record_now();                                                    \
            pmpi##x##_##fortran##_ values;                                                         \
            if (error == MPI_SUCCESS)                                                              \
                after;                                                                             \
        } else {                                                                                   \
            pmpi##x##_##fortran##_ values;                                                         \
        }                                                                                          \
        give(ierr, error);                                                                         \
    }

#include "mpi/record/record_calls.c"
