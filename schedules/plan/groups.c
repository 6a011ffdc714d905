/* groups.c - groups of consecutive ranks, read from the sizes that a spec has. */
#include <stdlib.h>
#include <string.h>

#include "plan.h"

/* The size at *text, with the comma behind it, or -1; *text moves on. */
static int32_t read_size(const char **text)
{
    const char *at = *text;
    int64_t size = 0;
    if (*at < '1' || *at > '9')
        return -1;
    for (; *at >= '0' && *at <= '9'; at++) {
        size = 10 * size + (*at - '0');
        if (size > RB_MAX_RANKS)
            return -1;
    }
    if (*at != '\0' && (*at != ',' || at[1] == '\0'))
        return -1;
    *text = *at == ',' ? at + 1 : at;
    return (int32_t)size;
}

/* True if the text is a list of sizes. *size is their value if they are all equal, otherwise 0. */
static bool check(const char *text, int32_t *size)
{
    const char *at = text;
    *size = read_size(&at);
    for (int32_t next = *size; next > 0 && *at != '\0';) {
        next = read_size(&at);
        if (next < 0)
            return false;
        if (next != *size)
            *size = 0;
    }
    return *size >= 0;
}

/* The starts of the groups, into `at` unless it is NULL; returns how many groups there are. */
static int32_t deal(const char *text, int32_t p, int32_t at[])
{
    const char *next = text;
    int32_t count = 0;
    for (int32_t rank = 0; rank < p; count++) {
        const int32_t size = read_size(&next);
        if (at != NULL)
            at[count] = rank;
        rank = size < p - rank ? rank + size : p;
        if (*next == '\0')
            next = text;
    }
    return count;
}

int rb_groups_read(struct rb_groups *groups, const char *text, int32_t p, char *why,
                   size_t why_size)
{
    int32_t size = 1;
    *groups = (struct rb_groups){.ranks = p, .count = p, .size = 1, .text = ""};
    if (text != NULL && *text != '\0' && !check(text, &size))
        return rb_why(why, why_size, RB_EINVAL,
                      "groups must be sizes of at least one rank, such as 4 or 3,1,4, not \"%s\"",
                      text);
    if (size == 1)
        return RB_OK;
    /* The text, or the one size, and before it, where sizes differ, the starts. */
    const int32_t count = size > 0 ? (p - 1) / size + 1 : deal(text, p, NULL);
    const size_t starts = size > 0 ? 0 : (size_t)count + 1;
    const size_t length = size > 0 ? strcspn(text, ",") : strlen(text);
    int32_t *room = malloc(starts * sizeof *room + length + 1);
    if (room == NULL)
        return rb_why(why, why_size, RB_ENOMEM, "out of memory for %d groups", (int)count);
    if (size == 0) {
        deal(text, p, room);
        room[count] = p;
    }
    char *kept = memcpy(room + starts, text, length);
    kept[length] = '\0';
    *groups =
        (struct rb_groups){.ranks = p, .count = count, .size = size, .at = room, .text = kept};
    return RB_OK;
}

void rb_groups_free(struct rb_groups *groups)
{
    if (groups->text != NULL && groups->text[0] != '\0')
        free((void *)(uintptr_t)groups->at);
    *groups = (struct rb_groups){0};
}

void rb_groups_extent(const struct rb_groups *groups, int32_t *smallest, int32_t *largest)
{
    *smallest = *largest = rb_group_size(groups, 0);
    for (int32_t group = groups->size > 0 ? groups->count - 1 : 1; group < groups->count; group++) {
        const int32_t size = rb_group_size(groups, group);
        *smallest = size < *smallest ? size : *smallest;
        *largest = size > *largest ? size : *largest;
    }
}

int32_t rb_group_of(const struct rb_groups *groups, int32_t rank)
{
    if (groups->size == 1)
        return rank;
    if (groups->size > 0)
        return rank / groups->size;
    int32_t low = 0, high = groups->count; /* at[low] <= rank < at[high] */
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        if (groups->at[middle] <= rank)
            low = middle;
        else
            high = middle;
    }
    return low;
}
