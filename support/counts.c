/* counts.c - see counts.h. */
#include "support/counts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory.h"
#include "support/units.h"

static const char *const rule_names[] = {
    [RB_COUNTS_REGULAR] = "regular",
    [RB_COUNTS_MOD3] = "mod3",
    [RB_COUNTS_DEGENERATE] = "degenerate",
};
enum { RULE_NAMES = sizeof rule_names / sizeof rule_names[0], MOST_PARTS = 1 << 30 };

int sup_counts_parse(const char *text, struct rb_counts *counts, struct sup_error *error)
{
    *counts = (struct rb_counts){0};
    for (int i = 0; i < RULE_NAMES; i++)
        if (strcmp(text, rule_names[i]) == 0) {
            counts->rule = (enum rb_counts_rule)i;
            return RB_OK;
        }
    counts->rule = RB_COUNTS_RANDOM;
    const int status = sup_parse_random("counts", text, &counts->seed, error);
    if (status != RB_ENOTSUP)
        return status;
    return sup_fail(error, RB_EINVAL,
                    "counts '%s' are unknown: there are regular, mod3, degenerate and random:SEED "
                    "(a whole number, by default 1)",
                    text);
}

const char *sup_counts_format(const struct rb_counts *counts, char *buffer, size_t size)
{
    if (counts->rule == RB_COUNTS_RANDOM)
        snprintf(buffer, size, "random:%" PRIu64, counts->seed);
    else
        snprintf(buffer, size, "%s", rule_names[counts->rule]);
    return buffer;
}

int sup_counts_check(const struct rb_counts *counts, const struct rb_collective_info *collective,
                     struct sup_error *error)
{
    char text[32];
    if (counts->rule == RB_COUNTS_REGULAR || (collective->distributed && !collective->fixed_counts))
        return RB_OK;
    if (collective->fixed_counts)
        return sup_fail(
            error, RB_EINVAL,
            "%s: the instance of %s says how much each rank has: counts must be regular",
            sup_counts_format(counts, text, sizeof text), collective->name);
    return sup_fail(error, RB_EINVAL,
                    "%s: the data of %s are not divided among the ranks: counts must be regular",
                    sup_counts_format(counts, text, sizeof text), collective->name);
}

int sup_counts_apply(const struct rb_counts *counts, const struct rb_collective_info *collective,
                     int32_t p, struct rb_layout *layout, int64_t **first, struct sup_error *error)
{
    *first = NULL;
    layout->first = NULL;
    int status = sup_counts_check(counts, collective, error);
    if (status != RB_OK || counts->rule == RB_COUNTS_REGULAR)
        return status;
    const int32_t parts = collective->personalized ? p : 1;
    if ((int64_t)p * parts > MOST_PARTS)
        return sup_fail(error, RB_EINVAL,
                        "irregular counts of %s are kept for each pair of ranks: p must be at most "
                        "32768, not %d",
                        collective->name, p);
    *first = sup_calloc((size_t)p * (size_t)parts + 1, sizeof **first);
    rb_counts_deal(counts, p, parts, layout->bytes / layout->element, *first);
    layout->first = *first;
    return RB_OK;
}
