/* staging.c - see staging.h. */
#define _XOPEN_SOURCE 700 /* mkdir, strdup */

#include "command/output/staging.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/output/output.h"
#include "command/output/unfinished.h"
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

struct move {
    char *from, *to; /* owned */
};

/* All names, before any file is moved: what needs memory comes first. */
static int find_moves(const struct rb_staging *staging, struct move **moves, size_t *count,
                      struct rb_error *error)
{
    const struct dirent *entry;
    DIR *files = opendir(staging->path);
    if (files == NULL)
        return rb_fail(error, RB_EIO, "%s: %s", staging->path, strerror(errno));
    int status = RB_OK;
    while (status == RB_OK && (entry = readdir(files)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        struct move *larger = realloc(*moves, (*count + 1) * sizeof *larger);
        if (larger != NULL) {
            *moves = larger;
            larger[*count] = (struct move){inside(staging->path, entry->d_name),
                                           inside(staging->directory, entry->d_name)};
            (*count)++;
        }
        if (larger == NULL || larger[*count - 1].from == NULL || larger[*count - 1].to == NULL)
            status = rb_fail(error, RB_ENOMEM, "out of memory");
    }
    closedir(files);
    return status;
}

int rb_staging_publish(struct rb_staging *staging, struct rb_error *error)
{
    struct move *moves = NULL;
    size_t count = 0;
    int status = find_moves(staging, &moves, &count, error);
    for (size_t i = 0; i < count; i++) {
        if (status == RB_OK)
            status = rb_output_move(moves[i].from, moves[i].to, error);
        free(moves[i].from);
        free(moves[i].to);
    }
    free(moves);
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
