/* allgather_bine.c - Bine butterflies, distances halving or doubling.
 *
 * Source: De Sensi et al. 2025; bine.h; the authors' code for any even p ("block by block any
 * even"). Rounds: ceil(log2 p) for even p, optimal. For odd p rank p - 1 is folded away: it sends
 * its data to rank p - 2 first, and gets all other data from it in the end; ceil(log2(p - 1)) + 2
 * rounds. Volume: n (p - 1) blocks received per rank, optimal. No state per rank.
 *
 * Everything is as at rank 0: what rank 0 does with rank x, an even rank r does with r + x, and an
 * odd one with r - x. In step s partners d(s) apart exchange what they have. `bine` takes the steps
 * from the highest down, so that the longest messages go to neighbours; then 0 gets data of a
 * number x in the lowest of the steps by which it reaches x (rb_bine_steps). `bine-doubling` takes
 * them from 0 up; then 0 gets consecutive numbers. Numbers are ranks modulo p. If p is no power of
 * two, some ranks have two numbers; their data arrive by the first, and are left out later.
 *
 * p = 6, what 0 receives: bine, from 3: 3; from 5: 5 2; from 1: 1 4. bine-doubling, from 1: 1; from
 * 5: 4 5; from 3: 2 3. */
#include "schedules/patterns/bine.h"
#include "schedules/plan/plan.h"

/* The even number of ranks that take part, and ceil(log2) of it. */
struct butterfly {
    int32_t ranks;
    int32_t steps;
    bool folded; /* rank p - 1 is folded away */
};

static struct butterfly butterfly_of(const struct rb_plan *plan)
{
    const int32_t ranks = plan->p - plan->p % 2;
    return (struct butterfly){ranks, ranks == 0 ? 0 : rb_ceil_log2(ranks), plan->p % 2 == 1};
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    const struct butterfly fly = butterfly_of(plan);
    return rb_on_one_port(plan, fly.steps + (fly.folded && fly.steps > 0 ? 2 : 0),
                          (int32_t)((uint32_t)1 << fly.steps) + 2, why, why_size);
}

static int32_t wrapped(int32_t number, int32_t ranks)
{
    const int32_t rest = number % ranks;
    return rest < 0 ? rest + ranks : rest;
}

/* Of the numbers of rank x, the one whose data arrive first, distances halving: the one with the
 * highest lowest step; of two the one with fewer steps in front. */
static uint32_t first_steps(const struct butterfly *fly, int32_t x)
{
    uint32_t first = 0;
    const int32_t low = rb_bine_lowest(fly->steps), high = rb_bine_highest(fly->steps);
    for (int32_t turn = -2; turn < 2; turn++) {
        const int64_t number = x + (int64_t)turn * fly->ranks;
        const int64_t reach = number % 2 == 0 ? -number : number;
        if (reach < low || reach > high)
            continue;
        const uint32_t steps = rb_bine_steps((int32_t)number);
        const uint32_t lowest = steps & (~steps + 1u), best = first & (~first + 1u);
        if (lowest > best || (lowest == best && steps < first))
            first = steps;
    }
    return first;
}

/* The data of what is x for rank 0, as an operation of a message to or from `rank`. */
static int32_t put(const struct rb_plan *plan, const struct butterfly *fly, enum rb_op_kind kind,
                   int32_t peer, int32_t rank, int32_t x, struct rb_op ops[])
{
    const int32_t owner = wrapped(rank % 2 == 0 ? rank + x : rank - x, fly->ranks);
    ops[0] = (struct rb_op){.kind = kind, .peer = peer, .at = {RB_DST, owner, 0, plan->n}};
    if (!fly->folded || owner != fly->ranks - 1)
        return 1;
    ops[1] = ops[0];
    ops[1].at.owner = owner + 1;
    return 2;
}

/* What `rank` receives in step s of a butterfly. */
typedef int32_t arriving(const struct rb_plan *plan, const struct butterfly *fly,
                         enum rb_op_kind kind, int32_t peer, int32_t rank, int32_t s,
                         struct rb_op ops[]);

static int32_t arriving_halving(const struct rb_plan *plan, const struct butterfly *fly,
                                enum rb_op_kind kind, int32_t peer, int32_t rank, int32_t s,
                                struct rb_op ops[])
{
    const uint32_t all = (uint32_t)1 << fly->steps;
    const bool unique = all == (uint32_t)fly->ranks;
    int32_t count = 0;
    for (uint32_t steps = (uint32_t)1 << s; steps < all; steps += (uint32_t)2 << s) {
        const int32_t x = wrapped(rb_bine_number(steps), fly->ranks);
        if (unique || (x != 0 && first_steps(fly, x) == steps))
            count += put(plan, fly, kind, peer, rank, x, ops + count);
    }
    return count;
}

static int32_t arriving_doubling(const struct rb_plan *plan, const struct butterfly *fly,
                                 enum rb_op_kind kind, int32_t peer, int32_t rank, int32_t s,
                                 struct rb_op ops[])
{
    const int32_t had = (int32_t)1 << s;
    const int32_t many = had < fly->ranks - had ? had : fly->ranks - had;
    const int32_t first =
        rb_bine_distance(s) > 0 ? rb_bine_highest(s) + 1 : rb_bine_lowest(s) - many;
    int32_t count = 0;
    for (int32_t i = 0; i < many; i++)
        count += put(plan, fly, kind, peer, rank, first + i, ops + count);
    return count;
}

/* Before the butterfly the folded rank sends its data to rank p - 2; afterwards it gets all other
 * data. */
static int32_t pair_round(const struct rb_plan *plan, int32_t r, bool before, struct rb_op ops[])
{
    const int32_t away = plan->p - 1;
    if (r < away - 1)
        return 0;
    const enum rb_op_kind kind = (r == away) == before ? RB_SEND : RB_RECV;
    const int32_t peer = r == away ? away - 1 : away;
    int32_t count = 0;
    for (int32_t owner = before ? away : 0; owner < (before ? plan->p : away); owner++)
        ops[count++] =
            (struct rb_op){.kind = kind, .peer = peer, .at = {RB_DST, owner, 0, plan->n}};
    return count;
}

static int32_t round_of(const struct rb_plan *plan, int32_t r, int64_t t, bool doubling,
                        struct rb_op ops[])
{
    const struct butterfly fly = butterfly_of(plan);
    const int32_t step = (int32_t)(fly.folded ? t - 1 : t);
    if (step < 0 || step == fly.steps)
        return pair_round(plan, r, step < 0, ops);
    if (r >= fly.ranks)
        return 0;
    arriving *const pack = doubling ? arriving_doubling : arriving_halving;
    const int32_t s = doubling ? step : fly.steps - 1 - step;
    const int32_t peer = rb_bine_partner(fly.ranks, r, s);
    const int32_t sent = pack(plan, &fly, RB_SEND, peer, peer, s, ops);
    return sent + pack(plan, &fly, RB_RECV, peer, r, s, ops + sent);
}

static int32_t halving_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                             struct rb_op ops[])
{
    return round_of(plan, state->rank, t, false, ops);
}

static int32_t doubling_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                              struct rb_op ops[])
{
    return round_of(plan, state->rank, t, true, ops);
}

/* The folded rank is idle between the first and the last round, the others but its neighbour in
 * these two. */
static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    const int64_t last = plan->rounds - 1;
    if (plan->p % 2 == 0 || t > last || state->rank == plan->p - 2)
        return t;
    if (state->rank == plan->p - 1)
        return t == 0 ? 0 : last;
    return t == 0 ? 1 : t == last ? plan->rounds : t;
}

/* In each step of a butterfly of p - 1 ranks somebody receives what the neighbour of the folded
 * rank has, which is of two ranks. */
static double cost(const struct rb_plan *plan, double bytes, double alpha_s, double beta_s_per_byte)
{
    const struct butterfly fly = butterfly_of(plan);
    double ranks = fly.ranks - 1;
    if (fly.folded)
        ranks += 1 + fly.steps + plan->p - 1;
    return (double)plan->rounds * alpha_s + ranks / plan->p * bytes * beta_s_per_byte;
}

#define ROUNDS "ceil(log2 p); ceil(log2(p - 1)) + 2 if p is odd"

RB_ROW(rb_allgather_bine, "allgather", "bine", "exchanges on a Bine butterfly, distances halving",
       "De Sensi et al. 2025", ROUNDS, RB_OF_RANK, .init = init, .round = halving_round,
       .next = next, .cost = cost);

RB_ROW(rb_allgather_bine_doubling, "allgather", "bine-doubling",
       "exchanges on a Bine butterfly, distances doubling, consecutive ranks' data",
       "De Sensi et al. 2025", ROUNDS, RB_OF_RANK, .init = init, .round = doubling_round,
       .next = next, .cost = cost);
