/* group_words.c - see groups.h. */
#include "experiments/point/group_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/network.h"
#include "platforms/platform.h"
#include "support/memory.h"
#include "support/names.h"

const char *const point_group_words[POINT_GROUP_WORDS] = {"host", "node", "router", "leaf"};

static bool is_word(const char *text)
{
    for (size_t i = 0; i < POINT_GROUP_WORDS; i++)
        if (strcmp(text, point_group_words[i]) == 0)
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

/* The sizes as in rb_plan_spec, without those that only repeat the first ones; the last group is
 * cut off at p. NULL: each rank is alone. The caller frees the text. */
static char *write_sizes(const int32_t size[], int32_t count)
{
    int32_t period = 1;
    for (int32_t i = 1; i < count; i++)
        if (size[i] > size[i % period] || (i + 1 < count && size[i] < size[i % period]))
            period = i + 1;
    if (period == 1 && size[0] == 1)
        return NULL;
    char *text;
    size_t length;
    FILE *stream = sup_memory_open(&text, &length);
    for (int32_t i = 0; i < period; i++)
        fprintf(stream, "%s%" PRId32, i > 0 ? "," : "", size[i]);
    sup_memory_close(stream, &text);
    return text;
}

/* The sizes of sets of ranks that share `terminals` terminals in a row, such as those of a router;
 * terminal[r] is rank r's. */
static int find_sizes(const char *word, const int32_t terminal[], int32_t p, int32_t terminals,
                      int32_t size[], int32_t *count, struct sup_error *error)
{
    int32_t most = 0;
    for (int32_t r = 0; r < p; r++)
        most = terminal[r] > most ? terminal[r] : most;
    bool *seen = sup_calloc((size_t)(most / terminals) + 1, sizeof *seen);
    int status = RB_OK;
    *count = 0;
    for (int32_t r = 0; r < p && status == RB_OK; r++) {
        const int32_t part = terminal[r] / terminals;
        if (r > 0 && part == terminal[r - 1] / terminals) {
            size[*count - 1]++;
            continue;
        }
        if (seen[part])
            status = sup_fail(error, RB_ENOTSUP,
                              "groups: %s: rank %" PRId32
                              " comes back to one that other ranks have left: the ranks of a %s "
                              "must follow one another",
                              word, r, word);
        seen[part] = true;
        size[(*count)++] = 1;
    }
    free(seen);
    return status;
}

/* In a file of hosts, or on a machine, where sets of ranks need not be alike. */
static int find_placed_groups(const struct point *point, const char *word, int32_t terminals,
                              char **text, struct sup_error *error)
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
    int32_t *terminal = sup_reallocarray(NULL, (size_t)p, sizeof *terminal);
    int32_t *size = sup_reallocarray(NULL, (size_t)p, sizeof *size), count;
    status = sim_placement_map(point->placement_rule, p, point->ppn, &of, terminal, error);
    for (int32_t r = 0; status == RB_OK && r < p; r++)
        terminal[r] = platform_host_terminal(&hosts, terminal[r]);
    if (status == RB_OK)
        status = find_sizes(word, terminal, p, terminals, size, &count, error);
    if (status == RB_OK)
        *text = write_sizes(size, count);
    free(terminal);
    free(size);
    return status;
}

int point_find_groups(struct point *point, char **owned, struct sup_error *error)
{
    const char *word = point->plan.groups;
    const struct sim_placement *placement = point->placement_rule;
    int32_t terminals;
    *owned = NULL;
    if (word == NULL || !is_word(word))
        return RB_OK;
    int status = find_terminals(point, word, &terminals, error);
    if (status != RB_OK)
        return status;
    if (placement->rule != SIM_FILE && terminals == 1 && point->ppn == 1) {
        point->plan.groups = NULL;
        return RB_OK;
    }
    /* Only cyclic parts the ranks of a host. A search exchanges whole groups. */
    const bool is_host = strcmp(word, "host") == 0;
    if (placement->rule == SIM_CYCLIC ||
        (placement->rule != SIM_BLOCK && placement->rule != SIM_FILE && !is_host))
        return sup_fail(error, RB_ENOTSUP,
                        "groups: %s needs the placement block%s or a file, in which the ranks of a "
                        "%s follow one another, not %s",
                        word, is_host ? ", random, gray" : "", word, point->placement);
    if (placement->rule == SIM_FILE || (terminals > 1 && is_machine(point->platform_text))) {
        status = find_placed_groups(point, word, terminals, owned, error);
    } else {
        const int64_t size = (int64_t)terminals * point->ppn;
        const int32_t one = (int32_t)(size < RB_MAX_RANKS ? size : RB_MAX_RANKS);
        *owned = write_sizes(&one, 1);
    }
    if (status == RB_OK)
        point->plan.groups = *owned;
    return status;
}

/* True if there are groups, and neither one of all ranks nor those of a way from the first one on.
 */
static bool is_needed(const struct point *point, const char *sizes,
                      const struct point_groupings *in, size_t first)
{
    if (sizes == NULL || strtol(sizes, NULL, 10) >= point->plan.p)
        return false;
    for (size_t i = first; i < in->count; i++)
        if (strcmp(in->way[i].sizes, sizes) == 0)
            return false;
    return true;
}

int point_add_groupings(const struct point *point, const char *const name[], size_t names,
                        bool given, struct point_groupings *to, struct sup_error *error)
{
    const size_t first = to->count;
    for (size_t i = 0; i < names; i++) {
        struct point grouped = *point;
        struct sup_error why;
        char *owned;
        grouped.plan.groups = name[i];
        const int status = point_find_groups(&grouped, &owned, &why);
        if (status != RB_OK && given)
            return sup_fail(error, status, "--%s", why.text);
        if (status == RB_ENOTSUP && to->ungrouped++ == 0)
            to->why = why;
        const char *sizes = grouped.plan.groups;
        if (status != RB_OK || !(given ? sizes != NULL : is_needed(point, sizes, to, first))) {
            free(owned);
            continue;
        }
        sup_grow(&to->way, to->count, sizeof *to->way);
        to->way[to->count++] =
            (struct point_grouping){name[i], owned != NULL ? owned : sup_strdup(sizes)};
    }
    return RB_OK;
}

void point_groupings_free(struct point_groupings *groupings)
{
    for (size_t i = 0; i < groupings->count; i++)
        free(groupings->way[i].sizes);
    free(groupings->way);
    *groupings = (struct point_groupings){0};
}

void point_set_ports(struct point *point)
{
    struct rb_plan_spec spec = point->plan;
    int32_t low = 1, high = spec.p < RB_MAX_PORTS ? spec.p : RB_MAX_PORTS;
    if (point->algorithm == NULL || !point->algorithm->own_nic)
        return;
    while (low < high) {
        spec.ports = low + (high - low) / 2;
        if (sup_plan_is_supported(&spec))
            high = spec.ports;
        else
            low = spec.ports + 1;
    }
    point->plan.ports = high;
}
