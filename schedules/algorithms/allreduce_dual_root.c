/* allreduce_dual_root.c - two binary trees, one over each half of the ranks, whose roots exchange
 * partial results; on each edge partial results go up and results go down in the same round.
 *
 * Source: J. L. Traeff, "A Doubly-pipelined, Dual-root Reduction-to-all Algorithm and
 * Implementation", arXiv 2109.12626, 2021. The trees are those of tree.h; the lower half has
 * H = ceil(p / 2) ranks. A rank uses the edge to its nearer child, then that to its farther child,
 * then that to its parent, or for a root to the other root, and again every P = min(3, H) rounds.
 * Let a be the sum over a rank's path of 1 for each step to a farther child and 2 for each step to
 * a nearer one, d its depth, and X the largest a. Then a rank exchanges with its parent in rounds X
 * - a + P i: it sends its partial result of block i, and receives the result of block i - d. So
 * rounds are P (n - 1) + X + 1 + Y, where Y is the largest P d - a, on the path of farther
 * children. If that ends with an only child, and P = 3, this one is taken for a nearer one, which
 * makes Y less by one: Y = f(H) + 1, X = f(H + 1) (tree.h), but 3 for H = 4. Volume: 2 n (p -
 * 1) blocks. Rank order is kept: a rank combines the nearer subtree's results with its own data,
 * then the farther one's. There is no closed form of the time, because ranks that need not wait for
 * the ends of rounds are faster.
 *
 * p = 6, n = 1: 1 -> 2, 4 -> 5; 0 -> 2, 3 -> 5; 2 <-> 5; 2 -> 1, 5 -> 4; 2 -> 0, 5 -> 3. */
#include "schedules/patterns/tree.h"
#include "schedules/plan/plan.h"

/* In a rank's state: the ranks at the other ends of its edges, or -1; X - a; d. */
enum { PARENT, FARTHER, NEARER, UP, DEPTH };

/* H. */
static int32_t lower_half(const struct rb_plan *plan)
{
    return plan->p - plan->p / 2;
}

/* P. */
static int64_t period(const struct rb_plan *plan)
{
    return lower_half(plan) < 3 ? lower_half(plan) : 3;
}

/* X. */
static int64_t latest(const struct rb_plan *plan)
{
    return lower_half(plan) == 4 ? 3 : rb_post_order_latest(lower_half(plan));
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    const int32_t half = lower_half(plan);
    const int64_t down = half == 1 ? 0 : rb_post_order_latest(half - 1) + 1;
    plan->rounds = plan->p == 1 ? 0 : period(plan) * (plan->n - 1) + latest(plan) + 1 + down;
    plan->max_ops = 2;
    return rb_need_one_port(plan, why, why_size);
}

static void place(const struct rb_plan *plan, struct rb_rank *state)
{
    const int32_t half = lower_half(plan), rank = state->rank;
    const struct rb_post_order here =
        rank < half ? rb_post_order(0, half - 1, rank) : rb_post_order(half, plan->p - 1, rank);
    const int32_t other_root = rank < half ? plan->p - 1 : half - 1;
    const bool on_path = here.near == 0 && period(plan) == 3;
    const bool parents_only = on_path && here.far > 0 && here.parent == rank + 1;
    const bool has_only = on_path && here.nearer < 0;
    int64_t *number = state->state.number;
    number[PARENT] = here.parent >= 0 ? here.parent : other_root;
    number[FARTHER] = has_only ? -1 : here.farther;
    number[NEARER] = has_only ? here.farther : here.nearer;
    number[UP] = latest(plan) - here.far - 2 * here.near - (parents_only ? 1 : 0);
    number[DEPTH] = here.far + here.near;
}

/* An edge's lower end has a larger by 1 for a farther child and 2 for a nearer one: the edge's
 * number. */
static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const int64_t *number = state->state.number;
    const int64_t turn = (number[UP] - t) % period(plan);
    const int64_t edge = turn < 0 ? turn + period(plan) : turn;
    const int64_t up = (t - number[UP] + edge) / period(plan);
    const int64_t down = up - number[DEPTH] - (edge == PARENT ? 0 : 1);
    const int64_t sent = edge == PARENT ? up : down, received = edge == PARENT ? down : up;
    const bool combines = edge != PARENT || number[DEPTH] == 0;
    const int32_t peer = (int32_t)number[edge];
    int32_t count = 0;
    if (peer >= 0 && sent >= 0 && sent < plan->n)
        rb_put_root_op(plan, &ops[count++], RB_SEND, peer, sent);
    if (peer >= 0 && received >= 0 && received < plan->n) {
        rb_put_root_op(plan, &ops[count], combines ? RB_RECV_REDUCE : RB_RECV, peer, received);
        ops[count++].incoming_is_left = combines && peer < state->rank;
    }
    return count;
}

static void pipeline(const struct rb_plan *plan, int64_t *per_block, int64_t *fixed)
{
    *per_block = period(plan);
    *fixed = plan->rounds - *per_block * plan->n;
}

RB_ROW(rb_allreduce_dual_root, "allreduce", "dual-root",
       "pipelined up and down two binary trees at once, whose roots exchange", "Traeff 2021",
       "min(3, h) (n - 1) + max(min(3, h - 1), floor(log2(h + 1)) + floor(log2(2 (h + 1) / 3)) - 1)"
       " + 1 + max(0, floor(log2 h) + floor(log2(2 h / 3))), h = ceil(p / 2)",
       RB_PIPELINED(""), .init = init, .rank = place, .round = round_, .pipeline = pipeline,
       .ordered_for_root_0 = true);
