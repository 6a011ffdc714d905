#include "levels.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lanes.h"

/* At most two stages have a state per rank; each of them has half of the rank's. */
enum { HALVES = 2, HALF = sizeof((struct rb_rank *)0)->state / HALVES };

struct stage {
    enum rb_level level;
    int half;              /* of the rank's state; -1: none */
    struct rb_plan **part; /* for each size of a group; over groups only one */
    int64_t rounds;        /* of the longest part */
};

struct levels {
    int32_t stages;
    int32_t lanes;                  /* 0: none */
    int32_t root_group, root_place; /* the root's group, and its place there */
    int32_t sizes, *size;           /* the sizes of groups */
    struct stage stage[RB_MOST_STAGES];
};

static const struct levels *levels_of(const struct rb_plan *plan)
{
    return plan->data.own;
}

static bool is_inside(enum rb_level level)
{
    return level == RB_INSIDE || level == RB_INSIDE_ROOT;
}

static int32_t parts_of(const struct levels *levels, const struct stage *stage)
{
    return is_inside(stage->level) ? levels->sizes : 1;
}

/* ---- Making plans ---------------------------------------------------------------------------- */

static int32_t smallest_size(const struct rb_plan *plan)
{
    int32_t smallest, largest;
    rb_groups_extent(&plan->groups, &smallest, &largest);
    return smallest;
}

/* Stages inside that have a radix know shares. */
bool rb_levels_suit(const struct rb_plan *plan)
{
    return plan->algorithm->stages[0].algorithm->info.radix != NULL ||
           (plan->groups.size > 0 && plan->p % plan->groups.size == 0);
}

static int add_size(struct levels *levels, int32_t size)
{
    for (int32_t i = 0; i < levels->sizes; i++)
        if (levels->size[i] == size)
            return RB_OK;
    int32_t *more = realloc(levels->size, ((size_t)levels->sizes + 1) * sizeof *more);
    if (more == NULL)
        return RB_ENOMEM;
    levels->size = more;
    levels->size[levels->sizes++] = size;
    return RB_OK;
}

/* If sizes are equal, only that of the last group may be another one. */
static int find_sizes(const struct rb_groups *groups, struct levels *levels)
{
    int status = add_size(levels, rb_group_size(groups, 0));
    for (int32_t group = groups->size > 0 ? groups->count - 1 : 1;
         status == RB_OK && group < groups->count; group++)
        status = add_size(levels, rb_group_size(groups, group));
    return status;
}

static int32_t largest_size(const struct levels *levels)
{
    int32_t largest = 0;
    for (int32_t i = 0; i < levels->sizes; i++)
        largest = levels->size[i] > largest ? levels->size[i] : largest;
    return largest;
}

/* True if ranks have a schedule in plans by this algorithm. */
static bool has_state(const struct rb_algorithm *algorithm)
{
    if (algorithm->forward != NULL)
        return has_state(algorithm->forward);
    if (algorithm->parts[0] != NULL)
        return has_state(algorithm->parts[0]) || has_state(algorithm->parts[1]);
    return algorithm->rank != NULL;
}

/* The plans of one stage, of n blocks each. */
static int make_parts(const struct rb_plan *plan, const struct rb_algorithm *algorithm, int64_t n,
                      struct stage *stage, char *why, size_t why_size)
{
    const struct levels *levels = levels_of(plan);
    const struct rb_collective *collective = rb_collective_named(algorithm->info.collective);
    const int32_t parts = parts_of(levels, stage);
    stage->part = calloc((size_t)parts, sizeof(struct rb_plan *));
    if (stage->part == NULL)
        return rb_why(why, why_size, RB_ENOMEM, "out of memory");
    for (int32_t i = 0; i < parts; i++) {
        const struct rb_plan_spec spec = {
            .p = is_inside(stage->level) ? levels->size[i] : plan->groups.count,
            .n = n,
            .radix = algorithm->info.radix != NULL && levels->lanes > 1 ? levels->lanes : 0,
            .ordered = plan->ordered && collective->info.reducing};
        const int status =
            rb_plan_make(collective, algorithm, &spec, &stage->part[i], why, why_size);
        if (status != RB_OK)
            return status;
        if (stage->part[i]->rounds > stage->rounds)
            stage->rounds = stage->part[i]->rounds;
    }
    return RB_OK;
}

/* How many owners' data one owner of a stage's plan can stand for. */
static int64_t most_owners(const struct rb_plan *plan, const struct stage *stage)
{
    const struct levels *levels = levels_of(plan);
    if (plan->owners == 1 || stage->level == RB_LANES)
        return 1;
    if (!stage->part[0]->collective->info.distributed)
        return plan->p;
    return stage->level == RB_OVER ? largest_size(levels)
           : levels->lanes > 0     ? plan->groups.count
                                   : 1;
}

static void add_stage(struct rb_plan *plan, const struct stage *stage)
{
    const struct levels *levels = levels_of(plan);
    plan->rounds += stage->rounds;
    for (int32_t i = 0; i < parts_of(levels, stage); i++) {
        const int64_t ops = most_owners(plan, stage) * stage->part[i]->max_ops;
        if (ops > plan->max_ops)
            plan->max_ops = ops < INT32_MAX ? (int32_t)ops : INT32_MAX;
        plan->buffers |= stage->part[i]->buffers;
    }
}

/* Plans over groups say how many blocks there are inside. */
static int make_stages(struct rb_plan *plan, struct levels *levels, char *why, size_t why_size)
{
    const struct rb_stage *list = plan->algorithm->stages;
    int64_t blocks = plan->n;
    int halves = 0;
    for (int inside = 0; inside < 2; inside++)
        for (int32_t i = 0; i < RB_MOST_STAGES && list[i].algorithm != NULL; i++) {
            struct stage *stage = &levels->stage[i];
            if (is_inside(list[i].level) != inside)
                continue;
            levels->stages++;
            stage->level = list[i].level;
            stage->half = has_state(list[i].algorithm) ? halves++ : -1;
            const bool divided =
                rb_collective_named(list[i].algorithm->info.collective)->info.distributed;
            const int status =
                make_parts(plan, list[i].algorithm, inside && !divided ? plan->blocks : blocks,
                           stage, why, why_size);
            if (status != RB_OK)
                return status;
            if (!inside && plan->owners == 1) {
                blocks = stage->part[0]->blocks;
                plan->blocks = blocks * (levels->lanes > 0 ? levels->lanes : 1);
            }
        }
    assert(halves <= HALVES);
    return RB_OK;
}

static bool has_lanes(const struct rb_algorithm *algorithm)
{
    for (int32_t i = 0; i < RB_MOST_STAGES && algorithm->stages[i].algorithm != NULL; i++)
        if (algorithm->stages[i].level == RB_LANES)
            return true;
    return false;
}

int rb_levels_init(struct rb_plan *plan, char *why, size_t why_size)
{
    plan->data.own = NULL;
    int status = rb_need_one_port(plan, why, why_size);
    if (status != RB_OK)
        return status;
    if (has_lanes(plan->algorithm) && !rb_levels_suit(plan))
        return rb_why(why, why_size, RB_ENOTSUP,
                      "%s %s needs groups of equal sizes: %d ranks can't be in groups of %s",
                      plan->collective->info.name, plan->algorithm->info.name, (int)plan->p,
                      plan->groups.text);
    struct levels *levels = calloc(1, sizeof *levels);
    if (levels == NULL)
        return rb_why(why, why_size, RB_ENOMEM, "out of memory");
    plan->data.own = levels;
    levels->lanes = has_lanes(plan->algorithm) ? smallest_size(plan) : 0;
    levels->root_group = rb_group_of(&plan->groups, plan->root);
    levels->root_place = plan->root - rb_group_first(&plan->groups, levels->root_group);
    status = find_sizes(&plan->groups, levels);
    if (status != RB_OK)
        rb_why(why, why_size, status, "out of memory");
    else
        status = make_stages(plan, levels, why, why_size);
    if (status != RB_OK) {
        rb_levels_fini(plan);
        return status;
    }
    plan->max_ops = 1;
    for (int32_t i = 0; i < levels->stages; i++)
        add_stage(plan, &levels->stage[i]);
    return RB_OK;
}

void rb_levels_fini(struct rb_plan *plan)
{
    struct levels *levels = plan->data.own;
    for (int32_t i = 0; i < RB_MOST_STAGES; i++) { /* those that are made, not the first ones */
        struct stage *stage = &levels->stage[i];
        for (int32_t k = 0; stage->part != NULL && k < parts_of(levels, stage); k++)
            rb_plan_destroy(stage->part[k]);
        free(stage->part);
    }
    free(levels->size);
    free(levels);
}

/* ---- Ranks of a stage ------------------------------------------------------------------------ */

/* A group, its size, and the place of its member 0. */
struct group {
    int32_t number, first, size, start;
};

static struct group group_of(const struct rb_plan *plan, int32_t number)
{
    const struct levels *levels = levels_of(plan);
    return (struct group){
        .number = number,
        .first = rb_group_first(&plan->groups, number),
        .size = rb_group_size(&plan->groups, number),
        .start = levels->lanes > 0 || number == levels->root_group ? levels->root_place : 0};
}

static int32_t member_of(const struct group *group, int32_t rank)
{
    const int32_t place = rank - group->first;
    return place >= group->start ? place - group->start : place + (group->size - group->start);
}

static int32_t rank_of(const struct group *group, int32_t member)
{
    const int32_t to_end = group->size - group->start;
    return group->first + (member < to_end ? member + group->start : member - to_end);
}

/* The group that is node number `node` of plans over groups. */
static struct group group_at(const struct rb_plan *plan, int32_t node)
{
    const int32_t root = levels_of(plan)->root_group, to_end = plan->groups.count - root;
    return group_of(plan, node < to_end ? node + root : node - to_end);
}

static int32_t node_of(const struct rb_plan *plan, const struct group *group)
{
    const int32_t root = levels_of(plan)->root_group;
    return group->number >= root ? group->number - root
                                 : group->number + (plan->groups.count - root);
}

/* The member with this lane, and a member's lane, or -1. */
static int32_t member_in_lane(const struct rb_plan *plan, const struct group *group, int32_t lane)
{
    return rb_share_owner(group->size, levels_of(plan)->lanes, lane);
}
static int32_t lane_of(const struct rb_plan *plan, const struct group *group, int32_t member)
{
    const int32_t lane = rb_shares_before(group->size, levels_of(plan)->lanes, member);
    return lane < levels_of(plan)->lanes && member_in_lane(plan, group, lane) == member ? lane : -1;
}

/* A rank in a stage. */
struct place {
    const struct rb_plan *part; /* NULL: it takes no part */
    enum rb_level level;
    struct group group;
    int32_t member, lane; /* in stages of lanes */
    int32_t node;         /* its rank in the part */
};

static struct place place_of(const struct rb_plan *plan, const struct stage *stage, int32_t rank)
{
    const struct levels *levels = levels_of(plan);
    struct place place = {.level = stage->level,
                          .group = group_of(plan, rb_group_of(&plan->groups, rank))};
    place.member = place.node = member_of(&place.group, rank);
    if ((stage->level == RB_INSIDE_ROOT && place.group.number != levels->root_group) ||
        (stage->level == RB_OVER && place.member != 0))
        return place;
    if (stage->level == RB_LANES && (place.lane = lane_of(plan, &place.group, place.member)) < 0)
        return place;
    place.part = stage->part[0];
    if (!is_inside(stage->level))
        place.node = node_of(plan, &place.group);
    else
        for (int32_t i = 0; levels->size[i] != place.group.size;)
            place.part = stage->part[++i];
    return place;
}

static struct rb_rank state_of(const struct rb_rank *state, const struct stage *stage,
                               const struct place *place)
{
    struct rb_rank of_part = {.rank = place->node, .relative = place->node};
    if (stage->half >= 0)
        memcpy(of_part.state.byte, state->state.byte + stage->half * HALF, HALF);
    return of_part;
}

void rb_levels_rank(const struct rb_plan *plan, struct rb_rank *state)
{
    const struct levels *levels = levels_of(plan);
    for (int32_t i = 0; i < levels->stages; i++) {
        const struct stage *stage = &levels->stage[i];
        const struct place place = place_of(plan, stage, state->rank);
        struct rb_rank of_part = {0};
        if (place.part == NULL || stage->half < 0)
            continue;
        rb_plan_rank(place.part, place.node, &of_part);
        memcpy(state->state.byte + stage->half * HALF, of_part.state.byte, HALF);
    }
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

/* Ranks first, first + step, ...; `count` of them. */
struct ranks {
    int32_t first, step, count;
};

/* The owners for which an owner of the part stands. */
static struct ranks owners_of(const struct rb_plan *plan, const struct place *place, int32_t owner)
{
    if (!place->part->collective->info.distributed)
        return (struct ranks){0, 1, plan->p};
    if (is_inside(place->level)) /* the collectives of which all ranks own data have no root */
        return levels_of(plan)->lanes > 0
                   ? (struct ranks){owner, plan->groups.size, plan->groups.count}
                   : (struct ranks){rank_of(&place->group, owner), 1, 1};
    const struct group group = group_at(plan, owner);
    return place->level == RB_OVER ? (struct ranks){group.first, 1, group.size}
                                   : (struct ranks){rank_of(&group, place->member), 1, 1};
}

/* A part's range as one of the plan's vector. */
static void rename_shares(const struct rb_plan *plan, const struct place *place,
                          struct rb_range *range)
{
    const struct rb_plan *part = place->part;
    const int32_t share = place->level == RB_LANES ? place->lane : 0;
    range->first += (rb_owner_place(part, range->owner) + share) * part->blocks;
    range->owner = plan->root;
}

static int32_t peer_of(const struct rb_plan *plan, const struct place *place, int32_t node)
{
    if (is_inside(place->level))
        return rank_of(&place->group, node);
    const struct group group = group_at(plan, node);
    const bool in_lane = place->level == RB_LANES;
    return rank_of(&group, in_lane ? member_in_lane(plan, &group, place->lane) : 0);
}

/* Puts the operations for all owners in the place of those for the part's owners; from the last on,
 * since there are more of them. */
static int32_t rename_owners(const struct rb_plan *plan, const struct place *place,
                             struct rb_op ops[], int32_t count)
{
    int32_t total = 0;
    for (int32_t i = 0; i < count; i++)
        total += owners_of(plan, place, ops[i].at.owner).count;
    for (int32_t i = count - 1, end = total; i >= 0; i--) {
        const struct rb_op op = ops[i];
        const struct ranks owners = owners_of(plan, place, op.at.owner);
        end -= owners.count;
        for (int32_t k = 0; k < owners.count; k++) {
            ops[end + k] = op;
            ops[end + k].at.owner = owners.first + k * owners.step;
        }
    }
    return total;
}

/* The stage of round t, which becomes a round of that stage. */
static const struct stage *stage_at(const struct rb_plan *plan, int64_t *t)
{
    const struct stage *stage = levels_of(plan)->stage;
    for (; *t >= stage->rounds; stage++)
        *t -= stage->rounds;
    return stage;
}

int32_t rb_levels_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                        struct rb_op ops[])
{
    const struct stage *stage = stage_at(plan, &t);
    const struct place place = place_of(plan, stage, state->rank);
    if (place.part == NULL || t >= place.part->rounds)
        return 0;
    const struct rb_rank of_part = state_of(state, stage, &place);
    const int32_t count = rb_plan_round(place.part, &of_part, t, ops);
    for (int32_t i = 0; i < count; i++)
        ops[i].peer = peer_of(plan, &place, ops[i].peer);
    if (plan->owners > 1)
        return rename_owners(plan, &place, ops, count);
    for (int32_t i = 0; i < count; i++)
        rename_shares(plan, &place, &ops[i].at);
    return count;
}

int64_t rb_levels_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    while (t < plan->rounds) {
        int64_t round = t;
        const struct stage *stage = stage_at(plan, &round);
        const struct place place = place_of(plan, stage, state->rank);
        const int64_t start = t - round;
        if (place.part != NULL && round < place.part->rounds) {
            const struct rb_rank of_part = state_of(state, stage, &place);
            const int64_t next = rb_plan_next(place.part, &of_part, round);
            if (next < place.part->rounds)
                return start + next;
        }
        t = start + stage->rounds;
    }
    return plan->rounds;
}

/* ---- Costs ----------------------------------------------------------------------------------- */

/* The stage's plan for most ranks. */
static const struct rb_plan *largest_part(const struct levels *levels, const struct stage *stage)
{
    const struct rb_plan *largest = stage->part[0];
    for (int32_t i = 1; i < parts_of(levels, stage); i++)
        if (stage->part[i]->p > largest->p)
            largest = stage->part[i];
    return largest;
}

/* In a round, a smaller group may have the longest message. */
static double cost_of_shares(const struct levels *levels, const struct stage *stage,
                             double share_bytes, double alpha_s, double beta_s_per_byte)
{
    double cost = 0;
    for (int64_t t = 0; t < stage->rounds; t++) {
        int32_t most = 0;
        for (int32_t i = 0; i < levels->sizes; i++) {
            const struct rb_plan *part = stage->part[i];
            const int32_t shares = t < part->rounds ? rb_shares_in_round(part, t) : 0;
            most = shares > most ? shares : most;
        }
        cost += alpha_s + beta_s_per_byte * share_bytes * most;
    }
    return cost;
}

double rb_levels_cost(const struct rb_plan *plan, double bytes, double alpha_s,
                      double beta_s_per_byte)
{
    const struct levels *levels = levels_of(plan);
    double cost = 0;
    for (int32_t i = 0; i < levels->stages; i++) {
        const struct rb_plan *part = largest_part(levels, &levels->stage[i]);
        const double share = levels->stage[i].level == RB_LANES ? bytes / levels->lanes : bytes;
        if (part->algorithm->cost == NULL)
            cost += cost_of_shares(levels, &levels->stage[i], bytes / levels->lanes, alpha_s,
                                   beta_s_per_byte);
        else if (part->p > 1)
            cost += part->algorithm->cost(part, share, alpha_s, beta_s_per_byte);
    }
    return cost;
}

void rb_levels_pipeline(const struct rb_plan *plan, int64_t *per_block, int64_t *fixed)
{
    const struct levels *levels = levels_of(plan);
    *per_block = *fixed = 0;
    for (int32_t i = 0; i < levels->stages; i++) {
        const struct rb_plan *part = largest_part(levels, &levels->stage[i]);
        int64_t part_per_block, part_fixed;
        if (part->p == 1 || part->algorithm->pipeline == NULL)
            continue;
        part->algorithm->pipeline(part, &part_per_block, &part_fixed);
        *per_block += part_per_block; /* of a lane, too: K lanes' shares go through one port */
        *fixed += part_fixed;
    }
}
