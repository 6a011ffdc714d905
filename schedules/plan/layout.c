/* layout.c - converts blocks to bytes; no other file does. */
#include <math.h>

#include "plan.h"
#include "random.h"

int rb_layout_check(const struct rb_layout *layout, char *why, size_t why_size)
{
    if (layout->bytes < 0)
        return rb_why(why, why_size, RB_EINVAL, "the size must not be negative, but is %lld bytes",
                      (long long)layout->bytes);
    if (layout->element < 1)
        return rb_why(why, why_size, RB_EINVAL, "an element has at least 1 byte, not %lld",
                      (long long)layout->element);
    if (layout->bytes % layout->element != 0)
        return rb_why(why, why_size, RB_EINVAL,
                      "%lld bytes are not a whole number of elements of %lld bytes",
                      (long long)layout->bytes, (long long)layout->element);
    return RB_OK;
}

/* `total` things dealt to places as evenly as can be: each gets `least`, the first `longer` get one
 * more. Divisions are most of the cost of replaying packed messages: so there is one per deal, of
 * 32 bits where that will do, which is three times as fast. */
struct deal {
    int64_t least, longer;
};

static struct deal deal(int64_t total, int64_t places)
{
    if (((uint64_t)total | (uint64_t)places) >> 32 == 0)
        return (struct deal){(uint32_t)total / (uint32_t)places,
                             (uint32_t)total % (uint32_t)places};
    return (struct deal){total / places, total % places};
}

static int64_t dealt_before(struct deal deal, int64_t place)
{
    return deal.least * place + (place < deal.longer ? place : deal.longer);
}

int64_t rb_deal_before(int64_t total, int64_t places, int64_t place)
{
    return dealt_before(deal(total, places), place);
}

/* The elements of one part of an owner's data, and how many blocks they are dealt to. */
struct share {
    int64_t first, count, places;
};

/* elements * units / all, rounded down; units <= all. */
static int64_t in_proportion(int64_t elements, int64_t units, int64_t all)
{
    __extension__ typedef unsigned __int128 wide;
    return (int64_t)((wide)elements * (wide)units / (wide)all);
}

static struct share share_by_instance(const struct rb_plan *plan, int64_t elements, int32_t owner,
                                      int64_t part)
{
    const struct rb_share share = rb_share_of(plan, owner, (int32_t)part);
    const int64_t units = plan->shares->units > 0 ? plan->shares->units : 1;
    const int64_t first = in_proportion(elements, share.before, units);
    return (struct share){first, in_proportion(elements, share.before + share.units, units) - first,
                          share.units > 0 ? share.units : 1};
}

static struct share share_of(const struct rb_plan *plan, const struct rb_layout *layout,
                             int32_t owner, int64_t part)
{
    const int64_t place = rb_owner_place(plan, owner) * plan->parts + part;
    const int64_t blocks = rb_part_blocks(plan);
    if (layout->first != NULL)
        return (struct share){layout->first[place], layout->first[place + 1] - layout->first[place],
                              blocks};
    const int64_t elements =
        layout->element == 1 ? layout->bytes : deal(layout->bytes, layout->element).least;
    if (plan->owners == 1)
        return (struct share){0, elements, blocks};
    if (plan->shares != NULL)
        return share_by_instance(plan, elements, owner, part);
    const struct deal shares = deal(elements, (int64_t)plan->owners * plan->parts);
    return (struct share){dealt_before(shares, place), shares.least + (place < shares.longer),
                          blocks};
}

static int64_t part_of(const struct rb_plan *plan, int64_t index)
{
    return plan->parts == 1 ? 0 : index / rb_part_blocks(plan);
}

int64_t rb_layout_offset(const struct rb_plan *plan, const struct rb_layout *layout, int32_t owner,
                         int64_t index)
{
    const int64_t blocks = rb_part_blocks(plan);
    int64_t part = part_of(plan, index);
    if (part == plan->parts) /* the end belongs to the last part */
        part--;
    const struct share share = share_of(plan, layout, owner, part);
    const int64_t place = index - part * blocks;
    return (share.first + dealt_before(deal(share.count, share.places),
                                       place < share.places ? place : share.places)) *
           layout->element;
}

int64_t rb_layout_bytes(const struct rb_plan *plan, const struct rb_layout *layout,
                        const struct rb_range *range)
{
    if (plan->algorithm->bytes != NULL)
        return plan->algorithm->bytes(plan, layout, range);
    const int64_t all = rb_part_blocks(plan), part = part_of(plan, range->first);
    const struct share share = share_of(plan, layout, range->owner, part);
    const struct deal blocks = deal(share.count, share.places);
    const int64_t first = range->first - part * all, end = first + range->count;
    return (dealt_before(blocks, end < share.places ? end : share.places) -
            dealt_before(blocks, first < share.places ? first : share.places)) *
           layout->element;
}

int32_t rb_layout_edge(const struct rb_plan *plan, const struct rb_layout *layout,
                       const struct rb_plan *part)
{
    if (layout->first != NULL || plan->shares != NULL || plan->parts > 1 || part->owners == 1 ||
        plan->algorithm->bytes != NULL)
        return -1;
    const int64_t blocks = plan == part ? 1 : part->blocks;
    const int64_t longer = deal(layout->bytes / layout->element, part->owners * blocks).longer;
    return longer == 0 ? part->owners : (int32_t)(longer / blocks);
}

bool rb_layout_is_empty(const struct rb_plan *plan, const struct rb_layout *layout, int32_t owner,
                        int64_t index)
{
    return layout != NULL && layout->first != NULL &&
           share_of(plan, layout, owner, part_of(plan, index)).count == 0;
}

int32_t rb_layout_keep(const struct rb_plan *plan, const struct rb_layout *layout,
                       struct rb_op ops[], int32_t count)
{
    if (layout == NULL || layout->first == NULL)
        return count;
    int32_t kept = 0;
    for (int32_t i = 0; i < count; i++)
        if (!rb_layout_is_empty(plan, layout, ops[i].at.owner, ops[i].at.first))
            ops[kept++] = ops[i];
    return kept;
}

int32_t rb_layout_round(const struct rb_plan *plan, const struct rb_layout *layout,
                        const struct rb_rank *state, int64_t t, struct rb_op ops[])
{
    return rb_layout_keep(plan, layout, ops, rb_plan_round(plan, state, t, ops));
}

/* 0 .. count - 1 in a pseudo-random order (Fisher, Yates). */
static void shuffle(uint64_t seed, int64_t number[], int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        const int64_t other = rb_random_below(&seed, (uint32_t)(i + 1));
        number[i] = number[other];
        number[other] = i;
    }
}

static int64_t weight_of(const struct rb_counts *counts, int32_t owner, int32_t part, int64_t place,
                         int32_t parts)
{
    const int64_t apart = part > owner ? part - owner : owner - part;
    uint64_t random;
    switch (counts->rule) {
    case RB_COUNTS_REGULAR:
    case RB_COUNTS_ZIPF: /* see find_weights */
    case RB_COUNTS_HOT:
        break;
    case RB_COUNTS_MOD3:
        return (owner % 3 + part % 3) % 3;
    case RB_COUNTS_DEGENERATE:
        return owner == 0;
    case RB_COUNTS_RANDOM:
        random = rb_random_at(counts->seed ^ rb_random_at((uint64_t)place, 1), 1);
        return (random & 3u) == 0 ? 0 : (int64_t)(random >> 2 & 3u) + 1;
    case RB_COUNTS_BANDED:
        random = rb_random_at(counts->seed ^ rb_random_at((uint64_t)place, 1), 1);
        return apart == 0 || (apart > counts->some && parts - apart > counts->some)
                   ? 2
                   : 750 + (int64_t)(random % 501);
    case RB_COUNTS_GIVEN:
        return counts->weight[place];
    }
    return 1;
}

static void find_weights(const struct rb_counts *counts, int32_t owners, int32_t parts,
                         int64_t weight[])
{
    const int64_t places = (int64_t)owners * parts, line = parts > 1 ? parts : owners;
    if (counts->rule == RB_COUNTS_ZIPF || counts->rule == RB_COUNTS_HOT)
        shuffle(counts->seed, weight, counts->rule == RB_COUNTS_ZIPF ? places : line);
    for (int64_t place = 0; place < places; place++)
        if (counts->rule == RB_COUNTS_ZIPF)
            weight[place] = llround(0x1p32 * pow((double)weight[place] + 1, -counts->skew));
        else if (counts->rule == RB_COUNTS_HOT && place < line)
            weight[place] = weight[place] < counts->some ? counts->factor : 1;
        else if (counts->rule == RB_COUNTS_HOT)
            weight[place] = weight[place % line];
        else
            weight[place] =
                weight_of(counts, (int32_t)(place / parts), (int32_t)(place % parts), place, parts);
}

void rb_counts_deal(const struct rb_counts *counts, int32_t owners, int32_t parts, int64_t elements,
                    int64_t first[])
{
    const int64_t places = (int64_t)owners * parts;
    int64_t all = 0, before = 0;
    find_weights(counts, owners, parts, first);
    for (int64_t place = 0; place < places; place++)
        all += first[place];
    const int64_t times = all > 0 ? elements / all : 0, rest = all > 0 ? elements % all : 0;
    for (int64_t place = 0; place < places; place++) {
        const int64_t weight = first[place];
        first[place] = counts->rule == RB_COUNTS_REGULAR
                           ? dealt_before(deal(elements, places), place)
                           : times * before + (rest > 0 ? in_proportion(rest, before, all) : 0);
        before += weight;
    }
    first[places] = elements;
}
