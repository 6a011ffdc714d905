/* message.c - see message.h. */
#include "message.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- Ranges in memory ------------------------------------------------------------------------ */

static int64_t count_of(const struct exec_messages *messages, const struct rb_range *range)
{
    const struct exec_run *run = messages->run;
    return exec_rows_count(&run->rows[range->buffer], run->plan, run->layout, range);
}

static char *address_of(const struct exec_messages *messages, const struct rb_range *range)
{
    const struct exec_run *run = messages->run;
    const int64_t place = exec_rows_place(&run->rows[range->buffer], run->plan, run->layout, range);
    return (char *)run->buffer[range->buffer] + place * messages->elements.extent;
}

static int64_t elements_of(const struct exec_messages *messages, const struct dep_task *task)
{
    int64_t elements = 0;
    for (int32_t i = 0; i < task->count; i++)
        elements += count_of(messages, &task->ops[i].at);
    return elements;
}

int64_t exec_message_bytes(const struct exec_messages *messages, const struct dep_task *task)
{
    return elements_of(messages, task) * messages->elements.size;
}

/* True if the message carries nothing, which both ends know from the counts of their rows. */
static bool is_void(const struct exec_messages *messages, const struct dep_task *task)
{
    const struct exec_run *run = messages->run;
    const bool has_pairs = run->layout->first != NULL && rb_plan_parts(run->plan) > 1;
    return (has_pairs || run->rows[task->ops->at.buffer].count != NULL) &&
           elements_of(messages, task) == 0;
}

/* ---- Pieces ---------------------------------------------------------------------------------- */

static void add_piece(struct exec_messages *messages, char *address, int64_t count)
{
    struct exec_pieces *pieces = &messages->pieces;
    const MPI_Aint extent = messages->elements.extent;
    pieces->elements += count;
    while (count > 0) {
        struct exec_piece *last = &pieces->piece[pieces->count - 1];
        if (pieces->count == 0 || last->length == EXEC_MAX_COUNT ||
            last->address + last->length * extent != address) {
            assert(pieces->count < pieces->most);
            last = &pieces->piece[pieces->count++];
            *last = (struct exec_piece){.address = address};
        }
        const int64_t room = EXEC_MAX_COUNT - last->length;
        const int now = (int)(count < room ? count : room);
        last->length += now;
        address += now * extent;
        count -= now;
    }
}

static void collect_ranges(struct exec_messages *messages, const struct dep_task *task)
{
    messages->pieces.count = 0;
    messages->pieces.elements = 0;
    for (int32_t i = 0; i < task->count; i++)
        add_piece(messages, address_of(messages, &task->ops[i].at),
                  count_of(messages, &task->ops[i].at));
}

static int start(const struct exec_messages *messages, enum dep_task_kind kind, void *address,
                 int count, MPI_Datatype type, const struct rb_op *op, MPI_Request *request)
{
    const struct exec_run *run = messages->run;
    const int peer = exec_run_peer(run, op->peer), tag = exec_run_tag(run, op->port);
    return kind == DEP_TASK_SEND ? PMPI_Isend(address, count, type, peer, tag, run->comm, request)
                                 : PMPI_Irecv(address, count, type, peer, tag, run->comm, request);
}

/* Starts a message of pieces in place, as one element of a derived datatype. */
static int start_derived(struct exec_messages *messages, enum dep_task_kind kind,
                         const struct rb_op *op, MPI_Request *request)
{
    struct exec_pieces *pieces = &messages->pieces;
    MPI_Datatype type;
    int error;
    for (int32_t i = 0; i < pieces->count; i++) {
        pieces->length[i] = pieces->piece[i].length;
        if ((error = PMPI_Get_address(pieces->piece[i].address, &pieces->address[i])) !=
            MPI_SUCCESS)
            return error;
    }
    error = PMPI_Type_create_hindexed(pieces->count, pieces->length, pieces->address,
                                      messages->elements.type, &type);
    if (error != MPI_SUCCESS)
        return error;
    error = PMPI_Type_commit(&type);
    if (error == MPI_SUCCESS)
        error = start(messages, kind, MPI_BOTTOM, 1, type, op, request);
    PMPI_Type_free(&type); /* when the message is complete */
    return error;
}

static int start_pieces(struct exec_messages *messages, enum dep_task_kind kind,
                        const struct rb_op *op, MPI_Request *request)
{
    const struct exec_pieces *pieces = &messages->pieces;
    if (pieces->count > 1)
        return start_derived(messages, kind, op, request);
    void *address = pieces->count == 1 ? pieces->piece[0].address : NULL;
    return start(messages, kind, address, pieces->count == 1 ? pieces->piece[0].length : 0,
                 messages->elements.type, op, request);
}

/* ---- Memory of a message's own --------------------------------------------------------------- */

static int stage_reserve(const struct exec_messages *messages, struct exec_stage *stage,
                         int64_t elements)
{
    const size_t room = exec_elements_room(&messages->elements, elements);
    const size_t bytes = room > 0 ? room : 1; /* so that there is an address to count from */
    if (bytes > stage->bytes) {
        free(stage->memory);
        stage->memory = malloc(bytes);
        stage->bytes = stage->memory == NULL ? 0 : bytes;
        if (stage->memory == NULL)
            return MPI_ERR_NO_MEM;
    }
    stage->used = true;
    return MPI_SUCCESS;
}

/* The address of the stage's element 0. */
static char *stage_first(const struct exec_messages *messages, const struct exec_stage *stage)
{
    return stage->memory - messages->elements.true_lb;
}

/* ---- Starting and taking effect -------------------------------------------------------------- */

/* If pieces have this many bytes on average, MPI packs them as fast as memcpy does, without a
 * second pass over memory (bench/mpi_speed.c; Open MPI 4.1 and MPICH 4.0, p = 2 and 4). */
enum { LONG_PIECE_BYTES = 16 << 10 };

static bool should_pack(const struct exec_messages *messages)
{
    const struct exec_pieces *pieces = &messages->pieces;
    return messages->elements.dense && pieces->count > 1 && pieces->elements <= EXEC_MAX_COUNT &&
           pieces->elements * messages->elements.extent < (int64_t)LONG_PIECE_BYTES * pieces->count;
}

int exec_message_send(struct exec_messages *messages, const struct dep_task *task,
                      struct exec_stage *stage, MPI_Request *request)
{
    const struct exec_pieces *pieces = &messages->pieces;
    stage->used = false;
    if (is_void(messages, task))
        return MPI_SUCCESS;
    if (messages->cut)
        return start(messages, DEP_TASK_SEND, NULL, 0, MPI_BYTE, task->ops, request);
    collect_ranges(messages, task);
    if (!should_pack(messages))
        return start_pieces(messages, DEP_TASK_SEND, task->ops, request);
    const int error = stage_reserve(messages, stage, pieces->elements);
    if (error != MPI_SUCCESS)
        return error;
    const size_t extent = (size_t)messages->elements.extent;
    char *end = stage->memory;
    for (int32_t i = 0; i < pieces->count; i++) {
        const size_t bytes = (size_t)pieces->piece[i].length * extent;
        memcpy(end, pieces->piece[i].address, bytes);
        end += bytes;
    }
    return start(messages, DEP_TASK_SEND, stage->memory, (int)pieces->elements,
                 messages->elements.type, task->ops, request);
}

int exec_message_receive(struct exec_messages *messages, const struct dep_task *task,
                         struct exec_stage *stage, MPI_Request *request)
{
    stage->used = false;
    if (is_void(messages, task))
        return MPI_SUCCESS;
    if (!task->deferred) {
        collect_ranges(messages, task);
        if (!should_pack(messages))
            return start_pieces(messages, DEP_TASK_RECEIVE, task->ops, request);
    }
    const int64_t elements = elements_of(messages, task);
    const int error = stage_reserve(messages, stage, elements);
    if (error != MPI_SUCCESS)
        return error;
    messages->pieces.count = 0;
    add_piece(messages, stage_first(messages, stage), elements);
    return start_pieces(messages, DEP_TASK_RECEIVE, task->ops, request);
}

/* One received range, with its elements at `incoming`. */
static int apply(const struct exec_messages *messages, const struct rb_op *op, char *incoming,
                 int64_t count)
{
    const struct exec_elements *elements = &messages->elements;
    char *target = address_of(messages, &op->at);
    if (op->kind == RB_RECV_REDUCE || op->kind == RB_REDUCE)
        return exec_elements_combine(elements, incoming, target, count, op->incoming_is_left,
                                     &messages->self);
    return exec_elements_copy(elements, incoming, target, count, &messages->self);
}

int exec_message_take_effect(const struct exec_messages *messages, const struct dep_task *task,
                             const struct exec_stage *stage)
{
    if (task->kind == DEP_TASK_SEND || !stage->used)
        return MPI_SUCCESS;
    char *incoming = stage_first(messages, stage);
    for (int32_t i = 0; i < task->count; i++) {
        const int64_t count = count_of(messages, &task->ops[i].at);
        const int error = apply(messages, &task->ops[i], incoming, count);
        if (error != MPI_SUCCESS)
            return error;
        incoming += count * messages->elements.extent;
    }
    return MPI_SUCCESS;
}

/* Uses the stage if combining destroys its input, or because ranges of a copy may overlap. */
static int local(const struct exec_messages *messages, const struct rb_op *op,
                 struct exec_stage *stage)
{
    const int64_t count = count_of(messages, &op->at);
    if (op->kind == RB_REDUCE && exec_elements_keeps(&messages->elements, op->incoming_is_left))
        return apply(messages, op, address_of(messages, &op->from), count);
    int error = stage_reserve(messages, stage, count);
    if (error == MPI_SUCCESS)
        error = exec_elements_copy(&messages->elements, address_of(messages, &op->from),
                                   stage_first(messages, stage), count, &messages->self);
    return error != MPI_SUCCESS ? error : apply(messages, op, stage_first(messages, stage), count);
}

int exec_message_local(const struct exec_messages *messages, const struct dep_task *task,
                       struct exec_stage *stage)
{
    int error = MPI_SUCCESS;
    for (int32_t i = 0; i < task->count && error == MPI_SUCCESS; i++)
        error = local(messages, &task->ops[i], stage);
    return error;
}
