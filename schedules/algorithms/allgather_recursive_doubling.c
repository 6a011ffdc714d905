/* allgather_recursive_doubling.c - exchange with the rank whose number differs in one bit.
 *
 * Source: textbook; Grama et al. 2003, all-to-all broadcast on a hypercube; MPI libraries use it
 * for powers of two; folded.h extends it to other p. Rounds: log2 p; floor(log2 p) + 2 if p is not
 * a power of two. Volume: n (p - 1) blocks received per rank, optimal; but a rank that is folded
 * away gets nearly all of them in the last round. No state per rank.
 *
 * p = 5 (participants: ranks 0, 2, 3, 4): 1 -> 0; 0 <-> 2, 3 <-> 4; 0 <-> 3, 2 <-> 4; 0 -> 1. */
#include "schedules/patterns/folded.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    const struct rb_folded folded = rb_folded_of(plan->p);
    plan->rounds = folded.steps + (folded.folded > 0 ? 2 : 0);
    plan->max_ops = plan->p;
    return rb_need_one_port(plan, why, why_size);
}

/* The data of ranks first .. end - 1 but those of `without`. */
static int32_t pack(const struct rb_plan *plan, enum rb_op_kind kind, int32_t peer, int32_t first,
                    int32_t end, int32_t without, struct rb_op ops[])
{
    int32_t count = 0;
    for (int32_t owner = first; owner < end; owner++)
        if (owner != without)
            ops[count++] =
                (struct rb_op){.kind = kind, .peer = peer, .at = {RB_DST, owner, 0, plan->n}};
    return count;
}

/* Before the doubling a rank that is folded away sends its data to its participant; after the
 * doubling it gets all other data. */
static int32_t pair_round(const struct rb_plan *plan, const struct rb_folded *folded, int32_t r,
                          bool before, struct rb_op ops[])
{
    const bool odd = r % 2 == 1;
    if (r >= 2 * folded->folded)
        return 0;
    const int32_t away = r | 1;
    const enum rb_op_kind kind = odd == before ? RB_SEND : RB_RECV;
    if (before)
        return pack(plan, kind, r ^ 1, away, away + 1, -1, ops);
    return pack(plan, kind, r ^ 1, 0, plan->p, away, ops);
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const struct rb_folded folded = rb_folded_of(plan->p);
    const int64_t step = folded.folded > 0 ? t - 1 : t;
    const int32_t r = state->rank, i = rb_folded_number(&folded, r);
    if (step < 0 || step == folded.steps)
        return pair_round(plan, &folded, r, step < 0, ops);
    if (i < 0)
        return 0;
    const int32_t h = (int32_t)1 << step, mine = i & -h, theirs = (i ^ h) & -h;
    const int32_t peer = rb_folded_rank(&folded, i ^ h);
    const int32_t sent = pack(plan, RB_SEND, peer, rb_folded_rank(&folded, mine),
                              rb_folded_rank(&folded, mine + h), -1, ops);
    return sent + pack(plan, RB_RECV, peer, rb_folded_rank(&folded, theirs),
                       rb_folded_rank(&folded, theirs + h), -1, ops + sent);
}

/* The first participants stand for most ranks, so theirs are the longest messages. */
static double cost(const struct rb_plan *plan, double bytes, double alpha_s, double beta_s_per_byte)
{
    const struct rb_folded folded = rb_folded_of(plan->p);
    double ranks = folded.folded > 0 ? plan->p : 0; /* 1 before, p - 1 after */
    for (int32_t step = 0; step < folded.steps; step++)
        ranks += rb_folded_rank(&folded, (int32_t)1 << step);
    return (double)plan->rounds * alpha_s + ranks / plan->p * bytes * beta_s_per_byte;
}

const struct rb_algorithm rb_allgather_recursive_doubling = {
    .info = {.collective = "allgather",
             .name = "recursive-doubling",
             .title = "exchanges along the dimensions of a hypercube",
             .paper = "textbook; Grama et al. 2003",
             .rounds = "log2 p; floor(log2 p) + 2 if p is no power of two",
             .blocks = "all blocks of a rank travel together"},
    .init = init,
    .round = round_,
    .next = rb_folded_next,
    .cost = cost,
};
