/* hush.c - see hush.h. */
#include "hush.h"

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

static void begin(struct rb_hush *hush, bool needed)
{
    hush->active =
        needed && PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &hush->handler) == MPI_SUCCESS;
    if (hush->active)
        PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

void rb_hush_begin(struct rb_hush *hush)
{
    begin(hush, is_needed());
}

void rb_hush_end(struct rb_hush *hush)
{
    if (!hush->active)
        return;
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, hush->handler);
    PMPI_Errhandler_free(&hush->handler);
}

static atomic_flag hushing = ATOMIC_FLAG_INIT;

void rb_hush_all_begin(struct rb_hush *hush)
{
    while (atomic_flag_test_and_set_explicit(&hushing, memory_order_acquire))
        thrd_yield();
    begin(hush, has_world());
}

void rb_hush_all_end(struct rb_hush *hush)
{
    rb_hush_end(hush);
    atomic_flag_clear_explicit(&hushing, memory_order_release);
}
