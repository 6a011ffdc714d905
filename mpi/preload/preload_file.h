/* preload_file.h - the files that RB_REPORT and RB_REMEMBER name. Rank 0 writes them, when MPI
 * ends, as the program writes its own (support/replace.h). */
#ifndef MPI_PRELOAD_PRELOAD_FILE_H
#define MPI_PRELOAD_PRELOAD_FILE_H

#include "support/error.h"
#include "support/replace.h"

struct preload_file {
    char *path;   /* owned; absolute, because the program may change its directory meanwhile */
    unsigned how; /* of support/replace.h */
    struct sup_replacement open;
};

/* Sets path. RB_EINVAL unless the file can be written; it does not change. What is no regular file
 * is open from now on: a pipe that nobody reads is refused, because the end must not wait for a
 * reader. `adds`: the new file has what the old one had, which must not be written over. */
int preload_file_start(struct preload_file *file, const char *variable, const char *name, bool adds,
                       struct sup_error *error);

/* Opens file->open.stream, unless it is. Returns 0, or an errno. */
int preload_file_open(struct preload_file *file);

/* Prints that what this variable asks for was not written, and why. */
void preload_complain(const char *variable, const char *name, int rank, const char *why);

/* "out of memory" or what else a status of the collection from all ranks means. */
const char *preload_status_text(int status);

#endif
