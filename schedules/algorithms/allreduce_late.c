/* allreduce_late.c - an allreduce for one rank, the root, that arrives after all others: most of it
 * is done before, and no plan whose messages have one block each has fewer rounds after that.
 *
 * Source: docs/bounds.md, "One late rank", where it is proved; on J. L. Traeff, Optimal Broadcast
 * Schedules in Logarithmic Time, 2024. The idea of doing the others' part before is that of
 * StragglAR, arXiv 2505.23523. With q = ceil(log2 p), the root is late, s is one of the others.
 *
 * The last n - 1 + q rounds are those after the arrival: a broadcast on the circulant graph of p
 * ranks in which the root sends block j first in round j, to owner o(j). That rank has the sum of
 * the others' block j by then, and combines. So what travels on is the result; and the message of
 * each round that a broadcast would leave out, because it goes to the root, brings the root a
 * result: over the phases, each of blocks 0 .. n - 2 once. Of block n - 1, s sends the root the sum
 * of the others in the first of these rounds, where nothing else is under way; so from then on the
 * root has this one.
 *
 * Before the arrival the others reduce: a broadcast from s on the circulant graph of p - 1 ranks,
 * read backwards. Of block n - 1 s gets the sum. Of a block j < n - 1 the message to s, with which
 * the reduction would end, is left out, so the sum stays at o(j), if the ranks have the right
 * numbers on this graph; and what the broadcast leaves out is there, backwards: s sends its own
 * contribution. These are n - 2 + q rounds, one more for n = 1.
 *
 * If p = 2^d + 1, d > 0, the smaller graph has a skip less, and the o(j) would not match. Then s
 * gets all sums, and after the arrival the root sends block j to s in round j, from which it is
 * broadcast, from round j + 1 on, on the graph of p - 1 ranks; what a broadcast leaves out goes to
 * the root. These are as many rounds, because q is larger by one than on this graph.
 *
 * Rounds: 2 n - 3 + 2 q, n - 1 + q of them after the arrival; before it one more for n = 1, unless
 * p = 2^d + 1; of p = 2 n, all after it. Volume: 2 n (p - 1) blocks, optimal. Commutative operators
 * only. State per rank: its schedules on both graphs, 4 q bytes.
 *
 * p = 4, n = 2, root 0 (q = 2; s = 3; the owners of blocks 0 and 1 are 2 and 1; + combines):
 *
 *   before   t = 0:  1 -> 2 0+, 2 -> 3 1+         after   t = 2:  0 -> 2 0+, 3 -> 0 1+
 *            t = 1:  3 -> 2 0+, 1 -> 3 1+                 t = 3:  0 -> 1 1, 2 -> 3 0
 *                                                         t = 4:  0 -> 2 1, 1 -> 3 1, 2 -> 0 0,
 *                                                                 3 -> 1 0 */
#include <stdlib.h>

#include "schedules/circulant/circulant.h"

/* A broadcast on a circulant graph: Algorithm 1's rounds. */
struct wave {
    struct rb_circulant graph;
    int64_t virtual_rounds;
};

struct late {
    struct wave others, all; /* the graphs of p - 1 ranks and of p ranks */
    bool fed;                /* s gets the root's blocks */
    int32_t s;               /* relative to the root, as all ranks here */
    int64_t before;          /* rounds before the arrival */
};

static const struct late *late_of(const struct rb_plan *plan)
{
    return plan->data.own;
}

static void wave_init(struct wave *wave, int32_t ranks, int64_t n)
{
    rb_circulant_init(&wave->graph, ranks);
    const int64_t q = wave->graph.q;
    wave->virtual_rounds = q == 0 ? 0 : (q - (n - 1) % q) % q;
}

/* On the graph of the others, s is 0. The others have numbers 1 .. p - 1; those from s on would be
 * one less there. So if s + 1 is the largest even skip of p, skip[k] is a skip there, too, for
 * all k; unless it is 2. */
static int32_t place_s(const struct rb_circulant *graph, bool fed, int64_t n)
{
    int32_t k = graph->q;
    while (graph->skip[k] % 2 != 0)
        k--;
    return n == 1 || fed ? 1 : graph->skip[k] - 1;
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    const int32_t p = plan->p;
    const int64_t n = plan->n;
    plan->max_ops = 2;
    const int status = rb_need_one_port(plan, why, why_size);
    if (status != RB_OK || p == 1)
        return status;
    struct late *late = calloc(1, sizeof *late);
    if (late == NULL)
        return rb_why(why, why_size, RB_ENOMEM, "out of memory");
    wave_init(&late->all, p, n);
    wave_init(&late->others, p - 1, n);
    const int64_t q = late->all.graph.q;
    late->fed = p > 2 && late->others.graph.q < q;
    late->s = place_s(&late->all.graph, late->fed, n);
    late->before = p == 2 ? 0 : n - 2 + q + (n == 1 && !late->fed);
    plan->rounds = late->before + n - 1 + q;
    plan->data.own = late;
    return RB_OK;
}

static void fini(struct rb_plan *plan)
{
    free(plan->data.own);
}

/* Where the schedules are in a rank's state: on the graph of the others, and on that of all. Where
 * s is fed, the root's are those of s. */
enum { RECV = 0, SEND = RB_MAX_Q + 2, ALL = 2 * (RB_MAX_Q + 2) };

/* The rank's number on the graph of the others, and back. */
static int32_t place_of(const struct late *late, int32_t r)
{
    return r == late->s || r == 0 ? 0 : r < late->s ? r : r - 1;
}

static int32_t rank_at(const struct late *late, int32_t place)
{
    return place == 0 ? late->s : place < late->s ? place : place + 1;
}

static void schedule(const struct rb_plan *plan, struct rb_rank *state)
{
    const struct late *late = late_of(plan);
    int8_t *byte = state->state.byte;
    if (plan->p == 1)
        return;
    rb_circulant_recv(&late->others.graph, place_of(late, state->relative), byte + RECV);
    rb_circulant_send(&late->others.graph, place_of(late, state->relative), byte + SEND);
    rb_circulant_recv(&late->all.graph, state->relative, byte + ALL + RECV);
    rb_circulant_send(&late->all.graph, state->relative, byte + ALL + SEND);
}

/* What a rank sends and receives in a round of a broadcast: the block, -1 for none, and the place
 * of the other end. */
struct step {
    int64_t sent, received;
    int32_t to, from;
};

static struct step step_of(const struct wave *wave, const int8_t byte[], int32_t place, int64_t t,
                           int64_t n)
{
    const int64_t q = wave->graph.q, i = t + wave->virtual_rounds;
    if (t < 0 || t >= n - 1 + q || q == 0)
        return (struct step){-1, -1, 0, 0};
    const int32_t k = (int32_t)(i % q);
    const int64_t shift = i - k - wave->virtual_rounds;
    const int64_t sent = byte[SEND + k] + shift, received = byte[RECV + k] + shift;
    return (struct step){
        sent < 0 ? -1 : rb_smaller(sent, n - 1), received < 0 ? -1 : rb_smaller(received, n - 1),
        rb_circulant_to(&wave->graph, place, k), rb_circulant_from(&wave->graph, place, k)};
}

/* True if the reduction has this message, which the broadcast has the other way round. */
static bool is_reduced(const struct rb_plan *plan, int32_t from, int32_t to, int64_t block)
{
    if (block < 0)
        return false;
    if (late_of(plan)->fed)
        return from != 0; /* s gets all sums, and sends none */
    return to != 0 || block == plan->n - 1;
}

static int32_t round_before(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                            struct rb_op ops[])
{
    const struct late *late = late_of(plan);
    const int32_t place = place_of(late, state->relative);
    const int64_t rounds = plan->n - 1 + late->others.graph.q;
    const struct step step =
        step_of(&late->others, state->state.byte, place, rounds - 1 - t, plan->n);
    int32_t count = 0;
    if (state->relative == 0)
        return 0;
    if (is_reduced(plan, place, step.from, step.received))
        rb_put_root_op(plan, &ops[count++], RB_SEND, rank_at(late, step.from), step.received);
    if (is_reduced(plan, step.to, place, step.sent))
        rb_put_root_op(plan, &ops[count++], RB_RECV_REDUCE, rank_at(late, step.to), step.sent);
    return count;
}

/* Round t after the arrival, relative to which r is: what is sent and received, by relative ranks.
 * Where s is fed, the others' broadcast is a round behind; its messages to s go to the root. */
static struct step step_after(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    const struct late *late = late_of(plan);
    const int64_t last = plan->n - 1;
    const int32_t r = state->relative;
    if (!late->fed)
        return step_of(&late->all, state->state.byte + ALL, r, t, plan->n);
    const int32_t place = place_of(late, r);
    struct step step = step_of(&late->others, state->state.byte, place, t - 1, plan->n);
    step.to = step.to == 0 ? 0 : rank_at(late, step.to);
    step.from = rank_at(late, step.from);
    if (r == 0) {
        step.sent = t <= last ? t : -1;
        step.to = late->s;
    } else if (r == late->s) {
        step.received = t <= last ? t : -1;
        step.from = 0;
    }
    return step;
}

static int32_t round_after(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                           struct rb_op ops[])
{
    const struct late *late = late_of(plan);
    const int32_t r = state->relative;
    struct step step = step_after(plan, state, t);
    int32_t count = 0;
    if (t == 0 && r == 0) {
        step.received = plan->n - 1;
        step.from = late->s;
    } else if (t == 0 && r == late->s) {
        step.sent = plan->n - 1;
        step.to = 0;
    }
    if (step.sent >= 0)
        rb_put_root_op(plan, &ops[count++], RB_SEND, step.to, step.sent);
    if (step.received < 0)
        return count;
    /* What the root sends is combined with the sum of the others, unless it has the result. */
    const bool combines =
        r == 0 ? t == 0 : step.from == 0 && (t == 0 || step.received < plan->n - 1);
    rb_put_root_op(plan, &ops[count++], combines ? RB_RECV_REDUCE : RB_RECV, step.from,
                   step.received);
    return count;
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const int64_t before = late_of(plan)->before;
    return t < before ? round_before(plan, state, t, ops)
                      : round_after(plan, state, t - before, ops);
}

/* Only the root is idle for long. */
static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    struct rb_op ops[2];
    if (state->relative == 0 && t < late_of(plan)->before)
        t = late_of(plan)->before;
    while (t < plan->rounds && round_(plan, state, t, ops) == 0)
        t++;
    return t;
}

/* The last round before the arrival has no message if the first rank that hears of block 0 in the
 * others' broadcast does not pass it on in the next round. */
static bool has_empty_round(const struct rb_plan *plan)
{
    const struct late *late = late_of(plan);
    const struct wave *wave = &late->others;
    int8_t byte[ALL];
    if (plan->n == 1 || plan->p == 2 || late->fed)
        return false;
    const int32_t first = wave->graph.skip[wave->virtual_rounds];
    rb_circulant_recv(&wave->graph, first, byte + RECV);
    rb_circulant_send(&wave->graph, first, byte + SEND);
    return step_of(wave, byte, first, 1, plan->n).sent < 0;
}

static double cost(const struct rb_plan *plan, double bytes, double alpha_s, double beta_s_per_byte)
{
    return (double)(plan->rounds - has_empty_round(plan)) *
           (alpha_s + beta_s_per_byte * bytes / (double)plan->n);
}

static void pipeline(const struct rb_plan *plan, int64_t *per_block, int64_t *fixed)
{
    *per_block = plan->p == 2 ? 1 : 2;
    *fixed = plan->p == 2 ? 0 : 2 * late_of(plan)->all.graph.q - 3;
}

RB_ROW(rb_allreduce_late, "allreduce", "late",
       "most of it before the last rank arrives, then a circulant broadcast from there",
       "docs/bounds.md, on Traeff 2024",
       "n - 1 + q + min(1, p - 2) (n - 2 + q + max(0, 2 - n) (ceil(log2(p - 1)) - floor(log2(p - "
       "1)))), "
       "q = ceil(log2 p)",
       RB_PIPELINED(""), .info.circulant = true, .info.root = "the rank that arrives last",
       .init = init, .fini = fini, .rank = schedule, .round = round_, .next = next, .cost = cost,
       .pipeline = pipeline);
