/* staging.h - a directory inside another one, in which files are made until all are complete. */
#ifndef RB_COMMAND_OUTPUT_STAGING_H
#define RB_COMMAND_OUTPUT_STAGING_H

#include "support/error.h"

struct rb_staging {
    char *directory; /* owned: where the files are to be */
    char *path;      /* owned: where they are made */
};

/* The directory must be there. Until it is published or discarded, a signal that ends the process
 * removes what was staged. RB_EIO, RB_ENOMEM. */
int rb_staging_open(struct rb_staging *staging, const char *directory, struct rb_error *error);

/* Moves all files to the directory (rb_output_move), and removes what is staged, also on failure.
 * RB_EINVAL, RB_EIO. */
int rb_staging_publish(struct rb_staging *staging, struct rb_error *error);

/* Safe on a zeroed struct, and after rb_staging_publish. */
void rb_staging_discard(struct rb_staging *staging);

#endif
