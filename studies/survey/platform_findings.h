/* platform_findings.h - the possible faults of a platform, and the rules that find them. */
#ifndef STUDIES_SURVEY_PLATFORM_FINDINGS_H
#define STUDIES_SURVEY_PLATFORM_FINDINGS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim/simgrid/simgrid_platform.h"

enum survey_finding {
    SURVEY_FIND_NO_ROUTE,
    SURVEY_FIND_LOOPBACK,
    SURVEY_FIND_SHARED_DUPLEX,
    SURVEY_FIND_LIMITER,
    SURVEY_FIND_UNEVEN_LATENCY,
    SURVEY_FIND_UNEVEN_LENGTH,
    SURVEY_FIND_REPEATED_LINK,
    SURVEY_FIND_BROKEN_ROUTE,
    SURVEY_FIND_LATENCY,
    SURVEY_FIND_BANDWIDTH,
    SURVEY_FINDINGS
};

struct survey_findings {
    struct {
        int64_t count;
        char example[320];
    } kind[SURVEY_FINDINGS];
};

/* Counts one finding; the first one's text is kept as the example. */
void survey_found(struct survey_findings *findings, enum survey_finding kind, const char *format,
                  ...) __attribute__((format(printf, 3, 4)));
json_t *survey_findings_json(const struct survey_findings *findings); /* an array */

/* A route that outlives the next call of s4u_find_route. */
struct survey_route {
    int32_t from, to; /* hosts */
    int32_t *link;    /* owned, with room for all links of the platform */
    int32_t count;
    double latency, bandwidth; /* as in struct s4u_route */
};

/* The rules for one link: no cable, switch or memory is so slow or so fast. */
void survey_examine_link(const struct s4u_link *link, struct survey_findings *findings);
/* The rules for one pair of different hosts. */
void survey_examine_pair(const struct s4u_platform *platform, const struct survey_route *forth,
                         const struct survey_route *back, struct survey_findings *findings);
/* The rule for the route of a host to itself; own[l] says that link l is on a route between
 * different hosts. */
void survey_examine_loopback(const struct s4u_platform *platform, const struct survey_route *self,
                             const bool own[], struct survey_findings *findings);

/* True if the links of a route follow each other. SimGrid does not say where a link's ends are. But
 * if every link is one direction of a cable of a SimGrid cluster, the routes show it: of two
 * consecutive links of a route, the second starts where the first ends. If a link's two ends then
 * are the same place, some route jumps. */
struct survey_cables {
    int32_t links;
    int32_t *place; /* disjoint sets: of each link its tail and its head, then of each host */
    bool known;     /* every link belongs to such a cable */
    bool broken;    /* a contradiction was found: more would follow from it */
};
void survey_cables_init(struct survey_cables *cables, const struct s4u_platform *platform);
void survey_cables_free(struct survey_cables *cables); /* safe on a zeroed struct */
void survey_cables_follow(struct survey_cables *cables, const struct s4u_platform *platform,
                          const struct survey_route *route, struct survey_findings *findings);

#endif
