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
#ifndef RB_SCHEDULES_DEPENDENCES_MESSAGES_H
#define RB_SCHEDULES_DEPENDENCES_MESSAGES_H

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

#endif
