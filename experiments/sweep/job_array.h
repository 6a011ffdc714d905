/* job_array.h - scripts by which Slurm runs the shards of a sweep and merges them. */
#ifndef EXPERIMENTS_SWEEP_JOB_ARRAY_H
#define EXPERIMENTS_SWEEP_JOB_ARRAY_H

#include <stdbool.h>
#include <stdint.h>

enum { SWEEP_LEAST_LIMIT_S = 300 };

struct sweep_job_array {
    const char *experiment;     /* file */
    const char *directory;      /* where scripts, shards and results are to be; made if missing */
    int32_t shards;             /* 0: as many as make a shard take about half an hour */
    int32_t jobs;               /* worker processes of a shard, each with a core */
    double time_limit_s;        /* of a shard's job; 0: by the estimate; else
                                 * >= SWEEP_LEAST_LIMIT_S */
    double point_limit_s;       /* as in sweep_request; 0: what the time limit leaves */
    const char *const *options; /* further options of sbatch, for all jobs */
    int32_t option_count;
    bool plots; /* the merge makes the reports */
};

/* Writes to the directory
 *   NAME.yaml     a copy of the experiment, so that later changes don't concern the shards
 *   sweep.sbatch  a job array, whose task I runs shard I
 *   merge.sbatch  a job that merges the shards to NAME.db
 *   submit.sh     submits the shards that are not complete, and the merge after them
 * and makes the subdirectory `shards`. Prints their paths, and on standard error how to use them.
 * A directory that has the same shards of the same experiment gets new scripts, and keeps its
 * results; any other directory with files in it is refused. Returns an enum cli_exit. */
int sweep_job_array_write(const struct sweep_job_array *request);

#endif
