/* case.h - one case of the simulated MPI, drawn from a seed. */
#ifndef SIMULATED_MPI_CASE_H
#define SIMULATED_MPI_CASE_H

#include <stddef.h>
#include <stdint.h>

/* The most of each that a case may have; a failing case is made smaller by these. */
enum limit {
    LIMIT_RANKS,
    LIMIT_ELEMENTS,
    LIMIT_BLOCKS,
    LIMIT_WIDTH,
    LIMIT_RUNS,
    LIMIT_KIND,
    LIMIT_SURPRISES,
    LIMITS
};
extern const char *const limit_name[LIMITS];
struct limits {
    int64_t most[LIMITS];
};

/* Runs it; sm_fault ends it where something is wrong. `text` says what was drawn. */
void case_run(uint64_t seed, const struct limits *limits, char *text, size_t size);
/* What the case had of each, at most what the limits say. */
extern struct limits case_had;

#endif
