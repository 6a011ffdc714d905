/* output.h - the output of data: standard output, or a file that is replaced when everything is
 * written. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "support/error.h"

/* A file is written under another name in the same directory and renamed when it is complete: an
 * existing file stays until then, and stays if the run fails or is killed. For a symbolic link, the
 * file to which it points is replaced. A replaced file keeps its mode. Devices, pipes, /dev/stdout
 * and /dev/fd/N are written directly, and so is a file in a directory without write permission. */
struct out_file {
    FILE *stream;     /* write to this one */
    FILE *file;       /* the underlying stream: the same, unless out_show was called */
    const char *path; /* as given; NULL: standard output */
    char *target;     /* owned; NULL: written directly */
    bool complete;    /* all is written, and the stream closed */
    char *temporary;  /* owned; the file being written, which becomes the target */
};

/* NULL and "-" are standard output. RB_EINVAL: the path cannot be written (for example, the
 * directory does not exist), or the command reads this file; RB_EIO. Messages start with --output,
 * or with the option named, without dashes. */
int out_open(struct out_file *output, const char *path, struct sup_error *error);
int out_open_for(struct out_file *output, const char *option, const char *path,
                 struct sup_error *error);

/* out_open for an output whose name the command line does not say (out_files_derive). */
int out_open_derived(struct out_file *output, const char *path, struct sup_error *error);

/* From now on the stream is for display: control characters and bytes that are not UTF-8 are
 * written as \x1b (support/error.h), except line ends and tabs. Call it before anything is
 * written. */
void out_show(struct out_file *output);

/* Writes the rest to the temporary file; the target does not change until out_close. After this,
 * lack of space can no longer cause a failure. With several outputs, complete each before closing
 * the first. RB_EIO with a message; then the output is dropped. */
int out_complete(struct out_file *output, struct sup_error *error);
/* Completes the output if necessary, and replaces the file. RB_EIO with a message if not everything
 * could be written: then the old file stays, and no new file is left. The message is empty if the
 * reader of standard output went away: main ends the program as SIGPIPE would. */
int out_close(struct out_file *output, struct sup_error *error);
/* Drops the output of a failed run. Safe on a zeroed struct and after out_close. */
void out_discard(struct out_file *output);

/* Flushes, and returns the path of the file that has the data written so far, which is not the
 * target before out_close. The path is valid as long as the output is open. */
const char *out_so_far(struct out_file *output);

/* The status and message of out_open for a path that fails with this errno: RB_EINVAL or RB_EIO. */
int out_cannot_write(const char *path, int reason, struct sup_error *error);

/* Moves a complete file from a temporary directory below that of `path` to `path`, as out_close
 * does; if possible without copying, so that it needs neither memory nor space. RB_EINVAL,
 * RB_EIO. */
int out_move(const char *from, const char *path, struct sup_error *error);

/* The file to which a path leads through symbolic links, even if it does not exist yet; NULL: too
 * many links. The caller frees it. */
char *out_follow_links(const char *path);

/* A name in the directory of `path`, of a file or directory that isn't there: "DIR/.roundabout-..."
 * with a number that counts up. The caller frees it. */
char *out_temporary_name(const char *path, int number);

/* ---- The width of the terminal to which standard output goes --------------------------------- */

/* COLUMNS of the environment if it is a width, else the width of the terminal that standard output
 * is; 0: it is none. */
int out_terminal_width(void);
