#include "rails.h"

/* The ports that a rank needs. */
static int32_t ports_for(const struct rb_plan *plan, bool direct, int32_t largest)
{
    const int32_t nodes = plan->groups.count;
    return direct && nodes > 2 ? largest + nodes - 2 : largest;
}

static bool suits(const struct rb_plan *plan, bool direct)
{
    int32_t smallest, largest;
    rb_groups_extent(&plan->groups, &smallest, &largest);
    return ports_for(plan, direct, largest) <= plan->ports && plan->radix <= smallest;
}

bool rb_rails_suit(const struct rb_plan *plan)
{
    return suits(plan, false);
}
bool rb_rails_suit_directly(const struct rb_plan *plan)
{
    return suits(plan, true);
}

int rb_rails_init(struct rb_plan *plan, bool direct, char *why, size_t why_size)
{
    int32_t smallest, largest;
    rb_groups_extent(&plan->groups, &smallest, &largest);
    const int32_t needed = ports_for(plan, direct, largest);
    if (needed > plan->ports)
        return rb_why(why, why_size, RB_ENOTSUP,
                      "%s %s needs %d ports for groups of %s, not %d: %s and the other ranks",
                      plan->collective->info.name, plan->algorithm->info.name, (int)needed,
                      largest > 1 ? plan->groups.text : "1", (int)plan->ports,
                      direct ? "one per other group" : "a NIC");
    if (plan->radix > smallest)
        return rb_why(why, why_size, RB_ENOTSUP,
                      "%s %s: groups of %s have at most %d lanes, one per rank of the smallest, "
                      "not %d",
                      plan->collective->info.name, plan->algorithm->info.name,
                      largest > 1 ? plan->groups.text : "1", (int)smallest, (int)plan->radix);
    rb_circulant_rounds_over(plan, plan->groups.count);
    plan->data.circulant.rails = (struct rb_rails){
        .lanes = plan->radix > 0 ? plan->radix : smallest, .inside = largest, .direct = direct};
    return RB_OK;
}

static int32_t rails_head(const struct rb_plan *plan, int32_t lane, int32_t size)
{
    const int64_t lanes = rb_rails_lanes(plan);
    return plan->radix > 0 ? (int32_t)(((int64_t)lane * size + lanes - 1) / lanes) : lane;
}

/* The last lane whose head is not above the place is floor(place lanes / size). */
int32_t rb_rails_lane(const struct rb_plan *plan, int32_t place, int32_t size)
{
    const int32_t lanes = rb_rails_lanes(plan);
    const int32_t lane = plan->radix > 0 ? (int32_t)((int64_t)place * lanes / size) : place;
    return lane < lanes && rails_head(plan, lane, size) == place ? lane : -1;
}

/* 1 + 2 + ... + most + most + ..., `count` of them. */
static int64_t ramp(int64_t count, int64_t most)
{
    const int64_t rising = rb_smaller(count, most);
    return rising * (rising + 1) / 2 + (count - rising) * most;
}

int64_t rb_rails_before(int64_t n, int64_t u, bool rise)
{
    const int64_t first = rise ? (n + 1) / 2 : 0; /* the blocks that rise */
    const int64_t most = rise ? rb_ceil_divide(n, 3) : n;
    return u < first ? ramp(u, most)
                     : ramp(first, most) + ramp(n - first, most) - ramp(n - u, most);
}

int rb_rails_cut(struct rb_plan *plan, bool rise, int64_t factor, char *why, size_t why_size)
{
    const int64_t most = rise ? rb_ceil_divide(plan->n, 3) : plan->n;
    int64_t each;
    if (__builtin_mul_overflow(most, factor, &each))
        each = INT64_MAX;
    const int status = rb_multiply_blocks(plan, each, why, why_size);
    if (status == RB_OK)
        plan->blocks = rb_rails_before(plan->n, plan->n, rise) * factor;
    return status;
}

struct rb_rail_place rb_rails_place(const struct rb_plan *plan, int32_t rank)
{
    const int32_t node = rb_group_of(&plan->groups, rank);
    const int32_t first = rb_group_first(&plan->groups, node);
    const int32_t size = rb_group_size(&plan->groups, node);
    return (struct rb_rail_place){.node = node,
                                  .first = first,
                                  .size = size,
                                  .place = rank - first,
                                  .lane = rb_rails_lane(plan, rank - first, size)};
}

int32_t rb_rails_relative(const struct rb_plan *plan, int32_t node)
{
    const int32_t relative = node - rb_group_of(&plan->groups, plan->root);
    return relative < 0 ? relative + plan->groups.count : relative;
}

int32_t rb_rails_node(const struct rb_plan *plan, int32_t relative)
{
    const int32_t root = rb_group_of(&plan->groups, plan->root);
    const int32_t to_end = plan->groups.count - root;
    return relative < to_end ? relative + root : relative - to_end;
}

struct rb_op rb_rails_inside(const struct rb_rail_place *at, enum rb_op_kind kind, int32_t other,
                             struct rb_range range)
{
    const int32_t ahead = kind == RB_SEND ? other - at->place : at->place - other;
    return (struct rb_op){.kind = kind,
                          .peer = at->first + other,
                          .port = ahead < 0 ? ahead + at->size : ahead,
                          .at = range};
}

struct rb_op rb_rails_over(const struct rb_plan *plan, const struct rb_rail_place *at,
                           enum rb_op_kind kind, int32_t node, struct rb_range range)
{
    const struct rb_rails *rails = &plan->data.circulant.rails;
    const int32_t ahead = kind == RB_SEND ? node - at->node : at->node - node;
    const int32_t distance = ahead < 0 ? ahead + plan->groups.count : ahead;
    return (struct rb_op){.kind = kind,
                          .peer = rb_group_first(&plan->groups, node) +
                                  rails_head(plan, at->lane, rb_group_size(&plan->groups, node)),
                          .port = rails->direct && distance > 1 ? rails->inside + distance - 2 : 0,
                          .at = range};
}
