/* preload_fortran.c - Fortran's names, for Open MPI: its Fortran interface calls PMPI_Bcast where
 * MPICH's calls MPI_Bcast, so a replacement of MPI_Bcast does not serve it.
 *
 * mpif.h and the module mpi call mpi_bcast_, the module mpi_f08 calls ompi_bcast_f; in Open MPI
 * both are one function, and here too. Only the names of gfortran and compatible compilers. */
#include <mpi.h>
#include <stddef.h>

/* A function under both of its names; its body follows. */
#define FORTRAN(f08_name, name, ...)                                                               \
    void f08_name(__VA_ARGS__);                                                                    \
    void name(__VA_ARGS__) __attribute__((alias(#f08_name)));                                      \
    void f08_name(__VA_ARGS__)

_Static_assert(sizeof(MPI_Fint) == sizeof(int), "counts are passed on as they are");

/* Fortran's MPI_IN_PLACE and MPI_BOTTOM are variables, which programs in C don't have. */
extern int mpi_fortran_in_place_ __attribute__((weak));
extern int mpi_fortran_bottom_ __attribute__((weak));

static void *buffer_of(void *address)
{
    if (address == &mpi_fortran_in_place_ && address != NULL)
        return MPI_IN_PLACE;
    if (address == &mpi_fortran_bottom_ && address != NULL)
        return MPI_BOTTOM;
    return address;
}

static void give(MPI_Fint *ierr, int error)
{
    if (ierr != NULL)
        *ierr = error;
}

FORTRAN(ompi_init_f, mpi_init_, MPI_Fint *ierr)
{
    give(ierr, MPI_Init(NULL, NULL));
}

FORTRAN(ompi_init_thread_f, mpi_init_thread_, MPI_Fint *required, MPI_Fint *provided,
        MPI_Fint *ierr)
{
    give(ierr, MPI_Init_thread(NULL, NULL, *required, provided));
}

FORTRAN(ompi_finalize_f, mpi_finalize_, MPI_Fint *ierr)
{
    give(ierr, MPI_Finalize());
}

/* ---- The collectives ------------------------------------------------------------------------- */

#define PARAMETER(kind, name) PARAMETER_##kind(name)
#define PARAMETER_IN(name)    void *name,
#define PARAMETER_OUT(name)   void *name,
#define PARAMETER_INT(name)   MPI_Fint *name,
#define PARAMETER_INTS(name)  MPI_Fint name[],
#define PARAMETER_TYPE(name)  MPI_Fint *name,
#define PARAMETER_OP(name)    MPI_Fint *name,
#define PARAMETER_COMM(name)  MPI_Fint *name

#define VALUE(kind, name) VALUE_##kind(name)
#define VALUE_IN(name)    buffer_of(name),
#define VALUE_OUT(name)   buffer_of(name),
#define VALUE_INT(name)   *name,
#define VALUE_INTS(name)  name,
#define VALUE_TYPE(name)  MPI_Type_f2c(*name),
#define VALUE_OP(name)    MPI_Op_f2c(*name),
#define VALUE_COMM(name)  MPI_Comm_f2c(*name)

#define LIB_CALL(name, collective)
#define LIB_FUNCTION(name, fortran, collective, arguments, key)                                    \
    FORTRAN(ompi_##fortran##_f, mpi_##fortran##_, arguments(PARAMETER), MPI_Fint *ierr)            \
    {                                                                                              \
        give(ierr, MPI_##name(arguments(VALUE)));                                                  \
    }
#include "mpi/library/list.h"
