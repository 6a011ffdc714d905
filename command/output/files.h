/* files.h - the files that a command reads and writes: none that is read is written over, and none
 * is written twice. Two names are of one file if they lead to the same one, through links of either
 * kind or ./ and ../; what is no file and no directory (a pipe, a device) is never meant. */
#ifndef COMMAND_OUTPUT_FILES_H
#define COMMAND_OUTPUT_FILES_H

#include "support/error.h"

/* A command begins: none is known. */
void out_files_clear(void);

/* What a command reads: `what` is the option, "--platform", or the operand, "RESULTS". RB_EINVAL,
 * with a message that names both, if the command writes that file; and RB_ENOMEM. A file that isn't
 * there is none. */
int out_files_read(const char *what, const char *path, struct sup_error *error);

/* What a command writes, "-" being standard output, where that is a file. `what` as before.
 * RB_EINVAL, with a message that names both, if the command reads that file, or writes it for
 * something else; and RB_ENOMEM. */
int out_files_write(const char *what, const char *path, struct sup_error *error);

/* RB_EINVAL if the command reads what this option, without dashes, is about to write. */
int out_files_check(const char *option, const char *path, struct sup_error *error);

#endif
