/* output.h - where data goes: standard output, or a file that is replaced when all is written. */
#ifndef COMMAND_OUTPUT_OUTPUT_H
#define COMMAND_OUTPUT_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "support/error.h"

/* A file is written beside the one of that name, and renamed when it is complete: what was there
 * before stays until then, and stays if the run fails or is killed. Through a symbolic link the
 * file that it leads to is replaced. A replaced file's mode is kept. Devices, pipes, /dev/stdout
 * and /dev/fd/N are written directly, and so is a file in a directory that we can't write to. */
struct out_file {
    FILE *stream;     /* write to this one */
    FILE *file;       /* what is beneath it: the same, or out_show's */
    const char *path; /* as given; NULL: standard output */
    char *target;     /* owned; NULL: written directly */
    bool complete;    /* all is written, and the stream closed */
    char *temporary;  /* owned; what is being written, and becomes the target */
};

/* NULL and "-" are standard output. RB_EINVAL: nobody can write there (no such directory, say), or
 * the command reads this file; RB_EIO. Messages start with --output, or with the option named,
 * without dashes. */
int out_open(struct out_file *output, const char *path, struct sup_error *error);
int out_open_for(struct out_file *output, const char *option, const char *path,
                 struct sup_error *error);

/* From now on the stream is for people: control characters and bytes that are no UTF-8 are written
 * as \x1b (support/visible.h), except ends of lines and tabs. Call it before anything is written.
 * RB_ENOMEM. */
int out_show(struct out_file *output, struct sup_error *error);

/* Writes the rest, beside the file, which stays as it is until out_close: what can fail for
 * want of space has then been done. Whoever has several outputs completes each before the first is
 * closed. RB_EIO, and a message; then the output is dropped. */
int out_complete(struct out_file *output, struct sup_error *error);
/* Completes it if need be, and replaces the file. RB_EIO, and a message, if not all could be
 * written: then the old file stays, and nothing new. */
int out_close(struct out_file *output, struct sup_error *error);
/* Drops what a run wrote that failed. Safe on a zeroed struct and after out_close. */
void out_discard(struct out_file *output);

/* Flushes, and says which file then holds what was written so far: until out_close it is not
 * the one of that name. Returned as long as the output is open. */
const char *out_so_far(struct out_file *output);

/* What out_open says to a path that fails with this errno; RB_EINVAL or RB_EIO. */
int out_cannot_write(const char *path, int reason, struct sup_error *error);

/* Makes a complete file, which lies in a directory of ours below that of `path`, the one of that
 * name, as out_close does; where nothing stands in the way without copying, so that it needs
 * neither memory nor space. RB_EINVAL, RB_EIO. */
int out_move(const char *from, const char *path, struct sup_error *error);

/* The file that a path leads to, through symbolic links, also if it isn't there yet; NULL: out of
 * memory, or too many links. The caller frees it. */
char *out_follow_links(const char *path);

/* A name in the directory of `path`, of a file or directory that isn't there: "DIR/.roundabout-..."
 * with a number that counts up; NULL: out of memory. The caller frees it. */
char *out_temporary_name(const char *path, int number);

#endif
