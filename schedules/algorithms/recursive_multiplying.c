/* recursive_multiplying.c - groups of r ranks exchange all with all, in one digit of their numbers
 * after the other: allgather, and allreduce of whole vectors. r = 2 is recursive doubling; Trivance
 * does so with r = 3 round a ring.
 *
 * Sources: textbook; Grama et al. 2003, all-to-all broadcast on a hypercube; Rabenseifner 2004. M.
 * Wilkins, H. Wang, P. Liu, B. Pham, Y. Guo, R. Thakur, P. Dinda, N. Hardavellas, Generalized
 * Collective Algorithms for the Exascale Era, CLUSTER 2023; MPICH's `recursive_multiplying` and
 * `recexch`. A. Juerss, V. Addanki, S. Schmid, Trivance: Latency-Optimal AllReduce by Shortcutting
 * Multiport Networks, 2026 (arXiv 2602.17254).
 *
 * Of p ranks s = r^d take part, the largest power of r up to p. Participant i stands for p/s
 * consecutive ranks, rounded up for the first p mod s and down for the others: the first of these
 * takes part, and its members, the others, are folded into it before and get the result after, k at
 * once; for r = 2 as in folded.h. In the step of weight w = r^0, r^1, .. participants that differ
 * in this digit only exchange what they have; message j goes to the one whose digit is j higher,
 * modulo r. If an allreduce needs more than one round for this, what arrives is combined in TMP
 * until the last, since all r - 1 messages have what the participant had before the step; the first
 * round has one message then. Volume: allgather n (p - 1) blocks received per rank, optimal;
 * allreduce n (r - 1) d blocks sent per participant. Recursive doubling keeps rank order, as
 * neighbouring groups combine their results; others need commutative operators. No state per rank.
 *
 * Trivance: p = 3^d; in step j rank i exchanges with i + 3^j and i - 3^j. The paper's variant for
 * long vectors, tori, and other p, for which it takes a step more, are left out.
 *
 * p = 5, r = 2 (participants: ranks 0, 2, 3, 4): 1 -> 0; 0 <-> 2, 3 <-> 4; 0 <-> 3, 2 <-> 4; 0
 * -> 1.
 */
#include "schedules/patterns/sequence.h"
#include "schedules/plan/plan.h"

#define FOLDED   "2 ceil((ceil(p / r^d) - 1)/k), d = floor(log_r p)"
#define ROUNDS   "d ceil((r - 1)/k) + " FOLDED
#define DOUBLING "log2 p; floor(log2 p) + 2 if p is no power of two"
#define WILKINS  "Wilkins et al. 2023; MPICH 4.3"
#define RADIX    .info.radix = "r: ranks of a group, by default one more than ports"

/* plan->data.number: r, s, rounds of a step, rounds of folding. */
enum { BASE, TAKING_PART, STEP_ROUNDS, FOLD_ROUNDS };

/* The rank of participant i; for i = s, p. */
static int32_t rank_of(const struct rb_plan *plan, int64_t i)
{
    const int64_t s = plan->data.number[TAKING_PART], longer = plan->p % s;
    return (int32_t)(i * (plan->p / s) + rb_smaller(i, longer));
}

/* The participant that stands for a rank. */
static int32_t participant_of(const struct rb_plan *plan, int32_t rank)
{
    const int32_t s = (int32_t)plan->data.number[TAKING_PART];
    const int32_t few = plan->p / s, longer = plan->p % s;
    return rank < longer * (few + 1) ? rank / (few + 1) : (rank - longer) / few;
}

/* How many messages the first round of a step has. */
static int64_t at_first(const struct rb_plan *plan)
{
    const int64_t k = rb_used_ports(plan);
    return plan->owners == 1 && k < plan->data.number[BASE] - 1 ? 1 : k;
}

static bool is_trivance(const struct rb_plan *plan)
{
    return plan->algorithm == &rb_allreduce_trivance;
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    const int64_t k = rb_used_ports(plan);
    int64_t *number = plan->data.number, steps = 0;
    if (plan->radix == 0 && plan->algorithm->info.radix != NULL)
        plan->radix = (int32_t)k + 1;
    const int64_t r = plan->radix > 0 ? plan->radix : is_trivance(plan) ? 3 : 2;
    number[BASE] = r;
    for (number[TAKING_PART] = 1; number[TAKING_PART] * r <= plan->p; number[TAKING_PART] *= r)
        steps++;
    const int64_t members = rb_ceil_divide(plan->p, number[TAKING_PART]) - 1;
    number[STEP_ROUNDS] = 1 + (r - 1 > k ? rb_ceil_divide(r - 1 - at_first(plan), k) : 0);
    number[FOLD_ROUNDS] = rb_ceil_divide(members, k);
    plan->rounds = steps * number[STEP_ROUNDS] + 2 * number[FOLD_ROUNDS];
    if (plan->owners == 1 && number[STEP_ROUNDS] > 1)
        plan->buffers |= 1u << RB_TMP;
    const bool vector = plan->owners == 1;
    const int64_t largest = vector ? 1 : rank_of(plan, number[TAKING_PART] / r);
    const int64_t in_step = 2 * rb_smaller(k, r - 1) * largest + 1;
    const int64_t after = vector ? 1 : rb_smaller(k, members) * (plan->p - 1);
    plan->max_ops = (int32_t)(in_step > after ? in_step : after);
    if (plan->max_ops >= in_step && plan->max_ops >= after)
        return RB_OK;
    return rb_why(why, why_size, RB_EINVAL,
                  "%d messages of the data of up to %d ranks are too long", (int)k, (int)plan->p);
}

/* A message of what the ranks first .. end - 1 own, except one rank, or of the whole vector. */
static int32_t move(const struct rb_plan *plan, enum rb_op_kind kind, int32_t peer, int64_t port,
                    int32_t first, int32_t end, int32_t except, struct rb_op ops[])
{
    const bool vector = plan->owners == 1;
    int32_t count = 0;
    for (int32_t owner = vector ? end - 1 : first; owner < end; owner++)
        if (vector || owner != except)
            ops[count++] = (struct rb_op){.kind = kind,
                                          .peer = peer,
                                          .port = (int32_t)port,
                                          .at = {RB_DST, vector ? plan->root : owner, 0, plan->n}};
    return count;
}

/* Members first + 1 .. first + k of each participant, before or after the steps. */
static int32_t fold(const struct rb_plan *plan, int32_t rank, int64_t first, bool before,
                    struct rb_op ops[])
{
    const int32_t i = participant_of(plan, rank), at = rank_of(plan, i), end = rank_of(plan, i + 1);
    const int64_t beyond = at + first + 1 + rb_used_ports(plan);
    const enum rb_op_kind in = before && plan->owners == 1 ? RB_RECV_REDUCE : RB_RECV;
    int32_t count = 0;
    for (int32_t m = at + (int32_t)first + 1; m < end && m < beyond; m++)
        if (rank == at || rank == m)
            count += move(plan, (rank == m) == before ? RB_SEND : in, rank == at ? m : at,
                          m - at - 1 - first, before ? m : 0, before ? m + 1 : plan->p,
                          before ? -1 : m, ops + count);
    return count;
}

/* The participant whose digit of weight w is j higher, 0 < j < r; Trivance: j w further on. */
static int32_t shifted(const struct rb_plan *plan, int32_t i, int32_t w, int32_t j)
{
    const int32_t r = (int32_t)plan->data.number[BASE], digit = i / w % r;
    if (is_trivance(plan))
        return rb_after(plan, i, j == 1 ? w : plan->p - w);
    return i + (digit < r - j ? j : j - r) * w;
}

/* Messages first + 1 .. last of a step. */
static int32_t exchange(const struct rb_plan *plan, int32_t i, int32_t w, int32_t first,
                        int32_t last, struct rb_op ops[])
{
    const int32_t r = (int32_t)plan->data.number[BASE];
    int32_t count = 0;
    for (int receives = 0; receives < 2; receives++)
        for (int32_t j = first + 1; j <= last; j++) {
            const int32_t peer = shifted(plan, i, w, receives ? r - j : j);
            const int32_t from = (receives ? peer : i) / w * w;
            count += move(plan, receives ? RB_RECV : RB_SEND, rank_of(plan, peer), j - 1 - first,
                          rank_of(plan, from), rank_of(plan, from + w), -1, ops + count);
        }
    return count;
}

/* Receives of whole vectors are combined, in TMP until a step's last round. */
static int32_t combine(const struct rb_plan *plan, int32_t rank, bool begins, bool ends,
                       struct rb_op ops[], int32_t count)
{
    for (int32_t j = 0; j < count; j++) {
        if (ops[j].kind != RB_RECV)
            continue;
        ops[j].kind = begins && !ends ? RB_RECV : RB_RECV_REDUCE;
        ops[j].incoming_is_left = ends && ops[j].peer < rank;
        ops[j].at.buffer = ends ? RB_DST : RB_TMP;
    }
    if (begins || !ends)
        return count;
    ops[count] = rb_root_op(plan, RB_REDUCE, rank, 0, plan->n);
    ops[count].from = ops[count].at;
    ops[count].from.buffer = RB_TMP;
    return count + 1;
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const int64_t *number = plan->data.number, folding = number[FOLD_ROUNDS];
    const int64_t k = rb_used_ports(plan), after = plan->rounds - folding;
    if (t < folding || t >= after)
        return fold(plan, state->rank, (t < folding ? t : t - after) * k, t < folding, ops);
    const int32_t i = participant_of(plan, state->rank);
    if (state->rank != rank_of(plan, i))
        return 0;
    const int64_t u = (t - folding) % number[STEP_ROUNDS], end = at_first(plan) + u * k;
    int64_t w = 1;
    for (int64_t step = (t - folding) / number[STEP_ROUNDS]; step > 0; step--)
        w *= number[BASE];
    const int32_t count = exchange(plan, i, (int32_t)w, u == 0 ? 0 : (int32_t)(end - k),
                                   (int32_t)rb_smaller(end, number[BASE] - 1), ops);
    return plan->owners > 1
               ? count
               : combine(plan, state->rank, u == 0, u == number[STEP_ROUNDS] - 1, ops, count);
}

static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    const int64_t folding = plan->data.number[FOLD_ROUNDS], after = plan->rounds - folding;
    const int32_t i = participant_of(plan, state->rank), place = state->rank - rank_of(plan, i);
    const int64_t members = rank_of(plan, i + 1) - rank_of(plan, i) - 1, k = rb_used_ports(plan);
    const int64_t own = place > 0 ? (place - 1) / k : rb_ceil_divide(members, k);
    if (place > 0)
        return t <= own ? own : t <= after + own ? after + own : plan->rounds;
    return own <= t && t < folding ? folding : t >= after + own ? plan->rounds : t;
}

/* The first participants stand for the most ranks. A member gets p - 1 ranks' data. */
static double cost(const struct rb_plan *plan, double bytes, double alpha_s, double beta_s_per_byte)
{
    const int64_t *number = plan->data.number;
    double ranks = (double)number[FOLD_ROUNDS] * plan->p;
    for (int64_t w = 1; w < number[TAKING_PART]; w *= number[BASE])
        ranks += (double)number[STEP_ROUNDS] * rank_of(plan, w);
    return (double)plan->rounds * alpha_s + ranks / plan->p * bytes * beta_s_per_byte;
}

static int init_doubling(struct rb_plan *plan, char *why, size_t why_size)
{
    const int status = init(plan, why, why_size);
    return status == RB_OK ? rb_need_one_port(plan, why, why_size) : status;
}

static bool supports_trivance(int32_t p, int32_t radix)
{
    (void)radix;
    while (p % 3 == 0)
        p /= 3;
    return p == 1;
}

#define ALLGATHER .round = round_, .next = next, .cost = cost
#define ALLREDUCE RB_AT_ONCE, .round = round_, .next = next, .cost = rb_cost_of_all

RB_ROW(rb_allgather_recursive_doubling, "allgather", "recursive-doubling",
       "exchanges along the dimensions of a hypercube", "textbook; Grama et al. 2003", DOUBLING,
       RB_OF_RANK, .init = init_doubling, ALLGATHER);

RB_ROW(rb_allgather_recursive_multiplying, "allgather", "recursive-multiplying",
       "groups of r ranks exchange all with all, in one digit after the other", WILKINS, ROUNDS,
       RB_OF_RANK, RADIX, .init = init, ALLGATHER);

/* The allgather read backwards; and after it the allgather, MPICH's `k_reduce_scatter_allgather`.
 */
RB_ROW(rb_reduce_scatter_recursive_multiplying, "reduce-scatter", "recursive-multiplying",
       "groups of r ranks exchange all with all, the highest digit first", WILKINS, ROUNDS,
       RB_FOR_RANK, RADIX, RB_REVERSED(rb_allgather_recursive_multiplying));
RB_ROW(rb_allreduce_multiplying_split, "allreduce", "multiplying-split",
       "reduce-scatter, then allgather, in groups of r ranks", WILKINS,
       "2 d ceil((r - 1)/k) + 2 " FOLDED, RB_SHARES, RADIX,
       RB_COMPOSED(rb_reduce_scatter_recursive_multiplying, rb_allgather_recursive_multiplying));

RB_ROW(rb_allreduce_recursive_doubling, "allreduce", "recursive-doubling",
       "whole vectors exchanged along the dimensions of a hypercube", "textbook; Rabenseifner 2004",
       DOUBLING, ALLREDUCE, .init = init_doubling, .ordered_for_root_0 = true);

RB_ROW(rb_allreduce_recursive_multiplying, "allreduce", "recursive-multiplying",
       "groups of r ranks exchange whole vectors, in one digit after the other", WILKINS,
       "d min(1 + ceil((r - 2)/k), max(1, r - k)) + " FOLDED, ALLREDUCE, RADIX, .init = init);

RB_ROW(rb_allreduce_trivance, "allreduce", "trivance",
       "whole vectors exchanged round a ring with both ranks 3^j away", "Juerss et al. 2026",
       "ceil(2/k) log_(3) p", ALLREDUCE, .info.ranks = "p = 3^d", .supports = supports_trivance,
       .init = init);
