/* joined.h - whether all nodes of a zone can be reached from each other by its routes. SimGrid
 * searches shortest paths without looking, and crashes or never ends where there is none. */
#ifndef PLATFORMS_JOINED_H
#define PLATFORMS_JOINED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The hosts, routers and zones of a zone, and its routes. A zeroed struct is empty. */
struct platform_joined {
    void *numbers; /* of the nodes, by name */
    char **name;
    size_t names;
    struct platform_edge {
        int32_t from, to;
    } * edge;
    size_t edges;
};

/* False: no memory. Routes may come before their nodes. */
bool platform_joined_node(struct platform_joined *joined, const char *name);
bool platform_joined_edge(struct platform_joined *joined, const char *from, const char *to,
                          bool both_ways);
/* A node that is on no route, or that cannot be reached from the first one, or from which that
 * cannot be reached; NULL: there is none. *no_memory is set if it could not be found out. */
const char *platform_joined_lonely(const struct platform_joined *joined, bool *no_memory);
void platform_joined_free(struct platform_joined *joined);

#endif
