/* lock.h - one writer per results file. */
#ifndef EXPERIMENTS_RESULTS_LOCK_H
#define EXPERIMENTS_RESULTS_LOCK_H

#include "support/error.h"

struct results_lock {
    char *path; /* of the lock file; owned */
    int file;   /* open while path is set */
};

/* Locks PATH.lock. RB_EINVAL if another process has it, whose number the message gives. The lock
 * ends with this process, however that ends, and is not passed to its children. */
int results_lock_take(struct results_lock *lock, const char *path, struct sup_error *error);
/* RB_EINVAL, with a message that names the process, if another one has the lock of PATH. */
int results_lock_test(const char *path, struct sup_error *error);
/* Ends it and removes the lock file; safe on a zeroed struct. */
void results_lock_release(struct results_lock *lock);

#endif
