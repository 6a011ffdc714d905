/* preload_fortran.c - Fortran's names, for Open MPI, whose Fortran interface calls PMPI_Bcast where
 * MPICH's calls MPI_Bcast, so that nothing put under MPI_Bcast serves it.
 *
 * mpif.h and the module mpi call mpi_bcast_, the module mpi_f08 calls ompi_bcast_f; in Open MPI
 * both are one function, and here too. Only the names that gfortran and those who follow it give
 * them. */
#include <mpi.h>
#include <stddef.h>

/* A function under both of its names: what follows is its body. */
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

FORTRAN(ompi_bcast_f, mpi_bcast_, void *buffer, MPI_Fint *count, MPI_Fint *datatype, MPI_Fint *root,
        MPI_Fint *comm, MPI_Fint *ierr)
{
    give(ierr,
         MPI_Bcast(buffer_of(buffer), *count, MPI_Type_f2c(*datatype), *root, MPI_Comm_f2c(*comm)));
}

FORTRAN(ompi_reduce_f, mpi_reduce_, void *sendbuf, void *recvbuf, MPI_Fint *count,
        MPI_Fint *datatype, MPI_Fint *op, MPI_Fint *root, MPI_Fint *comm, MPI_Fint *ierr)
{
    give(ierr, MPI_Reduce(buffer_of(sendbuf), buffer_of(recvbuf), *count, MPI_Type_f2c(*datatype),
                          MPI_Op_f2c(*op), *root, MPI_Comm_f2c(*comm)));
}

FORTRAN(ompi_allreduce_f, mpi_allreduce_, void *sendbuf, void *recvbuf, MPI_Fint *count,
        MPI_Fint *datatype, MPI_Fint *op, MPI_Fint *comm, MPI_Fint *ierr)
{
    give(ierr, MPI_Allreduce(buffer_of(sendbuf), buffer_of(recvbuf), *count,
                             MPI_Type_f2c(*datatype), MPI_Op_f2c(*op), MPI_Comm_f2c(*comm)));
}

FORTRAN(ompi_allgather_f, mpi_allgather_, void *sendbuf, MPI_Fint *sendcount, MPI_Fint *sendtype,
        void *recvbuf, MPI_Fint *recvcount, MPI_Fint *recvtype, MPI_Fint *comm, MPI_Fint *ierr)
{
    give(ierr,
         MPI_Allgather(buffer_of(sendbuf), *sendcount, MPI_Type_f2c(*sendtype), buffer_of(recvbuf),
                       *recvcount, MPI_Type_f2c(*recvtype), MPI_Comm_f2c(*comm)));
}

FORTRAN(ompi_allgatherv_f, mpi_allgatherv_, void *sendbuf, MPI_Fint *sendcount, MPI_Fint *sendtype,
        void *recvbuf, MPI_Fint recvcounts[], MPI_Fint displs[], MPI_Fint *recvtype, MPI_Fint *comm,
        MPI_Fint *ierr)
{
    give(ierr,
         MPI_Allgatherv(buffer_of(sendbuf), *sendcount, MPI_Type_f2c(*sendtype), buffer_of(recvbuf),
                        recvcounts, displs, MPI_Type_f2c(*recvtype), MPI_Comm_f2c(*comm)));
}

FORTRAN(ompi_reduce_scatter_f, mpi_reduce_scatter_, void *sendbuf, void *recvbuf,
        MPI_Fint recvcounts[], MPI_Fint *datatype, MPI_Fint *op, MPI_Fint *comm, MPI_Fint *ierr)
{
    give(ierr, MPI_Reduce_scatter(buffer_of(sendbuf), buffer_of(recvbuf), recvcounts,
                                  MPI_Type_f2c(*datatype), MPI_Op_f2c(*op), MPI_Comm_f2c(*comm)));
}

FORTRAN(ompi_reduce_scatter_block_f, mpi_reduce_scatter_block_, void *sendbuf, void *recvbuf,
        MPI_Fint *recvcount, MPI_Fint *datatype, MPI_Fint *op, MPI_Fint *comm, MPI_Fint *ierr)
{
    give(ierr,
         MPI_Reduce_scatter_block(buffer_of(sendbuf), buffer_of(recvbuf), *recvcount,
                                  MPI_Type_f2c(*datatype), MPI_Op_f2c(*op), MPI_Comm_f2c(*comm)));
}

FORTRAN(ompi_alltoall_f, mpi_alltoall_, void *sendbuf, MPI_Fint *sendcount, MPI_Fint *sendtype,
        void *recvbuf, MPI_Fint *recvcount, MPI_Fint *recvtype, MPI_Fint *comm, MPI_Fint *ierr)
{
    give(ierr,
         MPI_Alltoall(buffer_of(sendbuf), *sendcount, MPI_Type_f2c(*sendtype), buffer_of(recvbuf),
                      *recvcount, MPI_Type_f2c(*recvtype), MPI_Comm_f2c(*comm)));
}

FORTRAN(ompi_alltoallv_f, mpi_alltoallv_, void *sendbuf, MPI_Fint sendcounts[], MPI_Fint sdispls[],
        MPI_Fint *sendtype, void *recvbuf, MPI_Fint recvcounts[], MPI_Fint rdispls[],
        MPI_Fint *recvtype, MPI_Fint *comm, MPI_Fint *ierr)
{
    give(ierr, MPI_Alltoallv(buffer_of(sendbuf), sendcounts, sdispls, MPI_Type_f2c(*sendtype),
                             buffer_of(recvbuf), recvcounts, rdispls, MPI_Type_f2c(*recvtype),
                             MPI_Comm_f2c(*comm)));
}

FORTRAN(ompi_scatter_f, mpi_scatter_, void *sendbuf, MPI_Fint *sendcount, MPI_Fint *sendtype,
        void *recvbuf, MPI_Fint *recvcount, MPI_Fint *recvtype, MPI_Fint *root, MPI_Fint *comm,
        MPI_Fint *ierr)
{
    give(ierr,
         MPI_Scatter(buffer_of(sendbuf), *sendcount, MPI_Type_f2c(*sendtype), buffer_of(recvbuf),
                     *recvcount, MPI_Type_f2c(*recvtype), *root, MPI_Comm_f2c(*comm)));
}

FORTRAN(ompi_gather_f, mpi_gather_, void *sendbuf, MPI_Fint *sendcount, MPI_Fint *sendtype,
        void *recvbuf, MPI_Fint *recvcount, MPI_Fint *recvtype, MPI_Fint *root, MPI_Fint *comm,
        MPI_Fint *ierr)
{
    give(ierr,
         MPI_Gather(buffer_of(sendbuf), *sendcount, MPI_Type_f2c(*sendtype), buffer_of(recvbuf),
                    *recvcount, MPI_Type_f2c(*recvtype), *root, MPI_Comm_f2c(*comm)));
}

FORTRAN(ompi_scan_f, mpi_scan_, void *sendbuf, void *recvbuf, MPI_Fint *count, MPI_Fint *datatype,
        MPI_Fint *op, MPI_Fint *comm, MPI_Fint *ierr)
{
    give(ierr, MPI_Scan(buffer_of(sendbuf), buffer_of(recvbuf), *count, MPI_Type_f2c(*datatype),
                        MPI_Op_f2c(*op), MPI_Comm_f2c(*comm)));
}

FORTRAN(ompi_exscan_f, mpi_exscan_, void *sendbuf, void *recvbuf, MPI_Fint *count,
        MPI_Fint *datatype, MPI_Fint *op, MPI_Fint *comm, MPI_Fint *ierr)
{
    give(ierr, MPI_Exscan(buffer_of(sendbuf), buffer_of(recvbuf), *count, MPI_Type_f2c(*datatype),
                          MPI_Op_f2c(*op), MPI_Comm_f2c(*comm)));
}
