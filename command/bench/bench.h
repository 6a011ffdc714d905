/* bench.h - benchmarks of the program's own code. Times are measured here and never asserted. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "support/error.h"
#include "support/options/common_options.h"

enum { BENCH_MOST_SAMPLES = 1000 };

struct bench_request {
    int32_t samples; /* number of samples, 1 .. BENCH_MOST_SAMPLES */
    uint64_t seed;   /* seed of its random choices */
    enum out_format format;
    bool details; /* of text: everything that is known */
    FILE *stream; /* for the results */
};

/* The schedule core beside a literal transcription: the paper's Table 4. RB_EWRONG (the measured
 * code gives a wrong result, so the times are meaningless), RB_EIO, RB_EFAILED. */
int bench_core_run(const struct bench_request *request, struct sup_error *error);

/* The machine and compiler of the times, for the results. */
struct bench_machine {
    char cpu[96];      /* model */
    char compiler[96]; /* and build type */
};
void bench_machine(struct bench_machine *machine);

/* Lower quartile, median, upper quartile of value[0 .. count - 1], which it sorts; count >= 1. */
struct bench_spread {
    double low, median, high;
};
struct bench_spread bench_spread_of(double value[], size_t count);

/* ---- The schedule core ----------------------------------------------------------------------- */

/* Measures the schedule core and a literal transcription, and prints the results.
 *
 * After Table 4 of J. L. Traeff, Optimal Broadcast Schedules in Logarithmic Time, 2024, which
 * gives for eight ranges of p the time of all schedules, receive and send, of all ranks of all p
 * in the range, and the average per rank. Here some p of each range are measured, all ranks of
 * each. */

enum bench_core_way {
    BENCH_CORE_LITERAL,  /* the literal transcription, rank by rank */
    BENCH_CORE_ONE_RANK, /* rb_circulant_recv and _send, rank by rank */
    BENCH_CORE_TABLE,    /* rb_circulant_table: send rows, which rotated are the receive rows */
    BENCH_CORE_BOTH,     /* the same, the receive rows written out too */
    BENCH_CORE_WAYS
};

/* A row of the paper's Table 4, and its figures: a 3.3 GHz Xeon E3-1225. */
struct bench_core_range {
    int32_t first, last;
    double old_per_rank_us, new_per_rank_us; /* O(log^3 p) and O(log p) per rank */
};
enum { BENCH_CORE_RANGES = 8, BENCH_CORE_GOALS = 4 };
extern const struct bench_core_range bench_core_ranges[BENCH_CORE_RANGES];

/* The project's goals at one p: one rank's time divided by the literal transcription's, and the
 * whole table's time per rank. */
struct bench_core_goal {
    int32_t p;
    bool random;     /* ranks in pseudo-random order, otherwise 0 to p - 1 */
    double ratio;    /* at most */
    double table_ns; /* per rank, at most; 0: no goal (also in the line before) */
};
extern const struct bench_core_goal bench_core_goals[BENCH_CORE_GOALS];

/* One p measured once, all ways in turn. */
struct bench_core_sample {
    int32_t range, goal; /* which one it is for; -1: none */
    int32_t p;
    double ns[BENCH_CORE_WAYS]; /* per rank: its receive and its send schedule */
};

/* A broadcast's plan, of whose ranks some are measured. */
struct bench_core_plan {
    const char *algorithm, *groups;
    int32_t p;
    double rank_ns, round_ns; /* what rb_plan_rank takes, and rb_plan_round */
};
enum { BENCH_CORE_PLANS = 4 };

struct bench_core_results {
    struct bench_core_sample *samples; /* owned */
    size_t count;
    struct bench_core_plan plans[BENCH_CORE_PLANS];
};

/* Measures `samples` p of each range and each goal so many times. The seed chooses p and ranks.
 * RB_EWRONG if the ways don't agree. */
int bench_core_measure(const struct bench_request *request, struct bench_core_results *results,
                       struct sup_error *error);

/* In the request's format: as in the paper, all times per rank; or as rows. */
void bench_core_print(const struct bench_request *request,
                      const struct bench_core_results *results);
