/* group_cables.c - see generator.h.
 *
 * A group counts its cables by the other group, then by the cable's number, and deals them out to
 * its switches in turn. Worked example, 3 groups of 4 switches, 2 cables per pair: group 0 has the
 * cables to group 1 at its switches 0 and 1, those to group 2 at its switches 2 and 3. */
#include "generator.h"

/* The number of the pair (i, j), i < j, among the pairs of `count`. */
int32_t platform_pair_number(int32_t count, int32_t i, int32_t j)
{
    return i * (2 * count - i - 1) / 2 + j - i - 1;
}

int32_t platform_pair_link(int32_t count, int32_t from, int32_t to)
{
    return from < to ? 2 * platform_pair_number(count, from, to)
                     : 2 * platform_pair_number(count, to, from) + 1;
}

void platform_pair_find(int32_t count, int32_t pair, int32_t *i, int32_t *j)
{
    *i = 0;
    while (*i + 2 < count && pair >= platform_pair_number(count, *i + 1, *i + 2))
        ++*i;
    *j = pair - platform_pair_number(count, *i, *i + 1) + *i + 1;
}

int32_t platform_pair_order(int32_t count, int32_t link)
{
    int32_t low, high;
    platform_pair_find(count, link / 2, &low, &high);
    return link % 2 == 0 ? low * (count - 1) + high - 1 : high * (count - 1) + low;
}

/* The number of a group's first cable to another group. */
static int32_t first_cable(const struct platform_group_cables *cables, int32_t group, int32_t peer)
{
    return (peer - (peer > group)) * cables->cables;
}

int32_t platform_cable_switch(const struct platform_group_cables *cables, int32_t group,
                              int32_t peer, int32_t cable)
{
    return (first_cable(cables, group, peer) + cable) % cables->switches;
}

int32_t platform_cable_choose(const struct platform_group_cables *cables, int32_t group, int32_t at,
                              int32_t peer, uint64_t k)
{
    const int32_t switches = cables->switches;
    const int32_t offset = first_cable(cables, group, peer) % switches;
    const int32_t own = (at - offset + switches) % switches;
    if (own >= cables->cables)
        return (int32_t)(k % (uint64_t)cables->cables);
    const int32_t count = (cables->cables - own - 1) / switches + 1;
    return own + switches * (int32_t)(k % (uint64_t)count);
}

int32_t platform_cable_link(const struct platform_group_cables *cables, int32_t from, int32_t to,
                            int32_t cable)
{
    const int32_t link = platform_pair_link(cables->groups, from, to);
    return link / 2 * 2 * cables->cables + 2 * cable + link % 2;
}

int32_t platform_cable_order(const struct platform_group_cables *cables, int32_t link)
{
    const int32_t of_pair = 2 * cables->cables;
    const int32_t way = platform_pair_order(cables->groups, link / of_pair * 2 + link % 2);
    return way * cables->cables + link % of_pair / 2;
}
