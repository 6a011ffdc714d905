/* crew.h - work divided among forked workers that leave their results in shared memory. */
#ifndef RB_EXPERIMENTS_CREW_H
#define RB_EXPERIMENTS_CREW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/error.h"

struct rb_crew {
    int32_t workers;
    size_t record_size; /* of one worker's results: memory holds workers of them, zeroed */
    void *context;      /* for work and watch */
    /* Runs in the worker's process. What it is to leave behind goes into record; what the parent
     * reads meanwhile must be atomic. */
    void (*work)(void *context, int32_t worker, int32_t workers, void *record);
    /* Runs in the parent, twenty times a second; true ends all workers. */
    bool (*watch)(void *context, const void *records);
    void *records;
};

/* Makes records (rb_crew_free frees them) and runs the workers to their end. RB_EFAILED if one
 * died; none is left running. */
int rb_crew_run(struct rb_crew *crew, struct rb_error *error);
void rb_crew_free(struct rb_crew *crew);

#endif
