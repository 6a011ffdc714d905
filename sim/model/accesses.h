/* accesses.h - computes when the blocks that an operation needs are ready, from the blocks that a
 * rank's earlier operations have read and written, and the times of these operations.
 *
 * An operation that writes blocks waits for all earlier operations on these blocks; one that reads
 * waits for the earlier writes. There are two methods. The first keeps the operations of the rank's
 * last rounds and searches them from the newest to the oldest; it is fast and needs little memory.
 * The second keeps two times per block. Operations in flight that are older than the last rounds
 * almost never delay another operation, because ports keep their order. If they might, this is
 * reported, and the run must be repeated with times per block. */
#ifndef SIM_MODEL_ACCESSES_H
#define SIM_MODEL_ACCESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "roundabout.h"
#include "schedules/dependences/messages.h"
#include "schedules/dependences/window.h"

struct model_block_access; /* of one block */

struct model_accesses {
    const struct rb_plan *plan;
    int32_t p;
    int64_t window;
    int32_t sides; /* of a rank (dep_side); local operations have one more, this one */
    bool by_block; /* one of two: */
    bool lost;     /* an operation that might delay another one is no longer kept */
    int64_t ring;  /* slots per rank: a power of two, since dividing by it takes time */
    char *slot;    /* per rank and round in flight: its operations, see accesses.c; owned */
    size_t slot_bytes;
    int32_t most;        /* that a slot has room for */
    double *forgotten_s; /* per rank: when all was through that is no longer kept; owned */
    struct model_block_access *block; /* per rank, buffer, row and block, owned */
    struct dep_block_index index;     /* of them */
};

/* For ranks with so many rounds in flight, two or more: with one, everything earlier has been
 * waited for. exact: nothing may be lost. RB_ENOMEM; to be freed in
 * any case. Memory O(p) times the operations of a round, or O(p) times all blocks. */
int model_accesses_init(struct model_accesses *accesses, const struct rb_plan *plan, int64_t window,
                        bool exact);
void model_accesses_free(struct model_accesses *accesses);

/* The time from which a message operation in the rank's round number `number` (of its active
 * rounds) can proceed, at least floor_s. */
double model_accesses_ready_s(struct model_accesses *accesses, int32_t rank, int64_t number,
                              const struct rb_op *op, double floor_s);

/* The round's operations, after all of them were asked about; */
void model_accesses_add(struct model_accesses *accesses, int32_t rank, int64_t number,
                        const struct rb_op ops[], int32_t count);
/* and when those of each side are done: done_s[0 .. sides - 1]; done_s[sides]: when this round and
 * all before are. ops are read if by_block only. */
void model_accesses_finish(struct model_accesses *accesses, int32_t rank, int64_t number,
                           const double done_s[], const struct rb_op ops[], int32_t count);

#endif
