/* files.c - see files.h. */
#define _XOPEN_SOURCE 700 /* lstat */

#include "support/output/files.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "roundabout.h"
#include "support/memory.h"
#include "support/output/made.h"
#include "support/output/output.h"
#include "support/replace.h"

struct file {
    char what[32];
    char *path;            /* owned, as given */
    bool written, derived; /* derived: the command line does not say its name */
    struct sup_identity identity;
};

/* A process has one command line at a time. */
static struct file *files;
static size_t count;
static bool force;

void out_files_clear(void)
{
    force = false;
    for (size_t i = 0; i < count; i++) {
        free(files[i].path);
        free(files[i].identity.name);
    }
    free(files);
    files = NULL;
    count = 0;
}

/* False: it is no file that could be lost. */
static bool identify(const char *path, bool written, struct file *file)
{
    struct stat found;
    const int stream = written ? STDOUT_FILENO : STDIN_FILENO;
    if (strcmp(path, "-") == 0 ? fstat(stream, &found) != 0 : stat(path, &found) != 0)
        return written && sup_identify(path, &file->identity);
    file->identity = (struct sup_identity){.device = found.st_dev, .number = found.st_ino};
    return S_ISREG(found.st_mode);
}

static const char *shown(const struct file *file)
{
    const char *stream = file->written ? "standard output" : "standard input";
    return strcmp(file->path, "-") == 0 ? stream : file->path;
}

/* The option that writes is to blame; of two, the later one. */
static int refuse(const struct file *here, const struct file *other, struct sup_error *error)
{
    const struct file *output = here->written ? here : other;
    const struct file *against = here->written ? other : here;
    const bool same_text = strcmp(shown(here), shown(other)) == 0;
    return sup_fail(error, RB_EINVAL, "%s: \"%s\" is %s %s%s%s%s%s; give another name",
                    output->what, shown(output), against->written ? "also written by" : "read as",
                    against->what, same_text ? "" : " (", same_text ? "" : "\"",
                    same_text ? "" : shown(against), same_text ? "" : "\")");
}

static const struct file *find_read(const struct file *file)
{
    for (size_t i = 0; i < count; i++)
        if (sup_is_same_file(&files[i].identity, &file->identity) && !files[i].written)
            return &files[i];
    return NULL;
}

static int add(const char *what, const char *path, bool written, bool derived,
               struct sup_error *error)
{
    struct file file = {.path = sup_strdup(path), .written = written, .derived = derived};
    int status = RB_OK;
    snprintf(file.what, sizeof file.what, "%s", what);
    bool keep = identify(path, written, &file);
    const size_t known = keep ? count : 0;
    for (size_t i = 0; i < known && status == RB_OK; i++) {
        if (!sup_is_same_file(&files[i].identity, &file.identity))
            continue;
        keep = false;
        if ((written || files[i].written) &&
            (written != files[i].written || strcmp(files[i].what, what) != 0))
            status = refuse(&file, &files[i], error);
    }
    if (keep) {
        sup_grow(&files, count, sizeof *files);
        files[count++] = file;
        return RB_OK;
    }
    free(file.path);
    free(file.identity.name);
    return status;
}

int out_files_read(const char *what, const char *path, struct sup_error *error)
{
    return add(what, path, false, false, error);
}

int out_files_write(const char *what, const char *path, struct sup_error *error)
{
    return add(what, path, true, false, error);
}

int out_files_derive(const char *what, const char *path, struct sup_error *error)
{
    const int status = add(what, path, true, true, error);
    return status == RB_OK && out_files_replaceable(path, NULL, error) != RB_OK ? RB_EINVAL
                                                                                : status;
}

void out_files_force(void)
{
    force = true;
}

/* The directory that a path names its file in. False: it is not there. */
static bool directory_of(const char *path, struct stat *directory)
{
    const char *slash = strrchr(path, '/');
    char *name = slash == NULL ? sup_strdup(".")
                               : sup_strndup(path, (size_t)(slash - path) + (slash == path));
    const bool there = stat(name, directory) == 0;
    free(name);
    return there;
}

int out_files_stays(const char *path, struct sup_error *error)
{
    struct stat about, here, there;
    if (lstat(path, &about) != 0)
        return RB_OK;
    if (S_ISLNK(about.st_mode)) {
        char *target = out_follow_links(path);
        const bool inside = target != NULL && directory_of(path, &here) &&
                            directory_of(target, &there) && here.st_dev == there.st_dev &&
                            here.st_ino == there.st_ino;
        if (!inside)
            sup_fail(
                error, RB_EFAILED,
                "\"%s\" is a symbolic link to \"%s\", out of its directory; remove it, or give "
                "another name",
                path, target == NULL ? "?" : target);
        free(target);
        if (!inside)
            return RB_EFAILED;
    }
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
        return sup_fail(error, RB_EFAILED, "\"%s\" is not a regular file; move it away", path);
    return RB_OK;
}

static bool is_named(const char *path)
{
    struct file file = {0};
    bool named = false;
    const bool known = identify(path, true, &file);
    for (size_t i = 0; i < count && known && !named; i++)
        named = files[i].written && !files[i].derived &&
                sup_is_same_file(&files[i].identity, &file.identity);
    free(file.identity.name);
    return named;
}

int out_files_replaceable(const char *path, const char *instead, struct sup_error *error)
{
    struct stat about;
    if (is_named(path))
        return RB_OK;
    const int status = out_files_stays(path, error);
    if (status != RB_OK || force || stat(path, &about) != 0 || out_made_by_us(path, instead))
        return status;
    return sup_fail(error, RB_EFAILED,
                    "\"%s\" was not made by roundabout; move it away, or replace it with --force",
                    path);
}

int out_files_check(const char *option, const char *path, struct sup_error *error)
{
    struct file file = {.path = (char *)(uintptr_t)path, .written = true};
    snprintf(file.what, sizeof file.what, "--%s", option);
    const struct file *other = identify(path, true, &file) ? find_read(&file) : NULL;
    const int status = other == NULL ? RB_OK : refuse(&file, other, error);
    free(file.identity.name);
    return status;
}
