/* groups.c - see groups.h. */
#include "experiments/point/groups.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/network.h"
#include "platforms/platform.h"

static bool is_word(const char *text)
{
    return strcmp(text, "host") == 0 || strcmp(text, "router") == 0 || strcmp(text, "leaf") == 0;
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
               : sup_fail(error, status, "%s%s", why, words ? "; or host, router, leaf" : "");
}

/* The hosts that share the resource named by the word. */
static int find_hosts(const struct point *point, const char *word, int32_t *hosts,
                      struct sup_error *error)
{
    *hosts = 1;
    if (strcmp(word, "host") == 0)
        return RB_OK;
    if (!platform_is_generated(point->platform_text))
        return sup_fail(error, RB_EINVAL,
                        "groups: which hosts of a file share a %s is not known: give sizes", word);
    return platform_find_group(point->platform_text, word, hosts, error);
}

/* In a file: checks that the ranks of `hosts` hosts in a row, such as those of a router, follow one
 * another. *size: the number of ranks of each of these sets; the last one may have fewer. */
static int find_file_groups(const struct point *point, const struct sim_placement *placement,
                            const char *word, int32_t hosts, int64_t *size, struct sup_error *error)
{
    struct platform_links links;
    const int32_t p = point->plan.p;
    if (!platform_is_generated(point->platform_text))
        return sup_fail(error, RB_EINVAL,
                        "groups: which ranks of a file share a %s is found on generated platforms "
                        "only: give sizes",
                        word);
    int status = platform_find_links(point->platform_text, &links, error);
    if (status != RB_OK)
        return status;
    const struct sim_hosts of = {links.hosts, platform_generated_host_name, NULL};
    int32_t *host = malloc((size_t)p * sizeof *host);
    bool *seen = calloc((size_t)links.hosts / (size_t)hosts + 1, sizeof *seen);
    status = host == NULL || seen == NULL
                 ? sup_fail(error, RB_ENOMEM, "out of memory")
                 : sim_placement_map(placement, p, point->ppn, &of, host, error);
    *size = 0;
    for (int32_t r = 0, first = 0; status == RB_OK && r <= p; r++) {
        if (r > 0 && r < p && host[r] / hosts == host[r - 1] / hosts)
            continue;
        if (r > 0 && first == 0)
            *size = r;
        else if (r > 0 && (r - first > *size || (r < p && r - first < *size)))
            status = sup_fail(error, RB_EINVAL,
                              "groups: %s: ranks %d to %d share one, not %" PRId64
                              " of them as before: give sizes",
                              word, first, r - 1, *size);
        else if (r < p && seen[host[r] / hosts])
            status = sup_fail(error, RB_EINVAL,
                              "groups: %s: rank %d comes back to one that other ranks have left: "
                              "the ranks of a %s must follow one another",
                              word, r, word);
        if (r < p)
            seen[host[r] / hosts] = true;
        first = r;
    }
    free(host);
    free(seen);
    return status;
}

int point_find_groups(struct point *point, char room[POINT_GROUPS_ROOM], struct sup_error *error)
{
    const char *word = point->plan.groups;
    struct sim_placement placement;
    int32_t hosts;
    if (word == NULL || !is_word(word))
        return RB_OK;
    int status = sim_placement_parse(point->placement, &placement, error);
    if (status != RB_OK)
        return status;
    /* A search exchanges whole groups. */
    if (placement.rule != SIM_BLOCK && placement.rule != SIM_FILE)
        return sup_fail(
            error, RB_EINVAL,
            "groups: %s needs the placement block or a file, in which the ranks of a %s follow one "
            "another, not %s",
            word, word, point->placement);
    status = find_hosts(point, word, &hosts, error);
    if (status != RB_OK)
        return status;
    int64_t size = (int64_t)hosts * point->ppn;
    if (placement.rule == SIM_FILE)
        status = find_file_groups(point, &placement, word, hosts, &size, error);
    if (status != RB_OK)
        return status;
    snprintf(room, POINT_GROUPS_ROOM, "%" PRId64, size < RB_MAX_RANKS ? size : RB_MAX_RANKS);
    point->plan.groups = size == 1 ? NULL : room;
    return RB_OK;
}
