/* platform_places.h - in which groups and at which switches of a platform the ranks of a placement
 * are.
 *
 * docs/platforms.md documents the columns and members. */
#ifndef STUDIES_SURVEY_PLATFORM_PLACES_H
#define STUDIES_SURVEY_PLATFORM_PLACES_H

#include <stdint.h>
#include <stdio.h>

#include "platforms/network.h"
#include "support/options/common_options.h"

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

#endif
