/* host_file.h - files that say on which host each rank is, and writing them.
 *
 * Formats: a line per rank with its host, in the order of ranks (SLURM_HOSTFILE); Open MPI's
 * rankfile (rank 0=HOST slot=0), whose lines may come in any order; MPICH's host lists (HOST:4 for
 * four ranks in a row); and tables whose first line names columns, MPI_Rank and allocation among
 * them (0,HOST), as the PICO benchmarks write. A host is a name, or a number of the platform. '#'
 * starts a comment. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "support/error.h"

struct sim_host_file {
    char *text;    /* owned; the names point into it */
    uint64_t hash; /* of the content (support/memory.h) */
    int32_t ranks;
    const char **host; /* per rank, owned */
    int32_t *line;     /* per rank, counts from 1, owned */
};

/* Reads and checks the file. RB_EINVAL with path, line and reason. */
int sim_host_file_read(const char *path, struct sim_host_file *file, struct sup_error *error);
void sim_host_file_free(struct sim_host_file *file); /* safe on a zeroed struct */

enum sim_host_format {
    SIM_HOSTS_RANKS,
    SIM_HOSTS_OPENMPI,
    SIM_HOSTS_MPICH,
    SIM_HOSTS_SLURM,
    SIM_HOSTS_CSV
};

/* Reads the words ranks, openmpi, mpich, slurm and csv. RB_EINVAL. */
int sim_host_format_parse(const char *text, enum sim_host_format *format, struct sup_error *error);

/* Writes the hosts of p ranks. names: their names in the order of ranks, each ended by a zero byte.
 * note: a comment for the formats that have comments. Errors of the stream stay there.
 */
void sim_host_file_write(FILE *stream, enum sim_host_format format, int32_t p, const char *names,
                         const char *note);
