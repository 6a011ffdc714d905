/* bcast_circulant.c - round-optimal pipelined broadcast on the circulant graph.
 *
 * Source: J. L. Traeff, Optimal Broadcast Schedules in Logarithmic Time, 2024, Algorithm 1.
 * Rounds: n - 1 + q with q = ceil(log2 p), which is optimal. Volume: n (p - 1) blocks, optimal.
 * State per rank: its receive and send schedules, 2 q bytes. Memory of the plan: O(log p).
 *
 * In round i (x <= i < n - 1 + q + x; k = i mod q) relative rank r sends to r + skip[k] and
 * receives from r - skip[k]. The x = (q - (n - 1) mod q) mod q virtual rounds before the first make
 * the last round end a phase. A block that is negative after subtracting x doesn't exist; one
 * beyond n - 1 is block n - 1 instead; nothing is sent to the root.
 *
 * p = 5, n = 2 (q = 3, x = 2; four rounds), who receives what:
 *
 *   t  i  k skip   rank 1    rank 2    rank 3    rank 4
 *   0  2  2   3      -         -      0 from 0     -
 *   1  3  0   1   1 from 0     -         -      0 from 3
 *   2  4  1   2   0 from 4  1 from 0     -         -
 *   3  5  2   3      -      0 from 4  1 from 0  1 from 1 */
#include "schedules/circulant/circulant.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    plan->max_ops = 2;
    return rb_circulant_rounds_init(plan, why, why_size);
}

/* In rb_rank's bytes: the receive schedule, then the send schedule. */
enum { SEND_AT = RB_MAX_Q + 2 };

static void schedule(const struct rb_plan *plan, struct rb_rank *state)
{
    const struct rb_circulant *graph = &plan->data.circulant.graph;
    rb_circulant_recv(graph, state->relative, state->state.byte);
    rb_circulant_send(graph, state->relative, state->state.byte + SEND_AT);
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const struct rb_circulant *graph = &plan->data.circulant.graph;
    const struct rb_circulant_round now = rb_circulant_round_of(plan, t);
    const int64_t last = plan->n - 1;
    const int32_t r = state->relative, to = rb_circulant_to(graph, r, now.k);
    int32_t count = 0;

    int64_t block = state->state.byte[SEND_AT + now.k] + now.shift;
    if (block >= 0 && to != 0)
        rb_put_root_op(plan, &ops[count++], RB_SEND, to, block < last ? block : last);

    block = state->state.byte[now.k] + now.shift;
    if (block >= 0 && r != 0)
        rb_put_root_op(plan, &ops[count++], RB_RECV, rb_circulant_from(graph, r, now.k),
                       block < last ? block : last);
    return count;
}

static double cost(const struct rb_plan *plan, double bytes, double alpha_s, double beta_s_per_byte)
{
    return (double)plan->rounds * (alpha_s + beta_s_per_byte * bytes / (double)plan->n);
}

static void pipeline(const struct rb_plan *plan, int64_t *per_block, int64_t *fixed)
{
    *per_block = 1;
    *fixed = plan->data.circulant.graph.q - 1;
}

/* Rows k of the send schedules, then the baseblocks, which come with them. */
static int64_t wave_bytes(const struct rb_plan *plan)
{
    return (int64_t)(plan->data.circulant.graph.q + 1) * plan->p;
}

static void wave_table(const struct rb_plan *plan, int8_t table[])
{
    const struct rb_circulant *graph = &plan->data.circulant.graph;
    rb_circulant_table(graph, table + (int64_t)graph->q * plan->p, NULL, table);
}

static struct rb_wave wave(const struct rb_plan *plan, const int8_t table[], int64_t t)
{
    const struct rb_circulant_round now = rb_circulant_round_of(plan, t);
    return (struct rb_wave){.shift = plan->data.circulant.graph.skip[now.k],
                            .entry = table + (int64_t)now.k * plan->p,
                            .first = now.shift};
}

RB_ROW(rb_bcast_circulant, "bcast", "circulant", "round-optimal pipeline on the circulant graph",
       "Traeff 2024, Algorithm 1", "n - 1 + ceil(log2 p)", RB_PIPELINED(""), .info.circulant = true,
       .init = init, .rank = schedule, .round = round_, .cost = cost, .pipeline = pipeline,
       .wave_bytes = wave_bytes, .wave_table = wave_table, .wave = wave);
