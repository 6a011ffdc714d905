/* renamed.c - a plan for any order of the ranks, made of a plan for ranks in order.
 *
 * The plan in order plans for places; rank rank_at[i] does what it has for place i. So peers,
 * owners of data and, in personalized collectives, the ranks for which data are change their names,
 * in O(operations) per round. This is right where what ranks must have at the end names them all
 * alike: not for scans, whose results depend on the ranks before, not for instances, and not for
 * operators that are not commutative. Algorithms with `places` have plans of their own for each
 * order. */
#include <stdlib.h>
#include <string.h>

#include "plan.h"

bool rb_is_renamed(const struct rb_algorithm *algorithm, const char *groups)
{
    return groups != NULL && strchr(groups, '@') != NULL && !algorithm->info.places;
}

int rb_check_renaming(const struct rb_collective *collective, const struct rb_algorithm *algorithm,
                      const struct rb_plan_spec *spec, char *why, size_t why_size)
{
    const char *reason = collective->instance != NULL       ? "its instance names ranks"
                         : collective->contributors != NULL ? "its results depend on it"
                         : spec->ordered                    ? "the operator is not commutative"
                         : algorithm->verify != NULL        ? "its plan names no data"
                         : algorithm->info.sizes && spec->first != NULL
                             ? "it plans by the sizes of parts"
                             : NULL;
    return reason == NULL ? RB_OK
                          : rb_why(why, why_size, RB_ENOTSUP,
                                   "%s %s keeps the ranks in order, without another behind @: %s",
                                   collective->info.name, algorithm->info.name, reason);
}

/* The spec in order; its groups are allocated. */
static int spec_in_order(const struct rb_plan_spec *spec, const struct rb_groups *groups,
                         const struct rb_algorithm *algorithm, struct rb_plan_spec *in_order)
{
    const size_t length = strcspn(spec->groups, "@");
    char *text = malloc(length + 1);
    if (text == NULL)
        return RB_ENOMEM;
    memcpy(text, spec->groups, length);
    text[length] = '\0';
    *in_order = *spec;
    in_order->groups = text;
    if (rb_takes_root(&algorithm->info))
        in_order->root = rb_groups_place(groups, spec->root);
    return RB_OK;
}

int rb_plan_rename(const struct rb_collective *collective, const struct rb_algorithm *algorithm,
                   const struct rb_plan_spec *spec, struct rb_plan **plan, char *why,
                   size_t why_size)
{
    struct rb_plan_spec in_order = {0};
    struct rb_plan *made = NULL;
    struct rb_groups groups;
    int status = rb_check_renaming(collective, algorithm, spec, why, why_size);
    if (status == RB_OK)
        status = rb_groups_read(&groups, spec->groups, spec->p, why, why_size);
    if (status != RB_OK)
        return status;
    made = malloc(sizeof *made);
    status = made == NULL ? RB_ENOMEM : spec_in_order(spec, &groups, algorithm, &in_order);
    if (status != RB_OK)
        rb_why(why, why_size, status, "out of memory");
    struct rb_plan *inner = NULL;
    if (status == RB_OK)
        status = rb_plan_make(collective, algorithm, &in_order, &inner, why, why_size);
    free((void *)(uintptr_t)in_order.groups);
    if (status != RB_OK) {
        rb_groups_free(&groups);
        free(made);
        return status;
    }
    *made = *inner;
    made->in_order = inner;
    made->groups = groups;
    made->root = spec->root;
    *plan = made;
    return RB_OK;
}

static void rename_range(const struct rb_plan *plan, struct rb_range *range)
{
    const int32_t *rank_at = plan->groups.rank_at;
    if (rb_is_in_slot(plan, range))
        return;
    range->owner = plan->owners == 1 ? plan->root : rank_at[range->owner];
    if (plan->parts > 1) {
        const int64_t blocks = rb_part_blocks(plan), part = range->first / blocks;
        range->first += (rank_at[part] - part) * blocks;
    }
}

/* A rank's state has its own name, and what the algorithm computed for its place. */
void rb_renamed_rank(const struct rb_plan *plan, int32_t rank, struct rb_rank *state)
{
    rb_plan_rank(plan->in_order, plan->groups.place_of[rank], state);
    state->rank = rank;
    state->relative = rb_relative(plan, rank);
}

static struct rb_rank state_of_place(const struct rb_plan *plan, const struct rb_rank *state)
{
    struct rb_rank place = *state;
    place.rank = plan->groups.place_of[state->rank];
    place.relative = rb_relative(plan->in_order, place.rank);
    return place;
}

int64_t rb_renamed_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    const struct rb_rank place = state_of_place(plan, state);
    return rb_plan_next(plan->in_order, &place, t);
}

int32_t rb_renamed_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                         struct rb_op ops[])
{
    const struct rb_plan *inner = plan->in_order;
    const struct rb_rank place = state_of_place(plan, state);
    const int32_t count = inner->algorithm->round(inner, &place, t, ops);
    for (int32_t i = 0; i < count; i++) {
        ops[i].peer = plan->groups.rank_at[ops[i].peer];
        rename_range(plan, &ops[i].at);
        if (ops[i].kind == RB_COPY || ops[i].kind == RB_REDUCE)
            rename_range(plan, &ops[i].from);
    }
    return count;
}

struct rb_range rb_range_in_order(const struct rb_plan *plan, const struct rb_range *range)
{
    const int32_t *place_of = plan->groups.place_of;
    const int64_t blocks = rb_part_blocks(plan), part = range->first / blocks;
    struct rb_range named = *range;
    named.owner = place_of[range->owner];
    named.first += (place_of[part] - part) * blocks;
    return named;
}
