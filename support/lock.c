/* lock.c - see lock.h.
 *
 * A record lock (fcntl), because it dies with its process and children don't inherit it: the
 * workers of a killed sweep can't keep the file locked. */
#define _POSIX_C_SOURCE 200809L

#include "support/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* PATH.lock; the caller frees it. NULL: no memory. */
static char *lock_name(const char *path)
{
    char *name = malloc(strlen(path) + sizeof ".lock");
    if (name != NULL)
        strcat(strcpy(name, path), ".lock");
    return name;
}

/* True if the open file still has this name. Its last owner may have removed it meanwhile. */
static bool still_there(int file, const char *path)
{
    struct stat opened, named;
    return fstat(file, &opened) == 0 && stat(path, &named) == 0 && opened.st_ino == named.st_ino &&
           opened.st_dev == named.st_dev;
}

int sup_lock_take(struct sup_lock *lock, const char *path)
{
    struct flock wanted = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int reason = 0;
    *lock = (struct sup_lock){.path = lock_name(path)};
    if (lock->path == NULL)
        return ENOMEM;
    while (reason == 0) {
        lock->file = open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (lock->file < 0 || fcntl(lock->file, F_SETLK, &wanted) != 0)
            reason = errno == EACCES && lock->file >= 0 ? EAGAIN : errno;
        else if (still_there(lock->file, lock->path))
            return 0;
        if (lock->file >= 0)
            close(lock->file);
    }
    free(lock->path);
    *lock = (struct sup_lock){0};
    return reason;
}

int sup_lock_wait(struct sup_lock *lock, const char *path, int seconds)
{
    enum { PER_SECOND = 100 };
    const struct timespec step = {.tv_nsec = 1000000000 / PER_SECOND};
    int reason = sup_lock_take(lock, path);
    for (int i = 0; i < seconds * PER_SECOND && reason == EAGAIN; i++) {
        nanosleep(&step, NULL);
        reason = sup_lock_take(lock, path);
    }
    return reason;
}

void sup_lock_release(struct sup_lock *lock)
{
    if (lock->path == NULL)
        return;
    unlink(lock->path);
    close(lock->file);
    free(lock->path);
    *lock = (struct sup_lock){0};
}

pid_t sup_lock_holder(const char *path)
{
    struct flock holder = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char *name = lock_name(path);
    const int file = name == NULL ? -1 : open(name, O_RDWR | O_CLOEXEC);
    free(name);
    if (file < 0) /* no process has written PATH, or its last writer ended in order */
        return 0;
    const bool held = fcntl(file, F_GETLK, &holder) == 0 && holder.l_type != F_UNLCK;
    close(file);
    return held ? holder.l_pid : 0;
}
