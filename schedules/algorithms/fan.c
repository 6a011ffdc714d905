/* fan.c - a tree over groups of ranks that share a port, for short messages: several ranks of an
 * informed group send to other groups at once. A broadcast and a scatter.
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
#include "schedules/patterns/tree.h"
#include "schedules/plan/plan.h"

#define FAN_RADIX "an informed group informs r - 1 others in a level"

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

/* The least radix with as few levels as any that the root's group, which sends in all of them, can
 * serve at once. */
static int32_t usual_radix(const struct rb_plan *plan, int32_t most)
{
    const struct rb_groups *groups = &plan->groups;
    const int32_t size = rb_group_size(groups, rb_group_of(groups, plan->root));
    int32_t best = 2;
    for (int32_t radix = 3; radix <= most && radix - 1 <= size && radix <= groups->count; radix++)
        if (rb_ceil_log(groups->count, radix) < rb_ceil_log(groups->count, best))
            best = radix;
    return best;
}

static int init(struct rb_plan *plan, int32_t most_radix, char *why, size_t why_size)
{
    const struct rb_groups *groups = &plan->groups;
    int32_t smallest, largest;
    rb_groups_extent(groups, &smallest, &largest);
    if (plan->radix == 0)
        plan->radix = usual_radix(plan, most_radix);
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

/* What a rank sends or receives in a round. The receiver is a number of a group that is informed
 * by it, or inside one; what it passes on later is then for every stride-th group, or number. */
struct message {
    enum rb_op_kind kind;
    int32_t peer;
    struct place to; /* the receiver */
    int64_t stride;
    bool inside;
};

/* Step s inside a group. */
static bool spread(const struct place *place, int64_t s, struct message *message)
{
    const int64_t h = INT64_C(1) << s;
    const bool sends = place->number < h && place->number + h < place->size;
    *message = (struct message){RB_SEND, 0, *place, 2 * h, true};
    if (sends) {
        message->to.number += (int32_t)h;
        message->peer = numbered(place, message->to.number);
    } else {
        message->kind = RB_RECV;
        message->peer = numbered(place, place->number >= h ? place->number - (int32_t)h : 0);
    }
    return sends || (place->number >= h && place->number < 2 * h);
}

/* Round s over groups, of which h are informed. */
static bool fan(const struct rb_plan *plan, const struct place *place, int64_t h, int64_t s,
                struct message *message)
{
    *message = (struct message){RB_SEND, 0, *place, h * plan->radix, false};
    if (place->relative < h) {
        const int64_t j = s * place->size + place->number + 1, to = place->relative + j * h;
        if (j >= plan->radix || to >= plan->groups.count)
            return false;
        message->to = place_of_group(plan, to);
        message->peer = numbered(&message->to, 0);
        return true;
    }
    if (place->number > 0 || place->relative >= h * plan->radix)
        return false;
    const struct place there = place_of_group(plan, place->relative % h);
    const int64_t j = place->relative / h - 1;
    message->kind = RB_RECV;
    message->peer = numbered(&there, (int32_t)(j % there.size));
    return j / there.size == s;
}

static bool find_message(const struct rb_plan *plan, int32_t rank, int64_t t,
                         struct message *message)
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
    const struct place place = place_of(plan, rank);
    const int64_t h = informed(plan, level);
    if (s >= before && s < before + outer)
        return fan(plan, &place, h, s - before, message);
    const bool is_new = place.relative < h && (level == 0 || place.relative >= h / plan->radix);
    return is_new && spread(&place, s < before ? s : s - outer, message);
}

static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    struct message message;
    while (t < plan->rounds && !find_message(plan, state->rank, t, &message))
        t++;
    return t;
}

/* ---- Broadcast ------------------------------------------------------------------------------- */

static int bcast_init(struct rb_plan *plan, char *why, size_t why_size)
{
    enum { MOST_RADIX = 6 }; /* since the messages of a level share the port */
    plan->max_ops = 1;
    return init(plan, MOST_RADIX, why, why_size);
}

static int32_t bcast_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                           struct rb_op ops[])
{
    struct message message;
    if (!find_message(plan, state->rank, t, &message))
        return 0;
    ops[0] = rb_root_op(plan, message.kind, 0, 0, plan->n);
    ops[0].peer = message.peer;
    return 1;
}

RB_ROW(rb_bcast_fan, "bcast", "fan", "tree over groups, whose ranks send to several groups at once",
       "docs/groups.md", RB_FAN_ROUNDS, RB_AT_ONCE, .info.radix = FAN_RADIX, .info.groups = true,
       .init = bcast_init, .round = bcast_round, .next = next);

/* ---- Scatter --------------------------------------------------------------------------------- */

/* The same tree, in which a message has the parts of all ranks that it informs. Volume: each part
 * leaves a group at most once in a level, and takes ceil(log2 K) messages inside one. Several ranks
 * of the root's group send at once, so that their start-ups overlap.
 *
 * N = 3 groups of 2, r = 3, root 0: 0 -> 1 the parts 1, 4, 5; 0 -> 2 the parts 2, 3 and 1 -> 4 the
 * parts 4, 5; then 2 -> 3 and 4 -> 5. */

static int scatter_init(struct rb_plan *plan, char *why, size_t why_size)
{
    plan->max_ops = plan->p;
    return init(plan, INT32_MAX, why, why_size); /* what leaves the root is as much with any */
}

static int32_t add(const struct rb_plan *plan, const struct message *message, int32_t owner,
                   struct rb_op ops[], int32_t count)
{
    ops[count] = (struct rb_op){
        .kind = message->kind, .peer = message->peer, .at = {RB_DST, owner, 0, plan->n}};
    return count + 1;
}

/* The parts of the groups from this one on that are so far apart. */
static int32_t add_groups(const struct rb_plan *plan, const struct message *message, int64_t group,
                          int64_t apart, struct rb_op ops[], int32_t count)
{
    for (; group < plan->groups.count; group += apart) {
        const struct place place = place_of_group(plan, group);
        for (int32_t i = 0; i < place.size; i++)
            count = add(plan, message, place.first + i, ops, count);
    }
    return count;
}

/* The parts of the groups that are informed by this number of the group, and by way of them. */
static int32_t add_informed(const struct rb_plan *plan, const struct message *message,
                            int32_t number, struct rb_op ops[], int32_t count)
{
    int64_t h = 1;
    while (h <= message->to.relative)
        h *= plan->radix;
    for (; h < plan->groups.count; h *= plan->radix)
        for (int64_t j = (int64_t)number + 1; j < plan->radix; j += message->to.size)
            count = add_groups(plan, message, message->to.relative + j * h, h * plan->radix, ops,
                               count);
    return count;
}

static int32_t scatter_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                             struct rb_op ops[])
{
    struct message message;
    int32_t count = 0;
    if (!find_message(plan, state->rank, t, &message))
        return 0;
    if (!message.inside)
        return add_groups(plan, &message, message.to.relative, message.stride, ops, 0);
    for (int64_t i = message.to.number; i < message.to.size; i += message.stride) {
        count = add(plan, &message, numbered(&message.to, (int32_t)i), ops, count);
        count = add_informed(plan, &message, (int32_t)i, ops, count);
    }
    return count;
}

RB_ROW(rb_scatter_fan, "scatter", "fan",
       "tree over groups, whose ranks send to several groups at once", "docs/groups.md",
       RB_FAN_ROUNDS, RB_FOR_RANK, .info.radix = FAN_RADIX, .info.groups = true,
       .init = scatter_init, .round = scatter_round, .next = next);
