/* files.h - makes sure that a command does not overwrite a file that it reads, and writes no file
 * twice. Two names belong to one file if they lead to the same file, through links of either kind
 * or ./ and ../; pipes and devices are ignored. */
#ifndef COMMAND_OUTPUT_FILES_H
#define COMMAND_OUTPUT_FILES_H

#include "support/error.h"

/* Begins a command: forgets all files. */
void out_files_clear(void);

/* Registers a file that the command reads: `what` is the option, "--platform", or the operand,
 * "RESULTS". RB_EINVAL, with a message that names both, if the command writes that file; RB_ENOMEM.
 * A file that does not exist is ignored. */
int out_files_read(const char *what, const char *path, struct sup_error *error);

/* Registers a file that the command writes; "-" is standard output, if that is a file. `what` as
 * before. RB_EINVAL, with a message that names both, if the command reads that file or writes it
 * for another purpose; RB_ENOMEM. */
int out_files_write(const char *what, const char *path, struct sup_error *error);

/* RB_EINVAL if the command reads the file that this option (without dashes) is about to write. */
int out_files_check(const char *option, const char *path, struct sup_error *error);

#endif
