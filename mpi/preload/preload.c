/* preload.c - MPI's names for the library's functions: preloaded, they serve an unmodified program.
 * When MPI starts, the settings are checked, and compared between all ranks; with wrong settings
 * the program does not run. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpi/library/communicator.h"
#include "mpi/library/settings.h"
#include "mpi/library/signatures.h"
#include "preload_flavour.h"
#include "preload_learned.h"
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
                   preload_remember_start(rank, error) == RB_OK
               ? NULL
               : error->text;
}

/* Ends the program unless all ranks have the same, valid settings. One rank prints why. */
static void check_settings(void)
{
    struct sup_error error = {0};
    int rank, p;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &p);
    const char *wrong = wrong_here(rank, &error);
    /* The minimum of a hash and that of its complement give the least and the greatest hash. */
    uint64_t mine[] = {wrong == NULL ? (uint64_t)p : (uint64_t)rank, lib_settings_hash(),
                       ~lib_settings_hash()};
    uint64_t least[3];
    PMPI_Allreduce(mine, least, 3, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    const bool differ = least[1] != ~least[2];
    if (least[0] == (uint64_t)p && !differ)
        return;
    if (least[0] == (uint64_t)rank)
        fprintf(stderr, "roundabout: %s\n", wrong);
    else if (least[0] == (uint64_t)p && rank == 0)
        fprintf(stderr, "roundabout: the ranks have different settings: RB_DECISIONS, the other "
                        "RB_ variables and the file must be the same at all ranks\n");
    PMPI_Finalize();
    exit(2);
}

/* MPI has started. Whatever carries messages is made now, when the program can't be in the middle
 * of anything; where that fails, the MPI library serves the program. */
static int start(void)
{
    struct lib_communicator *world;
    check_settings();
    int error = lib_communicator_of(MPI_COMM_WORLD, &world);
    if (error == MPI_SUCCESS)
        error = lib_communicator_connect(world);
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
    preload_report_end();
    preload_remember_end();
    return PMPI_Finalize();
}

/* ---- The collectives ------------------------------------------------------------------------- */

#define LIB_CALL(name, collective)
#define LIB_FUNCTION(name, fortran, collective, arguments, key)                                    \
    int MPI_##name(arguments(LIB_PARAMETER))                                                       \
    {                                                                                              \
        return RB_##name(arguments(LIB_VALUE));                                                    \
    }
#include "mpi/library/list.h"
