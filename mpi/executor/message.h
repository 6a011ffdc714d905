/* message.h - one message's ranges as MPI sees them.
 *
 * Ranges that follow each other in memory are joined to pieces. One piece is sent and received
 * where it lies. Several short ones of a dense datatype are packed into memory of the message's own
 * by memcpy; others are one derived datatype, and MPI collects them. More than EXEC_MAX_COUNT
 * elements are cut into pieces too, so that no count overflows. */
#ifndef MPI_EXECUTOR_MESSAGE_H
#define MPI_EXECUTOR_MESSAGE_H

#include "elements.h"
#include "executor.h"
#include "schedules/dependences/window.h"

/* Memory of a message's own; grows, and is kept for the next one. Zeroed before its first use. */
struct exec_stage {
    char *memory;
    size_t bytes;
    bool used; /* by the message under way */
};

struct exec_piece {
    char *address;
    int length; /* elements */
};

/* Scratch for `most` pieces. */
struct exec_pieces {
    int64_t most;
    int32_t count;
    int64_t elements; /* of all */
    struct exec_piece *piece;
    int *length; /* for MPI */
    MPI_Aint *address;
};

/* All that messages of one run have in common. */
struct exec_messages {
    const struct exec_run *run;
    struct exec_elements elements;
    struct exec_pieces pieces;
    struct exec_self self;
    bool cut; /* messages that are sent carry nothing, so that their receivers find them short */
};

/* Start, and let take effect when it came through; *request stays as it is if there is nothing to
 * carry. Return MPI error codes. */
int exec_message_send(struct exec_messages *messages, const struct dep_task *task,
                      struct exec_stage *stage, MPI_Request *request);
int exec_message_receive(struct exec_messages *messages, const struct dep_task *task,
                         struct exec_stage *stage, MPI_Request *request);
int exec_message_take_effect(const struct exec_messages *messages, const struct dep_task *task,
                             const struct exec_stage *stage);
/* Bytes of data that it carries. */
int64_t exec_message_bytes(const struct exec_messages *messages, const struct dep_task *task);
/* A round's local operations, in order. */
int exec_message_local(const struct exec_messages *messages, const struct dep_task *task,
                       struct exec_stage *stage);

#endif
