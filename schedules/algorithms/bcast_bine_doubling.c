/* bcast_bine_doubling.c - the Bine tree, distances doubling: the first messages go to neighbours.
 *
 * Source: De Sensi et al. 2025 (the authors' "bine_lat"); bine.h. Rounds: ceil(log2 p). Volume: n
 * (p - 1) blocks. No state per rank.
 *
 * In round s a rank that has the message sends it to its partner in step s of a Bine butterfly,
 * unless the partner has it; so a rank gets it by that of its numbers modulo p which 0 reaches in
 * the lowest last step. Most messages are in the last rounds, whose distances are long; so this
 * tree sends more between groups of consecutive ranks than `bine`, and only its first rounds are
 * local. For odd p it is the tree of p + 1 ranks without a rank that would only receive in the last
 * round. p = 6: 0 -> 1; 0 -> 5, 1 -> 2; 0 -> 3, 1 -> 4. */
#include "schedules/patterns/bine.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    return rb_on_one_port(plan, rb_ceil_log2(plan->p), 1, why, why_size);
}

/* An even number of positions; for odd p one of them is not occupied. No odd number beyond those of
 * I(q - 1) is reached before the last step. */
struct positions {
    int32_t count;
    int32_t steps;
    int32_t gap; /* count: none */
};

static struct positions positions_of(int32_t p)
{
    struct positions all = {.count = p + p % 2, .steps = rb_ceil_log2(p)};
    all.gap = p % 2 == 0 ? all.count : rb_bine_highest(all.steps - 1) + 2;
    return all;
}

/* The step in which a position is reached; -1 for that of the root. */
static int32_t reached(const struct positions *all, int32_t position)
{
    const int32_t low = rb_bine_lowest(all->steps), high = rb_bine_highest(all->steps);
    int32_t first = position == 0 ? -1 : all->steps;
    for (int32_t turn = -2; turn < 2 && position > 0; turn++) {
        const int64_t number = position + (int64_t)turn * all->count;
        const int64_t reach = number % 2 == 0 ? -number : number;
        if (reach < low || reach > high)
            continue;
        const int32_t last = 31 - __builtin_clz(rb_bine_steps((int32_t)number));
        first = last < first ? last : first;
    }
    return first;
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const struct positions all = positions_of(plan->p);
    const int32_t s = (int32_t)t, r = state->relative, mine = r < all.gap ? r : r + 1;
    const int32_t other = rb_bine_partner(all.count, mine, s);
    const int32_t peer = other < all.gap ? other : other - 1, has = reached(&all, mine);
    if (has == s)
        ops[0] = rb_root_op(plan, RB_RECV, peer, 0, plan->n);
    else if (has < s && other != all.gap && reached(&all, other) == s)
        ops[0] = rb_root_op(plan, RB_SEND, peer, 0, plan->n);
    else
        return 0;
    return 1;
}

RB_ROW(rb_bcast_bine_doubling, "bcast", "bine-doubling",
       "Bine tree, distances doubling, the whole message at once", "De Sensi et al. 2025",
       "ceil(log2 p)", RB_AT_ONCE, .init = init, .round = round_, .cost = rb_cost_of_all);
