/* reversal.c - another algorithm's rounds from the last to the first, with directions exchanged. */
#include "reversal.h"

int rb_reversed_init(struct rb_plan *plan, char *why, size_t why_size)
{
    return plan->algorithm->forward->init(plan, why, why_size);
}

void rb_reversed_fini(struct rb_plan *plan)
{
    if (plan->algorithm->forward->fini != NULL)
        plan->algorithm->forward->fini(plan);
}

void rb_reversed_rank(const struct rb_plan *plan, struct rb_rank *state)
{
    if (plan->algorithm->forward->rank != NULL)
        plan->algorithm->forward->rank(plan, state);
}

static void turn_round(struct rb_op ops[], int32_t first, int32_t end)
{
    for (end--; first < end; first++, end--) {
        struct rb_op op = ops[first];
        ops[first] = ops[end];
        ops[end] = op;
    }
}

/* Receives become sends, which must come first: the two parts exchange their positions, and each
 * keeps the order of its ranges, which both ends of a message share. Data from a lower rank are the
 * left operand. */
int32_t rb_reversed_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                          struct rb_op ops[])
{
    const struct rb_algorithm *forward = plan->algorithm->forward;
    const int32_t count = forward->round(plan, state, plan->rounds - 1 - t, ops);
    int32_t sent = 0;
    while (sent < count && ops[sent].kind == RB_SEND)
        sent++;
    const enum rb_op_kind incoming = plan->collective->info.reducing ? RB_RECV_REDUCE : RB_RECV;
    for (int32_t i = 0; i < count; i++) {
        ops[i].kind = i < sent ? incoming : RB_SEND;
        ops[i].incoming_is_left =
            i < sent && incoming == RB_RECV_REDUCE && ops[i].peer < state->rank;
    }
    turn_round(ops, 0, sent);
    turn_round(ops, sent, count);
    turn_round(ops, 0, count);
    return count;
}

/* The other's last active round up to `backwards`: bisection, because next() only looks ahead.
 */
int64_t rb_reversed_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    const struct rb_algorithm *forward = plan->algorithm->forward;
    const int64_t backwards = plan->rounds - 1 - t;
    int64_t found = -1; /* an active round, none later than backwards */
    int64_t low = 0, high = backwards;
    if (rb_next_of(forward, plan, state, backwards) == backwards)
        return t;
    while (low <= high) {
        const int64_t middle = low + (high - low) / 2;
        const int64_t active = rb_next_of(forward, plan, state, middle);
        if (active <= backwards) {
            found = active;
            low = active + 1;
        } else {
            high = middle - 1;
        }
    }
    return found < 0 ? plan->rounds : plan->rounds - 1 - found;
}

double rb_reversed_cost(const struct rb_plan *plan, double bytes, double alpha_s,
                        double beta_s_per_byte)
{
    return plan->algorithm->forward->cost(plan, bytes, alpha_s, beta_s_per_byte);
}

void rb_reversed_pipeline(const struct rb_plan *plan, int64_t *per_block, int64_t *fixed)
{
    plan->algorithm->forward->pipeline(plan, per_block, fixed);
}
