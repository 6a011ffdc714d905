/* export.c - plans for other simulators: what formats have in common, GOAL, time-independent traces
 * (export.h). */
#define _XOPEN_SOURCE 700 /* realpath */
#include "interchange/export/export.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "roundabout.h"
#include "schedules/dependences/messages.h"
#include "sim/engine/tally.h"
#include "support/memory.h"
#include "support/options/options.h"
#include "support/replace.h"

/* ---- Directories ----------------------------------------------------------------------------- */

int export_directory_open(struct export_directory *directory, const char *path,
                          struct sup_error *error)
{
    *directory = (struct export_directory){.path = path, .mine = mkdir(path, 0777) == 0};
    if (!directory->mine && errno != EEXIST)
        return sup_fail(error, RB_EINVAL, "%s: cannot make this directory: %s", path,
                        strerror(errno));
    return out_staging_open(&directory->staging, path, error);
}

int export_directory_close(struct export_directory *directory, int status, struct sup_error *error)
{
    if (status == RB_OK)
        status = out_staging_publish(&directory->staging, error);
    out_staging_discard(&directory->staging);
    if (status != RB_OK && directory->mine)
        rmdir(directory->path);
    return status;
}

int export_file_open(const struct export_directory *directory, const char *name, FILE **file,
                     struct sup_error *error)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s", directory->staging.path, name) >= (int)sizeof path)
        return sup_fail(error, RB_EINVAL, "%s: the name is too long", directory->path);
    *file = sup_got(fopen(path, "w"));
    return *file != NULL ? RB_OK
                         : sup_fail(error, RB_EIO, "%s: cannot write: %s", path, strerror(errno));
}

int export_file_close(const struct export_directory *directory, const char *name, FILE *file,
                      int status, struct sup_error *error)
{
    if (file == NULL || sup_finish(file) || status != RB_OK)
        return status;
    return sup_fail(error, RB_EIO, "%s: cannot write \"%s\": %s", directory->path, name,
                    sup_reason_text(errno));
}

/* ---- Tasks ----------------------------------------------------------------------------------- */

/* What each rank does in a plan as tasks that wait for one another, for formats that say it so.
 *
 * The window (schedules/dependences/window.h) says which tasks of the rounds in flight a message
 * must wait for. A task is never reported as done before the next round must enter, so the
 * dependences hold for any timing. Besides, a message waits for the preceding one on its port, and
 * for all operations of the round that left the window for its own round. */

struct walk {
    const struct export_request *export;
    const struct export_writer *writer;
    void *context; /* its */
    struct dep_window window;
    int64_t *label;    /* of each task in flight, counted from 1; 0: none */
    int64_t *gate;     /* per task of a round: the labels of the round that left last */
    int64_t *on_side;  /* per port and direction: the last message's label */
    int64_t *required; /* the tasks that the current task requires */
    int32_t required_count;
    int64_t labels;  /* given so far */
    int64_t written; /* rounds */
};

static void require(struct walk *walk, int64_t label)
{
    if (label == 0)
        return;
    for (int32_t i = 0; i < walk->required_count; i++)
        if (walk->required[i] == label)
            return;
    walk->required[walk->required_count++] = label;
}

/* Sends read the state at the start of their round, so nothing waits for its own round. */
static void require_set(struct walk *walk, int32_t task)
{
    const struct dep_window *window = &walk->window;
    for (int32_t other = 0; other < window->tasks; other++)
        if (other / window->per_round != task / window->per_round &&
            window->waits[(int64_t)task * window->words + other / 64] >> other % 64 & 1u)
            require(walk, walk->label[other]);
}

/* Gives the task the next label; its requirements are in walk->required. */
static void give(struct walk *walk, struct export_task task)
{
    task.label = ++walk->labels;
    task.required = walk->required;
    task.required_count = walk->required_count;
    walk->writer->task(walk->context, &task);
}

static void give_message(struct walk *walk, int64_t round, int32_t index)
{
    const struct rb_plan *plan = walk->export->plan;
    const struct dep_task *task = &walk->window.task[index];
    const int32_t side = index % walk->window.per_round;
    const struct rb_op *op = task->ops;
    const struct dep_message message = {task->ops, task->count};
    const int64_t bytes = dep_message_bytes(plan, walk->export->layout, &message);
    bool reduces = false;
    for (int32_t i = 0; i < task->count; i++)
        reduces |= op[i].kind == RB_RECV_REDUCE;
    require(walk, walk->on_side[side]);
    require_set(walk, index);
    give(walk, (struct export_task){.kind = task->kind,
                                    .bytes = bytes > 0 ? bytes : 1,
                                    .peer = op->peer,
                                    .tag = (uint32_t)(round * rb_plan_ports(plan) + op->port)});
    walk->on_side[side] = walk->labels;
    if (reduces && walk->writer->reductions) {
        walk->required_count = 0;
        require(walk, walk->labels);
        give(walk, (struct export_task){.kind = DEP_TASK_LOCAL});
    }
    walk->label[index] = walk->labels;
}

static void give_task(struct walk *walk, int64_t round, int32_t index)
{
    const struct dep_window *window = &walk->window;
    walk->required_count = 0;
    for (int32_t i = 0; i < window->per_round; i++)
        require(walk, walk->gate[i]);
    if (window->task[index].kind != DEP_TASK_LOCAL) {
        give_message(walk, round, index);
        return;
    }
    for (int32_t other = 0; other < window->tasks; other++)
        require(walk, walk->label[other]);
    give(walk, (struct export_task){.kind = DEP_TASK_LOCAL});
    walk->label[index] = walk->labels;
}

/* All tasks of the round that entered as number `number`. */
static void give_round(struct walk *walk, int64_t number, int64_t round)
{
    const struct dep_window *window = &walk->window;
    const int32_t first = (int32_t)(number % window->width) * window->per_round;
    for (int32_t i = 0; i < window->per_round; i++)
        walk->label[first + i] = 0;
    for (int32_t i = 0; i < window->per_round; i++)
        if (window->task[first + i].state != DEP_TASK_NONE)
            give_task(walk, round, first + i);
}

/* Takes the oldest round as done, so that the next may enter. */
static void finish_oldest(struct walk *walk)
{
    struct dep_window *window = &walk->window;
    const int64_t oldest = window->rounds.left;
    const int32_t first = (int32_t)(oldest % window->width) * window->per_round;
    for (int32_t i = 0; i < window->per_round; i++)
        walk->gate[i] = walk->label[first + i];
    for (int32_t i = 0; i < window->per_round && window->rounds.left == oldest; i++)
        if (window->task[first + i].state != DEP_TASK_NONE)
            dep_window_done(window, first + i);
}

static int give_rank(struct walk *walk, const struct rb_rank *state)
{
    const struct rb_plan *plan = walk->export->plan;
    int64_t round = dep_next_round(plan, state, 0);
    while (!dep_window_finished(&walk->window)) {
        if (dep_window_enter(&walk->window) != RB_OK)
            return RB_EWRONG;
        for (; walk->written < walk->window.rounds.entered; walk->written++) {
            if (walk->written >=
                walk->window.rounds.left) /* otherwise it had no operation and has left */
                give_round(walk, walk->written, round);
            round = dep_next_round(plan, state, round + 1);
        }
        if (dep_in_flight(&walk->window.rounds))
            finish_oldest(walk);
    }
    return RB_OK;
}

static int begin_rank(struct walk *walk, const struct rb_rank *state)
{
    const struct sim_overlap *overlap = &walk->export->overlap;
    const int64_t window = sim_overlap_window(overlap, rb_plan_rounds(walk->export->plan));
    const int32_t width = window < INT32_MAX ? (int32_t)window : INT32_MAX;
    const int status =
        dep_window_begin(&walk->window, walk->export->plan, walk->export->layout, state, width);
    if (status != RB_OK)
        return status;
    const size_t per_round = (size_t)walk->window.per_round, tasks = (size_t)walk->window.tasks;
    free(walk->label);
    walk->label = sup_calloc(2 * tasks + 3 * per_round, sizeof *walk->label);
    walk->gate = walk->label + tasks;
    walk->on_side = walk->gate + per_round;
    walk->required = walk->on_side + per_round; /* tasks in flight, gate, side */
    walk->labels = walk->written = 0;
    return RB_OK;
}

int export_tasks(const struct export_request *export, const struct export_writer *writer,
                 void *context, struct sup_error *error)
{
    struct walk walk = {.export = export, .writer = writer, .context = context};
    int status = RB_OK;
    if (export->overlap.rule == SIM_LOCKSTEP)
        return sup_fail(error, RB_EINVAL,
                        "GOAL and Chakra have no barriers between rounds: use blocking, window:W "
                        "or data, not lockstep");
    struct cli_bar bar;
    cli_bar_start_writing(&bar, "plan", rb_plan_ranks(export->plan), export->output);
    for (int32_t r = 0; r < rb_plan_ranks(export->plan) && status == RB_OK; r++) {
        struct rb_rank state;
        cli_bar_update(&bar, r, NULL);
        rb_plan_rank(export->plan, r, &state);
        status = writer->begin(context, r, error);
        if (status != RB_OK)
            break;
        status = begin_rank(&walk, &state);
        if (status == RB_OK)
            status = give_rank(&walk, &state);
        if (status == RB_EWRONG)
            sup_fail(error, status, "the plan is wrong: %s", walk.window.wrong);
        else if (status != RB_OK)
            sup_fail(error, status, "out of memory");
        struct sup_error ignored;
        const int ended = writer->end(context, status == RB_OK ? error : &ignored);
        status = status == RB_OK ? ended : status;
    }
    cli_bar_end(&bar);
    free(walk.label);
    dep_window_free(&walk.window);
    return status;
}

/* ---- GOAL ------------------------------------------------------------------------------------ */

/*
 *   rank 1 {
 *   l1: recv 500b from 0 tag 0
 *   l2: send 500b to 2 tag 1
 *   l2 requires l1
 *   }
 */

enum { STOPPED = 1 }; /* the stream shows why */

struct goal {
    FILE *stream;
    int32_t ranks;
};

static int begin_goal(void *context, int32_t rank, struct sup_error *error)
{
    const struct goal *goal = context;
    (void)error;
    if (rank == 0)
        fprintf(goal->stream, "num_ranks %" PRId32 "\n", goal->ranks);
    fprintf(goal->stream, "\nrank %" PRId32 " {\n", rank);
    return RB_OK;
}

void export_goal_task(FILE *stream, const struct export_task *task)
{
    const bool send = task->kind == DEP_TASK_SEND;
    if (task->kind == DEP_TASK_LOCAL)
        fprintf(stream, "l%" PRId64 ": calc %" PRId64 "\n", task->label, task->bytes);
    else
        fprintf(stream, "l%" PRId64 ": %s %" PRId64 "b %s %" PRId32 " tag %" PRIu32 "\n",
                task->label, send ? "send" : "recv", task->bytes, send ? "to" : "from", task->peer,
                task->tag);
    for (int32_t i = 0; i < task->required_count; i++)
        fprintf(stream, "l%" PRId64 " requires l%" PRId64 "\n", task->label, task->required[i]);
}

static void write_goal(void *context, const struct export_task *task)
{
    export_goal_task(((struct goal *)context)->stream, task);
}

static int end_goal(void *context, struct sup_error *error)
{
    const struct goal *goal = context;
    (void)error;
    fputs("}\n", goal->stream);
    return ferror(goal->stream) ? STOPPED : RB_OK;
}

int export_write_goal(const struct export_request *export, FILE *stream, struct sup_error *error)
{
    static const struct export_writer writer = {
        .begin = begin_goal, .task = write_goal, .end = end_goal};
    struct goal goal = {stream, rb_plan_ranks(export->plan)};
    const int status = export_tasks(export, &writer, &goal, error);
    return status == STOPPED ? RB_OK : status;
}

/* ---- Time-independent traces ----------------------------------------------------------------- */

/* A round consists of its sends and receives, then a wait for all of them, as in the overlap rule
 * `blocking`. */

struct writing {
    const struct export_request *export;
    FILE *file;
    int32_t rank;
};

void export_ti_task(FILE *file, int32_t rank, const struct export_task *task)
{
    if (task->kind == DEP_TASK_LOCAL)
        fprintf(file, "%" PRId32 " sleep %.9f\n", rank, 1e-9 * (double)task->bytes);
    else
        fprintf(file, "%" PRId32 " %s %" PRId32 " %" PRIu32 " %" PRId64 "\n", rank,
                task->kind == DEP_TASK_SEND ? "isend" : "irecv", task->peer, task->tag & INT32_MAX,
                task->bytes);
}

static void write_message(void *context, const struct export_task *task)
{
    const struct writing *writing = context;
    export_ti_task(writing->file, writing->rank, task);
}

static void end_round(void *context)
{
    const struct writing *writing = context;
    fprintf(writing->file, "%" PRId32 " waitall\n", writing->rank);
}

int export_rounds(const struct rb_plan *plan, const struct rb_layout *layout, int32_t rank,
                  const struct export_round_writer *writer, void *context, struct sup_error *error)
{
    const int64_t rounds = rb_plan_rounds(plan);
    struct rb_op *ops = sup_calloc((size_t)rb_plan_max_ops(plan), sizeof *ops);
    struct rb_rank state;
    int32_t count = 0;
    rb_plan_rank(plan, rank, &state);
    for (int64_t t = dep_next_round(plan, &state, 0); t < rounds && count >= 0;
         t = dep_next_round(plan, &state, t + 1)) {
        count = sim_round(plan, layout, &state, t, ops, error);
        struct dep_messages left = dep_messages_of(ops, count > 0 ? count : 0);
        for (struct dep_message message; dep_next_message(&left, &message);)
            writer->message(
                context,
                &(struct export_task){
                    .kind = message.ops->kind == RB_SEND ? DEP_TASK_SEND : DEP_TASK_RECEIVE,
                    .peer = message.ops->peer,
                    .tag = (uint32_t)(t * rb_plan_ports(plan) + message.ops->port),
                    .bytes = dep_message_bytes(plan, layout, &message)});
        if (left.ops > ops)
            writer->end(context);
    }
    free(ops);
    return count < 0 ? count : RB_OK;
}

static int write_rank(void *context, FILE *file, int32_t rank, struct sup_error *error)
{
    static const struct export_round_writer writer = {write_message, end_round};
    const struct export_request *export = context;
    struct writing writing = {export, file, rank};
    return export_rounds(export->plan, export->layout, rank, &writer, &writing, error);
}

static int write_traces(const struct export_directory *directory, int32_t ranks,
                        export_rank_writer *write, void *context, struct sup_error *error)
{
    char *absolute = sup_got(realpath(directory->path, NULL)); /* smpirun runs elsewhere */
    FILE *list = NULL, *file = NULL;
    struct cli_bar bar;
    cli_bar_start(&bar, "plan", ranks);
    int status = absolute == NULL
                     ? sup_fail(error, RB_EIO, "%s: %s", directory->path, strerror(errno))
                     : export_file_open(directory, "traces", &list, error);
    for (int32_t rank = 0; rank < ranks && status == RB_OK; rank++) {
        char name[16];
        cli_bar_update(&bar, rank, NULL);
        snprintf(name, sizeof name, "%" PRId32, rank);
        fprintf(list, "%s/%s\n", absolute, name);
        status = export_file_open(directory, name, &file, error);
        if (status != RB_OK)
            break;
        fprintf(file, "%" PRId32 " init\n", rank);
        status = write(context, file, rank, error);
        fprintf(file, "%" PRId32 " finalize\n", rank);
        status = export_file_close(directory, name, file, status, error);
    }
    cli_bar_end(&bar);
    free(absolute);
    return export_file_close(directory, "traces", list, status, error);
}

int export_ti_ranks(const char *path, int32_t ranks, export_rank_writer *write, void *context,
                    struct sup_error *error)
{
    struct export_directory directory;
    int status = export_directory_open(&directory, path, error);
    if (status == RB_OK)
        status = write_traces(&directory, ranks, write, context, error);
    return export_directory_close(&directory, status, error);
}

int export_write_ti(const struct export_request *export, const char *path, struct sup_error *error)
{
    if (export->overlap.rule != SIM_BLOCKING)
        return sup_fail(error, RB_EINVAL,
                        "in a time-independent trace a rank waits for its whole round: use "
                        "blocking");
    struct export_request request = *export;
    return export_ti_ranks(path, rb_plan_ranks(export->plan), write_rank, &request, error);
}
