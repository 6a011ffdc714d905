/* joined.c - see joined.h. */
#define _POSIX_C_SOURCE 200809L /* strdup */

#include "joined.h"

#include <libxml/hash.h>
#include <stdlib.h>
#include <string.h>

#include "support/array.h"

/* The node's number; -1: no memory. Numbers are stored plus 1, since NULL means none. */
static int32_t number_of(struct platform_joined *joined, const char *name)
{
    if (joined->numbers == NULL)
        joined->numbers = xmlHashCreate(64);
    if (joined->numbers == NULL)
        return -1;
    const void *found = xmlHashLookup(joined->numbers, (const xmlChar *)name);
    if (found != NULL)
        return (int32_t)((intptr_t)found - 1);
    if (!sup_array_grow(&joined->name, joined->names, sizeof *joined->name))
        return -1;
    char *copy = strdup(name);
    if (copy == NULL)
        return -1;
    const intptr_t number = (intptr_t)joined->names;
    joined->name[joined->names++] = copy;
    return xmlHashAddEntry(joined->numbers, (const xmlChar *)name, (void *)(number + 1)) == 0
               ? (int32_t)number
               : -1;
}

bool platform_joined_node(struct platform_joined *joined, const char *name)
{
    return number_of(joined, name) >= 0;
}

static bool add_edge(struct platform_joined *joined, int32_t from, int32_t to)
{
    if (!sup_array_grow(&joined->edge, joined->edges, sizeof *joined->edge))
        return false;
    joined->edge[joined->edges++] = (struct platform_edge){from, to};
    return true;
}

bool platform_joined_edge(struct platform_joined *joined, const char *from, const char *to,
                          bool both_ways)
{
    const int32_t a = number_of(joined, from), b = number_of(joined, to);
    return a >= 0 && b >= 0 && add_edge(joined, a, b) && (!both_ways || add_edge(joined, b, a));
}

/* Marks what is reached along the edges, or against them, until no edge leads to more. The edges
 * are walked up and down in turn, which takes few turns in graphs that were written in order. */
static void mark_reached(const struct platform_joined *joined, bool against, bool *reached)
{
    for (bool more = true, up = true; more; up = !up) {
        more = false;
        for (size_t i = 0; i < joined->edges; i++) {
            const struct platform_edge edge = joined->edge[up ? i : joined->edges - 1 - i];
            const int32_t from = against ? edge.to : edge.from, to = against ? edge.from : edge.to;
            if (reached[from] && !reached[to])
                reached[to] = more = true;
        }
    }
}

const char *platform_joined_lonely(const struct platform_joined *joined, bool *no_memory)
{
    const char *lonely = NULL;
    if (joined->names == 0)
        return NULL;
    if (joined->edges == 0)
        return joined->name[0];
    bool *reached = malloc(joined->names);
    if (reached == NULL) {
        *no_memory = true;
        return NULL;
    }
    for (int against = 0; against < 2 && lonely == NULL; against++) {
        memset(reached, 0, joined->names);
        reached[joined->edge[0].from] = true;
        mark_reached(joined, against != 0, reached);
        for (size_t i = 0; i < joined->names && lonely == NULL; i++)
            lonely = reached[i] ? NULL : joined->name[i];
    }
    free(reached);
    return lonely;
}

void platform_joined_free(struct platform_joined *joined)
{
    for (size_t i = 0; i < joined->names; i++)
        free(joined->name[i]);
    free(joined->name);
    free(joined->edge);
    if (joined->numbers != NULL)
        xmlHashFree(joined->numbers, NULL);
    *joined = (struct platform_joined){0};
}
