/* script.h - a rank's part of a plan, written out for one size, and where its data lie. This
 * module does not use MPI. */
#pragma once

#include <roundabout.h>

/* ---- Places ---------------------------------------------------------------------------------- */

/* The location of a range of a plan's data in a buffer. This module does not use MPI.
 *
 * Lengths are elements: layouts have element = 1, so that what rb_layout calls bytes are
 * elements. */

/* Where the rows of a buffer (rb_plan_location) lie, in elements. */
struct exec_rows {
    /* Row j begins at displacement[j]. NULL: one row after the other, if the data are not
     * personalized or the layout has no counts. */
    const int64_t *displacement;
    /* Without displacements: the first element of the buffer. Lower elements follow the last one,
     * so that a rank which gets only some rows needs no room for others. */
    int64_t origin;
    /* Row j has count[j] elements, and both ends of a message must agree in this; empty messages
     * are then not sent. NULL: the layout gives the counts; where data are personalized, too, its
     * empty messages are not sent. */
    const int64_t *count;
};

/* The number of elements in the range. */
int64_t exec_rows_count(const struct exec_rows *rows, const struct rb_plan *plan,
                        const struct rb_layout *layout, const struct rb_range *range);

/* The number of the range's first element in its buffer. */
int64_t exec_rows_place(const struct exec_rows *rows, const struct rb_plan *plan,
                        const struct rb_layout *layout, const struct rb_range *range);

/* The number of elements for which TMP needs room, if no rows are displaced. */
int64_t exec_tmp_room(const struct rb_plan *plan, const struct rb_layout *layout);

/* ---- Scripts --------------------------------------------------------------------------------- */

/* A rank's part of a plan, written out for one size. It is for short messages, where computing it
 * again takes longer than the messages.
 *
 * A step is a round in which the rank is active, with at most one message out and one in, so that
 * rounds can run one after the other without tracking dependences. Ranges are elements of buffers;
 * contiguous ones are joined. This module does not use MPI.
 *
 * A plan with several ports or many steps, or with rows at the caller's displacements, has no
 * script. Each rank decides by itself whether to use its script, because the messages are the
 * same. */

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
    int32_t sends, receives; /* number of operations of the message out, and of the message in */
    int32_t locals;          /* number of local operations; the operations are in this order */
    bool direct;             /* received data may be written to their location at once */
    int64_t sent, received;  /* elements */
};

struct exec_script {
    bool made, usable;
    int64_t bytes, origin[RB_BUFFERS]; /* the size and origins for which it was made */
    int32_t steps, ops;
    int64_t most_sent, most_received; /* size of a message that needs memory of its own */
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
