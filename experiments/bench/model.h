/* model.h - measures how fast the engine model simulates a circulant broadcast, and prints the
 * results. */
#ifndef EXPERIMENTS_BENCH_MODEL_H
#define EXPERIMENTS_BENCH_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "experiments/bench/bench.h"

/* A line of the benchmark. Blocks are equal and nothing is shared, so the simulated time must equal
 * the closed form. */
struct bench_model_case {
    const char *engine, *variant, *progress;
    int32_t p;
    int64_t n;
    /* The project's goals; 0: none. */
    double per_s;          /* messages per second on one core, at least */
    double bytes_per_rank; /* of memory, at most */
};
extern const struct bench_model_case bench_model_cases[];
extern const size_t bench_model_case_count;

/* One run of one case. */
struct bench_model_sample {
    size_t which; /* case */
    int64_t messages;
    double cpu_s;
    double bytes_per_rank; /* peak memory over that of the same with two ranks */
};

struct bench_model_results {
    struct bench_model_sample *samples; /* owned */
    size_t count;
};

/* Each case request->samples times, in turn, each time in a process of its own. RB_ENOMEM,
 * RB_EFAILED; RB_EWRONG if a time simulated is wrong. */
int bench_model_measure(const struct bench_request *request, struct bench_model_results *results,
                        struct sup_error *error);

/* In the request's format. RB_ENOMEM. */
int bench_model_print(const struct bench_request *request,
                      const struct bench_model_results *results);

#endif
