/* lock.h - one writer per results file. */
#ifndef EXPERIMENTS_RESULTS_LOCK_H
#define EXPERIMENTS_RESULTS_LOCK_H

#include "support/error.h"
#include "support/replace.h"

/* Locks PATH.lock; sup_lock_release ends it. RB_EINVAL if another process has it, whose number the
 * message gives. */
int results_lock_take(struct sup_lock *lock, const char *path, struct sup_error *error);
/* RB_EINVAL, with a message that names the process, if another one has the lock of PATH. */
int results_lock_test(const char *path, struct sup_error *error);

#endif
