/* goal.c - see export.h.
 *
 *   rank 1 {
 *   l1: recv 500b from 0 tag 0
 *   l2: send 500b to 2 tag 1
 *   l2 requires l1
 *   }
 *
 * The window (schedules/dependences/window.h) says which tasks of the rounds in flight a message
 * must wait for. A task is never reported as done before the next round must enter, so the
 * dependences hold for any timing. Besides, a message waits for the preceding one on its port, and
 * for all operations of the round that left the window for its own round. */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/options/options.h"
#include "inspection/export/export.h"
#include "schedules/dependences/messages.h"
#include "schedules/dependences/window.h"
#include "support/memory.h"

struct goal {
    const struct export_request *export;
    FILE *stream;
    struct dep_window window;
    int64_t *label;    /* of each task in flight, counted from 1; 0: none */
    int64_t *gate;     /* per task of a round: the labels of the round that left last */
    int64_t *on_side;  /* per port and direction: the last message's label */
    int64_t *required; /* the tasks that the current task requires */
    int32_t required_count;
    int64_t labels;  /* given so far */
    int64_t written; /* rounds */
};

static void require(struct goal *goal, int64_t label)
{
    if (label == 0)
        return;
    for (int32_t i = 0; i < goal->required_count; i++)
        if (goal->required[i] == label)
            return;
    goal->required[goal->required_count++] = label;
}

/* Sends read the state at the start of their round, so nothing waits for its own round. */
static void require_set(struct goal *goal, int32_t task)
{
    const struct dep_window *window = &goal->window;
    for (int32_t other = 0; other < window->tasks; other++)
        if (other / window->per_round != task / window->per_round &&
            window->waits[(int64_t)task * window->words + other / 64] >> other % 64 & 1u)
            require(goal, goal->label[other]);
}

static void write_message(struct goal *goal, int64_t round, const struct dep_task *task)
{
    const struct export_request *export = goal->export;
    const struct rb_op *op = task->ops;
    const struct dep_message message = {task->ops, task->count};
    const int64_t bytes = dep_message_bytes(export->plan, export->layout, &message);
    fprintf(goal->stream, "l%" PRId64 ": %s %" PRId64 "b %s %" PRId32 " tag %" PRIu32 "\n",
            goal->labels, task->kind == DEP_TASK_SEND ? "send" : "recv", bytes > 0 ? bytes : 1,
            task->kind == DEP_TASK_SEND ? "to" : "from", op->peer,
            (uint32_t)(round * rb_plan_ports(export->plan) + op->port));
}

static void write_task(struct goal *goal, int64_t round, int32_t index)
{
    const struct dep_window *window = &goal->window;
    const struct dep_task *task = &window->task[index];
    const int32_t side = index % window->per_round;
    goal->label[index] = ++goal->labels;
    goal->required_count = 0;
    for (int32_t i = 0; i < window->per_round; i++)
        require(goal, goal->gate[i]);
    if (task->kind == DEP_TASK_LOCAL) {
        fprintf(goal->stream, "l%" PRId64 ": calc 0\n", goal->labels);
        for (int32_t other = 0; other < window->tasks; other++)
            if (goal->label[other] < goal->labels)
                require(goal, goal->label[other]);
    } else {
        write_message(goal, round, task);
        require(goal, goal->on_side[side]);
        goal->on_side[side] = goal->labels;
        require_set(goal, index);
    }
    for (int32_t i = 0; i < goal->required_count; i++)
        fprintf(goal->stream, "l%" PRId64 " requires l%" PRId64 "\n", goal->labels,
                goal->required[i]);
}

/* All tasks of the round that entered as number `number`. */
static void write_round(struct goal *goal, int64_t number, int64_t round)
{
    const struct dep_window *window = &goal->window;
    const int32_t first = (int32_t)(number % window->width) * window->per_round;
    for (int32_t i = 0; i < window->per_round; i++)
        goal->label[first + i] = 0;
    for (int32_t i = 0; i < window->per_round; i++)
        if (window->task[first + i].state != DEP_TASK_NONE)
            write_task(goal, round, first + i);
}

/* Takes the oldest round as done, so that the next may enter. */
static void finish_oldest(struct goal *goal)
{
    struct dep_window *window = &goal->window;
    const int64_t oldest = window->rounds.left;
    const int32_t first = (int32_t)(oldest % window->width) * window->per_round;
    for (int32_t i = 0; i < window->per_round; i++)
        goal->gate[i] = goal->label[first + i];
    for (int32_t i = 0; i < window->per_round && window->rounds.left == oldest; i++)
        if (window->task[first + i].state != DEP_TASK_NONE)
            dep_window_done(window, first + i);
}

static int write_rank(struct goal *goal, const struct rb_rank *state)
{
    const struct rb_plan *plan = goal->export->plan;
    int64_t round = dep_next_round(plan, state, 0);
    while (!dep_window_finished(&goal->window)) {
        if (dep_window_enter(&goal->window) != RB_OK)
            return RB_EWRONG;
        for (; goal->written < goal->window.rounds.entered; goal->written++) {
            if (goal->written >=
                goal->window.rounds.left) /* otherwise it had no operation and has left */
                write_round(goal, goal->written, round);
            round = dep_next_round(plan, state, round + 1);
        }
        if (dep_in_flight(&goal->window.rounds))
            finish_oldest(goal);
    }
    return RB_OK;
}

static int begin_rank(struct goal *goal, const struct rb_rank *state)
{
    const struct sim_overlap *overlap = &goal->export->overlap;
    const int64_t window = sim_overlap_window(overlap, rb_plan_rounds(goal->export->plan));
    const int32_t width = window < INT32_MAX ? (int32_t)window : INT32_MAX;
    const int status =
        dep_window_begin(&goal->window, goal->export->plan, goal->export->layout, state, width);
    if (status != RB_OK)
        return status;
    const size_t per_round = (size_t)goal->window.per_round, tasks = (size_t)goal->window.tasks;
    free(goal->label);
    goal->label = sup_calloc(2 * tasks + 3 * per_round, sizeof *goal->label);
    goal->gate = goal->label + tasks;
    goal->on_side = goal->gate + per_round;
    goal->required = goal->on_side + per_round; /* tasks in flight, gate, side */
    goal->labels = goal->written = 0;
    return RB_OK;
}

int export_write_goal(const struct export_request *export, FILE *stream, struct sup_error *error)
{
    struct goal goal = {.export = export, .stream = stream};
    int status = RB_OK;
    if (export->overlap.rule == SIM_LOCKSTEP)
        return sup_fail(error, RB_EINVAL,
                        "GOAL has no barriers between rounds: use blocking, window:W or data, not "
                        "lockstep");
    struct cli_bar bar;
    cli_bar_start_writing(&bar, "plan", rb_plan_ranks(export->plan), export->output);
    fprintf(stream, "num_ranks %" PRId32 "\n", rb_plan_ranks(export->plan));
    for (int32_t r = 0; r < rb_plan_ranks(export->plan) && status == RB_OK && !ferror(stream);
         r++) {
        struct rb_rank state;
        cli_bar_update(&bar, r, NULL);
        rb_plan_rank(export->plan, r, &state);
        fprintf(stream, "\nrank %" PRId32 " {\n", r);
        status = begin_rank(&goal, &state);
        if (status == RB_OK)
            status = write_rank(&goal, &state);
        fputs("}\n", stream);
    }
    cli_bar_end(&bar);
    free(goal.label);
    if (status == RB_EWRONG)
        sup_fail(error, status, "the plan is wrong: %s", goal.window.wrong);
    else if (status != RB_OK)
        sup_fail(error, status, "out of memory");
    dep_window_free(&goal.window);
    return status;
}
