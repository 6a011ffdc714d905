/* calls.h - the collectives that can be measured: Roundabout's functions and the MPI library's own,
 * on data that show whether the result is right. */
#ifndef MEASUREMENTS_MEASURE_JOB_CALLS_H
#define MEASUREMENTS_MEASURE_JOB_CALLS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "roundabout.h"

/* The data of one rank. */
struct job_call_data {
    MPI_Comm comm;
    int p, rank, root;
    int64_t bytes;  /* of all data, as everywhere */
    char *out, *in; /* owned; room for all of them each */
    /* Owned; per rank, in elements: the rank's share, in rank order, and the part of `out` for the
     * rank in all-to-all. As even as possible. */
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

void job_call_data_init(struct job_call_data *data, const struct job_measured_call *call,
                        const struct rb_collective_info *collective, MPI_Comm comm, int root,
                        int64_t bytes);
void job_call_data_free(struct job_call_data *data);
/* Fills both buffers by the seed, with different data in each buffer and at each rank. */
void job_call_data_fill(struct job_call_data *data, uint64_t seed);

#endif
