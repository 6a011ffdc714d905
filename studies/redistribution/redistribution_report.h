/* redistribution_report.h - what timetables for one redistribution cost, as table, csv or json, and
 * its communication grid. */
#ifndef STUDIES_REDISTRIBUTION_REDISTRIBUTION_REPORT_H
#define STUDIES_REDISTRIBUTION_REDISTRIBUTION_REPORT_H

#include <stdio.h>

#include "studies/redistribution/attempt.h"
#include "support/output/table.h"

/* The instance, how many messages, T_opt: two lines and an empty one. */
void compare_print_task(const struct compare_task *task, FILE *stream);

/* How much every sender has for every receiver, and numbers of messages, as in the paper's Tables 2
 * and 4: a line per sender. */
void compare_print_grid(const struct compare_task *task, FILE *stream);

/* A line or a row per method, one or more; JSON with the messages if want_grid. docs/formats.md
 * describes the fields. Write errors show in the stream. */
void compare_print_attempts(const struct compare_task *task, const struct compare_attempt attempt[],
                            size_t count, bool want_grid, enum out_format format, FILE *stream);

#endif
