/* window.h - finds the messages of one rank that may start, and those that may take effect, while
 * up to `width` rounds are in flight. The caller runs the rank's rounds: it starts messages and
 * reports when they have arrived. The window stores the operations of the rounds in flight; a
 * replay of all ranks (sim/engine/replay.c) uses its own structures, which take less memory.
 *
 * A round in flight consists of tasks: for each port a send and a receive (all ranges of a message
 * together), and one task for the round's local operations. A task waits for older tasks that
 * conflict with it:
 *
 *   a send     for what writes its blocks,
 *   a receive  for what reads or writes its blocks,
 *   local      for all of its own round and for all rounds before.
 *
 * Sends read the state at the start of their round. A receive that is combined, or whose blocks are
 * sent in the same round, is therefore `deferred`: it starts at once, into memory of its own, and
 * waits only before it takes effect. Messages of one port and direction start in the order of
 * rounds. No task waits for a younger round, so the oldest round can always proceed.
 *
 * p = 3, circulant bcast of n = 2 blocks (q = 2), rank 1, width 2: round 0 receives block 0, round
 * 1 sends it on and receives nothing new: its send waits for round 0's receive; rounds 2 and 3
 * enter as these leave.
 *
 * Memory: O(width * (operations of a round + ports * width * ports / 64) + rows). Time of a round
 * O(its operations * those in flight on their rows). */
#pragma once

#include <stdint.h>

#include "messages.h"
#include "roundabout.h"

/* ---- Numbers the blocks of all ranks' buffers, for tables with an entry per block ------------ */

struct dep_block_index {
    const struct rb_plan *plan;
    int64_t row_blocks, rank_blocks;
    int64_t buffer[RB_BUFFERS]; /* its first block */
};

/* A rank has blocks 0 .. rank_blocks - 1. O(1). */
static inline struct dep_block_index dep_block_index_of(const struct rb_plan *plan)
{
    struct dep_block_index index = {.plan = plan,
                                    .row_blocks = rb_plan_blocks(plan) / rb_plan_parts(plan)};
    for (int b = 0; b < RB_BUFFERS; b++)
        if (rb_plan_has(plan, (enum rb_buffer)b)) {
            index.buffer[b] = index.rank_blocks;
            index.rank_blocks += rb_plan_rows(plan, (enum rb_buffer)b) * index.row_blocks;
        }
    return index;
}

/* The first block of a rank's range, among all ranks' blocks; the others follow it. */
static inline int64_t dep_block_index_at(const struct dep_block_index *index, int32_t rank,
                                         const struct rb_range *range)
{
    const struct rb_location location = rb_plan_location(index->plan, range);
    return rank * index->rank_blocks + index->buffer[range->buffer] +
           location.row * index->row_blocks + location.first;
}

/* ---- Needs by block -------------------------------------------------------------------------- */

/* Finds by block the messages of a rank for which an operation must wait, for replays with so many
 * rounds in flight that a search through all of them takes too long. */

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

/* ---- The window ------------------------------------------------------------------------------ */

enum dep_task_state {
    DEP_TASK_NONE,    /* the round has no such task */
    DEP_TASK_WAITING, /* not started */
    DEP_TASK_STARTED, /* under way */
    DEP_TASK_ARRIVED, /* arrived, but has not yet taken effect */
    DEP_TASK_DONE
};

enum dep_task_kind { DEP_TASK_SEND, DEP_TASK_RECEIVE, DEP_TASK_LOCAL };

struct dep_task {
    enum dep_task_state state;
    enum dep_task_kind kind;
    bool deferred;           /* a receive that must not touch its blocks before it takes effect */
    const struct rb_op *ops; /* its operations, valid until the task is done */
    int32_t count;
};

struct dep_window {
    const struct rb_plan *plan;
    const struct rb_layout *layout;
    const struct rb_rank *state;
    int32_t width;
    int32_t ports;
    int32_t per_round; /* tasks of a round: 2 ports + 1, the last is local */
    int32_t tasks;     /* width * per_round */
    int32_t words;     /* of 64 bits, for one bit per task */
    int32_t max_ops;
    struct dep_rounds rounds;
    struct dep_task *task;
    uint64_t *waits;   /* per task a set of tasks, `words` words each */
    struct rb_op *ops; /* per round in flight max_ops */
    int32_t *task_of;  /* per round in flight max_ops: the task of an operation */
    int64_t *before;   /* two per operation: the preceding access to the same row, or -1 */
    int64_t *last;     /* per row: the last access, or -1 */
    bool *held;        /* scratch, per port and direction */
    void *room;        /* the memory of all these arrays, kept from run to run */
    size_t room_bytes;
    char wrong[240]; /* what dep_window_enter found wrong */
};

/* Begins a run of a plan by one rank; plan, layout and state must outlive it. width >= 1 is cut to
 * the plan's rounds. The window must be zeroed before its first run. 0 or RB_ENOMEM. */
int dep_window_begin(struct dep_window *window, const struct rb_plan *plan,
                     const struct rb_layout *layout, const struct rb_rank *state, int32_t width);
void dep_window_free(struct dep_window *window); /* a zeroed one is fine */

/* Enters rounds as far as there is room. RB_EWRONG: a round breaks the rules (rb_round_check), as
 * window->wrong says. */
int dep_window_enter(struct dep_window *window);

/* A task that may start now, or -1. The caller starts it and marks it DEP_TASK_STARTED. */
int32_t dep_window_startable(struct dep_window *window);

/* A task that may take effect now, or -1: DEP_TASK_ARRIVED, or local. The caller lets it take
 * effect and calls dep_window_done. */
int32_t dep_window_ready(const struct dep_window *window);
void dep_window_done(struct dep_window *window, int32_t task);

/* True if no round is left. */
bool dep_window_finished(const struct dep_window *window);
