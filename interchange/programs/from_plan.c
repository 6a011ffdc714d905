/* from_plan.c - round plans as programs without data: how much room do their FIFOs need? */
#include "interchange/programs/from_plan.h"

#include <stdlib.h>

#include "roundabout.h"
#include "schedules/dependences/messages.h"

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

int prg_from_plan(const struct rb_plan *plan, bool by_block, struct prg_program *program)
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
    int status = prg_from_plan(plan, by_block, &program);
    if (status == RB_OK)
        status = prg_prove(&program, &verdict);
    if (status == RB_OK && verdict.fault != PRG_RIGHT)
        status = RB_EWRONG;
    *room = status == RB_OK ? verdict.least_room : 0;
    prg_free(&program);
    return status;
}
