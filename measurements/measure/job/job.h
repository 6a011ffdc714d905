/* job.h - the processes that mpirun started: their hosts, how they wait, and the output of rows. */
#ifndef MEASUREMENTS_MEASURE_JOB_JOB_H
#define MEASUREMENTS_MEASURE_JOB_JOB_H

#include <mpi.h>

#include "measurements/measure/measured.h"
#include "measurements/measure/request.h"
#include "measurements/measure/sink.h"
#include "measurements/measure/this_host.h"

struct job_context {
    const struct measure_request *request;
    int rank, ranks;
    int *host;      /* of each rank, counted from 0; owned */
    int hosts, ppn; /* ppn: most ranks of a host */
    int *cores;     /* of each host; owned */
    struct measure_machine machine;
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    struct measure_sink *sink; /* rank 0's; NULL elsewhere */
    struct cli_bar bar;        /* rank 0's */
    int64_t cases, done;       /* rows to measure, and measured, for the bar */
    struct sup_error *error;
};

/* Collective over all ranks. */
void job_init(struct job_context *job, const struct measure_request *request,
              struct sup_error *error);
void job_free(struct job_context *job);

/* True if some host has more of the first `ranks` ranks than cores. */
bool job_oversubscribed(const struct job_context *job, int ranks);

/* Fills in the common values of all rows of the job. */
void job_row(const struct job_context *job, struct measure_result *row);

/* Waits for all ranks without keeping a core busy, which other ranks may be measuring on. Returns
 * the worst of their statuses, which are RB_OK or negative. */
int job_meet(int status);
/* MPI_Recv of bytes that waits without keeping a core busy. */
void job_receive(void *buffer, int bytes, int source, int tag, MPI_Comm comm);

/* pairs.c, collectives.c. Collective over all ranks, which return the same. RB_EWRONG: a collective
 * gave wrong data; RB_EFAILED: nothing could be measured; RB_EIO. */
int job_pairs(struct job_context *job);
int job_collectives(struct job_context *job);
int64_t job_count_pair_cases(const struct measure_request *request);
int64_t job_count_collective_cases(const struct measure_request *request);

#endif
