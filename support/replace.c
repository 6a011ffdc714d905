/* replace.c - see replace.h. The libraries use it too, so that lack of memory is an errno. */
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE   700 /* fchmod, fileno, readlink */

#include "support/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- Which file ------------------------------------------------------------------------------ */

/* DIRECTORY OF path + name; to be freed. */
static char *beside(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    const size_t before = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    char *made = malloc(before + strlen(name) + 1);
    if (made != NULL) {
        memcpy(made, path, before);
        strcpy(made + before, name);
    }
    return made;
}

/* Directories whose names open a descriptor again; the file behind it must not be replaced. */
static bool is_descriptor(const char *path)
{
    return strncmp(path, "/proc/", 6) == 0 ||
           (strncmp(path, "/dev/", 5) == 0 && strncmp(path, "/dev/shm/", 9) != 0);
}

/* sup_follow_links; *descriptor is true if the path, or a link on its way, names a descriptor. */
static char *follow_links(const char *path, bool *descriptor)
{
    enum { MOST_LINKS = 40 };
    char *at = strdup(path), to[PATH_MAX];
    *descriptor = false;
    for (int links = 0; links <= MOST_LINKS && at != NULL; links++) {
        *descriptor = *descriptor || is_descriptor(at);
        const ssize_t length = readlink(at, to, sizeof to - 1);
        if (length < 0)
            return at;
        to[length] = '\0';
        char *next = to[0] == '/' ? strdup(to) : beside(at, to);
        free(at);
        at = next;
    }
    errno = at == NULL ? ENOMEM : ELOOP;
    free(at);
    return NULL;
}

char *sup_follow_links(const char *path)
{
    bool descriptor;
    return follow_links(path, &descriptor);
}

char *sup_temporary_name(const char *path, int number)
{
    struct timespec now;
    char name[96];
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(name, sizeof name, ".roundabout-%ld-%" PRIx64 "-%d", (long)getpid(),
             (uint64_t)now.tv_sec << 20 ^ (uint64_t)now.tv_nsec, number);
    return beside(path, name);
}

bool sup_identify(const char *path, struct sup_identity *identity)
{
    struct stat found;
    *identity = (struct sup_identity){0};
    bool known = stat(path, &found) == 0;
    if (!known) {
        char *target = sup_follow_links(path);
        char *slash = target == NULL ? NULL : strrchr(target, '/');
        if (target != NULL)
            identity->name = strdup(slash == NULL ? target : slash + 1);
        if (slash != NULL)
            slash[slash == target] = '\0';
        known = identity->name != NULL && stat(slash == NULL ? "." : target, &found) == 0;
        free(target);
    }
    if (known) {
        identity->device = found.st_dev;
        identity->number = found.st_ino;
    }
    return known;
}

bool sup_is_same_file(const struct sup_identity *a, const struct sup_identity *b)
{
    return a->device == b->device && a->number == b->number &&
           (a->name == NULL) == (b->name == NULL) &&
           (a->name == NULL || strcmp(a->name, b->name) == 0);
}

/* ---- The file beside it ---------------------------------------------------------------------- */

enum { MOST_TRIES = 100 };

void sup_take_after(int file, const struct stat *old)
{
    if (fchown(file, old->st_uid, old->st_gid) == 0 || old->st_uid == geteuid())
        fchmod(file, old->st_mode & 07777);
    else
        fchmod(file, old->st_mode & 0777);
}

static void no_watch(const char *temporary, bool begins)
{
    (void)temporary;
    (void)begins;
}

/* Opens a new file in the directory of file->target, and names it file->temporary. NULL, with
 * errno, if that can't be. */
static FILE *open_temporary(struct sup_replacement *file, const struct stat *old,
                            sup_replace_watch *watch)
{
    for (int number = 0; number < MOST_TRIES; number++) {
        char *name = sup_temporary_name(file->target, number);
        if (name == NULL)
            return NULL;
        watch(name, true); /* before it is there: a signal may come at once */
        const int made = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        const int reason = errno;
        if (made >= 0) {
            file->temporary = name;
            if (old != NULL)
                sup_take_after(made, old);
            return fdopen(made, "w");
        }
        watch(name, false);
        free(name);
        errno = reason;
        if (reason != EEXIST)
            return NULL;
    }
    return NULL;
}

/* A new file, or one that may be replaced, at file->target. NULL, with errno. */
static FILE *open_beside(struct sup_replacement *file, const char *path, bool over,
                         sup_replace_watch *watch)
{
    struct stat old;
    const bool there = stat(file->target, &old) == 0;
    if (there && access(file->target, W_OK) != 0)
        return NULL;
    FILE *stream = open_temporary(file, there ? &old : NULL, watch);
    if (over && file->temporary == NULL && there &&
        (errno == EACCES || errno == EPERM || errno == EROFS))
        stream = fopen(path, "w"); /* in a directory that takes no new file */
    return stream;
}

/* A pipe or a device. */
static FILE *open_as_it_is(const char *path, bool waits)
{
    if (waits)
        return fopen(path, "w");
    const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666);
    const int flags = file < 0 ? -1 : fcntl(file, F_GETFL);
    if (flags < 0 || fcntl(file, F_SETFL, flags & ~O_NONBLOCK) != 0)
        return NULL;
    return fdopen(file, "w");
}

int sup_replace_open(struct sup_replacement *file, const char *path, unsigned how,
                     sup_replace_watch *watch)
{
    struct stat about;
    bool descriptor;
    *file = (struct sup_replacement){0};
    const bool special = stat(path, &about) == 0 && !S_ISREG(about.st_mode);
    file->target = follow_links(path, &descriptor);
    if (special || (file->target != NULL && descriptor)) {
        free(file->target);
        file->target = NULL;
        file->stream = open_as_it_is(path, (how & SUP_WAIT) != 0);
    } else if (file->target != NULL) {
        file->stream =
            open_beside(file, path, (how & SUP_WRITE_OVER) != 0, watch == NULL ? no_watch : watch);
    }
    if (file->stream != NULL)
        return 0;
    const int reason = errno;
    sup_replace_discard(file);
    return reason;
}

/* ---- Its end --------------------------------------------------------------------------------- */

int sup_earlier_reason(FILE *stream)
{
    clearerr(stream);
    errno = 0;
    const bool fails = fputc('\n', stream) == EOF || fflush(stream) != 0;
    return fails ? errno : -1;
}

const char *sup_reason_text(int reason)
{
    return reason < 0 ? "an earlier write failed" : strerror(reason);
}

bool sup_finish(FILE *stream)
{
    errno = 0;
    bool good = fflush(stream) == 0 && ferror(stream) == 0;
    int reason = good || errno != 0 ? errno : sup_earlier_reason(stream);
    if (fclose(stream) != 0) {
        reason = reason != 0 ? reason : errno;
        good = false;
    }
    errno = good ? 0 : reason;
    return good;
}

/* False, with errno, if not all could be written. */
static bool write_over(const char *from, const char *path)
{
    char buffer[1 << 14];
    size_t got;
    FILE *source = fopen(from, "rb"), *file = source == NULL ? NULL : fopen(path, "wb");
    while (file != NULL && (got = fread(buffer, 1, sizeof buffer, source)) > 0 &&
           fwrite(buffer, 1, got, file) == got)
        ;
    bool good = file != NULL && ferror(source) == 0;
    if (file != NULL && !sup_finish(file))
        good = false;
    const int reason = errno;
    if (source != NULL)
        fclose(source);
    errno = reason;
    return good;
}

/* A file that another one is mounted on can't be replaced, only written. */
int sup_replace(const struct sup_replacement *file)
{
    if (file->temporary == NULL || rename(file->temporary, file->target) == 0)
        return 0;
    const bool good = errno == EBUSY && write_over(file->temporary, file->target);
    const int reason = errno;
    unlink(file->temporary);
    return good ? 0 : reason;
}

int sup_replace_close(struct sup_replacement *file)
{
    FILE *stream = file->stream;
    file->stream = NULL;
    int reason = sup_finish(stream) ? 0 : errno;
    if (reason == 0)
        reason = sup_replace(file);
    if (reason == 0) {
        free(file->temporary);
        file->temporary = NULL;
    }
    sup_replace_discard(file);
    return reason;
}

void sup_replace_discard(struct sup_replacement *file)
{
    if (file->stream != NULL)
        fclose(file->stream);
    if (file->temporary != NULL)
        unlink(file->temporary);
    free(file->target);
    free(file->temporary);
    *file = (struct sup_replacement){0};
}

/* ---- A lock file beside a file that several processes write ---------------------------------- */

/* A record lock (fcntl), because it dies with its process and children don't inherit it: the
 * workers of a killed sweep can't keep the file locked. */

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
