/* platform_report.h - prints the platform generators, and the survey of a platform. */
#ifndef STUDIES_SURVEY_PLATFORM_REPORT_H
#define STUDIES_SURVEY_PLATFORM_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "support/options/common_options.h"

/* All print to stream. Errors of writing show in the stream. */
void survey_print_generators(FILE *stream, enum out_format format);
json_t *survey_generators_json(void); /* the generators in JSON */
void survey_print(FILE *stream, enum out_format format, json_t *survey);
/* The findings alone: one line each, or none. */
void survey_print_findings(FILE *stream, enum out_format format, const json_t *survey);

#endif
