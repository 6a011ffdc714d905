/* staging.c - see staging.h. */
#define _XOPEN_SOURCE 700 /* mkdir, strdup */

#include "cli/output/staging.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/output/files.h"
#include "cli/output/made.h"
#include "cli/output/output.h"
#include "cli/output/unfinished.h"
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

int out_staging_open(struct out_staging *staging, const char *directory, struct sup_error *error)
{
    char *within = inside(directory, "");
    *staging = (struct out_staging){.directory = strdup(directory)};
    int made = -1;
    for (int number = 0; within != NULL && number < MOST_TRIES; number++) {
        free(staging->path);
        staging->path = out_temporary_name(within, number);
        if (staging->path == NULL)
            break;
        out_unfinished(staging->path); /* before it is there: a signal may come at once */
        made = mkdir(staging->path, 0777);
        if (made == 0)
            break;
        out_finished(staging->path);
        if (errno != EEXIST)
            break;
    }
    const int reason = errno;
    free(within);
    if (made == 0 && staging->directory != NULL)
        return RB_OK;
    if (made == 0)
        out_staging_discard(staging);
    free(staging->path);
    free(staging->directory);
    *staging = (struct out_staging){0};
    if (reason == ENOMEM)
        return sup_fail(error, RB_ENOMEM, "out of memory");
    return sup_fail(error, RB_EIO, "%s: cannot be written: %s", directory, strerror(reason));
}

struct move {
    char *from, *to; /* owned */
};

/* Makes all names before any file is moved, because this needs memory. */
static int find_moves(const struct out_staging *staging, struct move **moves, size_t *count,
                      struct sup_error *error)
{
    const struct dirent *entry;
    DIR *files = opendir(staging->path);
    if (files == NULL)
        return sup_fail(error, RB_EIO, "%s: %s", staging->path, strerror(errno));
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
            status = sup_fail(error, RB_ENOMEM, "out of memory");
    }
    closedir(files);
    return status;
}

int out_staging_publish(struct out_staging *staging, struct sup_error *error)
{
    struct move *moves = NULL;
    size_t count = 0;
    int status = find_moves(staging, &moves, &count, error);
    for (size_t i = 0; i < count && status == RB_OK; i++)
        status = out_files_replaceable(moves[i].to, moves[i].from, error);
    for (size_t i = 0; i < count && status == RB_OK; i++)
        if (!out_made_mark(moves[i].from))
            status = sup_fail(error, RB_EIO, "%s: not all was written: %s", moves[i].to,
                              strerror(errno));
    for (size_t i = 0; i < count; i++) {
        if (status == RB_OK)
            status = out_move(moves[i].from, moves[i].to, error);
        free(moves[i].from);
        free(moves[i].to);
    }
    free(moves);
    out_staging_discard(staging);
    return status;
}

void out_staging_discard(struct out_staging *staging)
{
    if (staging->path != NULL) {
        out_remove(staging->path);
        out_finished(staging->path);
    }
    free(staging->path);
    free(staging->directory);
    *staging = (struct out_staging){0};
}
