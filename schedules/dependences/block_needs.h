/* block_needs.h - finds by block the messages of a rank for which an operation must wait, for
 * replays with so many rounds in flight that a search through all of them takes too long. */
#ifndef RB_SCHEDULES_DEPENDENCES_BLOCK_NEEDS_H
#define RB_SCHEDULES_DEPENDENCES_BLOCK_NEEDS_H

#include <stdint.h>

#include "block_index.h"
#include "roundabout.h"

/* For each rank and block: the numbers of messages of each side, and of rounds, that must be
 * complete before the block may be read or written. */
struct dep_block_needs {
    struct dep_block_index index;
    uint32_t *count; /* owned */
    int32_t sides, counts;
};

/* Zero it first. RB_ENOMEM; RB_EINVAL for plans of 2^32 rounds or more. Memory: 4 bytes (2 ports +
 * 2) for each of a rank's blocks. */
int dep_block_needs_init(struct dep_block_needs *needs, const struct rb_plan *plan);
void dep_block_needs_free(struct dep_block_needs *needs); /* safe on a zeroed struct */

/* Raises need[0 .. sides] to the numbers of messages of each side (dep_side), and of rounds, for
 * which a message operation of the rank must wait. O(its blocks * ports). */
void dep_block_needs_raise(const struct dep_block_needs *needs, int32_t rank,
                           const struct rb_op *op, int64_t need[]);

/* From now on operations that conflict with this one need so many messages of its side, or so many
 * rounds if this one is local. */
void dep_block_needs_note(struct dep_block_needs *needs, int32_t rank, const struct rb_op *op,
                          int64_t complete);

#endif
