/* job.h - the processes that mpirun started: where they are, how they wait, where rows go. */
#ifndef RB_MPI_MEASURE_JOB_JOB_H
#define RB_MPI_MEASURE_JOB_JOB_H

#include <mpi.h>

#include "mpi/measure/machine.h"
#include "mpi/measure/measured.h"
#include "mpi/measure/request.h"
#include "mpi/measure/sink.h"

struct rb_job {
    const struct rb_measure_request *request;
    int rank, ranks;
    int *host;      /* of each rank, counted from 0; owned */
    int hosts, ppn; /* ppn: most ranks of a host */
    int *cores;     /* of each host; owned */
    struct rb_machine machine;
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    struct rb_sink *sink; /* rank 0's; NULL elsewhere */
    struct rb_bar bar;    /* rank 0's */
    int64_t cases, done;  /* rows to measure, and measured, for the bar */
    struct rb_error *error;
};

/* Collective over all ranks. RB_ENOMEM. */
int rb_job_init(struct rb_job *job, const struct rb_measure_request *request,
                struct rb_error *error);
void rb_job_free(struct rb_job *job);

/* True if some host has more of the first `ranks` ranks than cores. */
bool rb_job_oversubscribed(const struct rb_job *job, int ranks);

/* A row with what all rows of the job have in common. */
void rb_job_row(const struct rb_job *job, struct rb_measured *row);

/* Waits for all ranks without keeping a core busy, which other ranks may be measuring on. Returns
 * the worst of their statuses, which are RB_OK or negative. */
int rb_job_meet(int status);
/* MPI_Recv of bytes, likewise. */
void rb_job_receive(void *buffer, int bytes, int source, int tag, MPI_Comm comm);

/* pairs.c, collectives.c. Collective over all ranks, which return the same. RB_EWRONG: a collective
 * gave wrong data; RB_EFAILED: nothing could be measured; RB_ENOMEM, RB_EIO. */
int rb_measure_pairs(struct rb_job *job);
int rb_measure_collectives(struct rb_job *job);
int64_t rb_count_pair_cases(const struct rb_measure_request *request);
int64_t rb_count_collective_cases(const struct rb_measure_request *request);

#endif
