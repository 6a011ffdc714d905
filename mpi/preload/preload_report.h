/* preload_report.h - what all ranks recorded and learned, written by rank 0 when MPI ends. */
#pragma once

#include <mpi.h>

#include "support/error.h"
#include "support/replace.h"

/* ---- Files ----------------------------------------------------------------------------------- */

/* The files that RB_REPORT and RB_REMEMBER name. Rank 0 writes them, when MPI ends, as the program
 * writes its own (support/replace.h). */

struct preload_file {
    char *path;   /* owned; absolute, because the program may change its directory meanwhile */
    unsigned how; /* of support/replace.h */
    struct sup_replacement open;
};

/* ---- RB_REMEMBER ----------------------------------------------------------------------------- */

/* Collects the results of the online choice from all ranks, and writes them to the file of
 * RB_REMEMBER for later runs. */

/* On rank 0: RB_EINVAL unless RB_REMEMBER's file can be written. */
int preload_remember_start(int rank, struct sup_error *error);

/* Collective over MPI_COMM_WORLD, just before MPI_Finalize: rank 0 writes the file if RB_REMEMBER
 * is set: the rules that are there by then, unchanged, and after them new ones for calls that none
 * of these fits. Jobs that end at the same time wait for each other. */
void preload_remember_end(void);

/* ---- RB_REPORT ------------------------------------------------------------------------------- */

/* Starts to record if RB_REPORT is set. Rank 0 makes the file now, so that an error in writing it
 * is found early. RB_EINVAL, RB_ENOMEM. */
int preload_report_start(int rank, struct sup_error *error);

/* Collective over MPI_COMM_WORLD, just before MPI_Finalize. Does nothing unless recording. */
void preload_report_end(void);
