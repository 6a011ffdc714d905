/* run.c - a step that can't be done yet is in the queue of what it waits for: messages or room of a
 * FIFO, or another step. A message, or room for one, wakes one step; if that still can't be done,
 * it wakes the next one. Another step wakes all that wait for it. */
#include "prove.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roundabout.h"

/* Queues of steps: the last one; run->next of it is the first one, and so on. */
struct fifo {
    int32_t messages, takers; /* queue of those that wait for one */
    int32_t putters;          /* queue of those that wait for room */
    int32_t first, last;      /* the messages in it, by the steps that put them */
};

struct run {
    const struct prg_program *program;
    const int32_t *thread_of;
    int64_t room;
    struct fifo *fifo;
    int32_t *next;       /* per step, in the queue that it is in, or among the ready ones */
    int32_t *behind;     /* per step that has put a message: the next message's */
    int32_t *dependants; /* per step: queue of those that wait for it */
    bool *done;          /* per step */
    bool *seen;          /* per thread, by explain_circle */
    int32_t ready;       /* the first, or PRG_NONE; the others by `next` */
    int64_t steps_done;
    struct prg_trace *trace;
};

int32_t *prg_threads_of(const struct prg_program *program)
{
    int32_t *thread_of = malloc(((size_t)program->steps + 1) * sizeof *thread_of);
    for (int32_t t = 0; thread_of != NULL && t < program->threads; t++)
        for (int64_t k = 0; k < program->thread[t].count; k++)
            thread_of[program->thread[t].first + k] = t;
    return thread_of;
}

int64_t prg_dependence(const struct prg_program *program, int32_t rank, const struct prg_step *step)
{
    return step->dep_thread == PRG_NONE
               ? PRG_NONE
               : program->thread[program->first_thread[rank] + step->dep_thread].first +
                     step->dep_step;
}

struct prg_name prg_step_name(const struct prg_program *program, const int32_t thread_of[],
                              int64_t step)
{
    const struct prg_thread *thread = &program->thread[thread_of[step]];
    const int32_t line = program->step[step].line;
    struct prg_name name;
    snprintf(name.text, sizeof name.text, "thread %d of rank %d (%s %lld)", (int)thread->number,
             (int)thread->rank, line > 0 ? "line" : "step",
             line > 0 ? (long long)line : (long long)(step - thread->first));
    return name;
}

static const char *const buffer_names[] = {"input", "output", "scratch"};

struct prg_name prg_slot_name(const struct prg_program *program, int32_t rank, int32_t slot)
{
    static const enum prg_buffer order[] = {PRG_OUTPUT, PRG_INPUT, PRG_SCRATCH};
    const struct prg_memory *memory = &program->memory[rank];
    struct prg_name name;
    snprintf(name.text, sizeof name.text, "slot %d of rank %d", (int)slot, (int)rank);
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        const int32_t chunk = slot - memory->base[order[i]];
        if (chunk >= 0 && chunk < memory->chunks[order[i]]) {
            snprintf(name.text, sizeof name.text, "%s chunk %d of rank %d", buffer_names[order[i]],
                     (int)chunk, (int)rank);
            break;
        }
    }
    return name;
}

static void make_ready(struct run *run, int64_t step)
{
    run->next[step] = run->ready;
    run->ready = (int32_t)step;
}

static void wait_in(struct run *run, int32_t *queue, int64_t step)
{
    int32_t *before = *queue == PRG_NONE ? &run->next[step] : &run->next[*queue];
    run->next[step] = *queue == PRG_NONE ? (int32_t)step : *before;
    *before = *queue = (int32_t)step;
}

static void wake_one(struct run *run, int32_t *queue)
{
    if (*queue == PRG_NONE)
        return;
    const int32_t first = run->next[*queue];
    run->next[*queue] = run->next[first];
    if (first == *queue)
        *queue = PRG_NONE;
    make_ready(run, first);
}

static void wake_all(struct run *run, int32_t *queue)
{
    if (*queue == PRG_NONE)
        return;
    const int32_t first = run->next[*queue];
    run->next[*queue] = run->ready;
    run->ready = first;
    *queue = PRG_NONE;
}

/* The step that this one waits for, or PRG_NONE if that is done. */
static int64_t awaited(const struct run *run, int64_t s)
{
    const struct prg_step *step = &run->program->step[s];
    const int64_t other =
        prg_dependence(run->program, run->program->thread[run->thread_of[s]].rank, step);
    return other == PRG_NONE || run->done[other] ? PRG_NONE : other;
}

static bool has_room(const struct run *run, int32_t fifo)
{
    return run->program->fifo[fifo].signal || run->fifo[fifo].messages < run->room;
}

/* The queue in which the step must wait, or NULL if it can be done. */
static int32_t *obstacle(struct run *run, int64_t s)
{
    const struct prg_step *step = &run->program->step[s];
    const int64_t other = awaited(run, s);
    if (other != PRG_NONE)
        return &run->dependants[other];
    if (step->in != PRG_NONE && run->fifo[step->in].messages == 0)
        return &run->fifo[step->in].takers;
    if (step->out != PRG_NONE && !has_room(run, step->out))
        return &run->fifo[step->out].putters;
    return NULL;
}

static void take(struct run *run, int64_t s, struct fifo *fifo)
{
    if (run->trace != NULL)
        run->trace->match[s] = fifo->first;
    fifo->first = run->behind[fifo->first];
    fifo->messages--;
    wake_one(run, &fifo->putters);
}

static void put(struct run *run, int64_t s, struct fifo *fifo)
{
    if (fifo->messages == 0)
        fifo->first = (int32_t)s;
    else
        run->behind[fifo->last] = (int32_t)s;
    fifo->last = (int32_t)s;
    fifo->messages++;
    if (run->trace != NULL && !run->program->fifo[run->program->step[s].out].signal &&
        fifo->messages > run->trace->fullest)
        run->trace->fullest = fifo->messages;
    wake_one(run, &fifo->takers);
}

static void do_step(struct run *run, int64_t s)
{
    const struct prg_step *step = &run->program->step[s];
    const struct prg_thread *thread = &run->program->thread[run->thread_of[s]];
    if (run->trace != NULL)
        run->trace->order[run->steps_done] = (int32_t)s;
    run->steps_done++;
    run->done[s] = true;
    if (step->in != PRG_NONE)
        take(run, s, &run->fifo[step->in]);
    if (step->out != PRG_NONE)
        put(run, s, &run->fifo[step->out]);
    wake_all(run, &run->dependants[s]);
    if (s + 1 < thread->first + thread->count)
        make_ready(run, s + 1);
}

/* The step waits, and leaves to others what it does not wait for. */
static void put_off(struct run *run, int64_t s, int32_t *queue)
{
    const struct prg_step *step = &run->program->step[s];
    wait_in(run, queue, s);
    if (step->in != PRG_NONE && run->fifo[step->in].messages > 0)
        wake_one(run, &run->fifo[step->in].takers);
    if (step->out != PRG_NONE && has_room(run, step->out))
        wake_one(run, &run->fifo[step->out].putters);
}

static void do_all(struct run *run)
{
    for (int32_t t = run->program->threads - 1; t >= 0; t--) /* the first one will be on top */
        if (run->program->thread[t].count > 0)
            make_ready(run, run->program->thread[t].first);
    while (run->ready != PRG_NONE) {
        const int32_t step = run->ready;
        run->ready = run->next[step];
        int32_t *queue = obstacle(run, step);
        if (queue == NULL)
            do_step(run, step);
        else
            put_off(run, step, queue);
    }
}

/* ---- Who waits for whom ---------------------------------------------------------------------- */

/* The first step of the thread that is not done, or PRG_NONE. */
static int64_t stuck_step(const struct run *run, int32_t t)
{
    const struct prg_thread *thread = &run->program->thread[t];
    for (int64_t k = 0; k < thread->count; k++)
        if (!run->done[thread->first + k])
            return thread->first + k;
    return PRG_NONE;
}

/* A thread of the rank that is to put into this FIFO, or to take from it, but has not yet. */
static int32_t thread_with(const struct run *run, int32_t rank, int32_t fifo, bool puts)
{
    const struct prg_program *program = run->program;
    for (int32_t t = program->first_thread[rank]; t < program->first_thread[rank + 1]; t++)
        for (int64_t k = 0; k < program->thread[t].count; k++) {
            const int64_t s = program->thread[t].first + k;
            if (!run->done[s] && (puts ? program->step[s].out : program->step[s].in) == fifo)
                return t;
        }
    return PRG_NONE;
}

/* Says what the step waits for; the result is the thread that must go on for that, or PRG_NONE. */
static int32_t explain(const struct run *run, int64_t s, char *text, size_t size)
{
    const struct prg_program *program = run->program;
    const struct prg_step *step = &program->step[s];
    const int64_t other = awaited(run, s);
    if (other != PRG_NONE) {
        snprintf(text, size, "waits for %s", prg_step_name(program, run->thread_of, other).text);
        return run->thread_of[other];
    }
    const bool takes = step->in != PRG_NONE && run->fifo[step->in].messages == 0;
    const int32_t number = takes ? step->in : step->out;
    const struct prg_fifo *fifo = &program->fifo[number];
    const int32_t peer = takes ? fifo->from : fifo->to;
    const int32_t thread = thread_with(run, peer, number, takes);
    snprintf(text, size, "waits for %s rank %d, channel %d%s",
             !takes         ? "room to"
             : fifo->signal ? "a signal of"
                            : "a message of",
             (int)peer, (int)fifo->channel,
             thread != PRG_NONE ? ""
             : takes            ? ", which no step sends"
                                : ", which no step takes");
    return thread;
}

/* Follows the threads that wait for each other from one that waits until one comes twice, and names
 * those of the circle, or the first few of them. */
static void explain_circle(struct run *run, char *what, size_t size)
{
    enum { MOST = 4 };
    int32_t t = 0;
    char why[120];
    while (stuck_step(run, t) == PRG_NONE)
        t++;
    while (!run->seen[t]) { /* it will be in the circle then, or at an end */
        run->seen[t] = true;
        const int32_t next = explain(run, stuck_step(run, t), why, sizeof why);
        if (next == PRG_NONE)
            break;
        t = next;
    }
    const int32_t start = t;
    *what = '\0';
    for (int32_t i = 0; i < MOST; i++) {
        const int64_t s = stuck_step(run, t);
        const int32_t next = explain(run, s, why, sizeof why);
        sup_append(what, size, "; ", "%s %s", prg_step_name(run->program, run->thread_of, s).text,
                   why);
        if (next == PRG_NONE || next == start)
            return;
        t = next;
    }
    sup_append(what, size, "; ", "and so on");
}

/* ---- From outside ---------------------------------------------------------------------------- */

static int32_t *nowhere(int64_t count)
{
    int32_t *list = malloc(((size_t)count + 1) * sizeof *list);
    if (list != NULL)
        memset(list, -1, ((size_t)count + 1) * sizeof *list);
    return list;
}

static void free_run(struct run *run)
{
    free(run->fifo);
    free(run->next);
    free(run->behind);
    free(run->dependants);
    free(run->done);
    free(run->seen);
}

static bool set_up(struct run *run)
{
    const struct prg_program *program = run->program;
    run->fifo = malloc(((size_t)program->fifos + 1) * sizeof *run->fifo);
    run->next = nowhere(program->steps);
    run->behind = nowhere(program->steps);
    run->dependants = nowhere(program->steps);
    run->done = calloc((size_t)program->steps + 1, sizeof *run->done);
    run->seen = calloc((size_t)program->threads + 1, sizeof *run->seen);
    for (int32_t i = 0; run->fifo != NULL && i < program->fifos; i++)
        run->fifo[i] = (struct fifo){.takers = PRG_NONE, .putters = PRG_NONE};
    if (run->trace != NULL) {
        run->trace->order = nowhere(program->steps);
        run->trace->match = nowhere(program->steps);
    }
    return run->fifo != NULL && run->next != NULL && run->behind != NULL &&
           run->dependants != NULL && run->done != NULL && run->seen != NULL &&
           (run->trace == NULL || (run->trace->order != NULL && run->trace->match != NULL));
}

int prg_trace(const struct prg_program *program, const int32_t thread_of[], int64_t room,
              struct prg_trace *trace, char *what, size_t what_size)
{
    struct run run = {.program = program,
                      .thread_of = thread_of,
                      .room = room,
                      .ready = PRG_NONE,
                      .trace = trace};
    int status = set_up(&run) ? RB_OK : RB_ENOMEM;
    if (status == RB_OK) {
        do_all(&run);
        if (run.steps_done < program->steps) {
            explain_circle(&run, what, what_size);
            status = RB_EWRONG;
        }
    }
    free_run(&run);
    return status;
}

void prg_trace_free(struct prg_trace *trace)
{
    free(trace->order);
    free(trace->match);
}
