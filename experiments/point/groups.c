/* groups.c - see groups.h. */
#include "experiments/point/groups.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

int point_find_groups(struct point *point, char room[POINT_GROUPS_ROOM], struct sup_error *error)
{
    const char *word = point->plan.groups;
    int32_t hosts;
    if (word == NULL || !is_word(word))
        return RB_OK;
    if (strcmp(point->placement, "block") != 0)
        return sup_fail(
            error, RB_EINVAL,
            "groups: %s needs the placement block, in which the ranks of a %s follow one "
            "another, not %s",
            word, word, point->placement);
    const int status = find_hosts(point, word, &hosts, error);
    if (status != RB_OK)
        return status;
    const int64_t size = (int64_t)hosts * point->ppn;
    snprintf(room, POINT_GROUPS_ROOM, "%" PRId64, size < RB_MAX_RANKS ? size : RB_MAX_RANKS);
    point->plan.groups = size == 1 ? NULL : room;
    return RB_OK;
}
