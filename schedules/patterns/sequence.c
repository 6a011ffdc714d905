/* sequence.c - see sequence.h. */
#include "sequence.h"

#include <assert.h>
#include <string.h>

/* Each part has half of a rank's state. */
enum { HALF = sizeof((struct rb_rank *)0)->state / 2 };

int rb_composed_init(struct rb_plan *plan, char *why, size_t why_size)
{
    struct rb_plan **part = plan->data.part;
    for (int i = 0; i < 2; i++) {
        const struct rb_algorithm *algorithm = plan->algorithm->parts[i];
        const struct rb_collective *collective = rb_collective_named(algorithm->info.collective);
        const struct rb_plan_spec spec = {.p = plan->p,
                                          .root = collective->info.rooted ? plan->root : 0,
                                          .n = plan->n,
                                          .ports = plan->ports,
                                          .ordered = plan->ordered && collective->info.reducing,
                                          .radix = algorithm->info.radix != NULL ? plan->radix : 0,
                                          .groups = plan->groups.text};
        const int status = rb_plan_make(collective, algorithm, &spec, &part[i], why, why_size);
        if (status != RB_OK) {
            rb_composed_fini(plan);
            return status;
        }
        plan->buffers |= part[i]->buffers;
        if (part[i]->radix > 0)
            plan->radix = part[i]->radix;
    }
    assert(part[0]->owners == part[1]->owners && part[0]->blocks == part[1]->blocks);
    plan->blocks = part[0]->blocks * part[0]->owners;
    plan->rounds = part[0]->rounds + part[1]->rounds;
    plan->max_ops = part[0]->max_ops > part[1]->max_ops ? part[0]->max_ops : part[1]->max_ops;
    return RB_OK;
}

void rb_composed_fini(struct rb_plan *plan)
{
    rb_plan_destroy(plan->data.part[0]);
    rb_plan_destroy(plan->data.part[1]);
}

void rb_composed_rank(const struct rb_plan *plan, struct rb_rank *state)
{
    for (int i = 0; i < 2; i++) {
        struct rb_rank of_part = {0};
        rb_plan_rank(plan->data.part[i], state->rank, &of_part);
        memcpy(state->state.byte + i * HALF, of_part.state.byte, HALF);
    }
}

static struct rb_rank state_of_part(const struct rb_plan *plan, const struct rb_rank *state, int i)
{
    struct rb_rank of_part = {.rank = state->rank,
                              .relative = rb_relative(plan->data.part[i], state->rank)};
    memcpy(of_part.state.byte, state->state.byte + i * HALF, HALF);
    return of_part;
}

/* A part's range, owner by owner, as a range of the one vector. */
static void rename_range(const struct rb_plan *plan, const struct rb_plan *part,
                         struct rb_range *range)
{
    range->first += rb_owner_place(part, range->owner) * part->blocks;
    range->owner = plan->root;
}

int32_t rb_composed_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                          struct rb_op ops[])
{
    const int i = t < plan->data.part[0]->rounds ? 0 : 1;
    const struct rb_plan *part = plan->data.part[i];
    const struct rb_rank of_part = state_of_part(plan, state, i);
    const int32_t count =
        rb_plan_round(part, &of_part, i == 0 ? t : t - plan->data.part[0]->rounds, ops);
    for (int32_t k = 0; k < count; k++) {
        rename_range(plan, part, &ops[k].at);
        if (ops[k].kind == RB_COPY || ops[k].kind == RB_REDUCE)
            rename_range(plan, part, &ops[k].from);
    }
    return count;
}

int64_t rb_composed_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    const int64_t first_rounds = plan->data.part[0]->rounds;
    if (t < first_rounds) {
        const struct rb_rank of_part = state_of_part(plan, state, 0);
        const int64_t next = rb_plan_next(plan->data.part[0], &of_part, t);
        if (next < first_rounds)
            return next;
        t = first_rounds;
    }
    const struct rb_rank of_part = state_of_part(plan, state, 1);
    return first_rounds + rb_plan_next(plan->data.part[1], &of_part, t - first_rounds);
}

double rb_composed_cost(const struct rb_plan *plan, double bytes, double alpha_s,
                        double beta_s_per_byte)
{
    double cost = 0;
    for (int i = 0; i < 2; i++) {
        const struct rb_plan *part = plan->data.part[i];
        cost += part->algorithm->cost(part, bytes, alpha_s, beta_s_per_byte);
    }
    return cost;
}

void rb_composed_pipeline(const struct rb_plan *plan, int64_t *per_block, int64_t *fixed)
{
    *per_block = *fixed = 0;
    for (int i = 0; i < 2; i++) {
        const struct rb_plan *part = plan->data.part[i];
        int64_t part_per_block, part_fixed;
        if (part->algorithm->pipeline == NULL)
            continue;
        part->algorithm->pipeline(part, &part_per_block, &part_fixed);
        *per_block += part_per_block;
        *fixed += part_fixed;
    }
}
