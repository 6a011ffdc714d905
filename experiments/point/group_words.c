/* group_words.c - see groups.h. */
#include "experiments/point/group_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/network.h"
#include "platforms/platform.h"
#include "support/memory.h"

static bool is_word(const char *text)
{
    static const char *const words[] = {"host", "node", "router", "leaf"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i]) == 0)
            return true;
    return false;
}

int point_check_groups(const char *text, bool words, struct sup_error *error)
{
    const struct rb_plan_spec spec = {
        .collective = "bcast", .algorithm = "flat", .p = 1, .n = 1, .groups = text};
    struct rb_plan *plan;
    char why[256];
    if (words && is_word(text))
        return RB_OK;
    const int status = rb_plan_create(&spec, &plan, why, sizeof why);
    rb_plan_destroy(plan);
    return status == RB_OK
               ? RB_OK
               : sup_fail(error, status, "%s%s", why, words ? "; or host, node, router, leaf" : "");
}

/* The terminals (platforms/platform.h) that share the resource named by the word. */
static int find_terminals(const struct point *point, const char *word, int32_t *terminals,
                          struct sup_error *error)
{
    *terminals = 1;
    if (strcmp(word, "host") == 0)
        return RB_OK;
    if (!platform_is_generated(point->platform_text))
        return sup_fail(error, RB_EINVAL,
                        "groups: which hosts of a file share a %s is not known: give sizes", word);
    return platform_find_group(point->platform_text, word, terminals, error);
}

/* True if hosts that share something need not follow one another. */
static bool is_machine(const char *platform)
{
    struct platform_hosts hosts;
    struct sup_error error;
    return platform_is_generated(platform) &&
           platform_find_hosts(platform, &hosts, &error) == RB_OK && hosts.machine != NULL;
}

/* In a file or on a machine: checks that the ranks of `terminals` terminals in a row, such as those
 * of a router, follow one another. *size: the number of ranks of each of these sets; the last one
 * may have fewer. */
static int find_placed_groups(const struct point *point, const struct sim_placement *placement,
                              const char *word, int32_t terminals, int64_t *size,
                              struct sup_error *error)
{
    struct platform_hosts hosts;
    const int32_t p = point->plan.p;
    if (!platform_is_generated(point->platform_text))
        return sup_fail(error, RB_EINVAL,
                        "groups: which ranks of a file share a %s is found on generated platforms "
                        "only: give sizes",
                        word);
    int status = platform_find_hosts(point->platform_text, &hosts, error);
    if (status != RB_OK)
        return status;
    const struct sim_hosts of = {hosts.count, platform_host_name, &hosts};
    int32_t *part = sup_reallocarray(NULL, (size_t)p, sizeof *part);
    bool *seen = sup_calloc((size_t)hosts.terminals / (size_t)terminals + 1, sizeof *seen);
    status = sim_placement_map(placement, p, point->ppn, &of, part, error);
    for (int32_t r = 0; status == RB_OK && r < p; r++)
        part[r] = platform_host_terminal(&hosts, part[r]) / terminals;
    *size = 0;
    for (int32_t r = 0, first = 0; status == RB_OK && r <= p; r++) {
        if (r > 0 && r < p && part[r] == part[r - 1])
            continue;
        if (r > 0 && first == 0)
            *size = r;
        else if (r > 0 && (r - first > *size || (r < p && r - first < *size)))
            status = sup_fail(error, RB_EINVAL,
                              "groups: %s: ranks %d to %d share one, not %" PRId64
                              " of them as before: give sizes",
                              word, first, r - 1, *size);
        else if (r < p && seen[part[r]])
            status = sup_fail(error, RB_EINVAL,
                              "groups: %s: rank %d comes back to one that other ranks have left: "
                              "the ranks of a %s must follow one another",
                              word, r, word);
        if (r < p)
            seen[part[r]] = true;
        first = r;
    }
    free(part);
    free(seen);
    return status;
}

int point_find_groups(struct point *point, char room[POINT_GROUPS_ROOM], struct sup_error *error)
{
    const char *word = point->plan.groups;
    const struct sim_placement *placement = point->placement_rule;
    int32_t terminals;
    if (word == NULL || !is_word(word))
        return RB_OK;
    /* Only cyclic parts the ranks of a host. A search exchanges whole groups. */
    const bool is_host = strcmp(word, "host") == 0;
    if (placement->rule == SIM_CYCLIC ||
        (placement->rule != SIM_BLOCK && placement->rule != SIM_FILE && !is_host))
        return sup_fail(
            error, RB_EINVAL,
            "groups: %s needs the placement block%s or a file, in which the ranks of a %s follow "
            "one another, not %s",
            word, is_host ? ", random, gray" : "", word, point->placement);
    int status = find_terminals(point, word, &terminals, error);
    if (status != RB_OK)
        return status;
    int64_t size = (int64_t)terminals * point->ppn;
    if (placement->rule == SIM_FILE || (terminals > 1 && is_machine(point->platform_text)))
        status = find_placed_groups(point, placement, word, terminals, &size, error);
    if (status != RB_OK)
        return status;
    snprintf(room, POINT_GROUPS_ROOM, "%" PRId64, size < RB_MAX_RANKS ? size : RB_MAX_RANKS);
    point->plan.groups = size == 1 ? NULL : room;
    return RB_OK;
}
