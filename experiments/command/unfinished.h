/* unfinished.h - files that must not outlive the process if a signal (SIGINT, SIGTERM, SIGHUP) ends
 * it: output that is only partly written. */
#ifndef RB_EXPERIMENTS_UNFINISHED_H
#define RB_EXPERIMENTS_UNFINISHED_H

/* From now on the file is removed if a signal ends this process (not a child of it). Keeps a copy
 * of the path. A few files at a time; further ones are not watched. */
void rb_unfinished(const char *path);
/* No longer: the file is complete, or removed. Safe for files that were never named. */
void rb_finished(const char *path);

#endif
