/* prove.c - one check after another, until one finds a fault. */
#include "prove.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contents.h"
#include "races.h"
#include "roundabout.h"
#include "run.h"

/* Compares how many messages are put into each FIFO and taken from it. left_over: signals that are
 * not taken, or "". They harm no run but the next one, so other faults are said first. A rank's own
 * semaphores may keep a value. */
static int count_messages(const struct prg_program *program, struct prg_verdict *verdict,
                          char left_over[sizeof verdict->what])
{
    int64_t *surplus = calloc((size_t)program->fifos + 1, sizeof *surplus);
    int64_t *put = calloc((size_t)program->fifos + 1, sizeof *put);
    const int status = surplus == NULL || put == NULL ? RB_ENOMEM : RB_OK;
    for (int64_t s = 0; status == RB_OK && s < program->steps; s++) {
        const struct prg_step *step = &program->step[s];
        const bool one_sided = step->from_rank != step->at_rank; /* a put or get */
        verdict->messages += one_sided;
        verdict->chunks += one_sided ? step->count : 0;
        if (step->in != PRG_NONE)
            surplus[step->in]--;
        if (step->out != PRG_NONE) {
            const bool message = !program->fifo[step->out].signal;
            surplus[step->out]++;
            put[step->out]++;
            verdict->messages += message;
            verdict->chunks += message ? step->count : 0;
        }
    }
    for (int32_t i = 0; status == RB_OK && i < program->fifos && verdict->fault == PRG_RIGHT; i++) {
        const struct prg_fifo *fifo = &program->fifo[i];
        const bool harmless = surplus[i] > 0 && fifo->signal;
        if (surplus[i] == 0 || (harmless && (fifo->from == fifo->to || left_over[0] != '\0')))
            continue;
        verdict->fault = harmless ? PRG_RIGHT : PRG_UNMATCHED;
        snprintf(harmless ? left_over : verdict->what, sizeof verdict->what,
                 "rank %d sends %lld %s to rank %d on channel %d, which takes %lld",
                 (int)fifo->from, (long long)put[i], fifo->signal ? "signals" : "messages",
                 (int)fifo->to, (int)fifo->channel, (long long)(put[i] - surplus[i]));
    }
    free(surplus);
    free(put);
    return status;
}

static int64_t length_of(const struct prg_program *program, int64_t s)
{
    return program->bytes != NULL ? program->bytes[s] : program->step[s].count;
}

static void compare_lengths(const struct prg_program *program, const int32_t thread_of[],
                            const struct prg_trace *trace, struct prg_verdict *verdict)
{
    for (int64_t s = 0; s < program->steps && verdict->fault == PRG_RIGHT; s++) {
        const int32_t sender = trace->match[s];
        if (sender == PRG_NONE || program->fifo[program->step[s].in].signal ||
            length_of(program, s) == length_of(program, sender))
            continue;
        verdict->fault = PRG_UNMATCHED;
        snprintf(verdict->what, sizeof verdict->what, "%s takes %lld %s, but %s sends %lld",
                 prg_step_name(program, thread_of, s).text, (long long)length_of(program, s),
                 program->bytes != NULL ? "bytes" : "chunks",
                 prg_step_name(program, thread_of, sender).text,
                 (long long)length_of(program, sender));
    }
}

/* The least room of the FIFOs with which the program ends; with `most` it does. */
static int find_least_room(const struct prg_program *program, const int32_t thread_of[],
                           int64_t most, struct prg_verdict *verdict)
{
    int64_t low = 0, high = most; /* low does not suffice, high does */
    int status = RB_OK;
    for (int64_t room = 1; low + 1 < high && status == RB_OK;) {
        status = prg_trace(program, thread_of, room, NULL, verdict->tight, sizeof verdict->tight);
        if (status == RB_OK)
            high = room;
        else if (status == RB_EWRONG)
            low = room, status = RB_OK;
        /* Where one does not suffice, two mostly do. */
        room = 2 * room < high && high == most ? 2 * room : low + (high - low) / 2;
    }
    verdict->least_room = high;
    if (status != RB_OK || high < 2)
        return verdict->tight[0] = '\0', status;
    status = prg_trace(program, thread_of, high - 1, NULL, verdict->tight, sizeof verdict->tight);
    return status == RB_EWRONG ? RB_OK : status;
}

static int prove_traced(const struct prg_program *program, const int32_t thread_of[],
                        const struct prg_trace *trace, struct prg_verdict *verdict)
{
    compare_lengths(program, thread_of, trace, verdict);
    if (verdict->fault != PRG_RIGHT)
        return RB_OK;
    int status = find_least_room(program, thread_of, trace->fullest, verdict);
    if (status == RB_OK)
        status = prg_check_races(program, thread_of, trace, verdict);
    if (status == RB_OK && verdict->fault == PRG_RIGHT && program->contract.collective != NULL)
        status = prg_check_contents(program, thread_of, trace, verdict);
    return status;
}

int prg_prove(const struct prg_program *program, struct prg_verdict *verdict)
{
    *verdict = (struct prg_verdict){.fault = PRG_RIGHT, .reduces = program->contract.reducing};
    int32_t *thread_of = prg_threads_of(program);
    struct prg_trace trace = {0};
    char left_over[sizeof verdict->what] = "";
    int status = thread_of == NULL ? RB_ENOMEM : count_messages(program, verdict, left_over);
    if (status == RB_OK && verdict->fault == PRG_RIGHT) {
        status =
            prg_trace(program, thread_of, INT64_MAX, &trace, verdict->what, sizeof verdict->what);
        if (status == RB_EWRONG) {
            verdict->fault = PRG_DEADLOCK;
            status = RB_OK;
        }
    }
    if (status == RB_OK && verdict->fault == PRG_RIGHT)
        status = prove_traced(program, thread_of, &trace, verdict);
    if (status == RB_OK && verdict->fault == PRG_RIGHT && left_over[0] != '\0') {
        verdict->fault = PRG_UNMATCHED;
        snprintf(verdict->what, sizeof verdict->what, "%s", left_over);
    }
    prg_trace_free(&trace);
    free(thread_of);
    return status;
}
