/* preload_file.c - see preload_file.h. */
#define _POSIX_C_SOURCE 200809L /* fileno, getcwd */

#include "preload_file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <roundabout.h>

static char *absolute(const char *name)
{
    char directory[PATH_MAX];
    const bool relative = name[0] != '/' && getcwd(directory, sizeof directory) != NULL;
    const size_t room = relative ? strlen(directory) + strlen(name) + 2 : strlen(name) + 1;
    char *path = malloc(room);
    if (path != NULL)
        snprintf(path, room, "%s%s%s", relative ? directory : "", relative ? "/" : "", name);
    return path;
}

/* A byte finds a full disk; none at all finds a device that takes nothing. Returns 0, or an
 * errno. */
static int try(struct sup_replacement *open)
{
    if (open->temporary == NULL)
        return write(fileno(open->stream), "", 0) == 0 ? 0 : errno;
    fputc('\n', open->stream);
    const int reason = sup_finish(open->stream) ? 0 : errno;
    open->stream = NULL;
    sup_replace_discard(open);
    return reason;
}

int preload_file_start(struct preload_file *file, const char *variable, const char *name, bool adds,
                       struct sup_error *error)
{
    struct stat about;
    file->path = absolute(name);
    file->how = adds ? 0 : SUP_WRITE_OVER;
    int reason = file->path == NULL ? ENOMEM
                 : name[0] == '\0'  ? ENOENT
                                    : sup_replace_open(&file->open, file->path, 0, NULL);
    if (reason == 0)
        reason = try(&file->open);
    else if (!adds && (reason == EACCES || reason == EPERM || reason == EROFS) &&
             access(file->path, W_OK) == 0)
        reason = 0; /* in a directory that takes no new file */
    if (reason == 0)
        return RB_OK;
    sup_replace_discard(&file->open);
    return sup_fail(error, RB_EINVAL, "%s: '%s': %s", variable, name,
                    reason == ENXIO && stat(file->path, &about) == 0 && S_ISFIFO(about.st_mode)
                        ? "a pipe that nobody reads"
                        : sup_reason_text(reason));
}

int preload_file_open(struct preload_file *file)
{
    if (file->open.stream != NULL)
        return 0;
    return sup_replace_open(&file->open, file->path, file->how, NULL);
}

void preload_complain(const char *variable, const char *name, int rank, const char *why)
{
    fprintf(stderr, "roundabout: %s: '%s': rank %d: %s\n", variable, name, rank, why);
}

const char *preload_status_text(int status)
{
    return status == RB_ENOMEM ? "out of memory" : "the ranks can't communicate";
}
