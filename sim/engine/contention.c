#include "contention.h"

#include <stdlib.h>
#include <string.h>

#include "support/memory.h"

void sim_contention_free(struct sim_contention *contention)
{
    if (contention == NULL)
        return;
    for (int32_t l = 0; contention->link != NULL && l < contention->links; l++)
        free(contention->link[l].carried);
    free(contention->link);
    free(contention->level);
    free(contention->round);
    free(contention);
}

static size_t round_loads(const struct sim_contention *contention)
{
    return (size_t)contention->columns * (size_t)contention->levels;
}

/* The struct, the levels, the rounds, and each link with its bins, if it has any. */
void sim_contention_write(const struct sim_contention *contention, FILE *stream)
{
    fwrite(contention, sizeof *contention, 1, stream);
    fwrite(contention->level, sizeof *contention->level, (size_t)contention->levels, stream);
    fwrite(contention->round, sizeof *contention->round, round_loads(contention), stream);
    for (int32_t l = 0; l < contention->links; l++) {
        const struct sim_carrier *link = &contention->link[l];
        fwrite(link, sizeof *link, 1, stream);
        if (link->carried != NULL)
            fwrite(link->carried, sizeof *link->carried, (size_t)contention->bins, stream);
    }
}

static const char *take(void *to, const char *bytes, size_t size)
{
    memcpy(to, bytes, size);
    return bytes + size;
}

struct sim_contention *sim_contention_read(const char **at)
{
    struct sim_contention *made = sup_calloc(1, sizeof *made);
    const char *bytes = take(made, *at, sizeof *made);
    made->level = sup_malloc(((size_t)made->levels + 1) * sizeof *made->level);
    made->round = sup_malloc((round_loads(made) + 1) * sizeof *made->round);
    made->link = sup_malloc(((size_t)made->links + 1) * sizeof *made->link);
    bytes = take(made->level, bytes, (size_t)made->levels * sizeof *made->level);
    bytes = take(made->round, bytes, round_loads(made) * sizeof *made->round);
    for (int32_t l = 0; l < made->links; l++) {
        struct sim_carrier *link = &made->link[l];
        bytes = take(link, bytes, sizeof *link);
        if (link->carried != NULL) {
            const size_t size = (size_t)made->bins * sizeof *link->carried;
            link->carried = sup_malloc(size + 1);
            bytes = take(link->carried, bytes, size);
        }
    }
    *at = bytes;
    return made;
}
