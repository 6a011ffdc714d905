/* verify_report.h - prints the results of the verb verify. */
#ifndef VERIFICATION_VERIFY_REPORT_H
#define VERIFICATION_VERIFY_REPORT_H

#include <stdio.h>

#include "verification/verify_work.h"

struct verify_run {
    struct verify_job job;    /* first: it is what the workers' context points at */
    struct verify_record sum; /* over all workers */
    const char *recorded_in;  /* the file of --record, or NULL */
    int64_t recorded;         /* values of p that were found there */
    double wall_s;
};

/* How many plans were verified. */
int64_t verify_plan_count(const struct verify_run *verification);

/* What all algorithms' plans covered. */
struct verify_cover verify_cover(const struct verify_run *verification);

/* Names the first wrong plans or schedules on standard error, each with the command that repeats
 * it. */
void verify_complain(struct verify_run *verification);

/* The summary, as a table for people or as json. json may fail with RB_ENOMEM. */
void verify_print_table(const struct verify_run *verification, FILE *stream);
int verify_print_json(const struct verify_run *verification, FILE *stream);

#endif
