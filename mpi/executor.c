/* executor.c - see executor.h. */
#include "executor.h"

#include <stdlib.h>

#include "hush.h"
#include "message.h"
#include "window.h"

struct rb_executor {
    struct rb_window window;
    struct rb_pieces pieces;
    int32_t tasks; /* room for so many in the arrays below */
    struct rb_stage *stage;
    MPI_Request *request;
    MPI_Status *status;
    int *arrived;
    int message_error; /* of the run: that of the first message that came with one */
    int error;         /* of a run that was given up */
};

struct rb_executor *rb_executor_create(void)
{
    return calloc(1, sizeof(struct rb_executor));
}

static void free_tasks(struct rb_executor *executor)
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

static void free_pieces(struct rb_pieces *pieces)
{
    free(pieces->piece);
    free(pieces->length);
    free(pieces->address);
    *pieces = (struct rb_pieces){0};
}

void rb_executor_destroy(struct rb_executor *executor)
{
    if (executor == NULL)
        return;
    free_tasks(executor);
    free_pieces(&executor->pieces);
    rb_window_free(&executor->window);
    free(executor);
}

/* ---- Room for a run -------------------------------------------------------------------------- */

static int reserve_tasks(struct rb_executor *executor, int32_t tasks)
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

/* A range is one piece, and one more for each RB_MAX_COUNT elements. */
static int reserve_pieces(struct rb_pieces *pieces, const struct rb_execution *run)
{
    const int64_t most = rb_plan_max_ops(run->plan) + run->layout->bytes / RB_MAX_COUNT + 1;
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

static int reserve(struct rb_executor *executor, const struct rb_execution *run)
{
    if (rb_window_begin(&executor->window, run->plan, run->layout, run->state, run->width) != RB_OK)
        return MPI_ERR_NO_MEM;
    const int error = reserve_tasks(executor, executor->window.tasks);
    return error != MPI_SUCCESS ? error : reserve_pieces(&executor->pieces, run);
}

/* ---- The run --------------------------------------------------------------------------------- */

static int start_tasks(struct rb_executor *executor, struct rb_messages *messages)
{
    struct rb_window *window = &executor->window;
    int32_t index;
    while ((index = rb_window_startable(window)) >= 0) {
        struct rb_task *task = &window->task[index];
        struct rb_stage *stage = &executor->stage[index];
        MPI_Request *request = &executor->request[index];
        const int error = task->kind == RB_TASK_SEND
                              ? rb_message_send(messages, task, stage, request)
                              : rb_message_receive(messages, task, stage, request);
        if (error != MPI_SUCCESS)
            return error;
        task->state = *request == MPI_REQUEST_NULL ? RB_TASK_ARRIVED : RB_TASK_STARTED;
    }
    return MPI_SUCCESS;
}

static int finish_tasks(struct rb_executor *executor, struct rb_messages *messages, bool *any)
{
    struct rb_window *window = &executor->window;
    int32_t index;
    *any = false;
    while ((index = rb_window_ready(window)) >= 0) {
        const struct rb_task *task = &window->task[index];
        struct rb_stage *stage = &executor->stage[index];
        const int error = task->kind == RB_TASK_LOCAL
                              ? rb_message_local(messages, task, stage)
                              : rb_message_take_effect(messages, task, stage);
        if (error != MPI_SUCCESS)
            return error;
        rb_window_done(window, index);
        *any = true;
    }
    return MPI_SUCCESS;
}

/* A message that was too long for its receive has arrived nevertheless. The run goes on, so that
 * all messages of the plan are sent and received, and later runs find none of them; it ends with
 * that error. Other errors end it at once. */
static int note_error(struct rb_executor *executor, int error)
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

/* Waits until one message or more has come through. */
static int await_messages(struct rb_executor *executor)
{
    struct rb_window *window = &executor->window;
    int count;
    const int error = PMPI_Waitsome(window->tasks, executor->request, &count, executor->arrived,
                                    executor->status);
    if (error != MPI_SUCCESS && error != MPI_ERR_IN_STATUS)
        return error;
    if (count == MPI_UNDEFINED) /* nothing is under way, yet the run isn't done: a wrong plan */
        return MPI_ERR_INTERN;
    for (int i = 0; i < count; i++) {
        const int own = error == MPI_ERR_IN_STATUS
                            ? note_error(executor, executor->status[i].MPI_ERROR)
                            : MPI_SUCCESS;
        if (own != MPI_SUCCESS)
            return own;
        window->task[executor->arrived[i]].state = RB_TASK_ARRIVED;
    }
    return MPI_SUCCESS;
}

static int run_rounds(struct rb_executor *executor, struct rb_messages *messages)
{
    struct rb_window *window = &executor->window;
    for (;;) {
        bool any;
        int error = rb_window_enter(window) == RB_OK ? MPI_SUCCESS : MPI_ERR_INTERN;
        if (error == MPI_SUCCESS && rb_window_finished(window))
            return MPI_SUCCESS;
        if (error == MPI_SUCCESS)
            error = start_tasks(executor, messages);
        if (error == MPI_SUCCESS)
            error = finish_tasks(executor, messages, &any);
        if (error == MPI_SUCCESS && !any)
            error = await_messages(executor);
        if (error != MPI_SUCCESS)
            return error;
    }
}

/* Lets go of what is under way. Its memory stays with the executor, MPI may still write there. */
static void abandon(struct rb_executor *executor)
{
    for (int32_t i = 0; i < executor->tasks; i++) {
        if (executor->request[i] == MPI_REQUEST_NULL)
            continue;
        if (executor->window.task[i].kind == RB_TASK_RECEIVE)
            PMPI_Cancel(&executor->request[i]);
        PMPI_Request_free(&executor->request[i]);
    }
}

static int run_plan(struct rb_executor *executor, const struct rb_execution *run)
{
    struct rb_messages messages = {.run = run};
    int error = reserve(executor, run);
    if (error == MPI_SUCCESS)
        error = rb_elements_of(run->type, run->op, &messages.elements);
    if (error == MPI_SUCCESS)
        error = PMPI_Comm_rank(run->comm, &messages.rank);
    messages.pieces = executor->pieces;
    if (error != MPI_SUCCESS)
        return error;
    struct rb_hush hush;
    rb_hush_begin(&hush);
    error = run_rounds(executor, &messages);
    rb_hush_end(&hush);
    return error;
}

int rb_execute(struct rb_executor *executor, const struct rb_execution *run)
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
