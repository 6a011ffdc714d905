/* verify_report.h - what the verb verify prints. */
#ifndef RB_COMMAND_VERBS_VERIFY_REPORT_H
#define RB_COMMAND_VERBS_VERIFY_REPORT_H

#include <stdio.h>

#include "command/verbs/verify_work.h"

struct rb_verification {
    struct rb_verify_job job;    /* first: it is what the workers' context points at */
    struct rb_verify_record sum; /* over all workers */
    const char *recorded_in;     /* the file of --record, or NULL */
    int64_t recorded;            /* values of p that were found there */
    double wall_s;
};

/* How many plans were verified. */
int64_t rb_verify_plan_count(const struct rb_verification *verification);

/* What all algorithms' plans covered. */
struct rb_verify_cover rb_verify_cover(const struct rb_verification *verification);

/* Names the first wrong ones on standard error, with the command that repeats each. */
void rb_verify_complain(struct rb_verification *verification);

/* The summary, as a table for people or as json. json may fail with RB_ENOMEM. */
void rb_verify_print_table(const struct rb_verification *verification, FILE *stream);
int rb_verify_print_json(const struct rb_verification *verification, FILE *stream);

#endif
