/* simulated.h - measures how fast engines simulate a circulant broadcast: what the benchmarks
 * `model` and `flow` share. */
#ifndef TESTS_BENCH_SIMULATED_H
#define TESTS_BENCH_SIMULATED_H

#include <stddef.h>
#include <stdint.h>

#include "command/bench/bench.h"

struct bench_engine_request {
    int32_t samples;  /* number of samples, 1 .. BENCH_MOST_SAMPLES */
    const char *only; /* a case's name; NULL: all cases */
    enum out_format format;
    FILE *stream; /* for the results */
};

/* A run to measure. */
struct bench_case {
    const char *name; /* for --only; cases that are compared have the same; NULL: none */
    const char *engine, *variant, *overlap; /* variant NULL: the engine's choice */
    const char *platform;                   /* NULL: a crossbar with a host per rank */
    const char *placement;                  /* NULL: block */
    int32_t p;
    int64_t n, bytes;
    /* The project's goals; 0: none. */
    double per_s;          /* messages per second on one core, at least */
    double bytes_per_rank; /* of memory, at most */
};

/* What a process took for a run. */
struct bench_cost {
    double cpu_s; /* with loading the platform */
    int64_t peak_bytes;
};

/* One run of one case. */
struct bench_sample {
    size_t which; /* case */
    int32_t p;
    struct bench_cost cost;
    struct bench_cost two; /* of the same with two ranks: loading, and what every process takes */
    int64_t messages;
    double time_s, alpha_s, beta_s_per_byte; /* simulated, and the platform's */
};

struct bench_results {
    struct bench_sample *samples; /* owned */
    size_t count;
};

struct bench_simulated {
    const char *name; /* the benchmark's */
    const struct bench_case *cases;
    size_t count;
    int32_t samples; /* if none are asked for */
    /* Checks the last sample. RB_EWRONG: its simulated time is wrong, so how long that took means
     * nothing. */
    int (*check)(const struct bench_simulated *simulated, const struct bench_results *results,
                 struct sup_error *error);
    /* Prints the results as a table. */
    void (*print)(const struct bench_simulated *simulated,
                  const struct bench_engine_request *request, const struct bench_results *results);
};

/* Each case that the request wants request->samples times, in turn, each time in a process of its
 * own. RB_ENOMEM, RB_EFAILED; RB_EWRONG if a simulated time is wrong. */
int bench_simulated_measure(const struct bench_simulated *simulated,
                            const struct bench_engine_request *request,
                            struct bench_results *results, struct sup_error *error);
/* In the request's format. */
void bench_simulated_print(const struct bench_simulated *simulated,
                           const struct bench_engine_request *request,
                           const struct bench_results *results);
/* Measures and prints. */
int bench_simulated_run(const struct bench_simulated *simulated,
                        const struct bench_engine_request *request, struct sup_error *error);

/* Beyond those of two ranks: CPU time, messages per second of it, memory. */
double bench_sample_cpu_s(const struct bench_sample *sample);
double bench_sample_per_s(const struct bench_sample *sample);
double bench_sample_bytes_per_rank(const struct bench_sample *sample);
double bench_sample_peak_bytes(const struct bench_sample *sample); /* of the whole process */

const char *bench_case_variant(const struct bench_case *is);

/* The spread over a case's samples. False: there is none. */
bool bench_case_spread(const struct bench_results *results, size_t which,
                       double (*value_of)(const struct bench_sample *sample),
                       struct bench_spread *spread);
/* A case's i-th sample; NULL beyond the end. */
const struct bench_sample *bench_case_sample(const struct bench_results *results, size_t which,
                                             int32_t i);

/* "200 (106-250)" for a spread, each number times `scale`; and "met" or "missed". */
enum { BENCH_TEXT = 48 };
const char *bench_spread_text(const struct bench_spread *spread, double scale,
                              char text[BENCH_TEXT]);
const char *bench_met(bool met);
/* Below a table: the machine, and how it was measured. */
void bench_simulated_note(const struct bench_engine_request *request);

extern const struct bench_simulated bench_simulated_model, bench_simulated_flow;

#endif
