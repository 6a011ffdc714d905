/* conflicts.h - decides whether an operation of a rank must wait for an earlier one.
 *
 * An operation accesses the range `at`, which a send reads and all others write; a local operation
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
#ifndef RB_SCHEDULES_DEPENDENCES_CONFLICTS_H
#define RB_SCHEDULES_DEPENDENCES_CONFLICTS_H

#include "messages.h"

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

#endif
