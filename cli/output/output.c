/* output.c - see output.h. Every error of writing is noticed. */
#define _XOPEN_SOURCE 700 /* fchmod, fileno, readlink */

#include "cli/output/output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/output/files.h"
#include "cli/output/unfinished.h"
#include "cli/output/visible_stream.h"
#include "roundabout.h"
#include "support/memory.h"

static int cannot_write(const char *option, const char *path, int reason, struct sup_error *error)
{
    const char *slash = strrchr(path, '/');
    if (reason == ENOENT && slash != NULL && slash != path)
        return sup_fail(error, RB_EINVAL,
                        "--%s: cannot write \"%s\": there is no directory \"%.*s\"", option, path,
                        (int)(slash - path), path);
    bool request = reason == ENOENT || reason == ENOTDIR || reason == EISDIR || reason == EACCES ||
                   reason == ENAMETOOLONG || reason == EROFS || reason == ELOOP;
    return sup_fail(error, request ? RB_EINVAL : RB_EIO, "--%s: cannot write \"%s\": %s", option,
                    path, strerror(reason));
}

int out_cannot_write(const char *path, int reason, struct sup_error *error)
{
    return cannot_write("output", path, reason, error);
}

/* ---- Which file ------------------------------------------------------------------------------ */

/* DIRECTORY OF path + name; to be freed. */
static char *beside(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    return sup_format("%.*s%s", slash == NULL ? 0 : (int)(slash - path) + 1, path, name);
}

/* Directories whose names open a descriptor again; the file behind it must not be replaced. */
static bool is_descriptor(const char *path)
{
    return strncmp(path, "/proc/", 6) == 0 ||
           (strncmp(path, "/dev/", 5) == 0 && strncmp(path, "/dev/shm/", 9) != 0);
}

/* out_follow_links; *descriptor is true if the path, or a link on its way, names a descriptor. */
static char *follow_links(const char *path, bool *descriptor)
{
    enum { MOST_LINKS = 40 };
    char *at = sup_strdup(path), to[PATH_MAX];
    *descriptor = false;
    for (int links = 0; links <= MOST_LINKS; links++) {
        *descriptor = *descriptor || is_descriptor(at);
        const ssize_t length = readlink(at, to, sizeof to - 1);
        if (length < 0)
            return at;
        to[length] = '\0';
        char *next = to[0] == '/' ? sup_strdup(to) : beside(at, to);
        free(at);
        at = next;
    }
    free(at);
    errno = ELOOP;
    return NULL;
}

char *out_follow_links(const char *path)
{
    bool descriptor;
    return follow_links(path, &descriptor);
}

char *out_temporary_name(const char *path, int number)
{
    struct timespec now;
    char name[96];
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(name, sizeof name, ".roundabout-%ld-%" PRIx64 "-%d", (long)getpid(),
             (uint64_t)now.tv_sec << 20 ^ (uint64_t)now.tv_nsec, number);
    return beside(path, name);
}

/* ---- The file beside it ---------------------------------------------------------------------- */

enum { MOST_TRIES = 100 };

/* A file that is replaced passes its mode on, and its owner if we may. */
static void take_after(int file, const struct stat *old)
{
    if (fchown(file, old->st_uid, old->st_gid) == 0 || old->st_uid == geteuid())
        fchmod(file, old->st_mode & 07777);
    else
        fchmod(file, old->st_mode & 0777);
}

/* Opens a new file in the directory of output->target, and names it output->temporary. NULL, with
 * errno, if that can't be. */
static FILE *open_temporary(struct out_file *output, const struct stat *old)
{
    for (int number = 0; number < MOST_TRIES; number++) {
        char *name = out_temporary_name(output->target, number);
        out_unfinished(name); /* before it is there: a signal may come at once */
        const int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        const int reason = errno;
        if (file >= 0) {
            output->temporary = name;
            if (old != NULL)
                take_after(file, old);
            return fdopen(file, "w");
        }
        out_finished(name);
        free(name);
        errno = reason;
        if (reason != EEXIST)
            return NULL;
    }
    return NULL;
}

/* A new file, or one that may be replaced, at output->target; sets output->stream, or errno. */
static void open_beside(struct out_file *output, const char *path)
{
    struct stat old;
    const bool there = stat(output->target, &old) == 0;
    if (there && access(output->target, W_OK) != 0)
        return;
    output->stream = open_temporary(output, there ? &old : NULL);
    if (output->temporary == NULL && there && (errno == EACCES || errno == EPERM || errno == EROFS))
        output->stream = fopen(path, "w"); /* in a directory that takes no new file */
}

static void release(struct out_file *output)
{
    if (output->temporary != NULL)
        out_finished(output->temporary);
    free(output->target);
    free(output->temporary);
    *output = (struct out_file){0};
}

int out_open(struct out_file *output, const char *path, struct sup_error *error)
{
    return out_open_for(output, "output", path, error);
}

int out_open_for(struct out_file *output, const char *option, const char *path,
                 struct sup_error *error)
{
    struct stat file;
    *output = (struct out_file){.stream = stdout, .file = stdout};
    if (path == NULL || strcmp(path, "-") == 0)
        return RB_OK;
    *output = (struct out_file){.path = path};
    int status = out_files_check(option, path, error);
    if (status != RB_OK)
        return status;
    const bool special = stat(path, &file) == 0 && !S_ISREG(file.st_mode);
    bool descriptor;
    output->target = follow_links(path, &descriptor);
    if (special || descriptor) {
        free(output->target);
        output->target = NULL;
        output->stream = fopen(path, "w");
    } else if (output->target != NULL) {
        open_beside(output, path);
    }
    output->file = output->stream;
    if (output->stream != NULL)
        return RB_OK;
    status = cannot_write(option, path, errno, error);
    out_discard(output);
    return status;
}

int out_open_derived(struct out_file *output, const char *path, struct sup_error *error)
{
    *output = (struct out_file){0};
    const int status = out_files_derive("--output", path, error);
    return status == RB_OK ? out_open(output, path, error) : status;
}

void out_show(struct out_file *output)
{
    output->stream = out_visible_stream(output->file);
}

const char *out_so_far(struct out_file *output)
{
    fflush(output->stream);
    return output->temporary != NULL ? output->temporary : output->path;
}

/* ---- Its end --------------------------------------------------------------------------------- */

/* The errno of a stream of which only ferror says that a write failed: it writes once more, which
 * fails for the same reason. 0 if it does not. */
static int earlier_reason(FILE *stream)
{
    clearerr(stream);
    errno = 0;
    const bool fails = fputc('\n', stream) == EOF || fflush(stream) != 0;
    return fails ? errno : 0;
}

const char *out_reason_text(int reason)
{
    return reason == 0 ? "an earlier write failed" : strerror(reason);
}

bool out_finish(FILE *stream)
{
    errno = 0;
    bool good = fflush(stream) == 0 && ferror(stream) == 0;
    int reason = good || errno != 0 ? errno : earlier_reason(stream);
    if (fclose(stream) != 0) {
        reason = reason != 0 ? reason : errno;
        good = false;
    }
    errno = good ? 0 : reason;
    return good;
}

/* Flushes the stream and closes it unless it is standard output; returns the errno of a failure, or
 * 0. */
static bool close_streams(struct out_file *output)
{
    errno = 0;
    bool good = ferror(output->stream) == 0 && fflush(output->stream) == 0;
    int reason = errno;
    if (!good && reason == 0)
        reason = earlier_reason(output->file);
    if (output->stream != output->file && fclose(output->stream) != 0)
        good = false;
    if (fflush(output->file) != 0 || ferror(output->file) != 0) {
        reason = reason == 0 ? errno : reason;
        good = false;
    }
    if (output->path != NULL && fclose(output->file) != 0) {
        reason = reason == 0 ? errno : reason;
        good = false;
    }
    output->stream = output->file = NULL;
    errno = reason;
    return good;
}

/* Until the end, or an error, which either stream keeps. */
static void copy_bytes(FILE *from, FILE *to)
{
    char buffer[1 << 16];
    size_t got;
    while ((got = fread(buffer, 1, sizeof buffer, from)) > 0 && fwrite(buffer, 1, got, to) == got)
        ;
}

/* False, with errno, if not all could be written. */
static bool write_over(const char *from, const char *path)
{
    FILE *source = fopen(from, "rb"), *file = source == NULL ? NULL : fopen(path, "wb");
    bool good = file != NULL;
    if (good)
        copy_bytes(source, file);
    good = good && ferror(source) == 0 && ferror(file) == 0;
    if (file != NULL && fclose(file) != 0)
        good = false;
    const int reason = errno;
    if (source != NULL)
        fclose(source);
    errno = reason;
    return good;
}

/* A file that another one is mounted on can't be replaced, only written. */
static bool replace(const struct out_file *output)
{
    if (rename(output->temporary, output->target) == 0)
        return true;
    const bool good = errno == EBUSY && write_over(output->temporary, output->target);
    const int reason = errno;
    unlink(output->temporary);
    errno = reason;
    return good;
}

/* True if nobody reads our standard output any longer; a write that fails early leaves no errno. */
static bool reader_left(const struct out_file *output)
{
    struct pollfd standard = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return output->path == NULL && poll(&standard, 1, 0) == 1 && (standard.revents & POLLERR) != 0;
}

/* Fails with a message that not everything could be written, for this reason, and drops the
 * output. */
static int give_up(struct out_file *output, int reason, struct sup_error *error)
{
    const char *path = output->path;
    const bool left = reader_left(output);
    if (output->temporary != NULL)
        unlink(output->temporary);
    release(output);
    if (left)
        return sup_fail(error, RB_EIO, "%s", "");
    return sup_fail(error, RB_EIO, "%s%s%s: not all was written: %s", path == NULL ? "" : "\"",
                    path == NULL ? "standard output" : path, path == NULL ? "" : "\"",
                    out_reason_text(reason));
}

int out_complete(struct out_file *output, struct sup_error *error)
{
    if (output->complete)
        return RB_OK;
    if (output->file == NULL)
        output->file = output->stream;
    output->complete = close_streams(output);
    if (output->complete)
        return RB_OK;
    return give_up(output, errno, error);
}

int out_close(struct out_file *output, struct sup_error *error)
{
    const int status = out_complete(output, error);
    if (status != RB_OK)
        return status;
    if (output->temporary != NULL && !replace(output))
        return give_up(output, errno, error);
    release(output);
    return RB_OK;
}

void out_discard(struct out_file *output)
{
    if (output->stream != NULL && (output->path != NULL || output->stream != output->file))
        close_streams(output);
    if (output->temporary != NULL)
        unlink(output->temporary);
    release(output);
}

/* ---- Files that are complete already --------------------------------------------------------- */

static int copy(const char *from, const char *path, struct sup_error *error)
{
    struct out_file output = {0};
    FILE *file = fopen(from, "rb");
    if (file == NULL)
        return sup_fail(error, RB_EIO, "%s: %s", from, strerror(errno));
    int status = out_open(&output, path, error);
    if (status == RB_OK)
        copy_bytes(file, output.stream);
    if (status == RB_OK && ferror(file) != 0)
        status = sup_fail(error, RB_EIO, "%s: cannot be read", from);
    fclose(file);
    if (status == RB_OK)
        return out_close(&output, error);
    out_discard(&output);
    return status;
}

/* Takes over mode and owner of the file to replace; false if it is not a file that may be
 * replaced. */
static bool take_after_old(const char *from, const char *path)
{
    struct stat old;
    if (lstat(path, &old) != 0)
        return true;
    const int file =
        S_ISREG(old.st_mode) && access(path, W_OK) == 0 ? open(from, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return false;
    take_after(file, &old);
    close(file);
    return true;
}

/* A name that is taken may be that of a link, a device, or a mount. */
int out_move(const char *from, const char *path, struct sup_error *error)
{
    const int status = out_files_check("output", path, error);
    if (status != RB_OK || (take_after_old(from, path) && rename(from, path) == 0))
        return status;
    return copy(from, path, error);
}
