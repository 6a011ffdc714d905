/* verify_checked.h - the file of `verify --schedules --record`: the p that have been checked, a
 * line per range, so that an interrupted run can continue.
 *
 * It is a text file: the first line identifies the format; the others have six words, separated by
 * single blanks,
 *
 *   VERSION TIME RANGE MODE RANKS right
 *   VERSION TIME P     MODE RANKS wrong WHAT...
 *
 * VERSION the program's release and commit; TIME in UTC; RANGE as in -p: 5..9, 5..9+2, 5; MODE
 * "all" ranks of each p or "sample:N"; RANKS how many were checked; WHAT the first thing wrong.
 * Lines are added one by one and reach the disk (fdatasync) before the next piece of work begins.
 * Only lines of the same version count, because another version's results do not hold for this
 * one. */
#ifndef VERIFICATION_VERIFY_CHECKED_H
#define VERIFICATION_VERIFY_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/error.h"
#include "verification/verify_chunks.h"

struct verify_checked_range {
    struct verify_chunk range;
    int32_t sample; /* 0: all ranks */
    char *wrong;    /* the fault of this single p; owned; NULL: the range is right */
};

struct verify_checked {
    const char *path; /* the caller's */
    int file;
    struct verify_checked_range *ranges; /* of this version; owned */
    size_t count;
    int64_t other_versions, damaged; /* lines that do not count */
};

/* Opens or makes the file, reads it, drops a last line that has no end, and locks the file until
 * this process ends. RB_EINVAL if it is not such a file (then it does not change), if another
 * process writes it, or if it is not writable; RB_EIO, RB_ENOMEM. */
int verify_checked_open(struct verify_checked *checked, const char *path, struct sup_error *error);

/* found[i] becomes the range with p[i] that was checked with at least as many ranks as this sample
 * (0: all), or NULL. A wrong p has precedence over right ranges, whatever its sample was.
 * RB_ENOMEM. O((count + ranges) log count + the p that the ranges hold). */
int verify_checked_look_up(const struct verify_checked *checked, int32_t sample, const int32_t p[],
                           size_t count, const struct verify_checked_range *found[]);

/* Adds a line for a range, or for one wrong p. May be called by processes forked since. RB_EIO. */
int verify_checked_add(const struct verify_checked *checked,
                       const struct verify_checked_range *range, int64_t ranks,
                       struct sup_error *error);

/* Safe on a zeroed struct. */
void verify_checked_close(struct verify_checked *checked);

#endif
