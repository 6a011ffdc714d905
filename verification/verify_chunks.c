/* verify_chunks.c - see verify_chunks.h. */
#include "verification/verify_chunks.h"

#include <stdlib.h>

#include "roundabout.h"
#include "support/array.h"

/* A chunk has one step, so that it can be written as a range. */
static bool may_join(const struct verify_chunk *chunk, int32_t p)
{
    return chunk->first == chunk->last ? p > chunk->last : p - chunk->last == chunk->step;
}

static int add(struct verify_chunks *chunks, int32_t p)
{
    if (!sup_array_grow(&chunks->chunk, chunks->count, sizeof *chunks->chunk))
        return RB_ENOMEM;
    chunks->chunk[chunks->count++] = (struct verify_chunk){.first = p, .last = p, .step = 1};
    return RB_OK;
}

int verify_chunks_cut(struct verify_chunks *chunks, const int32_t p[], size_t count, int64_t most,
                      verify_chunk_cost *cost, const void *job)
{
    int64_t room = 0; /* remaining capacity of the last chunk */
    *chunks = (struct verify_chunks){0};
    for (size_t i = 0; i < count; i++) {
        int64_t here = cost(job, p[i]);
        struct verify_chunk *last = chunks->count == 0 ? NULL : &chunks->chunk[chunks->count - 1];
        if (last != NULL && here <= room && may_join(last, p[i])) {
            last->step = p[i] - last->last;
            last->last = p[i];
        } else if (add(chunks, p[i]) == RB_OK) {
            room = most;
        } else {
            verify_chunks_free(chunks);
            return RB_ENOMEM;
        }
        room -= here;
        chunks->cost += here;
    }
    return RB_OK;
}

void verify_chunks_free(struct verify_chunks *chunks)
{
    free(chunks->chunk);
    *chunks = (struct verify_chunks){0};
}
