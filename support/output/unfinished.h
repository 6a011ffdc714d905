/* unfinished.h - removes partly written output, and ends the program that writes it, if a signal
 * (SIGINT, SIGTERM, SIGHUP) ends the process. */
#ifndef SUPPORT_OUTPUT_UNFINISHED_H
#define SUPPORT_OUTPUT_UNFINISHED_H

#include <stdbool.h>
#include <sys/types.h>

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

#endif
