/* rules_on_mpi.h - what an MPI library did in a collective, seen from inside: the witness of Open
 * MPI stands between its component coll/tuned and its algorithms, that of MPICH between MPICH and
 * UCX. */
#ifndef TESTS_EXPERIMENTS_RULES_ON_MPI_H
#define TESTS_EXPERIMENTS_RULES_ON_MPI_H

#include <stdbool.h>
#include <stdint.h>

/* The first algorithm since witness_start. */
struct witness_algorithm {
    const char *call; /* "bcast"; NULL: none yet */
    int id;           /* its number in rules */
    int64_t segment_bytes;
    int32_t fan; /* 0: it has none */
};

extern const char witness_format[]; /* of the rules: "ompi" */
extern const bool witness_names;    /* the witness sees algorithms; otherwise messages */

extern const int witness_sizes; /* so many sizes are tried, by factors of 4 */

extern const int witness_least_p; /* with so many ranks and more */
extern const int witness_most_p;  /* with rules; at most 5 */

void witness_start(void);
struct witness_algorithm witness_algorithm(void);
/* Of the messages that this rank has sent since witness_start: to whom, how long, in which order.
 */
uint64_t witness_messages(void);
/* The next message goes to this rank. */
void witness_learn(int rank);

#endif
