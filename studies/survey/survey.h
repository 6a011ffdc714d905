/* survey.h - the survey of a platform: its parts, possible faults of its routes, and where ranks
 * are in it. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "platforms/network.h"
#include "sim/simgrid/simgrid_platform.h"
#include "support/error.h"
#include "support/options/common_options.h"

/* ---- The survey ------------------------------------------------------------------------------ */

/* Surveys a platform that SimGrid has loaded: hosts, links, routes, and their faults.
 *
 * The survey is a JSON object; docs/platforms.md documents its members. */

/* Loads the platform (an XML file or a generator's text) in a child process and walks the routes of
 * all pairs of hosts, or of a fixed sample if they are many. The caller owns *survey. RB_EINVAL,
 * RB_EIO, or RB_EFAILED if SimGrid crashes on the platform. O(pairs x route length). */
int survey_platform(const char *platform, json_t **survey, struct sup_error *error);

/* ---- Findings -------------------------------------------------------------------------------- */

/* The possible faults of a platform, and the rules that find them. */

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

/* A route that outlives the next call of s4u_find_route. */
struct survey_route {
    int32_t from, to; /* hosts */
    int32_t *link;    /* owned, with room for all links of the platform */
    int32_t count;
    double latency, bandwidth; /* as in struct s4u_route */
};

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

/* ---- Places ---------------------------------------------------------------------------------- */

/* In which groups and at which switches of a platform the ranks of a placement are.
 *
 * docs/platforms.md documents the columns and members. */

/* A part of the platform: the hosts of a switch or of a group, that ranks are on. */
struct survey_part {
    int32_t cut;    /* in the cuts */
    int32_t number; /* of the cut's parts */
    int32_t hosts, ranks;
    int32_t switches; /* parts of the first cut, the finest, that are in this one and have ranks */
};

struct survey_places {
    struct platform_cuts cuts;
    int32_t ranks, hosts, most;        /* ranks; hosts that have any; most ranks of one */
    int32_t nodes[PLATFORM_MOST_CUTS]; /* of each cut, how many parts have hosts at all */
    struct survey_part *part;          /* those with ranks, by cut, then by number; owned */
    int32_t parts;
};

/* Finds the places of a placement's ranks. ranks: 0 for as many as a file has. A text that is wrong
 * for its option is refused with that option's name. RB_EINVAL. */
int survey_places_find(const char *platform, const char *placement, int32_t ranks, int32_t ppn,
                       struct survey_places *places, struct sup_error *error);
void survey_places_free(struct survey_places *places); /* safe on a zeroed struct */

/* Prints them. Errors of writing show in the stream. */
void survey_print_places(FILE *stream, enum out_format format, const char *platform,
                         const char *placement, const struct survey_places *places);

/* ---- Reports --------------------------------------------------------------------------------- */

/* All print to stream; details are for text. Errors of writing show in the stream. */
void survey_print_generators(FILE *stream, enum out_format format, bool details);
json_t *survey_generators_json(void); /* the generators in JSON */
void survey_print(FILE *stream, enum out_format format, bool details, json_t *survey);
/* The findings alone: one line each, or none. */
void survey_print_findings(FILE *stream, enum out_format format, const json_t *survey);
