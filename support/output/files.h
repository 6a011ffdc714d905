/* files.h - makes sure that a command does not overwrite a file that it reads, writes no file
 * twice, and replaces nothing under a name that the command line does not say. Two names belong to
 * one file if they lead to the same file, through links of either kind or ./ and ../; pipes and
 * devices are ignored. */
#ifndef SUPPORT_OUTPUT_FILES_H
#define SUPPORT_OUTPUT_FILES_H

#include "support/error.h"

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

/* What an output whose name the command line does not say may replace: nothing through a symbolic
 * link that leads out of its directory; only a regular file; and without --force only a file that
 * Roundabout made (made.h). `instead` is the new file, if there is one already, or NULL. A file
 * that the command line names as an output may be replaced. RB_EFAILED with a message. */
int out_files_replaceable(const char *path, const char *instead, struct sup_error *error);

/* Only what is said there of links and regular files. RB_EFAILED. */
int out_files_stays(const char *path, struct sup_error *error);

/* --force, until out_files_clear: files that Roundabout did not make may be replaced. */
void out_files_force(void);

/* RB_EINVAL if the command reads the file that this option (without dashes) is about to write. */
int out_files_check(const char *option, const char *path, struct sup_error *error);

#endif
