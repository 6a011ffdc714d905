/* scan_hosts.c - scans over groups that share a port: what their ranks have together is halved
 * inside a group, scanned between groups by shares, and doubled inside.
 *
 * Source: this project; docs/groups.md. The least group has 2^s ranks or more, below 2^(s+1), and
 * the vector S = 2^s lanes. Of a group of K ranks 2^b take part (folded.h). All values are of
 * consecutive ranks, in their order.
 *   Up, b steps: of two aligned sets of 2^k participants, i in the lower one and j = i + 2^k have
 *   the same lanes, as long as k < s; each hands the half that is the other's its value V of its
 *   set and combines. From k = s on, and where ranks are folded away, j hands i all it has. The
 *   keeper has T, the lower set's V. At the end participant i < S has lane i in reversed bits.
 *   Between groups: a scan of each lane by the groups' shares of it (halving.h), one message into
 *   and out of a rank per round. It gives E, what precedes the group.
 *   Down: a keeper below has E of both sets, and E T is the other's; one above gives E back and
 *   goes on with E T.
 * At the end each rank has E of itself, which is the exclusive result; and for the inclusive one
 * combines its own contribution, which it has kept.
 *
 * Rounds: 2 (f + B + ceil(log2 N)), B of the largest group, f = 1 if ranks are folded away. Volume:
 * 2 (N - 1)/N of the vector into and out of a group, 2 (S - 1 + b - s)/S per participant inside,
 * and 2 where ranks are folded away. No state per rank.
 *
 * Buffers: V is where the contributions are, E in the first S slots of TMP, T in others behind.
 *
 * p = 4, 2 groups of 2, S = 2: t = 0: rank 0 has lane 0 of x0 x1 and T = x0, rank 1 lane 1; t = 1,
 * 2: ranks 0 and 2 scan lane 0, by a share for each group, 1 and 3 lane 1; t = 3: rank 2 sends 3 E
 * x2 of lane 0, and 3 sends 2 E of lane 1. */
#include "schedules/patterns/folded.h"
#include "schedules/patterns/halving.h"
#include "schedules/patterns/row.h"

/* No host has so many ranks; more lanes would be more operations than fit in an int32_t. */
enum { MOST_SPLIT = 16 };

struct hosts {
    int32_t split, levels, fold, between; /* s, B, f, ceil(log2 N) */
};

static struct hosts hosts_of(const struct rb_plan *plan)
{
    const int64_t *number = plan->data.number;
    return (struct hosts){(int32_t)number[0], (int32_t)number[1], (int32_t)number[2],
                          (int32_t)number[3]};
}

/* A rank and its group. */
struct place {
    const struct rb_plan *plan;
    struct hosts hosts;
    int32_t rank, group, first;
    struct rb_folded folded;
    int32_t participant; /* -1: folded away */
};

static struct place place_of(const struct rb_plan *plan, int32_t rank)
{
    const int32_t group = rb_group_of(&plan->groups, rank);
    const int32_t first = rb_group_first(&plan->groups, group);
    const struct rb_folded folded = rb_folded_of(rb_group_size(&plan->groups, group));
    return (struct place){
        plan, hosts_of(plan), rank, group, first, folded, rb_folded_number(&folded, rank - first)};
}

/* Consecutive lanes. */
struct lanes {
    int32_t first, count;
};

/* What a participant has left after k steps up. */
static struct lanes lanes_after(const struct hosts *hosts, int32_t k, int32_t participant)
{
    const int32_t halved = k < hosts->split ? k : hosts->split;
    struct lanes lanes = {0, (int32_t)1 << (hosts->split - halved)};
    for (int32_t i = 0; i < halved; i++)
        lanes.first += (participant >> i & 1) << (hosts->split - 1 - i);
    return lanes;
}

/* ---- Buffers --------------------------------------------------------------------------------- */

static int64_t lane_blocks(const struct rb_plan *plan)
{
    return plan->groups.count * plan->n;
}

static bool is_inclusive(const struct rb_plan *plan)
{
    return plan->collective == &rb_scan;
}

static struct rb_range lane_in(const struct rb_plan *plan, enum rb_buffer buffer, int32_t lane)
{
    const int64_t blocks = lane_blocks(plan);
    return (struct rb_range){buffer, 0, lane * blocks, blocks};
}

static struct rb_range value_of(const struct rb_plan *plan, int32_t lane)
{
    return lane_in(plan, is_inclusive(plan) ? RB_DST : RB_SRC, lane);
}

static struct rb_range in_slot(const struct rb_plan *plan, int32_t lane, int32_t slot)
{
    struct rb_range range = lane_in(plan, RB_TMP, lane);
    range.owner = slot;
    return range;
}

static struct rb_range earlier_of(const struct rb_plan *plan, int32_t lane)
{
    return in_slot(plan, lane, lane);
}

/* The slots of T: behind E's, S - 1 for the steps that halve, one for each other step and for each
 * level between groups, and S where ranks are folded. */
static int32_t first_slot_between(const struct hosts *hosts)
{
    return ((int32_t)2 << hosts->split) - 1 + hosts->levels - hosts->split;
}

static int32_t slots(const struct hosts *hosts)
{
    return first_slot_between(hosts) + hosts->between + (hosts->fold << hosts->split);
}

/* ---- Steps inside ---------------------------------------------------------------------------- */

struct step {
    int32_t partner;
    bool lower;
    struct lanes mine, others; /* what this rank keeps, and what its partner does */
    int32_t slot;              /* of T, of the first lane of mine */
    bool follows;              /* ranks precede the lower set */
};

static struct step fold_step(const struct place *place)
{
    const struct hosts *hosts = &place->hosts;
    const struct lanes all = lanes_after(hosts, 0, 0), none = {0, 0};
    const int32_t lower = place->rank - (place->rank - place->first) % 2;
    const bool is_lower = place->rank == lower;
    return (struct step){is_lower ? lower + 1 : lower,
                         is_lower,
                         is_lower ? all : none,
                         is_lower ? none : all,
                         first_slot_between(hosts) + hosts->between,
                         lower > 0};
}

/* Step k of the participants; false: this one has nothing to do. */
static bool step_between(const struct place *place, int32_t k, struct step *step)
{
    const struct hosts *hosts = &place->hosts;
    const int32_t i = place->participant, S = (int32_t)1 << hosts->split, split = hosts->split;
    if (i < 0 || k >= place->folded.steps || (k > split && (i >> split & ((1 << (k - split)) - 1))))
        return false;
    const int32_t bit = (int32_t)1 << k, set = i & ~(2 * bit - 1);
    *step = (struct step){
        .partner = place->first + rb_folded_rank(&place->folded, i ^ bit),
        .lower = (i & bit) == 0,
        .mine = lanes_after(hosts, k + 1, i),
        .others = lanes_after(hosts, k + 1, i ^ bit),
        .slot = k < split ? 2 * S - (S >> k) : 2 * S - 1 + k - split,
        .follows = place->first + rb_folded_rank(&place->folded, set) > 0,
    };
    if (k >= split) /* the lower one keeps all */
        *(step->lower ? &step->others : &step->mine) = (struct lanes){0, 0};
    return true;
}

/* The step of a rank, with the one in which ranks are folded away as the first if there is any. */
static bool step_of(const struct place *place, int32_t number, struct step *step)
{
    if (place->hosts.fold == 0 || number > 0)
        return step_between(place, number - place->hosts.fold, step);
    if (place->rank - place->first >= 2 * place->folded.folded)
        return false;
    *step = fold_step(place);
    return true;
}

/* ---- Operations ------------------------------------------------------------------------------ */

struct list {
    const struct rb_plan *plan;
    int32_t rank;
    struct rb_op *ops;
    int32_t count;
};

static void message(struct list *list, enum rb_op_kind kind, int32_t peer, struct rb_range at)
{
    list->ops[list->count++] = (struct rb_op){.kind = kind, .peer = peer, .at = at};
}

static void local(struct list *list, enum rb_op_kind kind, struct rb_range at, struct rb_range from,
                  bool left)
{
    list->ops[list->count++] = (struct rb_op){
        .kind = kind, .peer = list->rank, .at = at, .from = from, .incoming_is_left = left};
}

static struct rb_range kept_of(const struct rb_plan *plan, const struct step *step, int32_t lane)
{
    return in_slot(plan, lane, step->slot + lane - step->mine.first);
}

/* The upper set's V comes into E's place, which is free; the lower one's V stays behind as T. */
static void up(struct list *list, const struct step *step)
{
    const struct rb_plan *plan = list->plan;
    const struct lanes mine = step->mine, others = step->others;
    for (int32_t lane = others.first; lane < others.first + others.count; lane++)
        message(list, RB_SEND, step->partner, value_of(plan, lane));
    for (int32_t lane = mine.first; lane < mine.first + mine.count; lane++)
        message(list, RB_RECV, step->partner,
                step->lower ? earlier_of(plan, lane) : kept_of(plan, step, lane));
    for (int32_t lane = mine.first; lane < mine.first + mine.count; lane++) {
        const struct rb_range value = value_of(plan, lane), kept = kept_of(plan, step, lane);
        if (step->lower)
            local(list, RB_COPY, kept, value, false);
        local(list, RB_REDUCE, value, step->lower ? earlier_of(plan, lane) : kept, !step->lower);
    }
}

/* Before a step down: T becomes E of the upper set. */
static void prepare(struct list *list, const struct step *step)
{
    for (int32_t i = 0; step->lower && step->follows && i < step->mine.count; i++) {
        const int32_t lane = step->mine.first + i;
        local(list, RB_REDUCE, kept_of(list->plan, step, lane), earlier_of(list->plan, lane), true);
    }
}

static void down(struct list *list, const struct step *step)
{
    const struct rb_plan *plan = list->plan;
    const struct lanes mine = step->mine, others = step->others;
    for (int32_t lane = mine.first; lane < mine.first + mine.count; lane++)
        if (step->lower || step->follows)
            message(list, RB_SEND, step->partner,
                    step->lower ? kept_of(plan, step, lane) : earlier_of(plan, lane));
    for (int32_t lane = others.first; lane < others.first + others.count; lane++)
        if (!step->lower || step->follows)
            message(list, RB_RECV, step->partner, earlier_of(plan, lane));
    for (int32_t lane = mine.first; lane < mine.first + mine.count && !step->lower; lane++)
        local(list, step->follows ? RB_REDUCE : RB_COPY, earlier_of(plan, lane),
              kept_of(plan, step, lane), false);
}

static bool has_lane(const struct place *place)
{
    return place->participant >= 0 && place->participant >> place->hosts.split == 0;
}

/* A round between groups, of ranks that have a lane; their peers have the same lane. */
static void between(struct list *list, const struct place *place, int64_t round)
{
    const struct rb_plan *plan = list->plan;
    const struct hosts *hosts = &place->hosts;
    const int32_t lane = lanes_after(hosts, hosts->split, place->participant).first;
    const struct rb_halving halving = {
        .plan = plan,
        .nodes = plan->groups.count,
        .node = place->group,
        .rank = place->rank,
        .before = lane * lane_blocks(plan),
        .value = value_of(plan, lane),
        .earlier = earlier_of(plan, lane),
        .first_kept = first_slot_between(hosts),
    };
    struct rb_op *ops = &list->ops[list->count];
    const int32_t count =
        round < hosts->between
            ? rb_halving_up(&halving, (int32_t)round, ops)
            : rb_halving_down(&halving, (int32_t)(2 * hosts->between - 1 - round), ops);
    for (int32_t i = 0; i < count && ops[i].kind < RB_COPY; i++) { /* the messages */
        const struct rb_groups *groups = &plan->groups;
        const struct rb_folded folded = rb_folded_of(rb_group_size(groups, ops[i].peer));
        ops[i].peer =
            rb_group_first(groups, ops[i].peer) + rb_folded_rank(&folded, place->participant);
    }
    list->count += count;
}

/* An inclusive scan keeps the contribution in SRC. */
static void whole(struct list *list, enum rb_op_kind kind, enum rb_buffer to, enum rb_buffer from)
{
    const int64_t blocks = list->plan->blocks;
    local(list, kind, (struct rb_range){to, 0, 0, blocks}, (struct rb_range){from, 0, 0, blocks},
          false);
}

/* As the first local operation. */
static void keep_contribution(struct list *list)
{
    whole(list, RB_COPY, RB_SRC, RB_DST);
    const struct rb_op copy = list->ops[list->count - 1];
    int32_t at = list->count - 1;
    for (; at > 0 && list->ops[at - 1].peer == list->rank; at--)
        list->ops[at] = list->ops[at - 1];
    list->ops[at] = copy;
}

static void finish(struct list *list)
{
    const bool inclusive = is_inclusive(list->plan);
    const int32_t lanes = (int32_t)1 << hosts_of(list->plan).split;
    for (int32_t lane = 0; lane < lanes && list->rank > 0; lane++)
        local(list, RB_COPY, lane_in(list->plan, RB_DST, lane), earlier_of(list->plan, lane),
              false);
    if (inclusive)
        whole(list, list->rank > 0 ? RB_REDUCE : RB_COPY, RB_DST, RB_SRC);
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const struct place place = place_of(plan, state->rank);
    const struct hosts *hosts = &place.hosts;
    const int32_t steps = hosts->fold + hosts->levels;
    const int64_t last = plan->rounds - 1;
    struct list list = {plan, state->rank, ops, 0};
    struct step step;
    if (t >= steps && last - t >= steps) {
        if (has_lane(&place))
            between(&list, &place, t - steps);
    } else if (step_of(&place, (int32_t)(t < steps ? t : last - t), &step)) {
        (t < steps ? up : down)(&list, &step);
    }
    if (last - t <= steps && t < last && step_of(&place, (int32_t)(last - t - 1), &step))
        prepare(&list, &step);
    if (t == 0 && is_inclusive(plan))
        keep_contribution(&list);
    if (t == last)
        finish(&list);
    return list.count;
}

static bool prepares(const struct place *place, int64_t t)
{
    const int64_t last = place->plan->rounds - 1;
    struct step step;
    return last - t <= place->hosts.fold + place->hosts.levels && t < last &&
           step_of(place, (int32_t)(last - t - 1), &step) && step.lower && step.follows &&
           step.mine.count > 0;
}

static bool acts(const struct place *place, int64_t t)
{
    const int64_t steps = place->hosts.fold + place->hosts.levels, last = place->plan->rounds - 1;
    const bool ends = t == last && place->rank > 0;
    struct step step;
    return ends || (is_inclusive(place->plan) && (t == 0 || t == last)) || prepares(place, t) ||
           (t >= steps && last - t >= steps
                ? has_lane(place)
                : step_of(place, (int32_t)(t < steps ? t : last - t), &step));
}

static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    const struct place place = place_of(plan, state->rank);
    while (t < plan->rounds && !acts(&place, t))
        t++;
    return t;
}

/* ---- The plan -------------------------------------------------------------------------------- */

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    int32_t smallest, largest;
    rb_groups_extent(&plan->groups, &smallest, &largest);
    const int32_t split = rb_folded_of(smallest).steps;
    struct hosts hosts = {.split = split < MOST_SPLIT ? split : MOST_SPLIT,
                          .levels = rb_folded_of(largest).steps,
                          .between = rb_ceil_log2(plan->groups.count)};
    for (int32_t g = 0; g < plan->groups.count; g++)
        if (rb_folded_of(rb_group_size(&plan->groups, g)).folded > 0)
            hosts.fold = 1;
    const int32_t lanes = (int32_t)1 << hosts.split;
    plan->data.number[0] = hosts.split;
    plan->data.number[1] = hosts.levels;
    plan->data.number[2] = hosts.fold;
    plan->data.number[3] = hosts.between;
    plan->rounds = 2 * (hosts.fold + hosts.levels + (int64_t)hosts.between);
    plan->max_ops = 4 * lanes + 3 * (plan->groups.count / 2) + 8;
    plan->slot_blocks = plan->groups.count * plan->n;
    plan->tmp_rows = (int32_t)rb_ceil_divide(slots(&hosts), lanes);
    plan->buffers |= 1u << RB_SRC | 1u << RB_TMP;
    const int status = rb_need_one_port(plan, why, why_size);
    return status != RB_OK
               ? status
               : rb_multiply_blocks(plan, (int64_t)lanes * plan->groups.count, why, why_size);
}

#define HOSTS(collective_)                                                                         \
    RB_ROW(rb_##collective_##_hosts, #collective_, "hosts",                                        \
           "halved inside groups that share a port, and scanned by shares between them",           \
           "docs/groups.md", "at most 2 (ceil(log2 N) + floor(log2 K)) + 2",                       \
           .info.blocks = "blocks in each group's share of a lane, which travel together",         \
           .info.groups = true, .init = init, .round = round_, .next = next,                       \
           .ordered_for_root_0 = true)

HOSTS(scan);
HOSTS(exscan);
