/* output.c - where data goes: standard output or the file of -o, with every write error noticed. */
#define _POSIX_C_SOURCE 200809L /* fileno, fstat */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "experiments/command/options.h"
#include "experiments/command/refusals.h"
#include "experiments/command/unfinished.h"
#include "roundabout.h"

static int cannot_write(const char *option, const char *path, int reason, struct rb_error *error)
{
    const char *slash = strrchr(path, '/');
    if (reason == ENOENT && slash != NULL && slash != path)
        return rb_fail(error, RB_EINVAL,
                       "--%s: cannot write \"%s\": there is no directory \"%.*s\"", option, path,
                       (int)(slash - path), path);
    bool request = reason == ENOENT || reason == ENOTDIR || reason == EISDIR || reason == EACCES ||
                   reason == ENAMETOOLONG || reason == EROFS;
    return rb_fail(error, request ? RB_EINVAL : RB_EIO, "--%s: cannot write \"%s\": %s", option,
                   path, strerror(reason));
}

int rb_cannot_write(const char *path, int reason, struct rb_error *error)
{
    return cannot_write("output", path, reason, error);
}

/* Only what we made is removed: never a device or a pipe that -o names. */
static bool is_regular(FILE *stream)
{
    struct stat file;
    return fstat(fileno(stream), &file) == 0 && S_ISREG(file.st_mode);
}

int rb_output_open(struct rb_output *output, const char *path, struct rb_error *error)
{
    return rb_output_open_for(output, "output", path, error);
}

int rb_output_open_for(struct rb_output *output, const char *option, const char *path,
                       struct rb_error *error)
{
    *output = (struct rb_output){.stream = stdout};
    if (path == NULL || strcmp(path, "-") == 0)
        return RB_OK;
    output->path = path;
    output->stream = fopen(path, "w");
    if (output->stream == NULL)
        return cannot_write(option, path, errno, error);
    if (is_regular(output->stream))
        rb_unfinished(path);
    return RB_OK;
}

int rb_output_close(struct rb_output *output, struct rb_error *error)
{
    FILE *stream = output->stream;
    const char *path = output->path;
    *output = (struct rb_output){0};
    errno = 0;
    const bool refused = rb_memory_refused();
    bool failed = fflush(stream) != 0 || ferror(stream) != 0 || refused;
    int reason = errno;
    if (path != NULL) {
        bool regular = is_regular(stream);
        if (fclose(stream) != 0 && !failed) {
            failed = true;
            reason = errno;
        }
        if (failed && regular)
            unlink(path);
        rb_finished(path);
    }
    if (!failed)
        return RB_OK;
    if (refused)
        return rb_fail(error, RB_ENOMEM, "out of memory");
    return rb_fail(error, RB_EIO, "%s%s%s: not all was written: %s", path == NULL ? "" : "\"",
                   path == NULL ? "standard output" : path, path == NULL ? "" : "\"",
                   reason == 0 ? "an earlier write failed" : strerror(reason));
}

void rb_output_discard(struct rb_output *output)
{
    if (output->stream != NULL && output->path != NULL) {
        bool regular = is_regular(output->stream);
        fclose(output->stream);
        if (regular)
            unlink(output->path);
        rb_finished(output->path);
    }
    *output = (struct rb_output){0};
}
