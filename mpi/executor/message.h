/* message.h - one message's ranges as MPI sees them.
 *
 * Ranges that are contiguous in memory are joined to pieces. A single piece is sent and received in
 * place. Several short pieces of a dense datatype are packed into the message's own memory by
 * memcpy; other pieces become one derived datatype, which MPI packs. More than EXEC_MAX_COUNT
 * elements are cut into pieces too, so that no count overflows. */
#ifndef MPI_EXECUTOR_MESSAGE_H
#define MPI_EXECUTOR_MESSAGE_H

#include "elements.h"
#include "executor.h"
#include "schedules/dependences/window.h"

/* A buffer for a message, which grows and is reused for the next message. Zero it before its first
 * use. */
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

/* The common data of all messages of a run. */
struct exec_messages {
    const struct exec_run *run;
    struct exec_elements elements;
    struct exec_pieces pieces;
    struct exec_self self;
    bool cut; /* messages are sent empty, so that their receivers find them short */
};

/* Start a message, and let it take effect when it has arrived; *request does not change if the
 * message is empty. Return MPI error codes. */
int exec_message_send(struct exec_messages *messages, const struct dep_task *task,
                      struct exec_stage *stage, MPI_Request *request);
int exec_message_receive(struct exec_messages *messages, const struct dep_task *task,
                         struct exec_stage *stage, MPI_Request *request);
int exec_message_take_effect(const struct exec_messages *messages, const struct dep_task *task,
                             const struct exec_stage *stage);
/* The bytes of data that the message carries. */
int64_t exec_message_bytes(const struct exec_messages *messages, const struct dep_task *task);
/* A round's local operations, in order. */
int exec_message_local(const struct exec_messages *messages, const struct dep_task *task,
                       struct exec_stage *stage);

#endif
