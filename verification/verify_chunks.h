/* verify_chunks.h - divides a list of p into pieces of about equal work. A free worker takes the
 * next piece, so no worker waits long for another. */
#ifndef VERIFICATION_VERIFY_CHUNKS_H
#define VERIFICATION_VERIFY_CHUNKS_H

#include <stddef.h>
#include <stdint.h>

/* first, first + step .. last; step is at least 1. */
struct verify_chunk {
    int32_t first, last, step;
};

struct verify_chunks {
    struct verify_chunk *chunk; /* owned */
    size_t count;
    int64_t cost; /* of all */
};

/* The cost of one p, in the caller's unit; job is the caller's. */
typedef int64_t verify_chunk_cost(const void *job, int32_t p);

/* Cuts p[0 .. count - 1], in that order: a chunk costs at most `most`, or is one p. RB_ENOMEM. */
int verify_chunks_cut(struct verify_chunks *chunks, const int32_t p[], size_t count, int64_t most,
                      verify_chunk_cost *cost, const void *job);
void verify_chunks_free(struct verify_chunks *chunks);

#endif
