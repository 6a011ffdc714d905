/* simgrid_platform.h - a platform as SimGrid has loaded it: hosts, links, routes.
 *
 * SimGrid aborts the process on many errors, and can be started only once per process: call these
 * under sim_isolate (isolate.h).
 *
 * Hosts are numbered in the natural order of their names (node-2 before node-10), links likewise.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "support/error.h"

/* Makes SimGrid ready to be called, once per process: the program starts without it. Call it before
 * sim_isolate, so that no child has to. RB_EFAILED or RB_EIO with the reason. */
int s4u_ready(struct sup_error *error);

struct s4u_platform;

/* SimGrid's options, "network/model:LV08". The first `own` are the engine's, which no message names
 * to the user; a later one wins. */
struct s4u_options {
    const char *const *text;
    int32_t own, count;
    bool share_hosts; /* several ranks have one host: shares are solved anew whenever one changes,
                       * because SimGrid's default misses changes there (docs/simgrid.md) */
};

/* Starts SimGrid with the clean network model and then the given options (NULL: none), and loads a
 * platform: an XML file or a generator's text. The caller destroys it.
 * RB_EINVAL with a message that names the platform or the option.
 *
 * Where a zone has the property roundabout-latency with the value `ends`, the first and the last
 * link of a route keep their latency and all links between lose theirs (docs/simgrid.md). */
int s4u_platform_load(const char *platform, const struct s4u_options *options,
                      struct s4u_platform **loaded, struct sup_error *error);
void s4u_platform_destroy(struct s4u_platform *platform); /* NULL is fine */

int32_t s4u_host_count(const struct s4u_platform *platform);
const char *s4u_host_name(const struct s4u_platform *platform, int32_t host);
/* SimGrid's own handle, sg_host_t. */
void *s4u_host_handle(const struct s4u_platform *platform, int32_t host);

struct s4u_link {
    const char *name;
    double bandwidth; /* bytes per second */
    double latency;   /* seconds */
    bool shared;      /* false: every flow has the whole bandwidth (FATPIPE) */
};
int32_t s4u_link_count(const struct s4u_platform *platform);
void s4u_link_describe(const struct s4u_platform *platform, int32_t link,
                       struct s4u_link *description);

/* Multiplies the link's latency. */
void s4u_link_delay(struct s4u_platform *platform, int32_t link, double factor);

/* The links that a message from one host to another crosses, in order. They belong to the platform
 * and stay valid until the next call. RB_EFAILED if SimGrid has no route. */
struct s4u_route {
    const int32_t *link;
    int32_t count;
    double latency;   /* seconds, the sum */
    double bandwidth; /* bytes per second, the least; 0 for no links */
};
int s4u_find_route(struct s4u_platform *platform, int32_t from, int32_t to, struct s4u_route *route,
                   struct sup_error *error);
