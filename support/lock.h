/* lock.h - a lock file beside a file that several processes write. */
#ifndef SUPPORT_LOCK_H
#define SUPPORT_LOCK_H

#include <sys/types.h>

/* A zeroed one is not held. It ends with the process, however that ends, and is not passed to its
 * children. */
struct sup_lock {
    char *path; /* of the lock file; owned */
    int file;   /* open while path is set */
};

/* Locks PATH.lock, also if PATH isn't there. Returns 0, or an errno: EAGAIN if another process has
 * it, ENOLCK if the file system has no locks. */
int sup_lock_take(struct sup_lock *lock, const char *path);
/* Waits so many seconds for another process before it is EAGAIN. */
int sup_lock_wait(struct sup_lock *lock, const char *path, int seconds);
/* Ends it and removes the lock file; safe on a zeroed struct. */
void sup_lock_release(struct sup_lock *lock);

/* The process that has the lock of PATH; 0: none, or it is not known. */
pid_t sup_lock_holder(const char *path);

#endif
