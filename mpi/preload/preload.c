/* preload.c - MPI's names for the library's functions: preloaded, they serve an unmodified program.
 * When MPI starts, the settings are checked, and compared between all ranks; with wrong settings
 * the program does not run. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "mpi/library/communicator.h"
#include "mpi/library/settings.h"
#include "mpi/library/signatures.h"
#include "mpi/record/record.h"
#include "preload_checks.h"
#include "preload_report.h"
#include "roundabout-mpi.h"

/* ---- The start and the end ------------------------------------------------------------------- */

/* The fault of this rank's settings; NULL: none. */
static const char *wrong_here(int rank, struct sup_error *error)
{
    const char *wrong = lib_settings_wrong();
    if (wrong != NULL)
        return wrong;
    return preload_report_start(rank, error) == RB_OK &&
                   preload_remember_start(rank, error) == RB_OK && record_open(rank, error) == RB_OK
               ? NULL
               : error->text;
}

/* The lowest rank with a fault of its own, or p; the first setting in which ranks differ, or -1. */
static void compare_settings(const char *wrong, int rank, int p, int *faulty, int *differing)
{
    /* The minimum of a hash and that of its complement give the least and the greatest hash. */
    uint64_t mine[1 + 2 * LIB_SETTINGS], least[1 + 2 * LIB_SETTINGS];
    mine[0] = (uint64_t)(wrong == NULL ? p : rank);
    for (int i = 0; i < LIB_SETTINGS; i++) {
        mine[1 + 2 * i] = lib_settings_hashes()[i];
        mine[2 + 2 * i] = ~mine[1 + 2 * i];
    }
    PMPI_Allreduce(mine, least, 1 + 2 * LIB_SETTINGS, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    *faulty = (int)least[0];
    *differing = 0;
    while (*differing < LIB_SETTINGS && least[1 + 2 * *differing] == ~least[2 + 2 * *differing])
        ++*differing;
    if (*differing == LIB_SETTINGS)
        *differing = -1;
}

/* "'chain'", or "not set". */
static void show_value(const char *variable, struct sup_error *shown)
{
    const char *value = getenv(variable);
    sup_fail(shown, 0, value == NULL ? "not set" : "'%.80s'", value);
}

/* The lowest rank whose setting is not rank 0's says both. */
static void say_difference(int setting, int rank, int p)
{
    struct {
        uint64_t hash;
        struct sup_error value;
    } first = {.hash = lib_settings_hashes()[setting]};
    struct sup_error here;
    bool is_text;
    const char *variable = lib_settings_variable(setting, &is_text);
    int speaker;
    show_value(variable, &here);
    first.value = here;
    PMPI_Bcast(&first, sizeof first, MPI_BYTE, 0, MPI_COMM_WORLD);
    const int mine = lib_settings_hashes()[setting] != first.hash ? rank : p;
    PMPI_Allreduce(&mine, &speaker, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank == speaker)
        fprintf(stderr,
                "roundabout: the ranks have different settings: %s is %s at rank %d, %s %s at rank "
                "0; it must be the same at all ranks\n",
                variable, here.text, rank, is_text ? "with another text than" : "and",
                first.value.text);
}

/* Ends the program unless all ranks have the same, valid settings. One rank prints why. A file may
 * be replaced between the readings of two ranks, by another job that remembers its choices. */
static void check_settings(void)
{
    enum { MOST_READINGS = 50 };
    struct sup_error error = {0};
    int rank, p, faulty, differing;
    bool is_text = true;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &p);
    const char *wrong = wrong_here(rank, &error);
    compare_settings(wrong, rank, p, &faulty, &differing);
    for (int i = 1; i < MOST_READINGS && faulty == p && differing >= 0 && is_text; i++) {
        lib_settings_variable(differing, &is_text);
        if (!is_text)
            break;
        /* Where ranks share cores, they would take turns at waiting for each other, and read one by
         * one; asleep they all wake at once. */
        const struct timespec pause = {.tv_nsec = 100000L * i};
        nanosleep(&pause, NULL);
        lib_settings_read_files();
        wrong = lib_settings_wrong();
        compare_settings(wrong, rank, p, &faulty, &differing);
    }
    if (faulty == p && differing < 0)
        return;
    if (faulty == rank && rank == 0)
        fprintf(stderr, "roundabout: %s\n", wrong);
    else if (faulty == rank)
        fprintf(stderr, "roundabout: rank %d: %s\n", rank, wrong);
    else if (faulty == p)
        say_difference(differing, rank, p);
    record_discard();
    PMPI_Finalize();
    exit(2);
}

/* True if some ranks run without the library: then nothing collective of ours can be done. If all
 * ranks are seen, all that have the library see the same, and the MPI library serves them from now
 * on; ranks of other hosts can't be told, so that the job ends. */
static bool is_on_some_ranks_only(void)
{
    struct preload_ranks ranks;
    int rank, p;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &p);
    preload_ranks_look(p, &ranks);
    if (ranks.without < 0)
        return false;
    const bool all_seen = ranks.seen == p;
    if (rank == ranks.with)
        fprintf(stderr,
                "roundabout: rank %d runs without this library; preload it (LD_PRELOAD) on all "
                "ranks or on none: %s\n",
                ranks.without, all_seen ? "the MPI library serves all calls" : "the job ends");
    if (!all_seen)
        PMPI_Abort(MPI_COMM_WORLD, 2);
    for (int i = 0; i < LIB_CALLS; i++)
        RB_Choose(lib_function_name((enum lib_function)i), "native");
    return true;
}

/* MPI has started. Whatever carries messages is made now, when the program can't be in the middle
 * of anything; where that fails, the MPI library serves the program. */
static int start(void)
{
    struct lib_communicator *world;
    if (is_on_some_ranks_only())
        return MPI_SUCCESS;
    check_settings();
    int error = lib_communicator_of(MPI_COMM_WORLD, &world);
    if (error == MPI_SUCCESS)
        error = lib_communicator_connect(world);
    if (error == MPI_SUCCESS)
        record_begin(world->comm, world->first_tag + EXEC_REPORT_TAG);
    return error;
}

int MPI_Init(int *argc, char ***argv)
{
    preload_check_flavour();
    const int error = PMPI_Init(argc, argv);
    return error != MPI_SUCCESS ? error : start();
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    preload_check_flavour();
    const int error = PMPI_Init_thread(argc, argv, required, provided);
    return error != MPI_SUCCESS ? error : start();
}

int MPI_Finalize(void)
{
    struct lib_communicator *world;
    if (lib_communicator_of(MPI_COMM_WORLD, &world) == MPI_SUCCESS)
        record_end(world->comm, world->first_tag + EXEC_REPORT_TAG);
    preload_report_end();
    preload_remember_end();
    return PMPI_Finalize();
}

/* ---- The collectives ------------------------------------------------------------------------- */

#define LIB_CALL(name, collective)
#define LIB_FUNCTION(name, fortran, collective, arguments, key)                                    \
    int MPI_##name(arguments(LIB_PARAMETER))                                                       \
    {                                                                                              \
        return record_is_on() ? record_##fortran(arguments(LIB_VALUE))                             \
                              : RB_##name(arguments(LIB_VALUE));                                   \
    }
#include "mpi/library/list.h"
