/* lower.c - follows the program in an order in which it can run, and keeps for each thread the
 * first rounds in which it can send, receive and work. */
#include "lower.h"

#include <stdlib.h>

#include "prove.h"
#include "roundabout.h"
#include "schedules/dependences/messages.h"

/* The first rounds in which a thread's next step may stand. */
struct clock {
    int32_t send, receive, local;
};

struct thread {
    struct clock now;  /* for the present step */
    struct clock then; /* for the next one */
};

struct fifo {
    int32_t port;
    int32_t last;    /* round of its last message, or -1 */
    int32_t longest; /* chunks of its longest message */
    int32_t base;    /* first slot of its own, at the receiver; PRG_NONE: none yet */
    int64_t room;    /* messages for which it has slots */
    int64_t put, taken;
    int64_t first; /* in `freed`: of each of its slots the round in which it is free again */
};

struct lowering {
    const struct prg_program *program;
    const int32_t *thread_of;
    const struct prg_trace *trace;
    struct prg_program pairs; /* its FIFOs are the pairs of ranks of one-sided messages */
    struct thread *thread;
    struct fifo *fifo, *pair;
    int32_t *freed;
    int32_t *round;  /* per step that put: of its message */
    int32_t *ends;   /* per step: the first round that begins after it */
    int32_t *number; /* per step that put: of its message; NULL: the program has data */
    int32_t *slots;  /* per rank: those given so far */
    int64_t messages;
    prg_take_op *take;
    void *context;
    struct prg_lowered *lowered;
    struct sup_error *error;
    int64_t step; /* the present one */
};

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* ---- Operations ------------------------------------------------------------------------------ */

static struct rb_range range(const struct lowering *lowering, int32_t slot, int32_t count)
{
    return (struct rb_range){
        .buffer = RB_TMP, .owner = lowering->program->contract.root, .first = slot, .count = count};
}

static int emit(struct lowering *lowering, int32_t round, int32_t rank, const struct rb_op *op)
{
    if (round >= lowering->lowered->rounds)
        lowering->lowered->rounds = round + 1;
    return lowering->take(lowering->context, round, rank, op,
                          lowering->program->step[lowering->step].line);
}

static int emit_local(struct lowering *lowering, int32_t round, int32_t rank, enum rb_op_kind kind,
                      int32_t at, int32_t from)
{
    const int32_t count = lowering->program->step[lowering->step].count;
    if (at == from && kind == RB_COPY)
        return RB_OK;
    if (at < from + count && from < at + count)
        return sup_fail(lowering->error, RB_ENOTSUP,
                        "line %d: it writes chunks that it reads: no engine can replay this",
                        (int)lowering->program->step[lowering->step].line);
    const struct rb_op op = {.kind = kind,
                             .peer = rank,
                             .at = range(lowering, at, count),
                             .from = range(lowering, from, count)};
    return emit(lowering, round, rank, &op);
}

/* One end of a message of the present step's length. */
static int emit_end(struct lowering *lowering, int32_t round, int32_t rank, enum rb_op_kind kind,
                    int32_t peer, int32_t port, int32_t slot)
{
    const int32_t count = lowering->program->step[lowering->step].count;
    const struct rb_op op = {.kind = kind,
                             .peer = peer,
                             .port = port,
                             .at = range(lowering, slot, count > 0 ? count : 1)};
    return emit(lowering, round, rank, &op);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

static void sent(struct clock *then, int32_t round)
{
    then->send = larger(then->send, round + 1);
    then->receive = larger(then->receive, round);
    then->local = larger(then->local, round);
}

static void received(struct clock *then, int32_t round)
{
    then->send = larger(then->send, round + 1);
    then->receive = larger(then->receive, round + 1);
    then->local = larger(then->local, round);
}

/* Nothing before this round is waited for any longer. */
static void wait_until(struct clock *now, int32_t round)
{
    now->send = larger(now->send, round);
    now->receive = larger(now->receive, round);
    now->local = larger(now->local, round - 1);
}

/* The FIFO's own slot for its next message to be taken; it has slots from the first need on. */
static int32_t own_slot(struct lowering *lowering, int32_t number)
{
    struct fifo *fifo = &lowering->fifo[number];
    const int32_t to = lowering->program->fifo[number].to;
    const int64_t needed = fifo->room * fifo->longest;
    if (fifo->base == PRG_NONE) {
        if (needed > INT32_MAX - lowering->slots[to])
            return PRG_NONE;
        fifo->base = lowering->slots[to];
        lowering->slots[to] += (int32_t)needed;
    }
    return fifo->base + (int32_t)(fifo->taken % fifo->room * fifo->longest);
}

/* Sends what is at a slot; `then` learns of it. */
static int put(struct lowering *lowering, const struct clock *now, struct clock *then, int32_t slot)
{
    const struct prg_step *step = &lowering->program->step[lowering->step];
    const struct prg_fifo *ends = &lowering->program->fifo[step->out];
    struct fifo *fifo = &lowering->fifo[step->out];
    if (ends->signal)
        return RB_OK;
    int32_t round = larger(now->send, fifo->last + 1);
    if (fifo->put >= fifo->room) /* the message before it in its slot must be out */
        round = larger(round, lowering->freed[fifo->first + fifo->put % fifo->room]);
    fifo->put++;
    fifo->last = round;
    lowering->round[lowering->step] = round;
    sent(then, round);
    if (lowering->program->bytes != NULL) {
        lowering->lowered->bytes[lowering->messages] = lowering->program->bytes[lowering->step];
        slot = lowering->number[lowering->step] = (int32_t)lowering->messages;
    }
    lowering->messages++;
    return emit_end(lowering, round, ends->from, RB_SEND, ends->to, fifo->port, slot);
}

/* A message that waits in its FIFO: what comes out of its slot. */
static int take_late(struct lowering *lowering, int32_t rank, int32_t round, int32_t slot)
{
    const struct prg_step *step = &lowering->program->step[lowering->step];
    if (step->from == PRG_NONE)
        return emit_local(lowering, round, rank, RB_COPY, step->at, slot);
    if (step->at == step->from)
        return emit_local(lowering, round, rank, RB_REDUCE, step->at, slot);
    const int status = emit_local(lowering, round, rank, RB_REDUCE, slot, step->from);
    return status != RB_OK || step->at == PRG_NONE
               ? status
               : emit_local(lowering, round, rank, RB_COPY, step->at, slot);
}

/* Takes a message, and sends it on if the step does. */
static int take(struct lowering *lowering, struct thread *thread)
{
    const struct prg_step *step = &lowering->program->step[lowering->step];
    const struct prg_fifo *ends = &lowering->program->fifo[step->in];
    const int32_t sender = lowering->trace->match[lowering->step];
    struct fifo *fifo = &lowering->fifo[step->in];
    if (ends->signal) {
        wait_until(&thread->now, lowering->ends[sender]);
        wait_until(&thread->then, lowering->ends[sender]);
        return RB_OK;
    }
    const int32_t round = lowering->round[sender];
    const int32_t done = larger(round, thread->now.local);
    const bool combines = step->from != PRG_NONE;
    const bool late = step->count > 0 && (thread->now.receive > round || step->at == PRG_NONE ||
                                          (combines && step->from != step->at));
    const int32_t slot = lowering->number != NULL ? lowering->number[sender]
                         : late                   ? own_slot(lowering, step->in)
                         : step->count > 0        ? step->at
                                                  : 0;
    if (slot == PRG_NONE)
        return sup_fail(lowering->error, RB_ENOTSUP, "rank %d needs too many slots", (int)ends->to);
    int status = emit_end(lowering, round, ends->to, !late && combines ? RB_RECV_REDUCE : RB_RECV,
                          ends->from, fifo->port, slot);
    if (status == RB_OK && late)
        status = take_late(lowering, ends->to, done, slot);
    received(&thread->then, done);
    if (status == RB_OK && step->out != PRG_NONE) {
        struct clock now = thread->now;
        received(&now, done);
        status = put(lowering, &now, &thread->then, step->at != PRG_NONE ? step->at : slot);
    }
    /* The slot is free when it has been read, at the end of `done` or when it is sent on. */
    lowering->freed[fifo->first + fifo->taken % fifo->room] = thread->then.send;
    fifo->taken++;
    return status;
}

/* A message between two ranks of which one alone acts. */
static int move(struct lowering *lowering, struct thread *thread, int32_t rank)
{
    const struct prg_step *step = &lowering->program->step[lowering->step];
    const int32_t number = prg_fifo_of(&lowering->pairs, step->from_rank, step->at_rank, 0, false);
    struct fifo *pair = &lowering->pair[number];
    const bool gets = step->at_rank == rank;
    const int32_t round = larger(
        gets ? larger(thread->now.receive, thread->now.send) : thread->now.send, pair->last + 1);
    pair->last = round;
    lowering->messages++;
    (gets ? received : sent)(&thread->then, round);
    const int status =
        emit_end(lowering, round, step->from_rank, RB_SEND, step->at_rank, pair->port, step->from);
    return status != RB_OK
               ? status
               : emit_end(lowering, round, step->at_rank, step->combines ? RB_RECV_REDUCE : RB_RECV,
                          step->from_rank, pair->port, step->at);
}

static int work(struct lowering *lowering, struct thread *thread, int32_t rank)
{
    const struct prg_step *step = &lowering->program->step[lowering->step];
    const int32_t round = thread->now.local;
    thread->then.send = larger(thread->then.send, round + 1);
    thread->then.receive = larger(thread->then.receive, round + 1);
    thread->then.local = larger(thread->then.local, round);
    return emit_local(lowering, round, rank, step->combines ? RB_REDUCE : RB_COPY, step->at,
                      step->from);
}

static bool is_one_sided(const struct prg_step *step)
{
    return step->from != PRG_NONE && step->at != PRG_NONE && step->from_rank != step->at_rank;
}

static int do_step(struct lowering *lowering)
{
    const struct prg_program *program = lowering->program;
    const struct prg_step *step = &program->step[lowering->step];
    struct thread *thread = &lowering->thread[lowering->thread_of[lowering->step]];
    const int32_t rank = program->thread[lowering->thread_of[lowering->step]].rank;
    thread->now = thread->then;
    const int64_t other = prg_dependence(program, rank, step);
    if (other != PRG_NONE) {
        wait_until(&thread->now, lowering->ends[other]);
        wait_until(&thread->then, lowering->ends[other]);
    }
    int status = RB_OK;
    if (step->in != PRG_NONE)
        status = take(lowering, thread);
    else if (step->out != PRG_NONE && !program->fifo[step->out].signal)
        status = put(lowering, &thread->now, &thread->then, step->from);
    if (status == RB_OK && (step->in == PRG_NONE || program->fifo[step->in].signal)) {
        if (is_one_sided(step))
            status = move(lowering, thread, rank);
        else if (step->from != PRG_NONE && step->at != PRG_NONE)
            status = work(lowering, thread, rank);
    }
    return status;
}

/* ---- Ports ----------------------------------------------------------------------------------- */

enum { WORDS = RB_MAX_PORTS / 64 };

/* Gives each FIFO the lowest port that is free where it begins and where it ends. */
static int give_ports(struct lowering *lowering, const struct prg_program *of, struct fifo fifo[],
                      uint64_t (*used)[2][WORDS])
{
    for (int32_t i = 0; i < of->fifos; i++) {
        uint64_t *out = used[of->fifo[i].from][0], *in = used[of->fifo[i].to][1];
        int32_t word = 0;
        fifo[i].last = -1;
        fifo[i].base = PRG_NONE;
        if (of->fifo[i].signal)
            continue;
        while (word < WORDS && (out[word] | in[word]) == UINT64_MAX)
            word++;
        if (word == WORDS)
            return sup_fail(lowering->error, RB_ENOTSUP,
                            "ranks %d and %d have more than %d channels with others",
                            (int)of->fifo[i].from, (int)of->fifo[i].to, RB_MAX_PORTS);
        const int bit = __builtin_ctzll(~(out[word] | in[word]));
        out[word] |= UINT64_C(1) << bit;
        in[word] |= UINT64_C(1) << bit;
        fifo[i].port = 64 * word + bit;
        lowering->lowered->ports = larger(lowering->lowered->ports, fifo[i].port + 1);
    }
    return RB_OK;
}

/* Finds the pairs of one-sided messages, and the messages of each FIFO, of which it holds `room`.
 */
static int64_t survey(struct lowering *lowering, int64_t room)
{
    const struct prg_program *program = lowering->program;
    int64_t slots = 0;
    for (int64_t s = 0; s < program->steps; s++) {
        const struct prg_step *step = &program->step[s];
        if (is_one_sided(step) &&
            prg_fifo_of(&lowering->pairs, step->from_rank, step->at_rank, 0, false) == PRG_NONE)
            return -1;
        if (step->out != PRG_NONE) {
            struct fifo *fifo = &lowering->fifo[step->out];
            fifo->longest = larger(fifo->longest, step->count);
            fifo->room += fifo->room < room;
        }
    }
    for (int32_t i = 0; i < program->fifos; i++) {
        lowering->fifo[i].first = slots;
        slots += lowering->fifo[i].room;
    }
    return slots;
}

static int set_up(struct lowering *lowering, int64_t room)
{
    const struct prg_program *program = lowering->program;
    const size_t steps = (size_t)program->steps + 1;
    lowering->thread = calloc((size_t)program->threads + 1, sizeof *lowering->thread);
    lowering->fifo = calloc((size_t)program->fifos + 1, sizeof *lowering->fifo);
    lowering->round = calloc(steps, sizeof *lowering->round);
    lowering->ends = calloc(steps, sizeof *lowering->ends);
    if (program->bytes != NULL) {
        lowering->number = calloc(steps, sizeof *lowering->number);
        lowering->lowered->bytes = calloc(steps, sizeof *lowering->lowered->bytes);
    }
    lowering->slots = calloc((size_t)program->ranks, sizeof *lowering->slots);
    const int64_t slots = lowering->fifo == NULL ? -1 : survey(lowering, room);
    lowering->freed = slots < 0 ? NULL : calloc((size_t)slots + 1, sizeof *lowering->freed);
    lowering->pair = calloc((size_t)lowering->pairs.fifos + 1, sizeof *lowering->pair);
    uint64_t(*used)[2][WORDS] = calloc((size_t)program->ranks, sizeof *used);
    int status = lowering->thread == NULL || lowering->fifo == NULL || lowering->round == NULL ||
                         lowering->ends == NULL || lowering->slots == NULL ||
                         lowering->freed == NULL || lowering->pair == NULL || used == NULL ||
                         (program->bytes != NULL &&
                          (lowering->number == NULL || lowering->lowered->bytes == NULL))
                     ? RB_ENOMEM
                     : RB_OK;
    if (status == RB_OK)
        status = give_ports(lowering, program, lowering->fifo, used);
    if (status == RB_OK)
        status = give_ports(lowering, &lowering->pairs, lowering->pair, used);
    for (int32_t rank = 0; status == RB_OK && rank < program->ranks; rank++)
        lowering->slots[rank] = program->memory[rank].slots;
    free(used);
    return status;
}

static int lower(struct lowering *lowering)
{
    const struct prg_program *program = lowering->program;
    int status = RB_OK;
    for (int64_t k = 0; status == RB_OK && k < program->steps; k++) {
        lowering->step = lowering->trace->order[k];
        status = do_step(lowering);
        lowering->ends[lowering->step] =
            lowering->thread[lowering->thread_of[lowering->step]].then.send;
    }
    lowering->lowered->blocks = program->bytes != NULL ? lowering->messages : 1;
    for (int32_t rank = 0; program->bytes == NULL && rank < program->ranks; rank++)
        if (lowering->lowered->blocks < lowering->slots[rank])
            lowering->lowered->blocks = lowering->slots[rank];
    return status;
}

int prg_lower(const struct prg_program *program, int64_t room, prg_take_op *take_op, void *context,
              struct prg_lowered *lowered, struct sup_error *error)
{
    const int64_t slots = room < PRG_NCCL_SLOTS ? PRG_NCCL_SLOTS : room;
    struct prg_trace trace = {0};
    *lowered = (struct prg_lowered){.ports = 1};
    struct lowering lowering = {.program = program,
                                .thread_of = prg_threads_of(program),
                                .trace = &trace,
                                .take = take_op,
                                .context = context,
                                .lowered = lowered,
                                .error = error};
    int status = lowering.thread_of == NULL ? RB_ENOMEM
                                            : prg_trace(program, lowering.thread_of, slots, &trace,
                                                        error->text, sizeof error->text);
    if (status == RB_OK)
        status = set_up(&lowering, slots);
    if (status == RB_OK)
        status = lower(&lowering);
    free((int32_t *)lowering.thread_of);
    free(lowering.thread);
    free(lowering.fifo);
    free(lowering.pair);
    free(lowering.freed);
    free(lowering.round);
    free(lowering.ends);
    free(lowering.number);
    free(lowering.slots);
    prg_free(&lowering.pairs);
    prg_trace_free(&trace);
    return status;
}

/* ---- Round plans as programs without data ---------------------------------------------------- */

struct maker {
    const struct rb_plan *plan;
    struct prg_program *program;
    bool by_block;
    struct rb_op *ops;
};

/* A step for a message, or for each of its blocks. */
static int add_message(const struct maker *maker, int32_t rank, const struct dep_message *message)
{
    struct prg_step step = prg_step_of(rank);
    const bool sends = message->ops->kind == RB_SEND;
    const int32_t peer = message->ops->peer;
    const int32_t fifo = prg_fifo_of(maker->program, sends ? rank : peer, sends ? peer : rank,
                                     message->ops->port, false);
    if (fifo == PRG_NONE)
        return RB_ENOMEM;
    *(sends ? &step.out : &step.in) = fifo;
    int status = RB_OK;
    const int64_t steps = maker->by_block ? dep_message_blocks(message) : 1;
    for (int64_t i = 0; status == RB_OK && i < steps; i++)
        status = prg_add(maker->program, &step);
    return status;
}

static int add_rank(const struct maker *maker, int32_t rank)
{
    struct rb_rank state;
    rb_plan_rank(maker->plan, rank, &state);
    const int64_t rounds = rb_plan_rounds(maker->plan);
    int status = prg_begin_thread(maker->program, rank, 0);
    for (int64_t t = rb_plan_next(maker->plan, &state, 0); status == RB_OK && t < rounds;
         t = t + 1 < rounds ? rb_plan_next(maker->plan, &state, t + 1) : rounds) {
        const int32_t count = rb_plan_round(maker->plan, &state, t, maker->ops);
        struct dep_messages left = dep_messages_of(maker->ops, count);
        for (struct dep_message message; status == RB_OK && dep_next_message(&left, &message);)
            status = add_message(maker, rank, &message);
    }
    return status;
}

/* Fills a zeroed program, which the caller frees, also after failures. by_block: a message fills a
 * slot of its FIFO for each of its blocks; otherwise it fills one. RB_ENOMEM. O(operations), or
 * O(blocks moved). */
static int from_plan(const struct rb_plan *plan, bool by_block, struct prg_program *program)
{
    struct maker maker = {.plan = plan, .program = program, .by_block = by_block};
    int status = prg_init(program, rb_plan_ranks(plan));
    maker.ops = malloc((size_t)rb_plan_max_ops(plan) * sizeof *maker.ops);
    if (maker.ops == NULL)
        status = RB_ENOMEM;
    for (int32_t rank = 0; status == RB_OK && rank < program->ranks; rank++)
        status = add_rank(&maker, rank);
    free(maker.ops);
    return status == RB_OK ? prg_finish(program, NULL) : status;
}

int prg_plan_room(const struct rb_plan *plan, bool by_block, int64_t *room)
{
    struct prg_program program = {0};
    struct prg_verdict verdict;
    int status = from_plan(plan, by_block, &program);
    if (status == RB_OK)
        status = prg_prove(&program, &verdict);
    if (status == RB_OK && verdict.fault != PRG_RIGHT)
        status = RB_EWRONG;
    *room = status == RB_OK ? verdict.least_room : 0;
    prg_free(&program);
    return status;
}
