/* exscan_doubling.c - the ranks of which a rank has the data double in every round, or double and
 * one more.
 *
 * Sources: J. L. Traeff 2025, "Communication Round and Computation Efficient Exclusive Prefix-Sums
 * Algorithms (for MPI_Exscan)", arXiv 2507.04785: doubling-123. J. L. Traeff 2026, "Two Efficient
 * Message-passing Exclusive Scan Algorithms", arXiv 2604.25667: two-phase and census, after its
 * abstract, which has their rounds and what their numbers of combinations depend on.
 *
 * Before round t rank r has in DST the combination of m ranks r - m .. r - 1, or of all below it.
 * If it gets what rank r - m has, it has that of 2 m ranks; if it gets what rank r - m - 1 has with
 * that rank's own data, of 2 m + 1. So after all rounds m is the number of which round t's bit,
 * from the highest on, says whether own data go along. Each number of at least p - 1 is a scan:
 *
 *   doubling-123  110 .. 0, the least that fits
 *   two-phase     1 .. 10 .. 0 of q = ceil(log2 p) bits, as few ones as fit: the least q' with
 *                 2^q - 2^(q - q') >= p - 1. An inclusive scan of q' rounds, then an exclusive one
 *   census        p - 1, as in the allreduce of Bar-Noy, Kipnis, Schieber 1993 for any p
 *
 * Rounds: q, optimal; of doubling-123 ceil(log2(p - 1) + log2(4/3)) for p > 2, at most one more. A
 * rank combines in each round but the first, and once more in each before one with own data: q - 1
 * and q' - 1 times at most, or q - 1 and popcount(p - 1) - 1, which is no less: as q' is least, p -
 * 1 begins with q' - 1 ones and has another. Volume: in round t, n (p - distance) blocks with own
 * data, n (p - 1 - distance) without. Rank order is kept: what comes from below stands left. Own
 * data stay in SRC until they go along for the last time; until then they are combined in TMP. No
 * state per rank.
 *
 * p = 14, what rank 13 has: doubling-123 (11000) 12; 10 .. 12; 7 .. 12; 1 .. 12; 0 .. 12. two-phase
 * (1110) 12; 10 .. 12; 6 .. 12; 0 .. 12. census (1101) 12; 10 .. 12; 7 .. 12; 0 .. 12. */
#include "schedules/patterns/chain.h"

enum { REACH }; /* the number of the plan: m after all rounds */

static int64_t reach(const struct rb_plan *plan, int64_t t)
{
    return plan->data.number[REACH] >> (plan->rounds - t);
}

static int64_t distance(const struct rb_plan *plan, int64_t t)
{
    return reach(plan, t + 1) - reach(plan, t);
}

/* True if ranks send in round t what they have with their own data. */
static bool has_own(const struct rb_plan *plan, int64_t t)
{
    return t < plan->rounds && reach(plan, t + 1) % 2 != 0;
}

/* Where a rank has that: in SRC, unless the same follows in a later round. */
static enum rb_buffer with_own(const struct rb_plan *plan, int64_t t)
{
    const int64_t later = ((int64_t)1 << (plan->rounds - 1 - t)) - 1;
    return (plan->data.number[REACH] & later) != 0 ? RB_TMP : RB_SRC;
}

static int init(struct rb_plan *plan, int64_t rounds, int64_t most, char *why, size_t why_size)
{
    plan->rounds = rounds;
    plan->data.number[REACH] = most;
    plan->max_ops = 4;
    const int64_t but_one = most & (most - 1);
    if ((but_one & (but_one - 1)) != 0) /* own data go along after the first round, and again */
        plan->buffers |= 1u << RB_TMP;
    return rb_need_one_port(plan, why, why_size);
}

static int init_123(struct rb_plan *plan, char *why, size_t why_size)
{
    int64_t rounds = 0, most = 0;
    while (most < plan->p - 1) {
        rounds++;
        most = rounds < 2 ? rounds : (int64_t)3 << (rounds - 2);
    }
    return init(plan, rounds, most, why, why_size);
}

static int init_two_phase(struct rb_plan *plan, char *why, size_t why_size)
{
    const int64_t rounds = rb_ceil_log2(plan->p);
    int64_t most = 0;
    for (int64_t bit = ((int64_t)1 << rounds) / 2; most < plan->p - 1; bit /= 2)
        most += bit;
    return init(plan, rounds, most, why, why_size);
}

static int init_census(struct rb_plan *plan, char *why, size_t why_size)
{
    return init(plan, rb_ceil_log2(plan->p), plan->p - 1, why, why_size);
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const int32_t r = state->rank;
    const bool own = has_own(plan, t);
    const enum rb_buffer from = !own ? RB_DST : r > 0 && t > 0 ? with_own(plan, t) : RB_SRC;
    int32_t count = rb_exscan_pass(plan, r, (int32_t)distance(plan, t), own ? 0 : 1, from,
                                   t == 0 ? RB_RECV : RB_RECV_REDUCE, ops);
    if (r == 0 || !has_own(plan, t + 1) || distance(plan, t + 1) >= plan->p - r)
        return count;
    struct rb_op op = rb_root_op(plan, RB_COPY, r, 0, plan->n);
    op.from = op.at;
    op.at.buffer = with_own(plan, t + 1);
    if (op.at.buffer == RB_TMP) {
        op.from.buffer = RB_SRC;
        ops[count++] = op;
        op.from.buffer = RB_DST;
    }
    op.kind = RB_REDUCE;
    op.incoming_is_left = true;
    ops[count++] = op;
    return count;
}

#define DOUBLING(symbol, name, title, paper, rounds, init_)                                        \
    RB_ROW(symbol, "exscan", name, title, paper, rounds, RB_AT_ONCE, .init = (init_),              \
           .round = round_, .cost = rb_cost_of_all, .ordered_for_root_0 = true)

DOUBLING(rb_exscan_doubling_123, "doubling-123",
         "partial results from distances 1, 2, 3, 6, 12, ...", "Traeff 2025",
         "ceil(log2(p - 1) + log2(4/3))", init_123);
DOUBLING(rb_exscan_two_phase, "two-phase",
         "as few rounds of an inclusive scan as let ceil(log2 p) be enough, then an exclusive one",
         "Traeff 2026, arXiv 2604.25667", "ceil(log2 p)", init_two_phase);
DOUBLING(rb_exscan_census, "census",
         "the range doubles, or doubles and one more, by the bits of p - 1",
         "Traeff 2026, arXiv 2604.25667", "ceil(log2 p)", init_census);
