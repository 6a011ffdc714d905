/* cuts.h - how fast a part of a platform can exchange data with the rest.
 *
 * A cut divides the terminals of hosts (platform.h), in their order, into parts of equally many
 * (the last one may have fewer). Its bandwidth is that of all links together that leave a part,
 * which is also that of the links that enter it. No routing gets data faster out of a part, or into
 * it. docs/bounds.md says what follows from this. */
#ifndef PLATFORMS_CUTS_H
#define PLATFORMS_CUTS_H

#include <stdbool.h>
#include <stdint.h>

#include "platform.h"
#include "support/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct platform_cut {
    char name[32];     /* of a part: "host", "leaf", "router", "block of 8 hosts" */
    int32_t terminals; /* of a part, >= 1 */
    double bandwidth;  /* bytes per second in each direction, of the part that has most */
};

enum { PLATFORM_MOST_CUTS = 40, PLATFORM_MOST_SIDES = 16 };

struct platform_cuts {
    struct platform_hosts who; /* in the terminals */
    double message_bandwidth;  /* bytes per second, the most that a message between hosts gets */
    double latency_s;          /* of a message between hosts, the least */
    double loopback_bandwidth, loopback_latency_s; /* of a message inside a host */
    int32_t node_terminals; /* of hosts that are nearer to each other than to others; 0: all are
                             * equally near */
    double node_latency_s;  /* of a message between such nodes, the least, and in bytes per second
                             * the most that it gets */
    double node_message_bandwidth;
    double memory_bandwidth; /* bytes per second that a host's messages inside share; 0: none */
    bool memory_of_all;      /* a host's messages from, and to, others share it, too */
    struct platform_grid {   /* of terminals, along side[0] first; 0 sides: none */
        int32_t sides, side[PLATFORM_MOST_SIDES];
        bool wraps;
        double hop_s; /* the latency of each hop of a message but one, which is in latency_s */
    } grid;
    int32_t count;
    struct platform_cut cut[PLATFORM_MOST_CUTS]; /* the first: each host alone */
};

/* The cuts of a generator's text. RB_EINVAL if it is wrong, or names a file, whose cuts are not
 * known. O(hosts) at most, to find the generator's shape. */
int platform_find_cuts(const char *text, struct platform_cuts *cuts, struct sup_error *error);

/* The hops of a shortest way between two terminals of the grid; 1 where there is none. */
int32_t platform_cuts_hops(const struct platform_cuts *cuts, int32_t from, int32_t to);

/* ---- For generators ----
 *
 * Adds a cut into parts of so many terminals; none if there is no room left, if a part is one
 * terminal or if there would be one part. name: NULL for the number of terminals. */
void platform_cuts_add(struct platform_cuts *cuts, const char *name, int64_t terminals,
                       double bandwidth);
/* Keeps the grid, and adds its cuts into blocks, of cables of this bandwidth: hosts count along
 * side[0] first. `wraps`: its first and last are joined too, but sides of two have one cable only.
 */
void platform_cuts_add_grid(struct platform_cuts *cuts, const int32_t side[], int32_t sides,
                            bool wraps, double bandwidth);

#ifdef __cplusplus
}
#endif
#endif
