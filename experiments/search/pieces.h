/* pieces.h - numbered pieces of work for a crew (crew.h), each with a result of its own.
 *
 * Who does which piece depends on who is free; the results don't. */
#ifndef RB_EXPERIMENTS_SEARCH_PIECES_H
#define RB_EXPERIMENTS_SEARCH_PIECES_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "support/error.h"

struct rb_pieces {
    const char *what; /* for the progress line */
    size_t count;
    const double *cost_s; /* of each piece, an estimate: the costliest start first */
    int32_t jobs;         /* workers, >= 1 */
    size_t result_size;
    void *context;
    /* In a worker: piece i, its result into zeroed memory; steps counts what is worth showing while
     * the piece goes on. */
    void (*run)(void *context, size_t i, void *result, _Atomic int64_t *steps);
    const char *step; /* what the steps are: "simulations" */
};

/* Runs all; *results is an array of count results, which the caller frees. RB_ENOMEM, RB_EFAILED if
 * a worker died. */
int rb_pieces_run(const struct rb_pieces *pieces, void **results, struct rb_error *error);

#endif
