/* threads.h - threads that share out one loop after another. */
#ifndef SIM_MODEL_THREADS_H
#define SIM_MODEL_THREADS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Does share `i` of `shares`. */
typedef void model_share(void *context, int32_t i, int32_t shares);

struct model_threads {
    int32_t shares;       /* the caller's thread does share 0 */
    pthread_t *thread;    /* the others, shares - 1; owned */
    pthread_mutex_t gate; /* closed until all are there */
    pthread_barrier_t begin, end;
    model_share *work; /* the current loop; NULL: the threads end */
    void *context;
};

/* Starts threads for `shares` >= 1 shares, or for fewer if there are no more threads to be had:
 * results must not depend on how many. It stays where it is in memory. */
void model_threads_start(struct model_threads *threads, int32_t shares);
/* Returns when all shares are done. */
void model_threads_run(struct model_threads *threads, model_share *work, void *context);
void model_threads_end(struct model_threads *threads);

#endif
