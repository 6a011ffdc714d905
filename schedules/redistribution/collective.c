/* collective.c - redistribute: an array that is distributed CYCLIC(r) on P ranks moves to CYCLIC(s)
 * on Q ranks; every rank sends each rank the elements that belong there. SRC has a rank's data for
 * each rank, DST the data for the rank by owner; parts without elements are left out.
 *
 * Source: F. Desprez, S. Domas, J. Dongarra, A. Petitet, C. Randriamaro, Y. Robert 1998, More on
 * Scheduling Block-Cyclic Array Redistribution. A block is a unit of their messages
 * (redistribution.h), and n has no meaning.
 *
 * Bounds: a port has one message per round, so there are at least as many rounds as one rank has
 * messages; each unit moves once; and T_opt, the largest number of units that one rank has to send
 * or to receive, bounds the volume in sequence (Lemma 1). */
#include <stdlib.h>

#include "instance.h"

static int instance(struct rb_plan *plan, const char *text, char *why, size_t why_size)
{
    struct rb_redistribution problem;
    struct redist_problem *all;
    int status = rb_redistribution_read(text, plan->p, &problem, why, why_size);
    if (status == RB_OK)
        status = redist_problem_make(&problem, &all, why, why_size);
    if (status != RB_OK)
        return status;
    int64_t longest = 1;
    for (size_t i = 0; i < all->shares.row[plan->p]; i++)
        if (all->shares.share[i].units > longest)
            longest = all->shares.share[i].units;
    if (longest > INT64_MAX / plan->p / plan->p) {
        redist_problem_free(all);
        return rb_why(why, why_size, RB_EINVAL, "the messages have too many units, up to %lld",
                      (long long)longest);
    }
    plan->problem.own = all;
    plan->shares = &all->shares;
    plan->n = 1;
    plan->blocks = longest * plan->p;
    rb_redistribution_write(&problem, plan->instance, sizeof plan->instance);
    return RB_OK;
}

static int instance_ranks(const char *text, int32_t *p, char *why, size_t why_size)
{
    struct rb_redistribution problem;
    const int status = rb_redistribution_read(text, 0, &problem, why, why_size);
    if (status == RB_OK)
        *p = rb_redistribution_ranks(&problem);
    return status;
}

static void release(struct rb_plan *plan)
{
    redist_problem_free(redist_problem_of(plan));
}

/* True if the block is a unit of what its owner has for the block's destination. */
static bool is_unit(const struct rb_plan *plan, int32_t owner, int64_t index)
{
    const int64_t blocks = rb_part_blocks(plan);
    return index % blocks < rb_share_of(plan, owner, (int32_t)(index / blocks)).units;
}

static int64_t precondition(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                            int32_t owner, int64_t index)
{
    (void)rank;
    return buffer == RB_SRC && is_unit(plan, owner, index) ? rb_plan_datum(plan, owner, index)
                                                           : RB_NOTHING;
}

static int64_t postcondition(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                             int32_t owner, int64_t index)
{
    (void)rank;
    return buffer == RB_DST && is_unit(plan, owner, index) ? rb_plan_datum(plan, owner, index)
                                                           : RB_NOTHING;
}

/* The most messages of one sender, or of one receiver. */
static int64_t bound_rounds(const struct rb_plan *plan, int64_t n)
{
    const struct rb_traffic *traffic = &redist_problem_of(plan)->traffic;
    int64_t sent = 0, most = 0;
    int32_t *received = calloc((size_t)traffic->receivers, sizeof *received);
    (void)n;
    for (size_t i = 0; i < traffic->count; i++) {
        const struct rb_message *message = &traffic->message[i];
        sent = i > 0 && message[-1].from == message->from ? sent + 1 : 1;
        most = sent > most ? sent : most;
        if (received != NULL && ++received[message->to] > most)
            most = received[message->to];
    }
    free(received);
    return most;
}

static int64_t bound_moves(const struct rb_plan *plan)
{
    const struct rb_traffic *traffic = &redist_problem_of(plan)->traffic;
    int64_t units = 0;
    for (size_t i = 0; i < traffic->count; i++)
        units += traffic->message[i].length;
    return units;
}

static int64_t bound_busiest(const struct rb_plan *plan, int64_t rounds)
{
    (void)rounds;
    return redist_problem_of(plan)->traffic.longest_port;
}

const struct rb_collective redist_collective = {
    .info = {.name = "redistribute",
             .title = "a block-cyclic array moves to another block-cyclic distribution",
             .distributed = true,
             .personalized = true,
             .instance = "P=P,r=R,Q=Q,s=S,M=M,at=A: from blocks of R elements on ranks 0 .. P - 1 "
                         "to blocks of S on ranks A .. A + Q - 1; usually P = Q = p, R = 2, S = 3, "
                         "M the least common multiple of P R and Q S, A = P if that makes p ranks, "
                         "else 0; several dimensions: P=..,..,s=../P=..,..,s=..",
             .fixed_counts = true},
    .buffers = 1u << RB_SRC | 1u << RB_DST,
    .instance = instance,
    .instance_ranks = instance_ranks,
    .release = release,
    .precondition = precondition,
    .postcondition = postcondition,
    .bound_rounds = bound_rounds,
    .bound_moves = bound_moves,
    .bound_busiest = bound_busiest,
};
