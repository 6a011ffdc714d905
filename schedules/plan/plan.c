/* plan.c - makes plans and answers questions about them. It checks the common parameters; the
 * algorithms check the rest. */
#include "plan.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static int check_order(const struct rb_plan *plan, char *why, size_t why_size)
{
    const char *collective = plan->collective->info.name, *algorithm = plan->algorithm->info.name;
    if (!plan->ordered)
        return RB_OK;
    if (!plan->collective->info.reducing)
        return rb_why(why, why_size, RB_EINVAL, "%s has no operator, so no order of operands",
                      collective);
    if (plan->algorithm->ordered_for_every_root)
        return RB_OK;
    if (!plan->algorithm->ordered_for_root_0)
        return rb_why(why, why_size, RB_EINVAL,
                      "%s %s doesn't combine in rank order: the operator must be commutative",
                      collective, algorithm);
    if (plan->root != 0)
        return rb_why(why, why_size, RB_EINVAL,
                      "%s %s combines in rank order for root 0 only, not for root %d: the operator "
                      "must be commutative",
                      collective, algorithm, (int)plan->root);
    return RB_OK;
}

static int32_t most_radix(int32_t p)
{
    return p > 2 ? p : 2;
}

static int check_radix(const struct rb_plan *plan, char *why, size_t why_size)
{
    const char *collective = plan->collective->info.name, *algorithm = plan->algorithm->info.name;
    const int32_t most = most_radix(plan->p);
    if (plan->radix == 0)
        return RB_OK;
    if (plan->algorithm->info.radix == NULL)
        return rb_why(why, why_size, RB_EINVAL, "%s %s has no radix, which was to be %d",
                      collective, algorithm, (int)plan->radix);
    if (plan->radix < 2 || plan->radix > most)
        return rb_why(why, why_size, RB_EINVAL,
                      "the radix of %s %s must be in 2..%d for p = %d, not %d", collective,
                      algorithm, (int)most, (int)plan->p, (int)plan->radix);
    return RB_OK;
}

/* The nearest number from `from` on, by `step`, that the algorithm supports, in least .. most; -1:
 * none. */
static int32_t nearest(const struct rb_algorithm *algorithm, int32_t p, int32_t from, int32_t step,
                       int32_t least, int32_t most)
{
    for (int32_t value = from; least <= value && value <= most; value += step)
        if (p == 0 ? algorithm->supports(value, 0) : algorithm->supports(p, value))
            return value;
    return -1;
}

/* "8 and 16", "8", or "none" of -1. */
struct pair {
    char text[32];
};
static struct pair both(int32_t below, int32_t above)
{
    struct pair pair = {"none"};
    if (below >= 0 && above >= 0)
        snprintf(pair.text, sizeof pair.text, "%d and %d", (int)below, (int)above);
    else if (below >= 0 || above >= 0)
        snprintf(pair.text, sizeof pair.text, "%d", (int)(below >= 0 ? below : above));
    return pair;
}

/* The value that is not that of the only plan that there is. */
static int check_only(const struct rb_plan *plan, char *why, size_t why_size)
{
    const struct rb_plan_only *only = plan->algorithm->info.only;
    if (only == NULL)
        return RB_OK;
    const char *name = only->file;
    if (plan->p != only->p)
        return rb_why(why, why_size, RB_EINVAL, "the plan of %s is for p = %d, not %d", name,
                      (int)only->p, (int)plan->p);
    if (only->n > 0 && plan->n != only->n)
        return rb_why(why, why_size, RB_EINVAL, "the plan of %s is for n = %lld, not %lld", name,
                      (long long)only->n, (long long)plan->n);
    if (only->root >= 0 && plan->root != only->root)
        return rb_why(why, why_size, RB_EINVAL, "the plan of %s is for root %d, not %d", name,
                      (int)only->root, (int)plan->root);
    if (plan->ports < only->ports)
        return rb_why(why, why_size, RB_EINVAL, "the plan of %s needs %d ports, not %d", name,
                      (int)only->ports, (int)plan->ports);
    return RB_OK;
}

static int check_fits(const struct rb_plan *plan, char *why, size_t why_size)
{
    const struct rb_algorithm *algorithm = plan->algorithm;
    const char *collective = plan->collective->info.name, *name = algorithm->info.name;
    const int32_t p = plan->p, r = plan->radix;
    if (algorithm->supports == NULL || algorithm->supports(p, r))
        return RB_OK;
    if (why == NULL || why_size == 0) /* the nearest may be 2^29 ranks away */
        return RB_EINVAL;
    if (!algorithm->supports(p, 0))
        return rb_why(why, why_size, RB_EINVAL, "%s %s needs %s, not p = %d: the nearest: %s",
                      collective, name, algorithm->info.ranks, (int)p,
                      both(nearest(algorithm, 0, p - 1, -1, 1, RB_MAX_RANKS),
                           nearest(algorithm, 0, p + 1, 1, 1, RB_MAX_RANKS))
                          .text);
    return rb_why(
        why, why_size, RB_EINVAL, "the radix of %s %s for p = %d can't be %d: the nearest: %s",
        collective, name, (int)p, (int)r,
        both(nearest(algorithm, p, r - 1, -1, 2, p), nearest(algorithm, p, r + 1, 1, 2, p)).text);
}

static int read_instance(struct rb_plan *plan, const char *text, char *why, size_t why_size)
{
    char reason[160];
    if (plan->collective->instance == NULL) {
        if (text == NULL)
            return RB_OK;
        return rb_why(why, why_size, RB_EINVAL, "%s has no instances, which was to be \"%s\"",
                      plan->collective->info.name, text);
    }
    const int status = plan->collective->instance(plan, text, reason, sizeof reason);
    return status == RB_OK ? RB_OK
                           : rb_why(why, why_size, status, "the instance of %s for p = %d: %s",
                                    plan->collective->info.name, (int)plan->p, reason);
}

/* Sets the collective and the algorithm of these names. */
static int find_names(const struct rb_plan_spec *spec, const struct rb_collective **collective,
                      const struct rb_algorithm **algorithm, char *why, size_t why_size)
{
    *collective = rb_collective_named(spec->collective);
    *algorithm = NULL;
    if (*collective == NULL)
        return rb_why(why, why_size, RB_EINVAL, "there is no collective '%s'", spec->collective);
    *algorithm = rb_algorithm_named(spec->collective, spec->algorithm, why, why_size);
    return *algorithm != NULL ? RB_OK : RB_EINVAL;
}

static int check_spec(const struct rb_algorithm *algorithm, const struct rb_plan_spec *spec,
                      char *why, size_t why_size)
{
    if (spec->p < 1 || spec->p > RB_MAX_RANKS)
        return rb_why(why, why_size, RB_EINVAL, "p must be in 1..%d, not %d", (int)RB_MAX_RANKS,
                      (int)spec->p);
    if (spec->n < 1 || spec->n > RB_MAX_BLOCKS)
        return rb_why(why, why_size, RB_EINVAL, "n must be in 1..%lld, not %lld",
                      (long long)RB_MAX_BLOCKS, (long long)spec->n);
    if (spec->root != 0 && !rb_takes_root(&algorithm->info))
        return rb_why(why, why_size, RB_EINVAL, "%s has no root", spec->collective);
    if (spec->root < 0 || spec->root >= spec->p)
        return rb_why(why, why_size, RB_EINVAL, "the root must be in 0..%d for p = %d, not %d",
                      (int)(spec->p - 1), (int)spec->p, (int)spec->root);
    if (spec->ports < 0 || spec->ports > RB_MAX_PORTS)
        return rb_why(why, why_size, RB_EINVAL, "ports must be in 1..%d, not %d", (int)RB_MAX_PORTS,
                      (int)spec->ports);
    return RB_OK;
}

int rb_plan_create(const struct rb_plan_spec *spec, struct rb_plan **plan, char *why,
                   size_t why_size)
{
    *plan = NULL;
    rb_why(why, why_size, RB_OK, "%s", "");
    const struct rb_collective *collective;
    const struct rb_algorithm *algorithm;
    int status = find_names(spec, &collective, &algorithm, why, why_size);
    if (status == RB_OK)
        status = check_spec(algorithm, spec, why, why_size);
    if (status == RB_OK)
        status = (rb_is_renamed(algorithm, spec->groups) ? rb_plan_rename : rb_plan_make)(
            collective, algorithm, spec, plan, why, why_size);
    return status;
}

/* A plan with the values of spec, without anything computed. */
static struct rb_plan as_asked(const struct rb_collective *collective,
                               const struct rb_algorithm *algorithm,
                               const struct rb_plan_spec *spec)
{
    const int32_t parts = collective->info.personalized ? spec->p : 1;
    const struct rb_plan_only *only = algorithm->info.only;
    const int64_t n = only != NULL && only->n > 0 && spec->n == 1 ? only->n : spec->n;
    return (struct rb_plan){
        .collective = collective,
        .algorithm = algorithm,
        .buffers = collective->buffers,
        .p = spec->p,
        .root = spec->root,
        .ports = spec->ports == 0 ? 1 : spec->ports,
        .owners = collective->info.distributed ? spec->p : 1,
        .parts = parts,
        .n = n,
        .blocks = n * parts,
        .ordered = spec->ordered,
        .radix = spec->radix,
        .first = spec->first,
        .neighbours = algorithm->info.neighbours ? spec->neighbours : NULL,
    };
}

static void release(struct rb_plan *plan)
{
    if (plan->collective->release != NULL)
        plan->collective->release(plan);
}

/* Parts of plans that have places are most often for consecutive ranks. */
static int check_places(const struct rb_plan *plan, char *why, size_t why_size)
{
    const struct rb_algorithm_info *info = &plan->algorithm->info;
    if (plan->groups.rank_at == NULL || !info->groups || info->places)
        return RB_OK;
    return rb_why(why, why_size, RB_ENOTSUP,
                  "%s %s has plans for groups of consecutive ranks only, without an order behind @",
                  plan->collective->info.name, info->name);
}

/* All that has to be right before the algorithm's own init. */
static int check_request(struct rb_plan *plan, const char *instance, char *why, size_t why_size)
{
    int status = check_order(plan, why, why_size);
    if (status == RB_OK)
        status = check_radix(plan, why, why_size);
    if (status == RB_OK)
        status = check_only(plan, why, why_size);
    if (status == RB_OK)
        status = check_fits(plan, why, why_size);
    if (status == RB_OK)
        status = check_places(plan, why, why_size);
    if (status == RB_OK)
        status = read_instance(plan, instance, why, why_size);
    return status;
}

int rb_instance_ranks(const char *collective, const char *instance, int32_t *p, char *why,
                      size_t why_size)
{
    const struct rb_collective *known = rb_collective_named(collective);
    *p = 0;
    if (known == NULL)
        return rb_why(why, why_size, RB_EINVAL, "there is no collective '%s'", collective);
    return known->instance_ranks == NULL || instance == NULL
               ? RB_OK
               : known->instance_ranks(instance, p, why, why_size);
}

bool rb_plan_is_supported(const struct rb_plan_spec *spec)
{
    const struct rb_collective *collective;
    const struct rb_algorithm *algorithm;
    if (find_names(spec, &collective, &algorithm, NULL, 0) != RB_OK)
        return false;
    struct rb_plan plan = as_asked(collective, algorithm, spec);
    if (plan.radix > most_radix(plan.p) ||
        (algorithm->supports != NULL && !algorithm->supports(plan.p, plan.radix)) ||
        check_only(&plan, NULL, 0) != RB_OK ||
        rb_groups_read(&plan.groups, spec->groups, plan.p, NULL, 0) != RB_OK)
        return false;
    bool suits = (!rb_is_renamed(algorithm, spec->groups) ||
                  rb_check_renaming(collective, algorithm, spec, NULL, 0) == RB_OK) &&
                 read_instance(&plan, spec->instance, NULL, 0) == RB_OK;
    if (suits) {
        suits = algorithm->suits == NULL || algorithm->suits(&plan);
        release(&plan);
    }
    rb_groups_free(&plan.groups);
    return suits;
}

/* rb_plan_make on a plan of which nothing has been allocated. */
static int fill(struct rb_plan *plan, const struct rb_plan_spec *spec, char *why, size_t why_size)
{
    int status = rb_groups_read(&plan->groups, spec->groups, plan->p, why, why_size);
    if (status != RB_OK)
        return status;
    status = check_request(plan, spec->instance, why, why_size);
    if (status == RB_OK) {
        status = plan->algorithm->init(plan, why, why_size);
        if (status != RB_OK)
            release(plan);
    }
    if (status != RB_OK)
        rb_groups_free(&plan->groups);
    return status;
}

int rb_plan_make(const struct rb_collective *collective, const struct rb_algorithm *algorithm,
                 const struct rb_plan_spec *spec, struct rb_plan **plan, char *why, size_t why_size)
{
    *plan = NULL;
    struct rb_plan *made = calloc(1, sizeof *made);
    if (made == NULL)
        return rb_why(why, why_size, RB_ENOMEM, "out of memory");
    *made = as_asked(collective, algorithm, spec);
    const int status = fill(made, spec, why, why_size);
    if (status != RB_OK) {
        free(made);
        return status;
    }
    made->first = NULL;
    assert(made->rounds >= 0 && made->max_ops >= 1 && made->blocks >= 1);
    *plan = made;
    return RB_OK;
}

int rb_multiply_blocks(struct rb_plan *plan, int64_t factor, char *why, size_t why_size)
{
    if (plan->n > INT64_MAX / factor / plan->owners)
        return rb_why(why, why_size, RB_EINVAL, "n = %lld is too large for p = %d, ports %d",
                      (long long)plan->n, (int)plan->p, (int)plan->ports);
    plan->blocks = plan->n * factor;
    return RB_OK;
}

void rb_plan_destroy(struct rb_plan *plan)
{
    if (plan == NULL)
        return;
    if (plan->in_order != NULL) {
        rb_plan_destroy(plan->in_order);
    } else {
        if (plan->algorithm->fini != NULL)
            plan->algorithm->fini(plan);
        release(plan);
    }
    rb_groups_free(&plan->groups);
    free(plan);
}

struct rb_plan_spec rb_plan_spec_of(const struct rb_plan *plan)
{
    return (struct rb_plan_spec){
        .collective = plan->collective->info.name,
        .algorithm = plan->algorithm->info.name,
        .p = plan->p,
        .root = plan->root,
        .n = plan->n,
        .ports = plan->ports,
        .ordered = plan->ordered,
        .radix = plan->radix,
        .groups = plan->groups.text,
        .neighbours = plan->neighbours,
        .instance = plan->instance,
    };
}

/* What a plan is asked for that it has. */
#define PLAN_HAS(type, name, value)                                                                \
    type rb_plan_##name(const struct rb_plan *plan)                                                \
    {                                                                                              \
        return value;                                                                              \
    }
PLAN_HAS(const struct rb_collective_info *, collective, &plan->collective->info)
PLAN_HAS(const struct rb_algorithm_info *, algorithm, &plan->algorithm->info)
PLAN_HAS(int32_t, ranks, plan->p)
PLAN_HAS(int32_t, root, plan->root)
PLAN_HAS(int32_t, ports, plan->ports)
PLAN_HAS(int32_t, radix, plan->radix)
PLAN_HAS(const char *, instance, plan->instance)
PLAN_HAS(const struct rb_groups *, groups, &plan->groups)
PLAN_HAS(int64_t, n, plan->n)
PLAN_HAS(int64_t, blocks, plan->blocks)
PLAN_HAS(int32_t, owners, plan->owners)
PLAN_HAS(int32_t, parts, plan->parts)
PLAN_HAS(int64_t, rounds, plan->rounds)
PLAN_HAS(int32_t, max_ops, plan->max_ops)
PLAN_HAS(int64_t, slot_blocks, plan->slot_blocks)
#undef PLAN_HAS

int64_t rb_plan_slots(const struct rb_plan *plan)
{
    return plan->slot_blocks == 0 ? 0
                                  : rb_plan_rows(plan, RB_TMP) * (plan->blocks / plan->slot_blocks);
}

bool rb_plan_has(const struct rb_plan *plan, enum rb_buffer buffer)
{
    return (plan->buffers & 1u << buffer) != 0;
}

void rb_plan_rank(const struct rb_plan *plan, int32_t rank, struct rb_rank *state)
{
    assert(0 <= rank && rank < plan->p);
    if (plan->in_order != NULL) {
        rb_renamed_rank(plan, rank, state);
        return;
    }
    state->rank = rank;
    state->relative = rb_relative(plan, rank);
    if (plan->algorithm->rank != NULL)
        plan->algorithm->rank(plan, state);
}

int32_t rb_plan_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    assert(0 <= t && t < plan->rounds);
    return plan->in_order != NULL ? rb_renamed_round(plan, state, t, ops)
                                  : plan->algorithm->round(plan, state, t, ops);
}

/* Tries round after round. Without memory for a round's operations the answer is t, as if the rank
 * were not idle: whoever asks for that round finds it empty. */
static int64_t next_by_trying(const struct rb_algorithm *algorithm, const struct rb_plan *plan,
                              const struct rb_rank *state, int64_t t)
{
    struct rb_op few[4], *ops = few;
    const bool many = plan->max_ops > (int32_t)(sizeof few / sizeof few[0]);
    if (many)
        ops = malloc((size_t)plan->max_ops * sizeof *ops);
    while (ops != NULL && t < plan->rounds && algorithm->round(plan, state, t, ops) == 0)
        t++;
    if (many)
        free(ops);
    return t;
}

int64_t rb_next_of(const struct rb_algorithm *algorithm, const struct rb_plan *plan,
                   const struct rb_rank *state, int64_t t)
{
    if (t >= plan->rounds)
        return plan->rounds;
    if (algorithm->next == NULL)
        return next_by_trying(algorithm, plan, state, t);
    int64_t next = algorithm->next(plan, state, t);
    if (next < t) /* wrong, as rb_verify_plan reports; a caller that waits for round t must not go
                   * back */
        return t;
    return next < plan->rounds ? next : plan->rounds;
}

int64_t rb_never_idle(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    (void)plan, (void)state;
    return t;
}

int64_t rb_plan_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    return plan->in_order != NULL ? rb_renamed_next(plan, state, t)
                                  : rb_next_of(plan->algorithm, plan, state, t);
}

static int32_t row_of_distance(const struct rb_plan *plan, int32_t distance)
{
    return distance < 0 ? distance + plan->p : distance;
}

int32_t rb_row_mirrored(const struct rb_plan *plan, int32_t owner, int32_t to)
{
    return row_of_distance(plan, owner % 2 == 1 ? owner - to : to - owner);
}

int32_t rb_row_of_pair(const struct rb_plan *plan, int32_t owner, int32_t to)
{
    return owner * plan->p + to;
}

struct rb_location rb_plan_location(const struct rb_plan *plan, const struct rb_range *range)
{
    if (rb_is_in_slot(plan, range))
        return (struct rb_location){0, range->owner * plan->slot_blocks +
                                           range->first % plan->slot_blocks};
    if (plan->parts == 1)
        return (struct rb_location){(int32_t)rb_owner_place(plan, range->owner), range->first};
    if (plan->in_order != NULL && range->buffer == RB_TMP) {
        const struct rb_range named = rb_range_in_order(plan, range);
        return rb_plan_location(plan->in_order, &named);
    }
    const int64_t blocks = rb_part_blocks(plan);
    const int32_t part = (int32_t)(range->first / blocks);
    const int32_t row = range->buffer == RB_SRC   ? part
                        : range->buffer == RB_DST ? range->owner
                        : plan->tmp_row != NULL   ? plan->tmp_row(plan, range->owner, part)
                                                  : row_of_distance(plan, part - range->owner);
    return (struct rb_location){.row = row, .first = range->first % blocks};
}

int32_t rb_plan_rows(const struct rb_plan *plan, enum rb_buffer buffer)
{
    return buffer == RB_TMP && plan->tmp_rows > 0 ? plan->tmp_rows : plan->owners;
}

bool rb_plan_overlap(const struct rb_plan *plan, const struct rb_range *a, const struct rb_range *b)
{
    if (a->buffer != b->buffer)
        return false;
    if (plan->parts == 1 && !rb_is_in_slot(plan, a)) /* as below, but faster */
        return a->owner == b->owner && a->first < b->first + b->count &&
               b->first < a->first + a->count;
    const struct rb_location at = rb_plan_location(plan, a), there = rb_plan_location(plan, b);
    return at.row == there.row && at.first < there.first + b->count &&
           there.first < at.first + a->count;
}

int64_t rb_plan_wave_bytes(const struct rb_plan *plan)
{
    return plan->algorithm->wave == NULL || plan->in_order != NULL
               ? 0
               : plan->algorithm->wave_bytes(plan);
}

void rb_plan_wave_table(const struct rb_plan *plan, int8_t table[])
{
    plan->algorithm->wave_table(plan, table);
}

struct rb_wave rb_plan_wave(const struct rb_plan *plan, const int8_t table[], int64_t t)
{
    assert(0 <= t && t < plan->rounds);
    return plan->algorithm->wave(plan, table, t);
}
