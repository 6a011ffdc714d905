/* lock.h - one writer per results file. */
#ifndef RB_EXPERIMENTS_RESULTS_LOCK_H
#define RB_EXPERIMENTS_RESULTS_LOCK_H

#include "support/error.h"

struct rb_lock {
    char *path; /* of the lock file; owned */
    int file;   /* open while path is set */
};

/* Locks PATH.lock. RB_EINVAL if another process has it, whose number the message gives. The lock
 * ends with this process, however that ends, and is not passed to its children. */
int rb_lock_take(struct rb_lock *lock, const char *path, struct rb_error *error);
/* Ends it and removes the lock file; safe on a zeroed struct. */
void rb_lock_release(struct rb_lock *lock);

#endif
