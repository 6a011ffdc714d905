/* audit_sources.h - where the points of an audit come from, by the options of the verb. */
#ifndef COMMAND_AUDIT_SOURCES_H
#define COMMAND_AUDIT_SOURCES_H

#include "studies/audit/audit.h"
#include "support/options/options.h"

/* An audit, what it was made of, and what is said about it. */
struct verb_audit_work {
    struct decide audit;
    struct rows_taken rows; /* with the notes of all sources */
    struct rules_file *rules;
    struct decide_curves curves;
    struct predict_model *model;
    char native[80]; /* the operand, if it is native:NAME */
};

/* Adds the points: with --platform of simulations, with --results of a sweep or measured rows, with
 * --fit of predictions, else of the measured rows that the operand names. RB_EINVAL, with a message
 * that names the option or the file; RB_EIO, RB_EFAILED. */
int verb_audit_read(const struct cli_args *args, struct verb_audit_work *work,
                    struct sup_error *error);
void verb_audit_work_free(struct verb_audit_work *work); /* safe on a zeroed struct */

#endif
