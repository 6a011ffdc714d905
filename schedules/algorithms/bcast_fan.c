/* bcast_fan.c - a tree over groups of ranks that share a port, for short messages: several ranks of
 * an informed group send to other groups at once.
 *
 * Source: this project; docs/groups.md. A radix r: an informed group informs r - 1 others in a
 * level. Rounds: at most L ceil((r - 1)/J) + (L + 1) ceil(log2 K), L = ceil(log_r N), for N groups,
 * the smallest of J ranks and the largest of K. Volume: n (p - 1) blocks, n (N - 1) of them between
 * groups. No state per rank. The messages that leave a group in a level share its port, so the best
 * radix falls as messages grow; groups of one rank with r = 2 are a binomial tree.
 *
 * Groups are numbered from the root's on, the ranks of a group from the one that hears first: the
 * root, or the group's first rank. In level l the groups below h = r^l are informed. Group g
 * informs g + j h, 1 <= j < r, by its rank (j - 1) mod k, its j-th messages taking ceil((r - 1)/k)
 * rounds. A group that has just been informed spreads the message inside, from rank i to i + 2^s in
 * step s: before it sends, as many steps as make r - 1 ranks know it, and the others after that.
 *
 * N = 3 groups of 2, r = 3: 0 -> 1; then 0 -> 2 and 1 -> 4 at once; then 2 -> 3 and 4 -> 5. */
#include "schedules/plan/plan.h"

/* plan->data.number: levels, rounds over groups in a level, and in the last; steps inside before
 * and in all, in one number. */
enum { LEVELS, OUTER, LAST_OUTER, STEPS };
enum { STEPS_BEFORE = 64 };

/* r^l. */
static int64_t informed(const struct rb_plan *plan, int64_t level)
{
    int64_t groups = 1;
    for (int64_t l = 0; l < level; l++)
        groups *= plan->radix;
    return groups;
}

/* The least radix with as few levels as any that a group's ranks can serve at once; small, since
 * the messages share a port. */
static int32_t usual_radix(int32_t groups, int32_t largest)
{
    enum { MOST = 6 };
    int32_t best = 2;
    for (int32_t radix = 3; radix <= MOST && radix <= largest + 1; radix++)
        if (rb_ceil_log(groups, radix) < rb_ceil_log(groups, best))
            best = radix;
    return best;
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    const struct rb_groups *groups = &plan->groups;
    int32_t smallest, largest;
    rb_groups_extent(groups, &smallest, &largest);
    if (plan->radix == 0)
        plan->radix = usual_radix(groups->count, largest);
    const int64_t levels = rb_ceil_log(groups->count, plan->radix), most = plan->radix - 1;
    const int64_t in_last = levels == 0 ? 0 : (groups->count - 1) / informed(plan, levels - 1);
    const int64_t steps = rb_ceil_log2(largest);
    const int64_t before = rb_ceil_log2(most < largest ? most : largest);
    int64_t *number = plan->data.number;
    number[LEVELS] = levels;
    number[OUTER] = rb_ceil_divide(most, smallest);
    number[LAST_OUTER] = rb_ceil_divide(in_last, smallest);
    number[STEPS] = steps * STEPS_BEFORE + before;
    plan->rounds = (levels + 1) * steps;
    if (levels > 0)
        plan->rounds += (levels - 1) * number[OUTER] + number[LAST_OUTER];
    plan->max_ops = 1;
    return rb_need_one_port(plan, why, why_size);
}

/* A group, and a rank's place in it. */
struct place {
    int32_t first, size;
    int32_t relative; /* the group's number, from the root's on */
    int32_t number;   /* the rank's, from the first to hear on */
    int32_t start;    /* which rank of the group, from its first on, is number 0 */
};

static struct place place_of(const struct rb_plan *plan, int32_t rank)
{
    const struct rb_groups *groups = &plan->groups;
    const int32_t group = rb_group_of(groups, rank), root_group = rb_group_of(groups, plan->root);
    struct place place = {.first = rb_group_first(groups, group),
                          .size = rb_group_size(groups, group),
                          .relative = group - root_group};
    if (place.relative < 0)
        place.relative += groups->count;
    place.start = place.relative == 0 ? plan->root - place.first : 0;
    place.number = rank - place.first - place.start;
    if (place.number < 0)
        place.number += place.size;
    return place;
}

/* The rank of the group that has this number. */
static int32_t numbered(const struct place *place, int32_t number)
{
    const int32_t to_end = place->size - place->start;
    return place->first + (number < to_end ? number + place->start : number - to_end);
}

/* The place of rank number 0 of another group. */
static struct place place_of_group(const struct rb_plan *plan, int64_t relative)
{
    const struct rb_groups *groups = &plan->groups;
    const int64_t group = (relative + rb_group_of(groups, plan->root)) % groups->count;
    return place_of(plan, relative == 0 ? plan->root : rb_group_first(groups, (int32_t)group));
}

static struct rb_op whole(const struct rb_plan *plan, enum rb_op_kind kind, int32_t peer)
{
    struct rb_op op = rb_root_op(plan, kind, 0, 0, plan->n);
    op.peer = peer;
    return op;
}

/* Step s inside a group. */
static int32_t spread(const struct rb_plan *plan, const struct place *place, int64_t s,
                      struct rb_op ops[])
{
    const int64_t h = INT64_C(1) << s;
    if (place->number < h && place->number + h < place->size)
        ops[0] = whole(plan, RB_SEND, numbered(place, (int32_t)(place->number + h)));
    else if (place->number >= h && place->number < 2 * h)
        ops[0] = whole(plan, RB_RECV, numbered(place, (int32_t)(place->number - h)));
    else
        return 0;
    return 1;
}

/* Round s over groups, of which h are informed. */
static int32_t fan(const struct rb_plan *plan, const struct place *place, int64_t h, int64_t s,
                   struct rb_op ops[])
{
    if (place->relative < h) {
        const int64_t j = s * place->size + place->number + 1, to = place->relative + j * h;
        if (j >= plan->radix || to >= plan->groups.count)
            return 0;
        const struct place there = place_of_group(plan, to);
        ops[0] = whole(plan, RB_SEND, numbered(&there, 0));
        return 1;
    }
    if (place->number > 0 || place->relative >= h * plan->radix)
        return 0;
    const struct place there = place_of_group(plan, place->relative % h);
    const int64_t j = place->relative / h - 1;
    if (j / there.size != s)
        return 0;
    ops[0] = whole(plan, RB_RECV, numbered(&there, (int32_t)(j % there.size)));
    return 1;
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const int64_t *number = plan->data.number, levels = number[LEVELS];
    const int64_t steps = number[STEPS] / STEPS_BEFORE, before = number[STEPS] % STEPS_BEFORE;
    const int64_t each = steps + number[OUTER];
    int64_t level = t / each;
    level = level < levels - 1 ? level : levels - 1;
    if (levels == 0 || t - level * each >= steps + number[LAST_OUTER])
        level = level < levels - 1 ? level : levels;
    int64_t s = t - level * each;
    if (level == levels && levels > 0)
        s += number[OUTER] - number[LAST_OUTER];
    const int64_t outer = level == levels       ? 0
                          : level == levels - 1 ? number[LAST_OUTER]
                                                : number[OUTER];
    const struct place place = place_of(plan, state->rank);
    const int64_t h = informed(plan, level);
    if (s >= before && s < before + outer)
        return fan(plan, &place, h, s - before, ops);
    const bool is_new = place.relative < h && (level == 0 || place.relative >= h / plan->radix);
    return is_new ? spread(plan, &place, s < before ? s : s - outer, ops) : 0;
}

RB_ROW(rb_bcast_fan, "bcast", "fan", "tree over groups, whose ranks send to several groups at once",
       "docs/groups.md", "at most ceil(log_r N) ceil((r - 1)/J) + (ceil(log_r N) + 1) ceil(log2 K)",
       RB_AT_ONCE, .info.radix = "an informed group informs r - 1 others in a level",
       .info.groups = true, .init = init, .round = round_);
