/* checked_ranges.h - the file of `verify --schedules --record`: which p have been checked, a line
 * per range, so that a run that was stopped goes on where it was.
 *
 * A text file: a first line that says what it is, then lines of six words by single blanks,
 *
 *   VERSION TIME RANGE MODE RANKS right
 *   VERSION TIME P     MODE RANKS wrong WHAT...
 *
 * VERSION the program's release and commit; TIME in UTC; RANGE as in -p: 5..9, 5..9+2, 5; MODE
 * "all" ranks of each p or "sample:N"; RANKS how many were checked; WHAT the first thing wrong.
 * Lines are added one by one and reach the disk (fdatasync) before the next piece of work begins.
 * Only lines of the same version count: what another one found says nothing about this one. */
#ifndef COMMAND_VERBS_CHECKED_RANGES_H
#define COMMAND_VERBS_CHECKED_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "command/verbs/verify_chunks.h"
#include "support/error.h"

struct verb_checked_range {
    struct verb_chunk range;
    int32_t sample; /* 0: all ranks */
    char *wrong;    /* what is wrong with the p that the range then is; owned; NULL: all right */
};

struct verb_checked {
    const char *path; /* the caller's */
    int file;
    struct verb_checked_range *ranges; /* of this version; owned */
    size_t count;
    int64_t other_versions, damaged; /* lines that don't count */
};

/* Opens or makes the file, reads it, drops a last line that has no end, and locks the file until
 * this process ends. RB_EINVAL if it is no such file (then it is left as it is), if another process
 * has it, or if it can't be written by anybody; RB_EIO, RB_ENOMEM. */
int verb_checked_open(struct verb_checked *checked, const char *path, struct sup_error *error);

/* found[i] becomes the range that holds p[i], checked with at least as many ranks as this sample
 * (0: all), or NULL; one that is wrong goes before those that are right, however it was found.
 * RB_ENOMEM. O((count + ranges) log count + the p that the ranges hold). */
int verb_checked_look_up(const struct verb_checked *checked, int32_t sample, const int32_t p[],
                         size_t count, const struct verb_checked_range *found[]);

/* Adds a line for a range, or for one wrong p. May be called by processes forked since. RB_EIO. */
int verb_checked_add(const struct verb_checked *checked, const struct verb_checked_range *range,
                     int64_t ranks, struct sup_error *error);

/* Safe on a zeroed struct. */
void verb_checked_close(struct verb_checked *checked);

#endif
