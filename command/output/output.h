/* output.h - where data goes: standard output, or a file that is replaced when all is written. */
#ifndef RB_COMMAND_OUTPUT_OUTPUT_H
#define RB_COMMAND_OUTPUT_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "support/error.h"

/* A file is written beside the one of that name, and renamed when it is complete: what was there
 * before stays until then, and stays if the run fails or is killed. Through a symbolic link the
 * file that it leads to is replaced. A replaced file's mode is kept. Devices, pipes, /dev/stdout
 * and /dev/fd/N are written directly, and so is a file in a directory that we can't write to. */
struct rb_output {
    FILE *stream;     /* write to this one */
    FILE *file;       /* what is beneath it: the same, or rb_output_show's */
    const char *path; /* as given; NULL: standard output */
    char *target;     /* owned; NULL: written directly */
    bool complete;    /* all is written, and the stream closed */
    char *temporary;  /* owned; what is being written, and becomes the target */
};

/* NULL and "-" are standard output. RB_EINVAL: nobody can write there (no such directory, say), or
 * the command reads this file; RB_EIO. Messages start with --output, or with the option named,
 * without dashes. */
int rb_output_open(struct rb_output *output, const char *path, struct rb_error *error);
int rb_output_open_for(struct rb_output *output, const char *option, const char *path,
                       struct rb_error *error);

/* From now on the stream is for people: control characters and bytes that are no UTF-8 are written
 * as \x1b (support/visible.h), except ends of lines and tabs. Call it before anything is written.
 * RB_ENOMEM. */
int rb_output_show(struct rb_output *output, struct rb_error *error);

/* Writes the rest, beside the file, which stays as it is until rb_output_close: what can fail for
 * want of space has then been done. Whoever has several outputs completes each before the first is
 * closed. RB_EIO, and a message; then the output is dropped. */
int rb_output_complete(struct rb_output *output, struct rb_error *error);
/* Completes it if need be, and replaces the file. RB_EIO, and a message, if not all could be
 * written: then the old file stays, and nothing new. */
int rb_output_close(struct rb_output *output, struct rb_error *error);
/* Drops what a run wrote that failed. Safe on a zeroed struct and after rb_output_close. */
void rb_output_discard(struct rb_output *output);

/* Flushes, and says which file then holds what was written so far: until rb_output_close it is not
 * the one of that name. Returned as long as the output is open. */
const char *rb_output_so_far(struct rb_output *output);

/* What rb_output_open says to a path that fails with this errno; RB_EINVAL or RB_EIO. */
int rb_cannot_write(const char *path, int reason, struct rb_error *error);

/* Makes a complete file, which lies in a directory of ours below that of `path`, the one of that
 * name, as rb_output_close does; where nothing stands in the way without copying, so that it needs
 * neither memory nor space. RB_EINVAL, RB_EIO. */
int rb_output_move(const char *from, const char *path, struct rb_error *error);

/* The file that a path leads to, through symbolic links, also if it isn't there yet; NULL: out of
 * memory, or too many links. The caller frees it. */
char *rb_follow_links(const char *path);

/* A name in the directory of `path`, of a file or directory that isn't there: "DIR/.roundabout-..."
 * with a number that counts up; NULL: out of memory. The caller frees it. */
char *rb_temporary_name(const char *path, int number);

#endif
