/* staging.c - see staging.h. */
#define _XOPEN_SOURCE 700 /* mkdir */

#include "support/output/staging.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "roundabout.h"
#include "support/memory.h"
#include "support/output/files.h"
#include "support/output/made.h"
#include "support/output/output.h"
#include "support/output/unfinished.h"

enum { MOST_TRIES = 100 };

/* DIRECTORY/NAME; to be freed. */
static char *inside(const char *directory, const char *name)
{
    return sup_format("%s/%s", directory, name);
}

int out_staging_open(struct out_staging *staging, const char *directory, struct sup_error *error)
{
    char *within = inside(directory, "");
    bool made = false, taken = true;
    *staging = (struct out_staging){.directory = sup_strdup(directory)};
    for (int number = 0; !made && taken && number < MOST_TRIES; number++) {
        free(staging->path);
        staging->path = out_temporary_name(within, number);
        out_unfinished(staging->path); /* before it is there: a signal may come at once */
        made = mkdir(staging->path, 0777) == 0;
        taken = !made && errno == EEXIST;
        if (!made)
            out_finished(staging->path);
    }
    const int reason = errno;
    free(within);
    if (made)
        return RB_OK;
    free(staging->path);
    free(staging->directory);
    *staging = (struct out_staging){0};
    return sup_fail(error, RB_EIO, "%s: cannot be written: %s", directory, strerror(reason));
}

struct move {
    char *from, *to; /* owned */
};

/* Makes all names before any file is moved. */
static int find_moves(const struct out_staging *staging, struct move **moves, size_t *count,
                      struct sup_error *error)
{
    const struct dirent *entry;
    DIR *files = sup_got(opendir(staging->path));
    if (files == NULL)
        return sup_fail(error, RB_EIO, "%s: %s", staging->path, strerror(errno));
    while ((entry = readdir(files)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        sup_grow(moves, *count, sizeof **moves);
        (*moves)[(*count)++] = (struct move){inside(staging->path, entry->d_name),
                                             inside(staging->directory, entry->d_name)};
    }
    closedir(files);
    return RB_OK;
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
