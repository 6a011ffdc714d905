/* groups.c - groups of ranks, read from the sizes and the order that a spec has, and plans for any
 * order. */
#include <stdlib.h>
#include <string.h>

#include "plan.h"

/* The number at *text, with the comma behind it, or -1; *text moves on. */
static int32_t read_number(const char **text, const char *end)
{
    const char *at = *text;
    int64_t number = 0;
    for (; at < end && *at >= '0' && *at <= '9'; at++) {
        number = 10 * number + (*at - '0');
        if (number > RB_MAX_RANKS)
            return -1;
    }
    if (at == *text || (**text == '0' && at - *text > 1) ||
        (at < end && (*at != ',' || at + 1 == end)))
        return -1;
    *text = at < end ? at + 1 : at;
    return (int32_t)number;
}

/* The sizes of a level, text .. end - 1, between which and those of a larger level is a slash. */
struct sizes {
    const char *text, *end;
    int32_t size; /* the value of all; 0: they differ */
};

/* True if it is a list of sizes, of which the size is set. */
static bool check(struct sizes *sizes)
{
    const char *at = sizes->text;
    sizes->size = read_number(&at, sizes->end);
    for (int32_t next = sizes->size; next > 0 && at < sizes->end;) {
        next = read_number(&at, sizes->end);
        if (next <= 0)
            return false;
        if (next != sizes->size)
            sizes->size = 0;
    }
    return sizes->size >= 0 && (sizes->size > 0 || *sizes->text != '0');
}

/* The starts of the groups, into `at` unless it is NULL; returns how many groups there are. */
static int32_t deal(const struct sizes *sizes, const struct rb_groups *above, int32_t p,
                    int32_t at[])
{
    const char *next = sizes->text;
    int32_t count = 0, group = 0, end = above == NULL ? p : rb_group_first(above, 1);
    for (int32_t place = 0; place < p; count++) {
        const int32_t size = read_number(&next, sizes->end);
        if (at != NULL)
            at[count] = place;
        place = size < end - place ? place + size : end;
        if (place == end && place < p)
            end = rb_group_first(above, ++group + 1);
        if (next == sizes->end)
            next = sizes->text;
    }
    return count;
}

/* True if groups of this size end wherever one above does. */
static bool divides(int32_t size, const struct rb_groups *above)
{
    if (above == NULL || above->size > 0)
        return above == NULL || above->count == 1 || above->size % size == 0;
    for (int32_t group = 1; group < above->count; group++)
        if (above->at[group] % size != 0)
            return false;
    return true;
}

/* The groups of one level, in groups whose `at` is owned if their size is 0. */
static int make_level(struct rb_groups *groups, const struct sizes *sizes,
                      const struct rb_groups *above, int32_t p)
{
    *groups = (struct rb_groups){.ranks = p, .text = "", .above = above};
    if (sizes->size > 0 && divides(sizes->size, above)) {
        groups->size = sizes->size;
        groups->count = (p - 1) / sizes->size + 1;
        return RB_OK;
    }
    groups->count = deal(sizes, above, p, NULL);
    int32_t *at = malloc(((size_t)groups->count + 1) * sizeof *at);
    if (at == NULL)
        return RB_ENOMEM;
    deal(sizes, above, p, at);
    at[groups->count] = p;
    groups->at = at;
    return RB_OK;
}

static void free_constant(const void *memory)
{
    free((void *)(uintptr_t)memory);
}

void rb_groups_free(struct rb_groups *groups)
{
    for (const struct rb_groups *above = groups->above, *next; above != NULL; above = next) {
        next = above->above;
        free_constant(above->at);
        free_constant(above);
    }
    free_constant(groups->at);
    free_constant(groups->rank_at);
    if (groups->text != NULL && groups->text[0] != '\0')
        free_constant(groups->text);
    *groups = (struct rb_groups){0};
}

/* The levels, from the largest groups down, until one fails; those of one rank are left out. */
static int make_levels(struct rb_groups *groups, const struct sizes sizes[], int32_t levels,
                       int32_t p)
{
    int status = RB_OK;
    for (int32_t i = levels - 1; i >= 0 && status == RB_OK; i--) {
        struct rb_groups *above = NULL;
        if (sizes[i].size == 1)
            continue;
        if (groups->size != 1) {
            above = malloc(sizeof *above);
            if (above == NULL)
                return RB_ENOMEM;
            *above = *groups;
        }
        status = make_level(groups, &sizes[i], above, p);
    }
    return status;
}

/* The rank at each place and the place of each rank, into one array. 0 if it is a permutation. */
static int read_order(struct rb_groups *groups, const char *text)
{
    const char *end = text + strlen(text);
    int32_t *rank_at = malloc(2 * (size_t)groups->ranks * sizeof *rank_at);
    if (rank_at == NULL)
        return RB_ENOMEM;
    int32_t *place_of = rank_at + groups->ranks, place = 0;
    memset(place_of, -1, (size_t)groups->ranks * sizeof *place_of);
    for (; place < groups->ranks && text < end; place++) {
        rank_at[place] = read_number(&text, end);
        if (rank_at[place] < 0 || rank_at[place] >= groups->ranks || place_of[rank_at[place]] >= 0)
            break;
        place_of[rank_at[place]] = place;
    }
    groups->rank_at = rank_at;
    groups->place_of = place_of;
    return place == groups->ranks && text == end ? RB_OK : RB_EINVAL;
}

enum { MOST_LEVELS = 8 };

/* Finds the levels' sizes; -1 unless they are right. */
static int32_t find_sizes(const char *text, struct sizes sizes[])
{
    const char *end = text + strcspn(text, "@");
    int32_t levels = 0;
    for (const char *at = text; levels < MOST_LEVELS; at = sizes[levels - 1].end + 1) {
        sizes[levels] = (struct sizes){.text = at, .end = at + strcspn(at, "/@")};
        if (!check(&sizes[levels++]))
            return -1;
        if (sizes[levels - 1].end == end)
            return levels;
    }
    return -1;
}

int rb_groups_read(struct rb_groups *groups, const char *text, int32_t p, char *why,
                   size_t why_size)
{
    struct sizes sizes[MOST_LEVELS];
    *groups = (struct rb_groups){.ranks = p, .count = p, .size = 1, .text = ""};
    if (text == NULL || *text == '\0')
        return RB_OK;
    const int32_t levels = find_sizes(text, sizes);
    if (levels < 0)
        return rb_why(why, why_size, RB_EINVAL,
                      "groups must be sizes of at least one rank, such as 4 or 3,1,4, not \"%s\"",
                      text);
    const char *order = strchr(text, '@');
    int status = make_levels(groups, sizes, levels, p);
    if (status == RB_OK && order != NULL)
        status = read_order(groups, order + 1);
    /* A list that is one size over and over reads as that size. */
    const bool is_list = levels > 1 || order != NULL || sizes[0].size == 0;
    const size_t length = is_list ? strlen(text) : strcspn(text, ",");
    char *kept = status == RB_OK && (is_list || sizes[0].size > 1) ? malloc(length + 1) : NULL;
    if (kept != NULL) {
        memcpy(kept, text, length);
        kept[length] = '\0';
        groups->text = kept;
    } else if (status == RB_OK && (is_list || sizes[0].size > 1)) {
        status = RB_ENOMEM;
    }
    if (status == RB_OK)
        return RB_OK;
    const int32_t count = groups->count;
    rb_groups_free(groups);
    if (status == RB_ENOMEM)
        return rb_why(why, why_size, status, "out of memory for %d groups", (int)count);
    return rb_why(why, why_size, status,
                  "groups: behind the @ must be each of the %d ranks once, in the order of their "
                  "places, as in 2@0,2,1,3",
                  (int)p);
}

void rb_groups_extent(const struct rb_groups *groups, int32_t *smallest, int32_t *largest)
{
    *smallest = *largest = rb_group_size(groups, 0);
    for (int32_t group = groups->size > 0 ? groups->count - 1 : 1; group < groups->count; group++) {
        const int32_t size = rb_group_size(groups, group);
        *smallest = size < *smallest ? size : *smallest;
        *largest = size > *largest ? size : *largest;
    }
}

int32_t rb_group_of(const struct rb_groups *groups, int32_t place)
{
    if (groups->size == 1)
        return place;
    if (groups->size > 0)
        return place / groups->size;
    int32_t low = 0, high = groups->count; /* at[low] <= place < at[high] */
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        if (groups->at[middle] <= place)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* ---- Any order of the ranks ------------------------------------------------------------------ */

/* A plan for any order of the ranks is made of a plan for ranks in order.
 *
 * The plan in order plans for places; rank rank_at[i] does what it has for place i. So peers,
 * owners of data and, in personalized collectives, the ranks for which data are change their names,
 * in O(operations) per round. This is right where what ranks must have at the end names them all
 * alike: not for scans, whose results depend on the ranks before, not for instances, and not for
 * operators that are not commutative. Algorithms with `places` have plans of their own for each
 * order. */

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
