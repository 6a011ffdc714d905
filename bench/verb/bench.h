/* bench.h - benchmarks of the program's own code. Times are measured here and never asserted.
 *
 * One benchmark is one const descriptor and one line in verbs/verb_bench.c. */
#ifndef BENCH_VERB_BENCH_H
#define BENCH_VERB_BENCH_H

#include <stdint.h>
#include <stdio.h>

#include "cli/options/common_options.h"
#include "support/error.h"

enum { BENCH_MOST_SAMPLES = 1000 };

struct bench_request {
    int32_t samples;  /* number of samples, 1 .. BENCH_MOST_SAMPLES */
    const char *only; /* a case's name; NULL: all cases */
    uint64_t seed;    /* seed of its random choices */
    enum out_format format;
    FILE *stream;                     /* for the results */
    const struct plot_request *place; /* of the figure; NULL: none is made */
};

struct bench_simulated;

struct bench_suite {
    const char *name;                        /* "core" */
    const char *title;                       /* one line */
    bool seeded;                             /* it chooses something at random */
    bool draws;                              /* it makes a figure */
    int32_t samples;                         /* if none are asked for */
    const struct bench_simulated *simulated; /* what it simulates, case by case; NULL: nothing */
    /* RB_OK, RB_EWRONG (the measured code gives a wrong result, so the times are meaningless),
     * RB_ENOMEM, RB_EIO, RB_EFAILED. */
    int (*run)(const struct bench_request *request, struct sup_error *error);
};
extern const struct bench_suite bench_core, bench_model, bench_flow;

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
