/* verify_todo.h - the part of a request about schedules or claims that is left to do and possible
 * on this machine. */
#ifndef VERIFICATION_VERIFY_TODO_H
#define VERIFICATION_VERIFY_TODO_H

#include "verification/verify_checked.h"
#include "verification/verify_report.h"

/* Divides the p of verification->job into pieces of work, without those that have been checked by
 * the file `record` (NULL: none), which are added to the sum. Refuses p whose tables do not fit
 * into memory. Opens the record as `checked`, which the caller closes. Prints messages and returns
 * an enum cli_exit. */
int verify_todo(struct verify_run *verification, const char *record, int32_t workers,
                struct verify_checked *checked);

#endif
