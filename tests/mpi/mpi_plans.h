/* mpi_plans.h - plans made by hand with what the registry's don't use yet: src and tmp, local
 * operations, two ports, and an exchange in place. Blocks must be of one length.
 *
 * meet: rank r ends with, in dst, (data of r - 1) op (data of r) op (data of r + 1), in this order.
 * In round t block t travels both ways, each on a port of its own, always into the same two tmp
 * places. p >= 3.
 * swap: ranks 2 i and 2 i + 1 exchange their data in place, block t in round t.
 * halves: the same on two ports, blocks t and n / 2 + t in round t. Odd ranks name the second port
 * first. n is even.
 * join: all ranks' data are combined at rank 0, which receives from ranks 2 t + 1 and 2 t + 2 in
 * round t, each on a port.
 * apart: rank r ends with, in dst, (data of r - 1) op (data of r). Block t comes into the first
 * place of tmp in round 2 t and is combined in round 2 t + 1. p >= 2. late: rank r ends with the
 * data of r - 1 in dst, through tmp, which is copied in a round later.
 */
#ifndef TESTS_MPI_MPI_PLANS_H
#define TESTS_MPI_MPI_PLANS_H

#include "schedules/plan/plan.h"

static int32_t meet_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                          struct rb_op ops[])
{
    const int32_t p = plan->p, r = state->rank, left = (r + p - 1) % p, right = (r + 1) % p;
    const struct rb_range own = {RB_SRC, r, t, 1}, result = {RB_DST, r, t, 1};
    const struct rb_range from_left = {RB_TMP, left, 0, 1}, from_right = {RB_TMP, right, 0, 1};
    ops[0] = (struct rb_op){.kind = RB_SEND, .peer = right, .port = 0, .at = own};
    ops[1] = (struct rb_op){.kind = RB_SEND, .peer = left, .port = 1, .at = own};
    ops[2] = (struct rb_op){.kind = RB_RECV, .peer = left, .port = 0, .at = from_left};
    ops[3] = (struct rb_op){.kind = RB_RECV, .peer = right, .port = 1, .at = from_right};
    ops[4] = (struct rb_op){.kind = RB_COPY, .peer = r, .at = result, .from = own};
    ops[5] = (struct rb_op){
        .kind = RB_REDUCE, .peer = r, .incoming_is_left = true, .at = result, .from = from_left};
    ops[6] = (struct rb_op){.kind = RB_REDUCE, .peer = r, .at = result, .from = from_right};
    return 7;
}

static int32_t swap_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                          struct rb_op ops[])
{
    const struct rb_range block = {RB_DST, 0, t, 1};
    const int32_t peer = state->rank ^ 1;
    if (peer >= plan->p)
        return 0;
    ops[0] = (struct rb_op){.kind = RB_SEND, .peer = peer, .at = block};
    ops[1] = (struct rb_op){.kind = RB_RECV, .peer = peer, .at = block};
    return 2;
}

static int32_t halves_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                            struct rb_op ops[])
{
    const int32_t peer = state->rank ^ 1, flip = state->rank % 2;
    if (peer >= plan->p)
        return 0;
    for (int32_t i = 0; i < 4; i++) {
        const int32_t port = i % 2 ^ flip;
        ops[i] = (struct rb_op){.kind = i < 2 ? RB_SEND : RB_RECV,
                                .peer = peer,
                                .port = port,
                                .at = {RB_DST, 0, port * plan->n / 2 + t, 1}};
    }
    return 4;
}

static int32_t join_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                          struct rb_op ops[])
{
    const struct rb_range all = {RB_DST, 0, 0, plan->n};
    int32_t count = 0;
    for (int32_t port = 0; port < 2; port++) {
        const int32_t from = 2 * (int32_t)t + 1 + port;
        if (from == state->rank)
            ops[count++] = (struct rb_op){.kind = RB_SEND, .peer = 0, .port = port, .at = all};
        else if (from < plan->p && state->rank == 0)
            ops[count++] =
                (struct rb_op){.kind = RB_RECV_REDUCE, .peer = from, .port = port, .at = all};
    }
    return count;
}

static int32_t apart_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                           struct rb_op ops[])
{
    const int32_t p = plan->p, r = state->rank, left = (r + p - 1) % p;
    const int64_t first = t / 3 * 2, last = t % 3 - 1;
    const struct rb_range own = {RB_SRC, r, first, 2}, result = {RB_DST, r, first, 2};
    const struct rb_range tmp = {RB_TMP, left, 0, 2};
    if (last >= 0) {
        ops[0] = (struct rb_op){.kind = RB_REDUCE,
                                .peer = r,
                                .incoming_is_left = true,
                                .at = {RB_DST, r, first + last, 1},
                                .from = {RB_TMP, left, last, 1}};
        return 1;
    }
    ops[0] = (struct rb_op){.kind = RB_SEND, .peer = (r + 1) % p, .at = own};
    ops[1] = (struct rb_op){.kind = RB_RECV, .peer = left, .at = tmp};
    ops[2] = (struct rb_op){.kind = RB_COPY, .peer = r, .at = result, .from = own};
    return 3;
}

static int32_t late_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                          struct rb_op ops[])
{
    const int32_t p = plan->p, r = state->rank, left = (r + p - 1) % p;
    const struct rb_range tmp = {RB_TMP, left, 0, plan->n}, dst = {RB_DST, left, 0, plan->n};
    if (t == 1) {
        ops[0] = (struct rb_op){.kind = RB_COPY, .peer = r, .at = dst, .from = tmp};
        return 1;
    }
    const struct rb_range own = {RB_SRC, r, 0, plan->n};
    if (p == 1) {
        ops[0] = (struct rb_op){.kind = RB_COPY, .peer = r, .at = tmp, .from = own};
        return 1;
    }
    ops[0] = (struct rb_op){.kind = RB_SEND, .peer = (r + 1) % p, .at = own};
    ops[1] = (struct rb_op){.kind = RB_RECV, .peer = left, .at = tmp};
    return 2;
}

static int meet_init(struct rb_plan *plan, char *why, size_t why_size)
{
    (void)why;
    (void)why_size;
    plan->rounds = plan->n;
    plan->max_ops = 7;
    plan->ports = 2;
    return RB_OK;
}

static int swap_init(struct rb_plan *plan, char *why, size_t why_size)
{
    plan->rounds = plan->n;
    plan->max_ops = 2;
    return rb_need_one_port(plan, why, why_size);
}

static int halves_init(struct rb_plan *plan, char *why, size_t why_size)
{
    (void)why;
    (void)why_size;
    plan->rounds = plan->n / 2;
    plan->max_ops = 4;
    plan->ports = 2;
    return RB_OK;
}

static int join_init(struct rb_plan *plan, char *why, size_t why_size)
{
    (void)why;
    (void)why_size;
    plan->rounds = plan->p / 2;
    plan->max_ops = 2;
    plan->ports = 2;
    return RB_OK;
}

static int apart_init(struct rb_plan *plan, char *why, size_t why_size)
{
    plan->rounds = plan->n / 2 * 3;
    plan->max_ops = 3;
    return rb_need_one_port(plan, why, why_size);
}

static int late_init(struct rb_plan *plan, char *why, size_t why_size)
{
    plan->rounds = 2;
    plan->max_ops = 2;
    return rb_need_one_port(plan, why, why_size);
}

static const struct rb_collective meet_collective = {
    .info = {.name = "meet", .reducing = true, .distributed = true},
    .buffers = 1u << RB_SRC | 1u << RB_DST | 1u << RB_TMP};
static const struct rb_algorithm meet_algorithm = {.info = {.collective = "meet", .name = "meet"},
                                                   .init = meet_init,
                                                   .round = meet_round,
                                                   .next = rb_never_idle};
static const struct rb_algorithm apart_algorithm = {.info = {.collective = "meet", .name = "apart"},
                                                    .init = apart_init,
                                                    .round = apart_round,
                                                    .next = rb_never_idle};
static const struct rb_collective swap_collective = {.info = {.name = "swap"},
                                                     .buffers = 1u << RB_DST};
static const struct rb_algorithm swap_algorithm = {
    .info = {.collective = "swap", .name = "swap"}, .init = swap_init, .round = swap_round};
static const struct rb_algorithm halves_algorithm = {
    .info = {.collective = "swap", .name = "halves"}, .init = halves_init, .round = halves_round};

static const struct rb_collective join_collective = {.info = {.name = "join", .reducing = true},
                                                     .buffers = 1u << RB_DST};
static const struct rb_algorithm join_algorithm = {
    .info = {.collective = "join", .name = "join"}, .init = join_init, .round = join_round};

static const struct rb_collective late_collective = {.info = {.name = "late", .distributed = true},
                                                     .buffers = 1u << RB_SRC | 1u << RB_DST |
                                                                1u << RB_TMP};
static const struct rb_algorithm late_algorithm = {
    .info = {.collective = "late", .name = "late"}, .init = late_init, .round = late_round};

static inline struct rb_plan *plan_by_hand(const struct rb_collective *collective,
                                           const struct rb_algorithm *algorithm, int32_t p,
                                           int64_t n)
{
    const struct rb_plan_spec spec = {.p = p, .n = n};
    struct rb_plan *plan;
    rb_plan_make(collective, algorithm, &spec, &plan, NULL, 0);
    return plan;
}

static inline struct rb_plan *meet_plan(int32_t p, int64_t n)
{
    return plan_by_hand(&meet_collective, &meet_algorithm, p, n);
}

static inline struct rb_plan *swap_plan(int32_t p, int64_t n)
{
    return plan_by_hand(&swap_collective, &swap_algorithm, p, n);
}

static inline struct rb_plan *halves_plan(int32_t p, int64_t n)
{
    return plan_by_hand(&swap_collective, &halves_algorithm, p, n);
}

static inline struct rb_plan *join_plan(int32_t p, int64_t n)
{
    return plan_by_hand(&join_collective, &join_algorithm, p, n);
}

static inline struct rb_plan *apart_plan(int32_t p, int64_t n)
{
    return plan_by_hand(&meet_collective, &apart_algorithm, p, n);
}

static inline struct rb_plan *late_plan(int32_t p, int64_t n)
{
    return plan_by_hand(&late_collective, &late_algorithm, p, n);
}

#endif
