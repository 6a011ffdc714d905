/* rails.c - see rails.h. */
#include "rails.h"

static int32_t largest_of(const struct rb_plan *plan, int32_t *smallest)
{
    int32_t largest;
    rb_groups_extent(&plan->groups, smallest, &largest);
    return largest;
}

bool rb_rails_suit(const struct rb_plan *plan)
{
    int32_t smallest;
    return largest_of(plan, &smallest) <= plan->ports;
}

int rb_rails_init(struct rb_plan *plan, int32_t *largest, char *why, size_t why_size)
{
    int32_t smallest;
    *largest = largest_of(plan, &smallest);
    if (*largest > plan->ports)
        return rb_why(why, why_size, RB_ENOTSUP,
                      "%s %s needs %d ports for groups of %s, not %d: a NIC and the other ranks",
                      plan->collective->info.name, plan->algorithm->info.name, (int)*largest,
                      plan->groups.text, (int)plan->ports);
    rb_circulant_rounds_over(plan, plan->groups.count);
    plan->data.circulant.rails.lanes = smallest;
    return RB_OK;
}

struct rb_rail_place rb_rails_place(const struct rb_plan *plan, int32_t rank)
{
    const int32_t node = rb_group_of(&plan->groups, rank);
    const int32_t first = rb_group_first(&plan->groups, node);
    return (struct rb_rail_place){.node = node,
                                  .first = first,
                                  .size = rb_group_size(&plan->groups, node),
                                  .place = rank - first};
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
    return (struct rb_op){
        .kind = kind, .peer = rb_group_first(&plan->groups, node) + at->place, .at = range};
}
