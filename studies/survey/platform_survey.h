/* platform_survey.h - surveys a platform that SimGrid has loaded: hosts, links, routes, and their
 * faults.
 *
 * The survey is a JSON object; docs/platforms.md documents its members. */
#ifndef STUDIES_SURVEY_PLATFORM_SURVEY_H
#define STUDIES_SURVEY_PLATFORM_SURVEY_H

#include <jansson.h>

#include "support/error.h"

/* Loads the platform (an XML file or a generator's text) in a child process and walks the routes of
 * all pairs of hosts, or of a fixed sample if they are many. The caller owns *survey. RB_EINVAL,
 * RB_EIO, or RB_EFAILED if SimGrid crashes on the platform. O(pairs x route length). */
int survey_platform(const char *platform, json_t **survey, struct sup_error *error);

#endif
