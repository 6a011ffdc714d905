/* data_files.c - see data_files.h. CMake defines the folders of an installed tree, relative to its
 * prefix: SUP_BIN, SUP_LIBEXEC, SUP_DATA and SUP_PRELOAD. */
#define _POSIX_C_SOURCE 200809L /* readlink */

#include "support/data_files.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "roundabout.h"

/* CMake writes this file into the top of a build tree: one line, the path of the source tree. */
#define SOURCE_TREE_FILE "roundabout-source-tree"

enum origin { BUILD_TREE, SOURCE_TREE };

/* A kind of file, and the places where it may be. */
struct kind {
    const char *what, *variable, *installed; /* variable: of the environment; may be NULL */
    enum origin origin;
    const char *built; /* its folder in the build or source tree */
};

struct search {
    char *path;
    size_t size;
    const char *name;
    char searched[400]; /* for the message */
    int error;          /* errno, if what is there could not be read; 0 */
};

/* True if the directory has the file; path is its full path then. */
static bool try_directory(struct search *search, const char *directory, const char *folder)
{
    char place[SUP_PATH_SIZE];
    const char *slash = *folder == '\0' ? "" : "/";

    if (snprintf(place, sizeof place, "%s%s%s", directory, slash, folder) >= (int)sizeof place)
        return false;
    sup_append(search->searched, sizeof search->searched, " and ", "%s", place);
    return snprintf(search->path, search->size, "%s/%s", place, search->name) < (int)search->size &&
           access(search->path, F_OK) == 0;
}

/* Cuts the last part off a path; false if there is none. */
static bool to_parent(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash == NULL)
        return false;
    *slash = '\0';
    return true;
}

static bool read_own_directory(char *path, size_t size)
{
    const ssize_t length = readlink("/proc/self/exe", path, size - 1);
    if (length < 0)
        return false;
    path[length] = '\0';
    return to_parent(path);
}

/* Cuts the folder off the end of a directory. False if the directory does not end with it. */
static bool cut_folder(char *directory, const char *folder)
{
    const size_t length = strlen(directory), cut = strlen(folder);
    if (length <= cut || directory[length - cut - 1] != '/' ||
        strcmp(directory + length - cut, folder) != 0)
        return false;
    directory[length - cut - 1] = '\0';
    return true;
}

static bool try_installed(struct search *search, const struct kind *kind, const char *own)
{
    static const char *const folders[] = {SUP_BIN, SUP_LIBEXEC};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        char prefix[SUP_PATH_SIZE];
        snprintf(prefix, sizeof prefix, "%s", own);
        if (cut_folder(prefix, folders[i]))
            return try_directory(search, prefix, kind->installed);
    }
    return false;
}

/* Reads the first line of a file. */
static bool read_line(const char *path, char *line, int size)
{
    errno = ENOENT; /* of an empty file, too */
    FILE *file = sup_got(fopen(path, "r"));
    const bool read = file != NULL && fgets(line, size, file) != NULL;
    if (file != NULL)
        fclose(file);
    if (read)
        line[strcspn(line, "\n")] = '\0';
    return read;
}

static bool try_built(struct search *search, const struct kind *kind, const char *own)
{
    char build[SUP_PATH_SIZE], marker[SUP_PATH_SIZE + sizeof SOURCE_TREE_FILE],
        source[SUP_PATH_SIZE];
    snprintf(build, sizeof build, "%s", own);
    do {
        snprintf(marker, sizeof marker, "%s/%s", build, SOURCE_TREE_FILE);
        if (read_line(marker, source, sizeof source))
            return try_directory(search, kind->origin == SOURCE_TREE ? source : build, kind->built);
        if (errno != ENOENT)
            search->error = errno;
    } while (to_parent(build));
    return false;
}

static int find(const struct kind *kind, char *path, size_t size, const char *name,
                struct sup_error *error)
{
    struct search search = {.path = path, .size = size, .name = name};
    char own[SUP_PATH_SIZE];
    const char *chosen = kind->variable == NULL ? NULL : getenv(kind->variable);
    if (chosen != NULL && *chosen != '\0' && try_directory(&search, chosen, ""))
        return RB_OK;
    if (!read_own_directory(own, sizeof own))
        return sup_fail(error, RB_EIO, "%s: cannot be looked for: /proc/self/exe cannot be read",
                        name);
    if (try_installed(&search, kind, own) || try_built(&search, kind, own))
        return RB_OK;
    if (search.error != 0)
        return sup_fail(error, RB_EIO, "%s: cannot be looked for: %s", name,
                        strerror(search.error));
    return sup_fail(error, RB_EIO, "%s: this %s is not in %s%s%s%s", name, kind->what,
                    *search.searched == '\0' ? own : search.searched,
                    kind->variable == NULL ? "" : "; the environment variable ",
                    kind->variable == NULL ? "" : kind->variable,
                    kind->variable == NULL ? "" : " can name the directory that has it");
}

int sup_data_path(char *path, size_t size, const char *name, struct sup_error *error)
{
    static const struct kind data = {.what = "file of Roundabout",
                                     .variable = "ROUNDABOUT_DATA",
                                     .installed = SUP_DATA,
                                     .origin = SOURCE_TREE,
                                     .built = ""};
    return find(&data, path, size, name, error);
}

int sup_program_path(char *path, size_t size, const char *name, struct sup_error *error)
{
    static const struct kind program = {
        .what = "program of Roundabout", .installed = SUP_LIBEXEC, .built = ""};
    return find(&program, path, size, name, error);
}

int sup_library_path(char *path, size_t size, const char *name, struct sup_error *error)
{
    static const struct kind library = {
        .what = "library of Roundabout", .installed = SUP_PRELOAD, .built = "mpi"};
    return find(&library, path, size, name, error);
}

/* ---- Files that a value names ---------------------------------------------------------------- */

/* The variable is global because a process has one command line at a time. */
static sup_input_listener *heard;

int sup_input(const char *what, const char *path, struct sup_error *error)
{
    return heard == NULL ? RB_OK : heard(what, path, error);
}

void sup_input_listen(sup_input_listener *listener)
{
    heard = listener;
}
