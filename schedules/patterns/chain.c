#include "chain.h"

int rb_chain_init(struct rb_plan *plan, char *why, size_t why_size)
{
    plan->rounds = plan->p == 1 ? 0 : plan->n + plan->p - 2;
    plan->max_ops = 2;
    return rb_need_one_port(plan, why, why_size);
}

/* A rank's rounds have no gap: from its first receive to its last send. */
int64_t rb_chain_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    const int64_t r = state->relative;
    const int64_t first = r > 0 ? r - 1 : 0;
    const int64_t last = r < plan->p - 1 ? r + plan->n - 1 : r + plan->n - 2;
    return t > last ? plan->rounds : t > first ? t : first;
}

double rb_chain_cost(const struct rb_plan *plan, double bytes, double alpha_s,
                     double beta_s_per_byte)
{
    return (double)plan->rounds * (alpha_s + beta_s_per_byte * bytes / (double)plan->n);
}

void rb_chain_pipeline(const struct rb_plan *plan, int64_t *per_block, int64_t *fixed)
{
    *per_block = 1;
    *fixed = plan->p - 2;
}

/* ---- All-to-all without forwarding: every rank sends its data directly to each other rank ---- */

int rb_direct_init(struct rb_plan *plan, int64_t steps)
{
    const int32_t k = rb_used_ports(plan);
    plan->rounds = steps > 0 ? (steps + k - 1) / k : 1;
    plan->max_ops = 2 * k + 1;
    plan->data.number[0] = steps;
    return RB_OK;
}

static bool is_other(const struct rb_plan *plan, int32_t rank, int64_t peer)
{
    return 0 <= peer && peer < plan->p && peer != rank;
}

/* The steps of a round: first .. end - 1. */
static int64_t first_step(const struct rb_plan *plan, int64_t t)
{
    return 1 + t * rb_used_ports(plan);
}

static int64_t end_step(const struct rb_plan *plan, int64_t t)
{
    const int64_t end = first_step(plan, t + 1), steps = plan->data.number[0];
    return end <= steps ? end : steps + 1;
}

int32_t rb_direct_round(const struct rb_plan *plan, int32_t rank, int64_t t, rb_peers_in *peers,
                        struct rb_op ops[])
{
    const int64_t first = first_step(plan, t), end = end_step(plan, t);
    int32_t count = 0;
    for (int64_t step = first; step < end; step++) {
        const int64_t to = peers(plan, rank, step).to;
        if (is_other(plan, rank, to))
            ops[count++] = (struct rb_op){.kind = RB_SEND,
                                          .peer = (int32_t)to,
                                          .port = (int32_t)(step - first),
                                          .at = rb_part_range(plan, RB_SRC, rank, (int32_t)to)};
    }
    for (int64_t step = first; step < end; step++) {
        const int64_t from = peers(plan, rank, step).from;
        if (is_other(plan, rank, from))
            ops[count++] = (struct rb_op){.kind = RB_RECV,
                                          .peer = (int32_t)from,
                                          .port = (int32_t)(step - first),
                                          .at = rb_part_range(plan, RB_DST, (int32_t)from, rank)};
    }
    if (t == 0)
        ops[count++] = rb_keep_own(plan, rank);
    return count;
}

int64_t rb_direct_next(const struct rb_plan *plan, int32_t rank, int64_t t, rb_peers_in *peers)
{
    for (; 0 < t && t < plan->rounds; t++)
        for (int64_t step = first_step(plan, t); step < end_step(plan, t); step++) {
            const struct rb_peers now = peers(plan, rank, step);
            if (is_other(plan, rank, now.to) || is_other(plan, rank, now.from))
                return t;
        }
    return t;
}

double rb_direct_cost(const struct rb_plan *plan, double bytes, double alpha_s,
                      double beta_s_per_byte)
{
    const double p = plan->p;
    return (double)plan->rounds * (alpha_s + beta_s_per_byte * bytes / (p * p));
}
