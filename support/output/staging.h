/* staging.h - a directory inside another one, in which files are made until all are complete. */
#ifndef SUPPORT_OUTPUT_STAGING_H
#define SUPPORT_OUTPUT_STAGING_H

#include "support/error.h"

struct out_staging {
    char *directory; /* owned: where the files are to be */
    char *path;      /* owned: where they are made */
};

/* The directory must be there. Until it is published or discarded, a signal that ends the process
 * removes what was staged. RB_EIO. */
int out_staging_open(struct out_staging *staging, const char *directory, struct sup_error *error);

/* Moves all files to the directory (out_move), or none if one of them may not replace what is there
 * (out_files_replaceable), and removes the staged files, also on failure. RB_EINVAL, RB_EIO,
 * RB_EFAILED. */
int out_staging_publish(struct out_staging *staging, struct sup_error *error);

/* Safe on a zeroed struct, and after out_staging_publish. */
void out_staging_discard(struct out_staging *staging);

#endif
