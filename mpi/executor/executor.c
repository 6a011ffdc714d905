#include "executor.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "elements.h"
#include "schedules/dependences/window.h"
#include "world_handler.h"

/* ---- One message's ranges as MPI sees them --------------------------------------------------- */

/* Ranges that are contiguous in memory are joined to pieces. A single piece is sent and received
 * in place. Several short pieces of a dense datatype are packed into the message's own memory by
 * memcpy; other pieces become one derived datatype, which MPI packs. More than EXEC_MAX_COUNT
 * elements are cut into pieces too, so that no count overflows. */

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

/* The bytes of data that the message carries. */
static int64_t message_bytes(const struct exec_messages *messages, const struct dep_task *task)
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
 * second pass over memory (Open MPI 4.1 and MPICH 4.0, p = 2 and 4). */
enum { LONG_PIECE_BYTES = 16 << 10 };

static bool should_pack(const struct exec_messages *messages)
{
    const struct exec_pieces *pieces = &messages->pieces;
    return messages->elements.dense && pieces->count > 1 && pieces->elements <= EXEC_MAX_COUNT &&
           pieces->elements * messages->elements.extent < (int64_t)LONG_PIECE_BYTES * pieces->count;
}

/* Start a message, and let it take effect when it has arrived; *request does not change if the
 * message is empty. Return MPI error codes. */
static int message_send(struct exec_messages *messages, const struct dep_task *task,
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

static int message_receive(struct exec_messages *messages, const struct dep_task *task,
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

static int message_take_effect(const struct exec_messages *messages, const struct dep_task *task,
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

/* A round's local operations, in order. */
static int message_local(const struct exec_messages *messages, const struct dep_task *task,
                         struct exec_stage *stage)
{
    int error = MPI_SUCCESS;
    for (int32_t i = 0; i < task->count && error == MPI_SUCCESS; i++)
        error = local(messages, &task->ops[i], stage);
    return error;
}

/* ---- A rank's run ---------------------------------------------------------------------------- */

struct exec_context {
    struct dep_window window;
    struct exec_pieces pieces;
    int32_t tasks; /* capacity of the arrays below */
    struct exec_stage *stage;
    MPI_Request *request;
    MPI_Status *status;
    int *arrived;
    int message_error;                /* the error of the first message that arrived with one */
    int error;                        /* the error with which a run was given up */
    struct exec_stage sent, received; /* of short messages */
};

struct exec_context *exec_context_create(void)
{
    return calloc(1, sizeof(struct exec_context));
}

static void free_tasks(struct exec_context *executor)
{
    for (int32_t i = 0; i < executor->tasks; i++)
        free(executor->stage[i].memory);
    free(executor->stage);
    free(executor->request);
    free(executor->status);
    free(executor->arrived);
    executor->tasks = 0;
    executor->stage = NULL;
    executor->request = NULL;
    executor->status = NULL;
    executor->arrived = NULL;
}

static void free_pieces(struct exec_pieces *pieces)
{
    free(pieces->piece);
    free(pieces->length);
    free(pieces->address);
    *pieces = (struct exec_pieces){0};
}

void exec_context_destroy(struct exec_context *executor)
{
    if (executor == NULL)
        return;
    free_tasks(executor);
    free_pieces(&executor->pieces);
    free(executor->sent.memory);
    free(executor->received.memory);
    dep_window_free(&executor->window);
    free(executor);
}

/* ---- Memory of a run ------------------------------------------------------------------------- */

static int reserve_tasks(struct exec_context *executor, int32_t tasks)
{
    if (tasks <= executor->tasks)
        return MPI_SUCCESS;
    free_tasks(executor);
    executor->stage = calloc((size_t)tasks, sizeof *executor->stage);
    executor->request = calloc((size_t)tasks, sizeof(MPI_Request));
    executor->status = calloc((size_t)tasks, sizeof *executor->status);
    executor->arrived = calloc((size_t)tasks, sizeof *executor->arrived);
    if (executor->stage == NULL || executor->request == NULL || executor->status == NULL ||
        executor->arrived == NULL) {
        free_tasks(executor);
        return MPI_ERR_NO_MEM;
    }
    executor->tasks = tasks;
    for (int32_t i = 0; i < tasks; i++)
        executor->request[i] = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

/* A range consists of one piece, and of one more for each EXEC_MAX_COUNT elements. */
static int reserve_pieces(struct exec_pieces *pieces, const struct exec_run *run)
{
    const int64_t most = rb_plan_max_ops(run->plan) + run->layout->bytes / EXEC_MAX_COUNT + 1;
    if (most <= pieces->most)
        return MPI_SUCCESS;
    free_pieces(pieces);
    pieces->piece = calloc((size_t)most, sizeof *pieces->piece);
    pieces->length = calloc((size_t)most, sizeof *pieces->length);
    pieces->address = calloc((size_t)most, sizeof *pieces->address);
    if (pieces->piece == NULL || pieces->length == NULL || pieces->address == NULL) {
        free_pieces(pieces);
        return MPI_ERR_NO_MEM;
    }
    pieces->most = most;
    return MPI_SUCCESS;
}

static int reserve(struct exec_context *executor, const struct exec_run *run)
{
    if (dep_window_begin(&executor->window, run->plan, run->layout, run->state, run->width) !=
        RB_OK)
        return MPI_ERR_NO_MEM;
    const int error = reserve_tasks(executor, executor->window.tasks);
    return error != MPI_SUCCESS ? error : reserve_pieces(&executor->pieces, run);
}

/* ---- The run --------------------------------------------------------------------------------- */

/* In a run that wants whole messages, a rank that got a short one tells the others through the
 * messages that it still has to send. */
static bool is_cut(const struct exec_context *executor, const struct exec_run *run)
{
    return run->wants_whole && executor->message_error != MPI_SUCCESS;
}

static int start_tasks(struct exec_context *executor, struct exec_messages *messages)
{
    struct dep_window *window = &executor->window;
    int32_t index;
    while ((index = dep_window_startable(window)) >= 0) {
        struct dep_task *task = &window->task[index];
        struct exec_stage *stage = &executor->stage[index];
        MPI_Request *request = &executor->request[index];
        messages->cut = is_cut(executor, messages->run);
        const int error = task->kind == DEP_TASK_SEND
                              ? message_send(messages, task, stage, request)
                              : message_receive(messages, task, stage, request);
        if (error != MPI_SUCCESS)
            return error;
        task->state = *request == MPI_REQUEST_NULL ? DEP_TASK_ARRIVED : DEP_TASK_STARTED;
    }
    return MPI_SUCCESS;
}

static int finish_tasks(struct exec_context *executor, struct exec_messages *messages, bool *any)
{
    struct dep_window *window = &executor->window;
    int32_t index;
    *any = false;
    while ((index = dep_window_ready(window)) >= 0) {
        const struct dep_task *task = &window->task[index];
        struct exec_stage *stage = &executor->stage[index];
        const int error = task->kind == DEP_TASK_LOCAL ? message_local(messages, task, stage)
                                                       : message_take_effect(messages, task, stage);
        if (error != MPI_SUCCESS)
            return error;
        dep_window_done(window, index);
        *any = true;
    }
    return MPI_SUCCESS;
}

/* A message that was too long for its receive has arrived nevertheless. The run goes on, so that
 * all messages of the plan are sent and received, and later runs find none of them; it ends with
 * that error. Other errors end it at once. */
static int note_error(struct exec_context *executor, int error)
{
    int class;
    if (error == MPI_SUCCESS)
        return MPI_SUCCESS;
    if (PMPI_Error_class(error, &class) != MPI_SUCCESS || class != MPI_ERR_TRUNCATE)
        return error;
    if (executor->message_error == MPI_SUCCESS)
        executor->message_error = error;
    return MPI_SUCCESS;
}

/* If the run checks for short messages, records that a message of so many bytes was one. */
static void note_length(struct exec_context *executor, const struct exec_run *run,
                        const MPI_Status *status, int64_t bytes)
{
    int got;
    if (run->wants_whole && executor->message_error == MPI_SUCCESS &&
        PMPI_Get_count(status, MPI_BYTE, &got) == MPI_SUCCESS && got != MPI_UNDEFINED &&
        got < bytes)
        executor->message_error = MPI_ERR_OTHER;
}

/* Waits until at least one message has arrived. */
static int await_messages(struct exec_context *executor, const struct exec_messages *messages)
{
    struct dep_window *window = &executor->window;
    int count;
    const int error = PMPI_Waitsome(window->tasks, executor->request, &count, executor->arrived,
                                    executor->status);
    if (error != MPI_SUCCESS && error != MPI_ERR_IN_STATUS)
        return error;
    if (count == MPI_UNDEFINED) /* no message is in flight, but the run is not complete: a wrong
                                 * plan */
        return MPI_ERR_INTERN;
    for (int i = 0; i < count; i++) {
        const int own = error == MPI_ERR_IN_STATUS
                            ? note_error(executor, executor->status[i].MPI_ERROR)
                            : MPI_SUCCESS;
        struct dep_task *task = &window->task[executor->arrived[i]];
        if (own != MPI_SUCCESS)
            return own;
        if (messages->run->wants_whole && task->kind == DEP_TASK_RECEIVE)
            note_length(executor, messages->run, &executor->status[i],
                        message_bytes(messages, task));
        task->state = DEP_TASK_ARRIVED;
    }
    return MPI_SUCCESS;
}

static int run_rounds(struct exec_context *executor, struct exec_messages *messages)
{
    struct dep_window *window = &executor->window;
    for (;;) {
        bool any;
        int error = dep_window_enter(window) == RB_OK ? MPI_SUCCESS : MPI_ERR_INTERN;
        if (error == MPI_SUCCESS && dep_window_finished(window))
            return MPI_SUCCESS;
        if (error == MPI_SUCCESS)
            error = start_tasks(executor, messages);
        if (error == MPI_SUCCESS)
            error = finish_tasks(executor, messages, &any);
        if (error == MPI_SUCCESS && !any)
            error = await_messages(executor, messages);
        if (error != MPI_SUCCESS)
            return error;
    }
}

/* Gives up the messages in flight. Their memory stays with the executor, because MPI may still
 * write to it. */
static void abandon(struct exec_context *executor)
{
    for (int32_t i = 0; i < executor->tasks; i++) {
        if (executor->request[i] == MPI_REQUEST_NULL)
            continue;
        if (executor->window.task[i].kind == DEP_TASK_RECEIVE)
            PMPI_Cancel(&executor->request[i]);
        PMPI_Request_free(&executor->request[i]);
    }
}

/* ---- Short messages -------------------------------------------------------------------------- */

/* The script sends data of at most this many bytes (tests/bench/mpi_short.c). */
enum { SHORT_BYTES = 8 << 10 };

struct short_run {
    const struct exec_run *run;
    const struct exec_elements *elements; /* the run's */
    char *sent, *received;                /* memory for a message each */
};

static char *place(const struct short_run *run, enum rb_buffer buffer, int64_t at)
{
    return (char *)run->run->buffer[buffer] + at * run->elements->extent;
}

/* The data that a step sends: in place if they are one range, otherwise packed. */
static char *collect(const struct short_run *run, const struct exec_script_step *step,
                     const struct exec_script_op op[])
{
    char *end = run->sent;
    if (step->sends == 1)
        return place(run, op->buffer, op->at);
    for (int32_t i = 0; i < step->sends; i++) {
        const size_t bytes = (size_t)(op[i].count * run->elements->extent);
        memcpy(end, place(run, op[i].buffer, op[i].at), bytes);
        end += bytes;
    }
    return run->sent;
}

/* Sends the step's message of `send` elements, receives its message, or does both; no request is
 * left pending. The calls block, but rounds can't deadlock: for each message of the rank that is
 * furthest behind, the receive is posted already or is posted next. */
static int exchange(const struct exec_run *run, const struct exec_script_step *step, int64_t send,
                    char *out, char *in, MPI_Status *status)
{
    const int sent = (int)send, received = (int)step->received;
    const int to = step->to < 0 ? -1 : exec_run_peer(run, step->to);
    const int from = step->from < 0 ? -1 : exec_run_peer(run, step->from);
    const int tag = exec_run_tag(run, 0);
    if (from < 0)
        return PMPI_Send(out, sent, run->elements->type, to, tag, run->comm);
    if (to < 0)
        return PMPI_Recv(in, received, run->elements->type, from, tag, run->comm, status);
    return PMPI_Sendrecv(out, sent, run->elements->type, to, tag, in, received, run->elements->type,
                         from, tag, run->comm, status);
}

/* Applies one operation to `incoming`, whose content may be lost. */
static int apply_script(const struct short_run *run, const struct exec_script_op *op,
                        char *incoming)
{
    char *target = place(run, op->buffer, op->at);
    if (op->kind == RB_RECV_REDUCE || op->kind == RB_REDUCE)
        return exec_elements_combine(run->elements, incoming, target, op->count,
                                     op->incoming_is_left,
                                     NULL); /* dense ones are copied without MPI */
    if (op->count > 0)                      /* otherwise either may be NULL */
        memcpy(target, incoming, (size_t)(op->count * run->elements->extent));
    return MPI_SUCCESS;
}

/* Uses separate memory if combining destroys its input; copies are between locations that do not
 * overlap (roundabout.h, rule 7). */
static int apply_local(const struct short_run *run, const struct exec_script_op *op)
{
    char *from = place(run, op->from_buffer, op->from);
    if (op->kind == RB_REDUCE && !exec_elements_keeps(run->elements, op->incoming_is_left)) {
        memcpy(run->received, from, (size_t)(op->count * run->elements->extent));
        from = run->received;
    }
    return apply_script(run, op, from);
}

static int run_step(struct exec_context *executor, const struct short_run *run,
                    const struct exec_script_step *step, const struct exec_script_op op[])
{
    const struct exec_script_op *receive = op + step->sends, *local = receive + step->receives;
    int error = MPI_SUCCESS;
    if (step->to >= 0 || step->from >= 0) {
        char *in = step->direct ? place(run, receive->buffer, receive->at) : run->received;
        MPI_Status status;
        error = exchange(run->run, step, is_cut(executor, run->run) ? 0 : step->sent,
                         collect(run, step, op), in, &status);
        if (error == MPI_SUCCESS && step->from >= 0)
            note_length(executor, run->run, &status, step->received * run->elements->size);
        error = note_error(executor, error);
    }
    char *incoming = run->received;
    for (; receive < local && !step->direct && error == MPI_SUCCESS; receive++) {
        error = apply_script(run, receive, incoming);
        incoming += receive->count * run->elements->extent;
    }
    for (int32_t i = 0; i < step->locals && error == MPI_SUCCESS; i++)
        error = apply_local(run, &local[i]);
    return error;
}

static char *reserve_short(struct exec_stage *stage, int64_t elements, MPI_Aint extent)
{
    const size_t bytes = (size_t)(elements * extent);
    if (bytes > stage->bytes || stage->memory == NULL) {
        free(stage->memory);
        stage->memory = malloc(bytes + 1);
        stage->bytes = stage->memory == NULL ? 0 : bytes;
    }
    return stage->memory;
}

static bool is_short(const struct exec_run *run)
{
    return run->script != NULL && run->elements->dense && run->layout->bytes <= SHORT_BYTES &&
           run->layout->bytes * run->elements->extent <= SHORT_BYTES &&
           exec_script_make(run->script, run->plan, run->state, run->layout, run->rows);
}

static int run_short(struct exec_context *executor, const struct exec_run *run)
{
    const MPI_Aint extent = run->elements->extent;
    const struct exec_script *script = run->script;
    const struct short_run short_run = {
        .run = run,
        .elements = run->elements,
        .sent = reserve_short(&executor->sent, script->most_sent, extent),
        .received = reserve_short(&executor->received, script->most_received, extent)};
    const struct exec_script_op *op = script->op;
    int error = short_run.sent == NULL || short_run.received == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;
    for (int32_t i = 0; i < script->steps && error == MPI_SUCCESS; i++) {
        const struct exec_script_step *step = &script->step[i];
        error = run_step(executor, &short_run, step, op);
        op += step->sends + step->receives + step->locals;
    }
    return error;
}

/* ---- Any run --------------------------------------------------------------------------------- */

static int run_plan(struct exec_context *executor, const struct exec_run *run)
{
    if (is_short(run))
        return run_short(executor, run);
    struct exec_messages messages = {.run = run, .elements = *run->elements};
    int error = reserve(executor, run);
    if (error == MPI_SUCCESS)
        error = PMPI_Comm_rank(run->comm, &messages.self.rank);
    messages.self.comm = run->comm;
    messages.self.tag = run->first_tag + EXEC_SELF_TAG;
    messages.pieces = executor->pieces;
    if (error != MPI_SUCCESS)
        return error;
    struct exec_world_handler suspended;
    exec_world_handler_suspend(&suspended);
    error = run_rounds(executor, &messages);
    exec_world_handler_restore(&suspended);
    return error;
}

int exec_run(struct exec_context *executor, const struct exec_run *run)
{
    if (executor->error != MPI_SUCCESS || rb_plan_rounds(run->plan) == 0)
        return executor->error;
    executor->message_error = MPI_SUCCESS;
    executor->error = run_plan(executor, run);
    if (executor->error == MPI_SUCCESS)
        return executor->message_error;
    abandon(executor);
    return executor->error;
}
