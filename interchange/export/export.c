/* export.c - what formats of plans for other simulators have in common (export.h). */
#include "interchange/export/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "roundabout.h"
#include "schedules/dependences/messages.h"
#include "support/memory.h"
#include "support/options/options.h"
#include "support/output/output.h"
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
