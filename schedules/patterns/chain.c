/* chain.c - see chain.h. */
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
