/* preload_report.h - RB_REPORT: what all ranks recorded, written by rank 0 when MPI ends. */
#ifndef MPI_PRELOAD_PRELOAD_REPORT_H
#define MPI_PRELOAD_PRELOAD_REPORT_H

#include "support/error.h"

/* Starts to record if RB_REPORT is set. Rank 0 makes the file now, so that an error in writing it
 * is found early. RB_EINVAL, RB_ENOMEM. */
int preload_report_start(int rank, struct sup_error *error);

/* Collective over MPI_COMM_WORLD, just before MPI_Finalize. Does nothing unless recording. */
void preload_report_end(void);

#endif
