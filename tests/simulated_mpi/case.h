/* case.h - one case of the simulated MPI, drawn from a seed. */
#ifndef SIMULATED_MPI_CASE_H
#define SIMULATED_MPI_CASE_H

#include "simulation.h"
#include "tests/mpi/mpi_data.h"

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

/* What both kinds of cases have. */
int64_t case_limited(const struct limits *limits, enum limit which, int64_t value);
/* Pairs in a datatype of MPI's own, which scripts may send; other kinds are mpi_data.h's. */
enum { WORDS = KINDS };
struct data_type case_type(int kind);
void case_free_type(int kind, struct data_type *type);
/* A world of p ranks, where in every fourth case something fails. */
struct sm_nature case_nature(uint64_t *random, int p, const struct limits *limits);
/* Nothing is left of it. Ranks that gave up may have made the others wait. */
void case_check_end(int p, bool all_ended, const bool gave_up[], bool keeps_memory);

/* Makes /proc a directory in which rank `without` runs without the preloaded library and the other
 * ranks of p, or unless `all` all but one of them, run with it; NULL: it is the system's. */
void processes_make(const char *directory, int p, int without, bool all, const char *job);

/* With all that is in it. */
void case_remove(const char *directory);

/* Run a case of the executor, one of the library, and one of a program; sm_fault ends them where
 * something is wrong. `text` says what was drawn. */
void library_run(uint64_t seed, const struct limits *limits, char *text, size_t size);
void program_run(uint64_t seed, const struct limits *limits, char *text, size_t size);
void executor_run(uint64_t seed, const struct limits *limits, char *text, size_t size);
/* What the case had of each, at most what the limits say. */
extern struct limits case_had;

#endif
