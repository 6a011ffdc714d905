/* message.h - one message's ranges as MPI sees them.
 *
 * Ranges that follow each other in memory are joined to pieces. One piece is sent and received
 * where it lies. Several short ones of a dense datatype are packed into memory of the message's own
 * by memcpy; others are one derived datatype, and MPI collects them. More than RB_MAX_COUNT
 * elements are cut into pieces too, so that no count overflows. */
#ifndef RB_MPI_EXECUTOR_MESSAGE_H
#define RB_MPI_EXECUTOR_MESSAGE_H

#include "elements.h"
#include "executor.h"
#include "schedules/dependences/window.h"

/* Memory of a message's own; grows, and is kept for the next one. Zeroed before its first use. */
struct rb_stage {
    char *memory;
    size_t bytes;
    bool used; /* by the message under way */
};

struct message_piece {
    char *address;
    int length; /* elements */
};

/* Scratch for `most` pieces. */
struct message_pieces {
    int64_t most;
    int32_t count;
    int64_t elements; /* of all */
    struct message_piece *piece;
    int *length; /* for MPI */
    MPI_Aint *address;
};

/* All that messages of one run have in common. */
struct rb_messages {
    const struct rb_execution *run;
    struct rb_elements elements;
    struct message_pieces pieces;
    struct rb_self self;
    bool cut; /* messages that are sent carry nothing, so that their receivers find them short */
};

/* Start, and let take effect when it came through; *request stays as it is if there is nothing to
 * carry. Return MPI error codes. */
int rb_message_send(struct rb_messages *messages, const struct dep_task *task,
                    struct rb_stage *stage, MPI_Request *request);
int rb_message_receive(struct rb_messages *messages, const struct dep_task *task,
                       struct rb_stage *stage, MPI_Request *request);
int rb_message_take_effect(const struct rb_messages *messages, const struct dep_task *task,
                           const struct rb_stage *stage);
/* Bytes of data that it carries. */
int64_t rb_message_bytes(const struct rb_messages *messages, const struct dep_task *task);
/* A round's local operations, in order. */
int rb_message_local(const struct rb_messages *messages, const struct dep_task *task,
                     struct rb_stage *stage);

#endif
