/* replace.h - a file that changes only when the new one is complete: for the program
 * (support/output) and for the libraries alike. Symbolic links are followed, a file that is
 * replaced passes its mode on, and its owner if we may. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* A zeroed one is not open. */
struct sup_replacement {
    FILE *stream;    /* write to it */
    char *target;    /* owned: the file, behind all links; NULL: a pipe, a device or a descriptor,
                      * which is written as it is */
    char *temporary; /* owned: the new file, in the target's directory; NULL: the file itself is
                      * written */
};

/* Hears of each new file before it is there, and of its end, so that a signal can remove it. */
typedef void sup_replace_watch(const char *temporary, bool begins);

enum sup_replace_how {
    SUP_WAIT = 1, /* until somebody reads a pipe; otherwise a pipe that nobody reads is ENXIO */
    SUP_WRITE_OVER =
        2, /* a file in a directory that takes no new file; otherwise that is an error */
};

/* Returns 0, or an errno; then nothing is open. `how` is a set of the rules above; watch may be
 * NULL. */
int sup_replace_open(struct sup_replacement *file, const char *path, unsigned how,
                     sup_replace_watch *watch);

/* After the stream was closed: the new file becomes the target. Returns 0, or an errno; then the
 * old file stays, and the new one is removed. */
int sup_replace(const struct sup_replacement *file);

/* Closes the stream and replaces the file. Returns 0, or an errno, of which sup_reason_text has the
 * words, where not all was written; then the old file stays. The struct is zeroed. */
int sup_replace_close(struct sup_replacement *file);
/* Closes the stream and removes the new file. Safe on a zeroed struct; zeroes it. */
void sup_replace_discard(struct sup_replacement *file);

/* A file that is there passes its mode on to an open one, and its owner if we may. */
struct stat;
void sup_take_after(int file, const struct stat *old);

/* Flushes and closes a stream. False if something of it is lost; errno says why, or is -1 if only
 * an earlier write failed, for a reason that is not known any more. */
bool sup_finish(FILE *stream);
/* The errno of a stream of which only ferror says that a write failed: it writes once more, which
 * fails for the same reason. -1 if it does not. */
int sup_earlier_reason(FILE *stream);
/* strerror, or for -1 that an earlier write failed. */
const char *sup_reason_text(int reason);

/* The file to which a path leads through symbolic links, even if it does not exist yet; NULL, with
 * errno: too many links (ELOOP), or no memory. The caller frees it. */
char *sup_follow_links(const char *path);

/* A name in the directory of `path`, of a file or directory that isn't there: "DIR/.roundabout-..."
 * with a number that counts up. The caller frees it. NULL: no memory. */
char *sup_temporary_name(const char *path, int number);

/* What tells a file from others; one that isn't there by its directory and name. */
struct sup_identity {
    dev_t device;
    ino_t number;
    char *name; /* owned; NULL: it is there */
};
/* False: its directory isn't there either, or there is no memory. */
bool sup_identify(const char *path, struct sup_identity *identity);
bool sup_is_same_file(const struct sup_identity *a, const struct sup_identity *b);

/* ---- A lock file beside a file that several processes write ---------------------------------- */

/* A zeroed one is not held. It ends with the process, however that ends, and is not passed to its
 * children. */
struct sup_lock {
    char *path; /* of the lock file; owned */
    int file;   /* open while path is set */
};

/* Locks PATH.lock, also if PATH isn't there. Returns 0, or an errno: EAGAIN if another process has
 * it, ENOLCK if the file system has no locks. */
int sup_lock_take(struct sup_lock *lock, const char *path);
/* Waits so many seconds for another process before it is EAGAIN. */
int sup_lock_wait(struct sup_lock *lock, const char *path, int seconds);
/* Ends it and removes the lock file; safe on a zeroed struct. */
void sup_lock_release(struct sup_lock *lock);

/* The process that has the lock of PATH; 0: none, or it is not known. */
pid_t sup_lock_holder(const char *path);
