/* hush.c - see hush.h. */
#include "hush.h"

/* A program that uses sessions only has no MPI_COMM_WORLD. */
static bool is_needed(void)
{
#ifdef MPICH_VERSION
    int initialized, level;
    return PMPI_Initialized(&initialized) == MPI_SUCCESS && initialized &&
           PMPI_Query_thread(&level) == MPI_SUCCESS && level != MPI_THREAD_MULTIPLE;
#else
    return false;
#endif
}

void rb_hush_begin(struct rb_hush *hush)
{
    hush->active =
        is_needed() && PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &hush->handler) == MPI_SUCCESS;
    if (hush->active)
        PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

void rb_hush_end(struct rb_hush *hush)
{
    if (!hush->active)
        return;
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, hush->handler);
    PMPI_Errhandler_free(&hush->handler);
}
