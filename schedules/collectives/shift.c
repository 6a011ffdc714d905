/* shift.c - circular q-shift: the data of rank i end up at rank (i + q) mod p. SRC holds a rank's
 * own data, DST what it gets.
 *
 * Source: Grama, Gupta, Karypis, Kumar 2003, Introduction to Parallel Computing, Section 4.6. Its
 * 0 < q < p is 0 <= q < p here, so that p = 1 has an instance; for q = 0 all data stay where they
 * are, and are copied.
 *
 * Bounds, for q > 0: a rank sends k of its n blocks in a round on k ports; each block of the p
 * ranks moves at least once. */
#include <stdio.h>

#include "schedules/plan/plan.h"

static int instance(struct rb_plan *plan, const char *text, char *why, size_t why_size)
{
    struct rb_instance_number q = {
        .name = "q", .least = 0, .most = plan->p - 1, .value = plan->p > 1};
    const int status = rb_instance_read(text, &q, 1, why, why_size);
    plan->problem.shift = (int32_t)q.value;
    snprintf(plan->instance, sizeof plan->instance, "q=%d", (int)q.value);
    return status;
}

static int64_t precondition(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                            int32_t owner, int64_t index)
{
    return buffer == RB_SRC && owner == rank ? rb_plan_datum(plan, owner, index) : RB_NOTHING;
}

static int64_t postcondition(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                             int32_t owner, int64_t index)
{
    return buffer == RB_DST && rb_after(plan, owner, plan->problem.shift) == rank
               ? rb_plan_datum(plan, owner, index)
               : RB_NOTHING;
}

static int64_t bound_rounds(const struct rb_plan *plan, int64_t n)
{
    return plan->problem.shift == 0 ? 0 : (n - 1) / plan->ports + 1;
}

static int64_t bound_moves(const struct rb_plan *plan)
{
    return plan->problem.shift == 0 ? 0 : plan->blocks * plan->p;
}

const struct rb_collective rb_shift = {
    .info = {.name = "shift",
             .title = "the data of each rank go to the rank q higher, modulo p (a circular shift)",
             .distributed = true,
             .instance = "q=Q: how many ranks further, 0 <= Q < p; usually 1"},
    .buffers = 1u << RB_SRC | 1u << RB_DST,
    .instance = instance,
    .precondition = precondition,
    .postcondition = postcondition,
    .bound_rounds = bound_rounds,
    .bound_moves = bound_moves,
};
