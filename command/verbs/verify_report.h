/* verify_report.h - prints the results of the verb verify. */
#ifndef COMMAND_VERBS_VERIFY_REPORT_H
#define COMMAND_VERBS_VERIFY_REPORT_H

#include <stdio.h>

#include "command/verbs/verify_work.h"

struct verb_verification {
    struct verb_verify_job job;    /* first: it is what the workers' context points at */
    struct verb_verify_record sum; /* over all workers */
    const char *recorded_in;       /* the file of --record, or NULL */
    int64_t recorded;              /* values of p that were found there */
    double wall_s;
};

/* How many plans were verified. */
int64_t verb_verify_plan_count(const struct verb_verification *verification);

/* What all algorithms' plans covered. */
struct verb_verify_cover verb_verify_cover(const struct verb_verification *verification);

/* Names the first wrong plans or schedules on standard error, each with the command that repeats
 * it. */
void verb_verify_complain(struct verb_verification *verification);

/* The summary, as a table for people or as json. json may fail with RB_ENOMEM. */
void verb_verify_print_table(const struct verb_verification *verification, FILE *stream);
int verb_verify_print_json(const struct verb_verification *verification, FILE *stream);

#endif
