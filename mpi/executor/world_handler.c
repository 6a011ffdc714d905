#include "world_handler.h"

#include <stdatomic.h>
#include <threads.h>

/* A program that uses sessions only has no MPI_COMM_WORLD. */
static bool has_world(void)
{
    int initialized;
    return PMPI_Initialized(&initialized) == MPI_SUCCESS && initialized;
}

static bool is_needed(void)
{
#ifdef MPICH_VERSION
    int level;
    return has_world() && PMPI_Query_thread(&level) == MPI_SUCCESS && level != MPI_THREAD_MULTIPLE;
#else
    return false;
#endif
}

static void begin(struct exec_world_handler *suspended, bool needed)
{
    suspended->active =
        needed && PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &suspended->handler) == MPI_SUCCESS;
    if (suspended->active)
        PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

void exec_world_handler_suspend(struct exec_world_handler *suspended)
{
    begin(suspended, is_needed());
}

void exec_world_handler_restore(struct exec_world_handler *suspended)
{
    if (!suspended->active)
        return;
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, suspended->handler);
    PMPI_Errhandler_free(&suspended->handler);
}

static atomic_flag hushing = ATOMIC_FLAG_INIT;

void exec_world_handler_suspend_all(struct exec_world_handler *suspended)
{
    while (atomic_flag_test_and_set_explicit(&hushing, memory_order_acquire))
        thrd_yield();
    begin(suspended, has_world());
}

void exec_world_handler_restore_all(struct exec_world_handler *suspended)
{
    exec_world_handler_restore(suspended);
    atomic_flag_clear_explicit(&hushing, memory_order_release);
}
