/* lock.c - one writer per results file.
 *
 * A record lock (fcntl), because it dies with its process and children don't inherit it: the
 * workers of a killed sweep can't keep the file locked. */
#define _POSIX_C_SOURCE 200809L

#include "experiments/results/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/options/options.h"
#include "roundabout.h"
#include "support/memory.h"

/* The process that has the lock; 0: none. */
static pid_t holder_of(int file)
{
    struct flock holder = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(file, F_GETLK, &holder) == 0 && holder.l_type != F_UNLCK ? holder.l_pid : 0;
}

static int busy(const char *path, int file, struct sup_error *error)
{
    const pid_t holder = holder_of(file);
    if (holder != 0)
        return sup_fail(error, RB_EINVAL,
                        "%s: process %ld is writing it; wait for its end, or give another file "
                        "with -o",
                        path, (long)holder);
    return sup_fail(error, RB_EINVAL,
                    "%s: another process is writing it; wait for its end, or give another file "
                    "with -o",
                    path);
}

/* True if the open file still has this name. Its last owner may have removed it meanwhile. */
static bool still_there(int file, const char *path)
{
    struct stat opened, named;
    return fstat(file, &opened) == 0 && stat(path, &named) == 0 && opened.st_ino == named.st_ino &&
           opened.st_dev == named.st_dev;
}

int results_lock_test(const char *path, struct sup_error *error)
{
    char *name = sup_format("%s.lock", path);
    const int file = open(name, O_RDWR | O_CLOEXEC);
    free(name);
    if (file < 0) /* no process has written PATH, or its last writer ended in order */
        return RB_OK;
    const pid_t holder = holder_of(file);
    close(file);
    if (holder == 0)
        return RB_OK;
    return sup_fail(error, RB_EINVAL, "%s: process %ld is writing it", path, (long)holder);
}

int results_lock_take(struct results_lock *lock, const char *path, struct sup_error *error)
{
    lock->path = sup_format("%s.lock", path);
    for (;;) {
        struct flock wanted = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        int status = RB_OK;
        lock->file = open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (lock->file < 0)
            status = out_cannot_write(path, errno, error);
        else if (fcntl(lock->file, F_SETLK, &wanted) != 0)
            status = errno == EACCES || errno == EAGAIN
                         ? busy(path, lock->file, error)
                         : sup_fail(error, RB_EIO, "%s: cannot be locked: %s", lock->path,
                                    strerror(errno));
        else if (still_there(lock->file, lock->path))
            return RB_OK;
        if (lock->file >= 0)
            close(lock->file);
        if (status != RB_OK) {
            free(lock->path);
            *lock = (struct results_lock){0};
            return status;
        }
    }
}

void results_lock_release(struct results_lock *lock)
{
    if (lock->path == NULL)
        return;
    unlink(lock->path);
    close(lock->file);
    free(lock->path);
    *lock = (struct results_lock){0};
}
