/* data_files.h - where the program's own files are: data that it reads, programs that it starts,
 * and libraries that it names to users. An installed tree can be moved, so they are found from the
 * program's own place, and no path is compiled in. */
#pragma once

#include <stddef.h>

#include "support/error.h"

enum { SUP_PATH_SIZE = 4096 }; /* enough for any path */

/* Each function writes the full path of a file that exists, or returns RB_EIO with a message that
 * names the directories searched. They are, in this order: for data the directory that the
 * environment's ROUNDABOUT_DATA names; the installed tree that this program is in; for a program in
 * a build tree, the source tree (data) or the build tree (programs and libraries). */

/* A data file by its name in the source tree, for example "plots/heat.gp". Installed: in
 * PREFIX/share/roundabout. CMakeLists.txt lists the files that are installed there. */
int sup_data_path(char *path, size_t size, const char *name, struct sup_error *error);

/* A program that verbs start, for example "roundabout-measure-openmpi". Installed: in
 * PREFIX/libexec/roundabout. */
int sup_program_path(char *path, size_t size, const char *name, struct sup_error *error);

/* A library that MPI programs preload, for example "libroundabout-preload-mpich.so", or that the
 * program loads when it needs it, "libroundabout-simgrid.so". Installed: in PREFIX/lib/roundabout.
 */
int sup_library_path(char *path, size_t size, const char *name, struct sup_error *error);

/* ---- Files that a value names ---------------------------------------------------------------- */

/* Files that a command reads because a value names them (a placement, a platform, a
 * calibration), wherever they are opened: the command line is told their names, and refuses to
 * write over them. */

/* Call it before the file is opened: `what` says what the file is, "placement". Returns what the
 * listener returns; RB_OK without one. */
int sup_input(const char *what, const char *path, struct sup_error *error);

/* From now on sup_input calls this function; NULL: none. */
typedef int sup_input_listener(const char *what, const char *path, struct sup_error *error);
void sup_input_listen(sup_input_listener *listener);
