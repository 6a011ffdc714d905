/* world_handler.c - see world_handler.h. */
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

static void begin(struct exec_world_handler *hush, bool needed)
{
    hush->active =
        needed && PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &hush->handler) == MPI_SUCCESS;
    if (hush->active)
        PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

void exec_world_handler_suspend(struct exec_world_handler *hush)
{
    begin(hush, is_needed());
}

void exec_world_handler_restore(struct exec_world_handler *hush)
{
    if (!hush->active)
        return;
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, hush->handler);
    PMPI_Errhandler_free(&hush->handler);
}

static atomic_flag hushing = ATOMIC_FLAG_INIT;

void exec_world_handler_suspend_all(struct exec_world_handler *hush)
{
    while (atomic_flag_test_and_set_explicit(&hushing, memory_order_acquire))
        thrd_yield();
    begin(hush, has_world());
}

void exec_world_handler_restore_all(struct exec_world_handler *hush)
{
    exec_world_handler_restore(hush);
    atomic_flag_clear_explicit(&hushing, memory_order_release);
}
