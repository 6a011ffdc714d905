/* staging.c - see staging.h. */
#define _XOPEN_SOURCE 700 /* mkdir, strdup */

#include "experiments/command/staging.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "experiments/command/output.h"
#include "experiments/command/unfinished.h"
#include "roundabout.h"

enum { MOST_TRIES = 100 };

/* DIRECTORY/NAME; to be freed. */
static char *inside(const char *directory, const char *name)
{
    const size_t size = strlen(directory) + strlen(name) + 2;
    char *path = malloc(size);
    if (path != NULL)
        snprintf(path, size, "%s/%s", directory, name);
    return path;
}

int rb_staging_open(struct rb_staging *staging, const char *directory, struct rb_error *error)
{
    char *within = inside(directory, "");
    *staging = (struct rb_staging){.directory = strdup(directory)};
    int made = -1;
    for (int number = 0; within != NULL && number < MOST_TRIES; number++) {
        free(staging->path);
        staging->path = rb_temporary_name(within, number);
        if (staging->path == NULL)
            break;
        rb_unfinished(staging->path); /* before it is there: a signal may come at once */
        made = mkdir(staging->path, 0777);
        if (made == 0)
            break;
        rb_finished(staging->path);
        if (errno != EEXIST)
            break;
    }
    const int reason = errno;
    free(within);
    if (made == 0 && staging->directory != NULL)
        return RB_OK;
    if (made == 0)
        rb_staging_discard(staging);
    free(staging->path);
    free(staging->directory);
    *staging = (struct rb_staging){0};
    if (reason == ENOMEM)
        return rb_fail(error, RB_ENOMEM, "out of memory");
    return rb_fail(error, RB_EIO, "%s: cannot be written: %s", directory, strerror(reason));
}

static int publish(const struct rb_staging *staging, const char *name, struct rb_error *error)
{
    char *from = inside(staging->path, name), *to = inside(staging->directory, name);
    const int status = from == NULL || to == NULL ? rb_fail(error, RB_ENOMEM, "out of memory")
                                                  : rb_output_move(from, to, error);
    free(from);
    free(to);
    return status;
}

int rb_staging_publish(struct rb_staging *staging, struct rb_error *error)
{
    DIR *files = opendir(staging->path);
    const struct dirent *entry;
    int status =
        files == NULL ? rb_fail(error, RB_EIO, "%s: %s", staging->path, strerror(errno)) : RB_OK;
    while (status == RB_OK && (entry = readdir(files)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            status = publish(staging, entry->d_name, error);
    if (files != NULL)
        closedir(files);
    rb_staging_discard(staging);
    return status;
}

void rb_staging_discard(struct rb_staging *staging)
{
    if (staging->path != NULL) {
        rb_remove(staging->path);
        rb_finished(staging->path);
    }
    free(staging->path);
    free(staging->directory);
    *staging = (struct rb_staging){0};
}
