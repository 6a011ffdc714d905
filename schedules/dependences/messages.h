/* messages.h - finds the messages of a rank's round.
 *
 * A round has its sends first, then its receives, then its local operations, and the operations of
 * a message stand together (roundabout.h, rules 2 and 5). So a message is a run of operations with
 * one peer, one port and one direction; each rank's port has at most one in each direction.
 *
 *   ops[]   send to 3   send to 3   send to 5   receive from 2   copy
 *   port    0           0           1           0                0
 *           message of 2            message     message          local
 *   side    0           0           2           1                -
 *
 * All functions need rounds that keep these rules (rb_layout_checked_round). None allocates. The
 * caller owns the operations, which must outlive the messages that point to them. Going through a
 * round takes O(its operations). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "roundabout.h"

enum dep_direction { DEP_SENDS, DEP_RECEIVES, DEP_DIRECTIONS };

/* True for copies and reductions, which are part of no message. */
static inline bool dep_is_local(const struct rb_op *op)
{
    return op->kind == RB_COPY || op->kind == RB_REDUCE;
}

/* The direction of an operation that is not local. */
static inline enum dep_direction dep_direction_of(const struct rb_op *op)
{
    return op->kind == RB_SEND ? DEP_SENDS : DEP_RECEIVES;
}

/* The sides of a rank are its ports' directions: 2 port for sends, 2 port + 1 for receives. This is
 * the side of an operation that is not local. */
static inline int32_t dep_side(const struct rb_op *op)
{
    return DEP_DIRECTIONS * op->port + (int32_t)dep_direction_of(op);
}

/* True if an operation of a round belongs to the same message as an earlier one, which is not
 * local. */
static inline bool dep_continues(const struct rb_op *first, const struct rb_op *op)
{
    return op->peer == first->peer && op->port == first->port && !dep_is_local(op) &&
           dep_direction_of(op) == dep_direction_of(first);
}

/* True if operation i of a round, which is not local, is the first one of its message; for
 * time-critical loops over operations. */
static inline bool dep_begins(const struct rb_op ops[], int32_t i)
{
    return i == 0 || !dep_continues(&ops[i - 1], &ops[i]);
}

/* The number of operations of the message that begins at ops[0], among `count` operations; 0 if
 * there is no message, because count is 0 or ops[0] is local. */
static inline int32_t dep_message_length(const struct rb_op ops[], int32_t count)
{
    if (count == 0 || dep_is_local(&ops[0]))
        return 0;
    int32_t length = 1;
    while (length < count && dep_continues(&ops[0], &ops[length]))
        length++;
    return length;
}

/* One message of a rank's round. Its peer, port and direction are those of each operation. */
struct dep_message {
    const struct rb_op *ops; /* ops[0 .. count - 1] */
    int32_t count;           /* >= 1 */
};

/* What is left of a round:
 *
 *   struct dep_messages left = dep_messages_of(ops, count);
 *   for (struct dep_message message; dep_next_message(&left, &message);)
 *       ... message.ops->peer ...
 *   ... left.ops[0 .. left.count - 1] are the local operations ... */
struct dep_messages {
    const struct rb_op *ops;
    int32_t count;
};

static inline struct dep_messages dep_messages_of(const struct rb_op ops[], int32_t count)
{
    return (struct dep_messages){ops, count};
}

/* Takes the next message; false if there is none. */
static inline bool dep_next_message(struct dep_messages *left, struct dep_message *message)
{
    message->ops = left->ops;
    message->count = dep_message_length(left->ops, left->count);
    left->ops += message->count;
    left->count -= message->count;
    return message->count > 0;
}

/* Takes the next message if it is a send. Sends come first: false means that none is left. */
static inline bool dep_next_send(struct dep_messages *left, struct dep_message *message)
{
    return left->count > 0 && left->ops->kind == RB_SEND && dep_next_message(left, message);
}

/* The bytes of a message, by this end's operations. O(its operations). */
static inline int64_t dep_message_bytes(const struct rb_plan *plan, const struct rb_layout *layout,
                                        const struct dep_message *message)
{
    int64_t bytes = 0;
    for (int32_t i = 0; i < message->count; i++)
        bytes += rb_layout_bytes(plan, layout, &message->ops[i].at);
    return bytes;
}

/* The blocks of a message. O(its operations). */
static inline int64_t dep_message_blocks(const struct dep_message *message)
{
    int64_t blocks = 0;
    for (int32_t i = 0; i < message->count; i++)
        blocks += message->ops[i].at.count;
    return blocks;
}

/* ---- The rounds of one rank that are in flight: the next one to enter and the oldest --------- */

/* A rank has up to `width` rounds in flight: 1 is the overlap rule `blocking`, w is `window:w`. It
 * enters rounds in their order, and leaves a round when it and all rounds before it are complete.
 * Rounds in which the rank has no operation by its plan do not count. The rounds entered are
 * numbered from 0, and number i uses place i % width in a ring of `width` places. The rounds in
 * flight are left .. entered - 1.
 *
 *   width 3    round    0  1  4  5  8
 *              number   0  1  2  3  4       left 1, entered 4, next 8: no room until 1 is left
 *                          [in flight]
 *
 * The caller finds out when a round is complete and increments `left`. Each function takes O(1),
 * plus the time of rb_plan_next. */

struct dep_rounds {
    int64_t next;    /* round to enter next; rb_plan_rounds() if there is none */
    int64_t entered; /* rounds entered, since the start */
    int64_t left;    /* rounds left: complete, with all earlier ones */
};

/* The first round from t on in which the rank has an operation; rb_plan_rounds() if there is none.
 * t may lie beyond the last round. */
static inline int64_t dep_next_round(const struct rb_plan *plan, const struct rb_rank *state,
                                     int64_t t)
{
    const int64_t rounds = rb_plan_rounds(plan);
    return t < rounds ? rb_plan_next(plan, state, t) : rounds;
}

/* Before the first round. */
static inline struct dep_rounds dep_rounds_of(const struct rb_plan *plan,
                                              const struct rb_rank *state)
{
    return (struct dep_rounds){.next = dep_next_round(plan, state, 0)};
}

/* True if a round is in flight. */
static inline bool dep_in_flight(const struct dep_rounds *rounds)
{
    return rounds->left < rounds->entered;
}

/* True if the next of the plan's `count` rounds may be entered. */
static inline bool dep_may_enter(const struct dep_rounds *rounds, int64_t count, int64_t width)
{
    return rounds->entered - rounds->left < width && rounds->next < count;
}

/* Counts the next round as entered, and finds the one after it. */
static inline void dep_enter(struct dep_rounds *rounds, const struct rb_plan *plan,
                             const struct rb_rank *state)
{
    rounds->entered++;
    rounds->next = dep_next_round(plan, state, rounds->next + 1);
}

/* ---- Decides whether an operation of a rank must wait for an earlier one --------------------- */

/* An operation accesses the range `at`, which a send reads and all others write; a local operation
 * reads the range `from`, too. Two accesses conflict if they overlap and one of them writes. Local
 * operations wait for all earlier rounds and for the messages of their own round, so conflicts
 * matter only for messages:
 *
 *   a send     waits for what wrote its blocks: receives, and local operations,
 *   a receive  waits for what read or wrote the blocks that it overwrites: besides these sends, and
 *              local operations that read them.
 *
 * Within one round no message waits for another, because sends read the state at its start; a
 * receive that conflicts with a send of its own round must keep what it receives apart until the
 * send is complete.
 *
 * There are two forms: for two operations; and for two recorded accesses of 16 bytes each, for
 * callers that do not keep operations. Each test takes O(1). */

/* True if the operation writes `at`; otherwise it reads `at`. */
static inline bool dep_writes(const struct rb_op *op)
{
    return op->kind != RB_SEND;
}

/* True if a message with the operation `op` must wait for the operation `older` of an earlier round
 * of the same rank. The plan gives the ranges' locations. */
static inline bool dep_conflict(const struct rb_plan *plan, const struct rb_op *op,
                                const struct rb_op *older)
{
    const bool writes = dep_writes(op);
    if ((writes || dep_writes(older)) && rb_plan_overlap(plan, &op->at, &older->at))
        return true;
    return writes && dep_is_local(older) && rb_plan_overlap(plan, &op->at, &older->from);
}

/* An access by one rank, in a plan of fewer than 2^32 blocks: blocks first .. last of a row of a
 * buffer (rb_plan_location). */
struct dep_access {
    uint32_t first, last;
    int32_t row;
    int16_t side; /* side of the operation (dep_side), or the caller's number for local ones */
    int8_t buffer;
    bool writes;
};

/* Writes an access field by field. A struct value, assembled elsewhere and copied in larger pieces,
 * would have to wait until its fields are written. */
static inline void dep_note_access(const struct rb_plan *plan, const struct rb_range *range,
                                   bool writes, int32_t side, struct dep_access *access)
{
    const struct rb_location location = rb_plan_location(plan, range);
    access->first = (uint32_t)location.first;
    access->last = (uint32_t)(location.first + range->count - 1);
    access->row = location.row;
    access->side = (int16_t)side;
    access->buffer = (int8_t)range->buffer;
    access->writes = writes;
}

/* Writes the accesses of an operation and returns their number: 2 for a local operation, 1 for
 * others. `local_side` is the side of local operations. */
static inline int32_t dep_note_accesses(const struct rb_plan *plan, const struct rb_op *op,
                                        int32_t local_side, struct dep_access access[])
{
    const bool local = dep_is_local(op);
    const int32_t side = local ? local_side : dep_side(op);
    dep_note_access(plan, &op->at, dep_writes(op), side, &access[0]);
    if (local)
        dep_note_access(plan, &op->from, false, side, &access[1]);
    return local ? 2 : 1;
}

/* True if two accesses by one rank conflict. */
static inline bool dep_accesses_conflict(const struct dep_access *a, const struct dep_access *b)
{
    return a->first <= b->last && b->first <= a->last && (a->writes || b->writes) &&
           a->row == b->row && a->buffer == b->buffer;
}
