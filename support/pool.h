/* pool.h - a pool of worker processes for numbered pieces of work.
 *
 * A worker is a child process that does one piece after the other, in memory that it shares with
 * this process. A free worker gets the next piece, so results must not depend on the assignment of
 * pieces to workers. Workers end with this process. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/error.h"

struct sup_pool_worker; /* gives a worker its pieces */

/* The result of a piece. */
struct sup_pool_piece {
    size_t i;
    void *memory;     /* a copy of its worker's memory at the piece's end */
    double wall_s;    /* real time */
    const char *lost; /* NULL if it was done; otherwise why not: its worker died or took too long */
    int lost_status;  /* RB_ENOMEM if the worker had no memory, otherwise RB_EFAILED */
};

struct sup_pool {
    size_t count;       /* pieces 0 .. count - 1, started in this order */
    int32_t workers;    /* at a time, >= 1 */
    size_t memory_size; /* bytes that each worker shares with this process, zeroed at the start */
    double limit_s;     /* real time for a piece; 0: no limit */
    const volatile sig_atomic_t *stop; /* set by a signal's handler: end soon; may be NULL */
    void *context;

    /* In a worker: does all pieces that sup_pool_next gives it. If it returns early, the worker's
     * last piece counts as done, and the other workers continue without it. When all workers have
     * returned, the pool ends. */
    void (*work)(void *context, struct sup_pool_worker *worker, void *memory);
    /* Called in this process when a piece has ended. A new worker with the same memory replaces a
     * lost one. A status other than RB_OK ends the pool. NULL: no call is made, and a lost piece
     * ends the pool with its lost_status. */
    int (*done)(void *context, const struct sup_pool_piece *piece, struct sup_error *error);
    /* Called in this process some times per second: true ends the pool. Values that it reads from
     * the memory of running workers must be atomic. May be NULL. */
    bool (*tick)(void *context, const struct sup_pool *pool);

    void *memory;    /* the workers' memories, one after the other; sup_pool_free frees it */
    const void *run; /* while the pool runs: the workers */
};

/* Runs all pieces. RB_OK if all have ended, or *stop or tick() ended it; the status of done();
 * RB_EFAILED if no worker can be started. No worker is left when it returns. */
int sup_pool_run(struct sup_pool *pool, struct sup_error *error);
void sup_pool_free(struct sup_pool *pool);

/* The memory of worker w, 0 .. workers - 1, while the pool runs and after. */
void *sup_pool_memory(const struct sup_pool *pool, int32_t w);

/* In tick(): the piece that worker w is doing, for how long it has done it (wall_s), and the
 * worker's memory, not a copy. False: it does none. */
bool sup_pool_busy(const struct sup_pool *pool, int32_t w, struct sup_pool_piece *piece);

/* In a worker: says that the preceding piece is done and gets the next one. False if there are no
 * more. */
bool sup_pool_next(struct sup_pool_worker *worker, size_t *i);

/* The number of cores that this process may use. */
int32_t sup_pool_cores(void);
