/* directory.h - exports that are many files in a directory, which appear when all are complete. */
#ifndef INTERCHANGE_EXPORT_DIRECTORY_H
#define INTERCHANGE_EXPORT_DIRECTORY_H

#include <stdbool.h>
#include <stdio.h>

#include "support/error.h"
#include "support/output/files.h"

struct export_directory {
    const char *path;
    struct out_staging staging;
    bool mine; /* made here, and removed if the export fails */
};

/* Makes the directory if it isn't there. RB_EINVAL, RB_EIO. Close it also after a failure. */
int export_directory_open(struct export_directory *directory, const char *path,
                          struct sup_error *error);
/* Moves the files to their places if status is RB_OK, and else removes them. Returns the status, or
 * what out_staging_publish does. */
int export_directory_close(struct export_directory *directory, int status, struct sup_error *error);

/* A file to write in it. RB_EINVAL, RB_EIO. */
int export_file_open(const struct export_directory *directory, const char *name, FILE **file,
                     struct sup_error *error);
/* Returns the status if it isn't RB_OK; RB_EIO if not everything could be written. A file that is
 * NULL is ignored. */
int export_file_close(const struct export_directory *directory, const char *name, FILE *file,
                      int status, struct sup_error *error);

#endif
