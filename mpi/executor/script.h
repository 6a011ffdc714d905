/* script.h - a rank's part of a plan, written out for one size: for short messages, where working
 * it out anew takes longer than the messages do.
 *
 * A step is a round in which the rank has something to do: one message out and one in at most, so
 * that rounds can be done one after the other without any account of what waits for what. Ranges
 * are elements of buffers; those that follow each other are joined. Knows no MPI.
 *
 * A plan with more ports than one has no script, nor has one of many steps, or whose rows lie where
 * the caller says. Whether a rank uses its script is its own affair: the messages are the same. */
#ifndef MPI_EXECUTOR_SCRIPT_H
#define MPI_EXECUTOR_SCRIPT_H

#include "rows.h"

enum { EXEC_SCRIPT_MOST_STEPS = 256, EXEC_SCRIPT_MOST_OPS = 1024 };

/* `count` elements at element `at` of a buffer; for local operations read at `from` of another. */
struct exec_script_op {
    enum rb_op_kind kind;
    bool incoming_is_left;
    enum rb_buffer buffer, from_buffer;
    int64_t at, from, count;
};

struct exec_script_step {
    int32_t to, from;        /* ranks, or -1 */
    int32_t sends, receives; /* how many operations are of the message out, and in */
    int32_t locals;          /* and local, in order; they follow each other in this order */
    bool direct;             /* what is received may go where it belongs at once */
    int64_t sent, received;  /* elements */
};

struct exec_script {
    bool made, usable;
    int64_t bytes, origin[RB_BUFFERS]; /* what it was made for */
    int32_t steps, ops;
    int64_t most_sent, most_received; /* of a message that needs memory of its own */
    struct exec_script_step *step;
    struct exec_script_op *op;
};

/* Writes the script for this size, unless it is there. A zeroed script is none yet; free it with
 * exec_script_free. True: it may be used. False: there is none for this run, or no memory for it.
 */
bool exec_script_make(struct exec_script *script, const struct rb_plan *plan,
                      const struct rb_rank *state, const struct rb_layout *layout,
                      const struct exec_rows rows[]);
void exec_script_free(struct exec_script *script);

#endif
