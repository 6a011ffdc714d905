/* this_host.h - the machine on which times are measured. */
#ifndef MEASUREMENTS_MEASURE_THIS_HOST_H
#define MEASUREMENTS_MEASURE_THIS_HOST_H

#include <stddef.h>
#include <stdint.h>

struct measure_machine {
    char host[64];
    char cpu[96];    /* model */
    char kernel[96]; /* "Linux 6.1.0-18-amd64" */
    int32_t cores;   /* cores of the host, even if the process is bound to some of them */
    /* In a Slurm job its number, partition and nodes, "node[1-4]"; otherwise empty. */
    char job[24], partition[64], nodes[128];
};

/* The machine of this process. */
void measure_machine_read(struct measure_machine *machine);

/* How often another process took this one's core from it, so far. */
int64_t measure_interruptions(void);

#endif
