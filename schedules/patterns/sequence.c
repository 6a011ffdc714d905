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
                                          .groups = plan->groups.text,
                                          .neighbours = plan->neighbours};
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

static size_t table_of_part(const struct rb_plan *plan, int i, void *table)
{
    const struct rb_plan *part = plan->data.part[i];
    return part->algorithm->envelope_table == NULL ? 0
                                                   : part->algorithm->envelope_table(part, table);
}

/* The parts' tables one after the other. */
size_t rb_composed_envelope_table(const struct rb_plan *plan, void *table)
{
    const size_t first = table_of_part(plan, 0, table);
    return first + table_of_part(plan, 1, table == NULL ? NULL : (char *)table + first);
}

int32_t rb_composed_envelopes(const struct rb_plan *plan, const struct rb_lengths *lengths,
                              const struct rb_rank *state, int64_t t, struct rb_envelope envelope[])
{
    struct rb_plan *const *parts = plan->data.part;
    const int i = t < parts[0]->rounds ? 0 : 1;
    const struct rb_algorithm *algorithm = parts[i]->algorithm;
    if (algorithm->envelopes == NULL || lengths->plan != plan)
        return -1;
    const size_t before = i == 0 ? 0 : table_of_part(plan, 0, NULL);
    const struct rb_rank of_part = state_of_part(plan, state, i);
    const struct rb_lengths lengths_of_part = {plan, lengths->layout,
                                               rb_layout_edge(plan, lengths->layout, parts[i]),
                                               (const char *)lengths->table + before};
    return algorithm->envelopes(parts[i], &lengths_of_part, &of_part,
                                i == 0 ? t : t - parts[0]->rounds, envelope);
}

/* ---- Another algorithm's rounds from the last to the first, with directions exchanged -------- */

int rb_reversed_init(struct rb_plan *plan, char *why, size_t why_size)
{
    return plan->algorithm->forward->init(plan, why, why_size);
}

void rb_reversed_fini(struct rb_plan *plan)
{
    if (plan->algorithm->forward->fini != NULL)
        plan->algorithm->forward->fini(plan);
}

void rb_reversed_rank(const struct rb_plan *plan, struct rb_rank *state)
{
    if (plan->algorithm->forward->rank != NULL)
        plan->algorithm->forward->rank(plan, state);
}

static void turn_round(struct rb_op ops[], int32_t first, int32_t end)
{
    for (end--; first < end; first++, end--) {
        struct rb_op op = ops[first];
        ops[first] = ops[end];
        ops[end] = op;
    }
}

/* Receives become sends, which must come first: the two parts exchange their positions, and each
 * keeps the order of its ranges, which both ends of a message share. Data from a lower rank are the
 * left operand. */
int32_t rb_reversed_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                          struct rb_op ops[])
{
    const struct rb_algorithm *forward = plan->algorithm->forward;
    const int32_t count = forward->round(plan, state, plan->rounds - 1 - t, ops);
    int32_t sent = 0;
    while (sent < count && ops[sent].kind == RB_SEND)
        sent++;
    const enum rb_op_kind incoming = plan->collective->info.reducing ? RB_RECV_REDUCE : RB_RECV;
    for (int32_t i = 0; i < count; i++) {
        ops[i].kind = i < sent ? incoming : RB_SEND;
        ops[i].incoming_is_left =
            i < sent && incoming == RB_RECV_REDUCE && ops[i].peer < state->rank;
    }
    turn_round(ops, 0, sent);
    turn_round(ops, sent, count);
    turn_round(ops, 0, count);
    return count;
}

/* The other's last active round up to `backwards`: bisection, because next() only looks ahead. */
int64_t rb_reversed_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    const struct rb_algorithm *forward = plan->algorithm->forward;
    const int64_t backwards = plan->rounds - 1 - t;
    int64_t found = -1; /* an active round, none later than backwards */
    int64_t low = 0, high = backwards;
    if (rb_next_of(forward, plan, state, backwards) == backwards)
        return t;
    while (low <= high) {
        const int64_t middle = low + (high - low) / 2;
        const int64_t active = rb_next_of(forward, plan, state, middle);
        if (active <= backwards) {
            found = active;
            low = active + 1;
        } else {
            high = middle - 1;
        }
    }
    return found < 0 ? plan->rounds : plan->rounds - 1 - found;
}

double rb_reversed_cost(const struct rb_plan *plan, double bytes, double alpha_s,
                        double beta_s_per_byte)
{
    return plan->algorithm->forward->cost(plan, bytes, alpha_s, beta_s_per_byte);
}

void rb_reversed_pipeline(const struct rb_plan *plan, int64_t *per_block, int64_t *fixed)
{
    plan->algorithm->forward->pipeline(plan, per_block, fixed);
}

size_t rb_reversed_envelope_table(const struct rb_plan *plan, void *table)
{
    const struct rb_algorithm *forward = plan->algorithm->forward;
    return forward->envelope_table == NULL ? 0 : forward->envelope_table(plan, table);
}

int32_t rb_reversed_envelopes(const struct rb_plan *plan, const struct rb_lengths *lengths,
                              const struct rb_rank *state, int64_t t, struct rb_envelope envelope[])
{
    const struct rb_algorithm *forward = plan->algorithm->forward;
    if (forward->envelopes == NULL)
        return -1;
    const int32_t count = forward->envelopes(plan, lengths, state, plan->rounds - 1 - t, envelope);
    for (int32_t i = 0; i < count; i++) {
        envelope[i].sends = !envelope[i].sends;
        if (plan->collective->info.reducing)
            envelope[i].combined = envelope[i].sends ? 0 : envelope[i].bytes;
    }
    return count;
}
