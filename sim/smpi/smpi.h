/* smpi.h - the engine `smpi`: ranks that call MPI, on SimGrid's own MPI.
 *
 * The executor that runs plans on real MPI (mpi/executor/executor.h), compiled with SMPI's mpi.h,
 * runs a plan; a native collective is a call of SMPI's own. Everything runs in the engine's child
 * process, on the loaded platform; no other process is started and no file is written. */
#pragma once

#include "sim/engine/engine.h"
#include "sim/engine/tally.h"
#include "sim/simgrid/simgrid_platform.h"

struct simmpi_run {
    const struct sim_spec *spec;
    const struct rb_collective_info *collective;
    struct s4u_platform *platform;
    const int32_t *host; /* per rank */
    double *finish_s;    /* per rank, since all started together */

    /* Data: buffers of so many bytes, filled with bytes that simmpi_byte gives. If `checked`, each
     * rank has its own buffer, and the result is compared; otherwise all ranks share one buffer,
     * and SMPI copies no messages. */
    int64_t buffer_bytes;
    bool checked;
    void *shared[RB_BUFFERS];
    unsigned char *combined; /* the right result of reductions, if checked */
    /* If the data are distributed: owner j has elements first[j] .. first[j + 1] - 1. In
     * personalized collectives row j of a buffer begins at first[j], with room for the longest
     * part, first[1]. */
    int64_t *first;

    /* State that all ranks share; they run one at a time. */
    void *together;   /* sg_bar_t of all ranks: costs no simulated time */
    bool counting;    /* the timed part has begun */
    int64_t messages; /* messages that carry data, since then */
    int64_t before;   /* messages before that: of the first call of a native collective */
    int64_t expected; /* messages of the plan; 0: not counted */
    sim_tally bytes;
    int32_t ended; /* ranks that have ended */
    int status;    /* of the first rank that failed */
    struct sup_error error;
};

/* ---- smpi_start.cpp ---- */

/* Declares SMPI's options to SimGrid; call it before SimGrid starts. */
void simmpi_declare_options(void);
/* Starts SMPI on the loaded platform and runs all ranks to their end. RB_EFAILED, or the status of
 * the first rank that failed. */
int simmpi_run_ranks(struct simmpi_run *run, struct sup_error *error);
/* Starts SimGrid with an option of SMPI's and no platform; the process ends if SMPI refuses the
 * option. */
void simmpi_try_option(const char *option);

/* ---- smpi_rank.c ---- */

/* The code of a rank: of an actor whose data is the run. */
void simmpi_rank(int argc, char *argv[]);

/* ---- smpi_data.c ---- */

/* Fills buffer_bytes, checked, combined, first. RB_EINVAL if MPI can't count it. */
int simmpi_data_init(struct simmpi_run *run, struct sup_error *error);
void simmpi_data_free(struct simmpi_run *run);
/* The content of a rank's buffers at the start. */
void simmpi_fill(unsigned char *buffer, int32_t rank, int64_t bytes);
/* The first byte of a rank's result that is wrong; -1: none. */
int64_t simmpi_first_wrong(const struct simmpi_run *run, int32_t rank, const unsigned char *result);

/* ---- smpi.c ---- */

/* As in struct sim_engine. */
int simmpi_simulate(const struct sim_spec *spec, struct sim_result *result,
                    struct sup_error *error);
int simmpi_find_native(const struct rb_collective_info *collective, const char *name,
                       struct sup_error *error);
