! mpi_unmodified.f90 - a Fortran program that knows nothing of Roundabout. MODULE is mpi or mpi_f08.
program mpi_unmodified
    use MODULE
    implicit none
    ! No parameter: the compiler would write out every array below as a constant, for minutes.
    integer :: count = 20000
    integer :: rank, p, i, error, provided
    integer, allocatable :: values(:), sums(:), counts(:), displs(:)
    logical :: good = .true.

    call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, p, error)
    allocate (values(count), sums(count), counts(p), displs(p))

    values = [(rank * count + i, i = 1, count)]
    call MPI_Bcast(values, count, MPI_INTEGER, p - 1, MPI_COMM_WORLD, error)
    good = good .and. all(values == [((p - 1) * count + i, i = 1, count)])

    values = [(rank + i, i = 1, count)]
    sums = 0
    call MPI_Reduce(values, sums, count, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, error)
    good = good .and. (rank /= 0 .or. all(sums == [(p * (p - 1) / 2 + p * i, i = 1, count)]))
    call MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    good = good .and. all(values == [(p * (p - 1) / 2 + p * i, i = 1, count)])

    counts = [(i, i = 1, p)]
    displs = [(i * i, i = 1, p)]
    values = -1
    values(displs(rank + 1) + 1 : displs(rank + 1) + rank + 1) = rank
    call MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, values, counts, displs, MPI_INTEGER, &
                        MPI_COMM_WORLD, error)
    good = good .and. all([(values(displs(i) + i) == i - 1, i = 1, p)])

    values = [(rank, i = 1, count)]
    call MPI_Alltoall(values, 2, MPI_INTEGER, sums, 2, MPI_INTEGER, MPI_COMM_WORLD, error)
    good = good .and. all(sums(1 : 2 * p) == [((i - 1) / 2, i = 1, 2 * p)])

    values = [(i, i = 1, count)]
    call MPI_Scatter(values, 3, MPI_INTEGER, sums, 3, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
    good = good .and. all(sums(1 : 3) == [(3 * rank + i, i = 1, 3)])
    call MPI_Gather(sums, 3, MPI_INTEGER, values, 3, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
    good = good .and. (rank /= 0 .or. all(values(1 : 3 * p) == [(i, i = 1, 3 * p)]))

    values = [(1, i = 1, count)]
    call MPI_Scan(values, sums, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    good = good .and. all(sums(1 : 2) == rank + 1)
    call MPI_Exscan(values, sums, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    good = good .and. (rank == 0 .or. all(sums(1 : 2) == rank))

    deallocate (values, sums, counts, displs)
    call MPI_Finalize(error)
    if (.not. good) stop 1
end program
