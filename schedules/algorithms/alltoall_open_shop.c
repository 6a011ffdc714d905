/* alltoall_open_shop.c - each rank sends its data itself, in an order by how much there is.
 *
 * Source: patterns/open_shop.h. Rounds: where sizes are equal, or not known, those of pairwise, p -
 * 1; where they are not, those of the order, and more for empty parts. Volume: optimal. State of
 * the plan: for unlike sizes 16 p^2 bytes. One port.
 *
 * p = 3; rank 0 has 4 elements for 1 and 1 for 2, rank 1 has 3 for 2, rank 2 has 2 for 0 and 1
 * for 1. t = 0: 0 -> 1, 1 -> 2, 2 -> 0; t = 1: 0 -> 2, 2 -> 1, and 1 -> 0, which is empty. */
#include <stdlib.h>

#include "schedules/patterns/chain.h"
#include "schedules/patterns/open_shop.h"

static void fini(struct rb_plan *plan)
{
    free(((struct rb_shop *)plan->data.own)->turn);
    free(plan->data.own);
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    int status = rb_need_one_port(plan, why, why_size);
    if (status != RB_OK)
        return status;
    const size_t pairs = plan->first == NULL ? 1 : (size_t)plan->p * (size_t)plan->p;
    struct rb_shop *shop = plan->data.own = calloc(1, sizeof *shop);
    int64_t *size = calloc(pairs, sizeof *size);
    if (shop == NULL || size == NULL) {
        free(shop), free(size);
        return rb_why(why, why_size, RB_ENOMEM, "out of memory");
    }
    for (size_t i = 0; i < pairs && plan->first != NULL; i++)
        size[i] = plan->first[i + 1] - plan->first[i];
    status = rb_shop_make(plan, plan->p, size, shop, why, why_size);
    free(size);
    plan->rounds = shop->rounds > 0 ? shop->rounds : 1;
    plan->max_ops = 3;
    if (status != RB_OK)
        fini(plan);
    return status;
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    int32_t count = 0;
    for (int receives = 0; receives < 2; receives++) {
        const struct rb_turn turn = rb_shop_turn(plan->data.own, state->rank, receives, t);
        if (turn.round == t)
            ops[count++] = (struct rb_op){
                .kind = receives ? RB_RECV : RB_SEND,
                .peer = turn.peer,
                .at = receives ? rb_part_range(plan, RB_DST, turn.peer, state->rank)
                               : rb_part_range(plan, RB_SRC, state->rank, turn.peer)};
    }
    if (t == 0)
        ops[count++] = rb_keep_own(plan, state->rank);
    return count;
}

static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    const int32_t to = rb_shop_turn(plan->data.own, state->rank, false, t).round;
    const int32_t from = rb_shop_turn(plan->data.own, state->rank, true, t).round;
    return t == 0 ? 0 : to < from ? to : from;
}

RB_ROW(rb_alltoall_open_shop, "alltoall", "open-shop",
       "one rank after another, first between those with most left", "open shop scheduling",
       "p - 1", RB_FOR_RANK, .info.sizes = true, .init = init, .fini = fini, .round = round_,
       .next = next, .cost = rb_direct_cost);
