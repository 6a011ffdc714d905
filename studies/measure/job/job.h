/* job.h - the processes that mpirun started: their hosts, how they wait, and the output of rows. */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "roundabout.h"
#include "studies/measure/measure.h"

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

/* ---- Calls ----------------------------------------------------------------------------------- */

/* The collectives that can be measured: Roundabout's functions and the MPI library's own,
 * on data that show whether the result is right. */

/* The data of one rank. */
struct job_call_data {
    MPI_Comm comm;
    int p, rank, root;
    int64_t bytes;  /* of all data, as everywhere */
    char *out, *in; /* owned; room for all of them each */
    /* Owned; per rank, in elements: the rank's share, in rank order, and the part of `out` for the
     * rank in all-to-all. As even as possible, or by the request's counts. */
    int *count, *first, *out_count, *out_first;
    bool even; /* all counts are equal: the calls without a v serve */
};

struct job_measured_call {
    const char *collective;
    int element_bytes;
    /* One call; an MPI error code. */
    int (*run)(const struct job_call_data *data, bool ours);
    /* The number of bytes of `in` that are this rank's result. */
    int64_t (*result_bytes)(const struct job_call_data *data);
    bool even_only; /* there is no function for data that p does not divide */
};

/* NULL: the library has no such function. */
const struct job_measured_call *job_measured_call_find(const char *collective);

/* RB_EINVAL and RB_EIO if a file of counts has changed; the caller frees data all the same. */
int job_call_data_init(struct job_call_data *data, const struct job_measured_call *call,
                       const struct rb_collective_info *collective, MPI_Comm comm, int root,
                       int64_t bytes, const struct sup_counts *counts, struct sup_error *error);
void job_call_data_free(struct job_call_data *data);
/* Fills both buffers by the seed, with different data in each buffer and at each rank. */
void job_call_data_fill(struct job_call_data *data, uint64_t seed);

/* ---- Clocks ---------------------------------------------------------------------------------- */

/* The clocks of a communicator's ranks in terms of rank 0's (measure.h). */

enum { JOB_CLOCK_MEMORY = 16 };

struct job_clocks {
    struct measure_clock clock; /* this rank's; rank 0's is the reference */
    struct measure_clock_sample sample[JOB_CLOCK_MEMORY]; /* the latest, oldest first */
    size_t count;
    double error_s; /* at rank 0: the largest error of any rank's offset in the last
                     * synchronisation */
};

/* Synchronises again, one rank after the other; collective. More calls give a better estimate of
 * the drift. */
void job_clocks_ask(struct job_clocks *clocks, MPI_Comm comm);

double job_clocks_now_s(const struct job_clocks *clocks);
