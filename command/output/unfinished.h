/* unfinished.h - what must not outlive the process if a signal (SIGINT, SIGTERM, SIGHUP) ends it:
 * output that is only partly written, and the program that writes it. */
#ifndef COMMAND_OUTPUT_UNFINISHED_H
#define COMMAND_OUTPUT_UNFINISHED_H

#include <sys/types.h>

/* From now on the file, or the directory with the files in it, is removed if a signal ends this
 * process (not a child of it). Keeps a copy of the path. To be called before the file is made, so
 * that no signal can come between. A few at a time; further ones are not watched. */
void out_unfinished(const char *path);
/* No longer: it is complete, or removed. Safe for what was never named. */
void out_finished(const char *path);

/* A child that is killed before anything is removed; 0: none. */
void out_unfinished_child(pid_t child);

/* Removes a file, or a directory with the files in it (not with directories). */
void out_remove(const char *path);

#endif
