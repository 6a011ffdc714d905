/* files.h - the files of a command: which Roundabout made, which are not complete, and which it
 * may write. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "support/error.h"

/* ---- Files that Roundabout made -------------------------------------------------------------- */

/* Which files Roundabout made, told by what they carry: a mark of ours, or what only our tables
 * and databases begin with. */

/* What our marks have in common: each kind of file has one line, or bytes, at one place (files.c).
 */
#define OUT_MADE_MARK "made by roundabout"

/* True if the file may be replaced without loss: it is empty, carries the mark of its
 * kind at its place, is a table or trace
 * that begins with the same line as the new file `instead` (may be NULL), has the same bytes, or is
 * what gnuplot drew by our script beside it. False as well if it cannot be read. */
bool out_made_by_us(const char *path, const char *instead);

/* Appends the mark to a picture (.pdf, .png, .svg) or a file for LaTeX (.tex, .sty), in the form of
 * a comment of its format. Nothing happens to other files. False, with errno, if it cannot be
 * written. */
bool out_made_mark(const char *path);

/* ---- Unfinished output ----------------------------------------------------------------------- */

/* Removes partly written output, and ends the program that writes it, if a signal (SIGINT,
 * SIGTERM, SIGHUP) ends the process. */

/* From now on the file, or the directory with the files in it, is removed if a signal ends this
 * process (not a child of it). Keeps a copy of the path. Call it before the file is made, so that
 * no signal can come in between. Only a few files are watched at a time. */
void out_unfinished(const char *path);
/* Stops watching a file that is complete or removed. Safe for a path that was never watched. */
void out_finished(const char *path);

/* A child that is ended (SIGTERM, and if it is still there after seconds SIGKILL) before anything
 * is removed; 0: none. */
void out_unfinished_child(pid_t child);

/* Does what such a signal does, and leaves the process running. */
void out_remove_unfinished(void);

/* Removes a file, or a directory with the files in it (not with directories). */
void out_remove(const char *path);

/* There is, or no longer is, a line on the terminal of standard error that must not stay there. */
void out_unfinished_line(bool shown);

/* ---- What a command reads and writes --------------------------------------------------------- */

/* Makes sure that a command does not overwrite a file that it reads, writes no file twice, and
 * replaces nothing under a name that the command line does not say. Two names belong to one file
 * if they lead to the same file, through links of either kind or ./ and ../; pipes and devices are
 * ignored. */

/* Begins a command: forgets all files. */
void out_files_clear(void);

/* Registers a file that the command reads: `what` is the option, "--platform", or the operand,
 * "RESULTS". RB_EINVAL, with a message that names both, if the command writes that file.
 * A file that does not exist is ignored. */
int out_files_read(const char *what, const char *path, struct sup_error *error);

/* Registers a file that the command writes; "-" is standard output, if that is a file. `what` as
 * before. RB_EINVAL, with a message that names both, if the command reads that file or writes it
 * for another purpose. */
int out_files_write(const char *what, const char *path, struct sup_error *error);

/* out_files_write for an output whose name the command line does not say, such as the table beside
 * a database. RB_EINVAL as well if out_files_replaceable is false. */
int out_files_derive(const char *what, const char *path, struct sup_error *error);

/* Only what is said there of links and regular files. RB_EFAILED. */
int out_files_stays(const char *path, struct sup_error *error);

/* --force, until out_files_clear: files that Roundabout did not make may be replaced. */
void out_files_force(void);

/* RB_EINVAL if the command reads the file that this option (without dashes) is about to write. */
int out_files_check(const char *option, const char *path, struct sup_error *error);

/* ---- A directory inside another one, in which files are made until all are complete ---------- */

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
