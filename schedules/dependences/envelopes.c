#include "envelopes.h"

#include <stdlib.h>

int dep_envelopes_init(struct dep_envelopes *envelopes, const struct rb_plan *plan,
                       const struct rb_layout *layout)
{
    const struct rb_algorithm *algorithm = plan->algorithm;
    *envelopes = (struct dep_envelopes){.told = plan->in_order == NULL && plan->p > 1 &&
                                                algorithm->envelopes != NULL};
    if (!envelopes->told)
        return RB_OK;
    const size_t bytes =
        algorithm->envelope_table == NULL ? 0 : algorithm->envelope_table(plan, NULL);
    envelopes->of_round = malloc(2 * (size_t)plan->ports * sizeof *envelopes->of_round);
    envelopes->table = malloc(bytes + 1);
    envelopes->lengths =
        (struct rb_lengths){plan, layout, rb_layout_edge(plan, layout, plan), envelopes->table};
    if (envelopes->of_round == NULL || envelopes->table == NULL)
        return RB_ENOMEM;
    if (bytes > 0)
        algorithm->envelope_table(plan, envelopes->table);
    return RB_OK;
}

void dep_envelopes_free(struct dep_envelopes *envelopes)
{
    free(envelopes->of_round);
    free(envelopes->table);
    *envelopes = (struct dep_envelopes){0};
}

#ifdef NDEBUG
enum { CHECKS = false };
#else
enum { CHECKS = true };
#endif

/* The operations against the messages told: the bytes of all of them together, sent and received.
 */
static int check(const struct dep_envelopes *envelopes, int32_t count, const struct rb_rank *state,
                 int64_t t, struct rb_op ops[], char *why, size_t why_size)
{
    const struct rb_lengths *of = &envelopes->lengths;
    int64_t bytes[2] = {0};
    const int32_t all = rb_layout_checked_round(of->plan, of->layout, state, t, ops, why, why_size);
    for (int32_t i = 0; i < all; i++)
        bytes[ops[i].kind == RB_SEND] += rb_layout_bytes(of->plan, of->layout, &ops[i].at);
    for (int32_t i = 0; i < count; i++)
        bytes[envelopes->of_round[i].sends] -= envelopes->of_round[i].bytes;
    if (all >= 0 && (bytes[false] != 0 || bytes[true] != 0))
        return rb_why(why, why_size, RB_EWRONG,
                      "round %lld: rank %d has messages of other lengths than its operations",
                      (long long)t, (int)state->rank);
    return all < 0 ? all : RB_OK;
}

int32_t dep_envelopes_round(struct dep_envelopes *envelopes, const struct rb_rank *state, int64_t t,
                            struct rb_op ops[], char *why, size_t why_size)
{
    const struct rb_lengths *lengths = &envelopes->lengths;
    if (!envelopes->told)
        return DEP_UNTOLD;
    const int32_t count =
        lengths->plan->algorithm->envelopes(lengths->plan, lengths, state, t, envelopes->of_round);
    const int status =
        CHECKS && count >= 0 ? check(envelopes, count, state, t, ops, why, why_size) : RB_OK;
    return status < 0 ? status : count;
}
