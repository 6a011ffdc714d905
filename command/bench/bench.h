/* bench.h - benchmarks of the program's own code. Times are measured here and never asserted. */
#ifndef COMMAND_BENCH_BENCH_H
#define COMMAND_BENCH_BENCH_H

#include <stdint.h>
#include <stdio.h>

#include "support/error.h"
#include "support/options/common_options.h"

enum { BENCH_MOST_SAMPLES = 1000 };

struct bench_request {
    int32_t samples; /* number of samples, 1 .. BENCH_MOST_SAMPLES */
    uint64_t seed;   /* seed of its random choices */
    enum out_format format;
    FILE *stream;                     /* for the results */
    const struct plot_request *place; /* of the figure; NULL: none is made */
};

/* The schedule core beside a literal transcription: the paper's Table 4. RB_EWRONG (the measured
 * code gives a wrong result, so the times are meaningless), RB_EIO, RB_EFAILED. */
int bench_core_run(const struct bench_request *request, struct sup_error *error);

/* What the figures of benchmarks lack: a set of enum plot_lack. */
unsigned bench_figures_lack(void);

/* The machine and compiler of the times, for the results. */
struct bench_machine {
    char cpu[96];      /* model */
    char compiler[96]; /* and build type */
};
void bench_machine(struct bench_machine *machine);

/* CPU time of this process in seconds, which other programs on the machine disturb least. */
double bench_clock_s(void);

/* Lower quartile, median, upper quartile of value[0 .. count - 1], which it sorts; count >= 1. */
struct bench_spread {
    double low, median, high;
};
struct bench_spread bench_spread_of(double value[], size_t count);

#endif
