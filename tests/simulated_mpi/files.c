/* files.c - files of a case; among them what /proc says of the ranks of this host, where
 * mpi/preload/preload.c looks for those that run without the library. */
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "case.h"

static const char *place; /* NULL: the system's */

/* Another path for one of /proc, but for this process's own. */
static const char *instead(const char *path, char made[200])
{
    if (place == NULL || sm_current < 0 || strncmp(path, "/proc", 5) != 0 ||
        strncmp(path, "/proc/self", 10) == 0)
        return path;
    snprintf(made, 200, "%s%s", place, path + 5);
    return made;
}

int __wrap_open(const char *path, int flags, ...);
int __wrap_stat(const char *path, struct stat *about);
DIR *__wrap_opendir(const char *path);

int __wrap_open(const char *path, int flags, ...)
{
    char made[200];
    va_list more;
    va_start(more, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    return open(instead(path, made), flags, mode);
}

int __wrap_stat(const char *path, struct stat *about)
{
    char made[200];
    return stat(instead(path, made), about);
}

/* It takes memory. */
DIR *__wrap_opendir(const char *path)
{
    char made[200];
    void *memory = sm_allocate(1);
    sm_free(memory);
    return memory == NULL ? NULL : opendir(instead(path, made));
}

static void write_file(const char *directory, const char *name, const char *text, size_t bytes)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    if (file == NULL || fwrite(text, 1, bytes, file) != bytes || fclose(file) != 0)
        sm_fault("%s can't be written", path);
}

/* A process whose environment has the rank; `with`: 0, nothing of MPI; 1, an MPI library; 2, and
 * the preloaded library, mapped; 3, by its environment. */
static void make_process(int number, const char *rank, const char *job, int parent, int with)
{
#define LIBMPI  "7f00-7f01 r-xp 0 0:0 1 /usr/lib/libmpi.so.40\n"
#define LIBRARY "/x/libroundabout-preload-mpich.so"
    static const char *const maps[] = {"", LIBMPI, (LIBMPI "7f02-7f03 r-xp 0 0:0 2 " LIBRARY "\n"),
                                       ""};
    char directory[100], text[300];
    snprintf(directory, sizeof directory, "%s/%d", place, number);
    mkdir(directory, 0777);
    int length = snprintf(text, sizeof text, "PMI_RANKS=9%cPMI_RANK=%s%cPMIX_NAMESPACE=%s%c", 0,
                          rank, 0, job, 0);
    if (with == 3)
        length +=
            snprintf(text + length, sizeof text - (size_t)length, "LD_PRELOAD=" LIBRARY "%c", 0);
    write_file(directory, "environ", text, (size_t)length);
    write_file(directory, "maps", maps[with], strlen(maps[with]));
    length = snprintf(text, sizeof text, "%d (a ) b) S %d 1 1", number, parent);
    write_file(directory, "stat", text, (size_t)length);
}

void processes_make(const char *directory, int p, int without, bool all, const char *job)
{
    char rank[20];
    place = directory;
    if (directory == NULL)
        return;
    mkdir(directory, 0777);
    for (int r = 0; r < p; r++) {
        snprintf(rank, sizeof rank, "%d", r);
        if (all || r != (without + 1) % p)
            make_process(100 + r, rank, job, (int)getppid(), r == without ? 1 : 2 + r % 2);
    }
    /* None of these is a rank. */
    make_process(1000, "many", job, (int)getppid(), 1);
    make_process(1001, "99999", job, (int)getppid(), 1);
    make_process(1002, "0", "another job", 1, 1);
    make_process(1003, "", job, (int)getppid(), 1);
}

void case_remove(const char *directory)
{
    char path[400];
    DIR *all = opendir(directory);
    for (const struct dirent *entry; all != NULL && (entry = readdir(all)) != NULL;) {
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        if (entry->d_name[0] != '.' && unlink(path) != 0)
            case_remove(path);
    }
    if (all != NULL)
        closedir(all);
    rmdir(directory);
}
