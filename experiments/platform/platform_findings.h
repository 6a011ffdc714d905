/* platform_findings.h - what can be wrong with a platform, and the rules that find it. */
#ifndef RB_EXPERIMENTS_PLATFORM_PLATFORM_FINDINGS_H
#define RB_EXPERIMENTS_PLATFORM_PLATFORM_FINDINGS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim/simgrid/simgrid_platform.h"

enum rb_finding {
    RB_FIND_NO_ROUTE,
    RB_FIND_LOOPBACK,
    RB_FIND_SHARED_DUPLEX,
    RB_FIND_LIMITER,
    RB_FIND_UNEVEN_LATENCY,
    RB_FIND_UNEVEN_LENGTH,
    RB_FIND_REPEATED_LINK,
    RB_FIND_BROKEN_ROUTE,
    RB_FINDINGS
};

struct rb_findings {
    struct {
        int64_t count;
        char example[320];
    } kind[RB_FINDINGS];
};

/* Counts one finding; the first one's text is kept as the example. */
void rb_found(struct rb_findings *findings, enum rb_finding kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
json_t *rb_findings_json(const struct rb_findings *findings); /* an array, or NULL: no memory */

/* A route that outlives the next call of rb_simgrid_find_route. */
struct rb_route {
    int32_t from, to; /* hosts */
    int32_t *link;    /* owned, with room for all links of the platform */
    int32_t count;
    double latency, bandwidth; /* as in struct rb_simgrid_route */
};

/* The rules for one pair of different hosts. */
void rb_examine_pair(const struct rb_simgrid *platform, const struct rb_route *forth,
                     const struct rb_route *back, struct rb_findings *findings);
/* The rule for the route of a host to itself; own[l] says that link l is on a route between
 * different hosts. */
void rb_examine_loopback(const struct rb_simgrid *platform, const struct rb_route *self,
                         const bool own[], struct rb_findings *findings);

/* True if the links of a route follow each other. SimGrid doesn't say where a link's ends are, but
 * where every link is one direction of a cable of a SimGrid cluster, the routes say it: of two
 * links that follow each other on a route, the second starts where the first ends. If a link's two
 * ends then turn out to be one place, some route jumps. */
struct rb_cables {
    int32_t links;
    int32_t *place; /* disjoint sets: of each link its tail and its head, then of each host */
    bool known;     /* every link is one of such a cable */
    bool broken;    /* a contradiction was found: more would follow from it */
};
int rb_cables_init(struct rb_cables *cables, const struct rb_simgrid *platform);
void rb_cables_free(struct rb_cables *cables); /* safe on a zeroed struct */
void rb_cables_follow(struct rb_cables *cables, const struct rb_simgrid *platform,
                      const struct rb_route *route, struct rb_findings *findings);

#endif
