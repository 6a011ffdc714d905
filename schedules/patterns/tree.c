#include "tree.h"

/* In the plan's numbers: the latest arrival, and S. */
enum { LATEST, STRIDE };

int rb_tree_init(struct rb_plan *plan, int64_t stride, int64_t latest, char *why, size_t why_size)
{
    plan->data.number[LATEST] = latest;
    plan->data.number[STRIDE] = stride;
    plan->rounds = plan->p == 1 ? 0 : stride * (plan->n - 1) + latest + 1;
    plan->max_ops = 2;
    return rb_need_one_port(plan, why, why_size);
}

struct rb_tree_turn rb_tree_turn(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    const int64_t stride = plan->data.number[STRIDE];
    const int64_t arrival = state->state.number[RB_TREE_ARRIVAL], since = t - arrival;
    struct rb_tree_turn turn = {-1, -1, 0};
    if (since >= 0 && since % stride == 0 && since / stride < plan->n && arrival >= 0)
        turn.received = since / stride;
    const int64_t block = (since - 1) / stride, child = (since - 1) % stride;
    if (since > 0 && block < plan->n && child < state->state.number[RB_TREE_CHILDREN]) {
        turn.sent = block;
        turn.child = (int32_t)child;
    }
    return turn;
}

int32_t rb_tree_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      rb_tree_child *child, struct rb_op ops[])
{
    const struct rb_tree_turn turn = rb_tree_turn(plan, state, t);
    int32_t count = 0;
    if (turn.sent >= 0)
        rb_put_root_op(plan, &ops[count++], RB_SEND, child(plan, state, turn.child), turn.sent);
    if (turn.received >= 0)
        rb_put_root_op(plan, &ops[count++], RB_RECV, (int32_t)state->state.number[RB_TREE_PARENT],
                       turn.received);
    return count;
}

/* Of rounds since the arrival: the first one from `since` on in which a rank is at one of `many`
 * places from the start of each of n strides; -1: none. */
static int64_t first_from(const struct rb_plan *plan, int64_t since, int64_t many)
{
    const int64_t stride = plan->data.number[STRIDE];
    if (since < 0)
        since = 0;
    if (since % stride >= many)
        since += stride - since % stride;
    return many > 0 && since / stride < plan->n ? since : -1;
}

/* The last one up to `since`. */
static int64_t last_to(const struct rb_plan *plan, int64_t since, int64_t many)
{
    const int64_t stride = plan->data.number[STRIDE];
    if (since < 0 || many == 0)
        return -1;
    const int64_t block = since / stride < plan->n ? since / stride : plan->n - 1;
    const int64_t place = since - block * stride;
    return block * stride + (place < many ? place : many - 1);
}

/* Of two rounds, the earlier one, where -1 is none. */
static int64_t earlier(int64_t a, int64_t b)
{
    return a < 0 || (0 <= b && b < a) ? b : a;
}

int64_t rb_tree_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    const int64_t arrival = state->state.number[RB_TREE_ARRIVAL], since = t - arrival;
    const int64_t received = first_from(plan, since, arrival < 0 ? 0 : 1);
    const int64_t sent = first_from(plan, since - 1, state->state.number[RB_TREE_CHILDREN]);
    const int64_t next = earlier(received, sent < 0 ? -1 : sent + 1);
    return next < 0 ? plan->rounds : arrival + next;
}

int64_t rb_tree_before(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    const int64_t arrival = state->state.number[RB_TREE_ARRIVAL], since = t - arrival;
    const int64_t received = last_to(plan, since, arrival < 0 ? 0 : 1);
    const int64_t sent = last_to(plan, since - 1, state->state.number[RB_TREE_CHILDREN]);
    const int64_t last = sent < 0 || received > sent + 1 ? received : sent + 1;
    return last < 0 ? -1 : arrival + last;
}

double rb_tree_cost(const struct rb_plan *plan, double bytes, double alpha_s,
                    double beta_s_per_byte)
{
    return (double)plan->rounds * (alpha_s + beta_s_per_byte * bytes / (double)plan->n);
}

void rb_tree_pipeline(const struct rb_plan *plan, int64_t *per_block, int64_t *fixed)
{
    *per_block = plan->data.number[STRIDE];
    *fixed = plan->data.number[LATEST] + 1 - *per_block;
}
