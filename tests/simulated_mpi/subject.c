/* subject.c - see subject.h. The shared object is linked so that what it allocates comes from here.
 */
#include "subject.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "simulation.h"

struct subject subjects[SM_MOST_RANKS];

/* ---- What the copies call -------------------------------------------------------------------- */

void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
void __wrap_free(void *memory);

void *__wrap_malloc(size_t bytes)
{
    void *memory = sm_allocate(bytes);
    return memory == NULL ? NULL : memset(memory, 0xa5, bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    void *memory = sm_allocate(count * bytes);
    return memory == NULL ? NULL : memset(memory, 0, count * bytes);
}

void *__wrap_realloc(void *old, size_t bytes)
{
    return sm_reallocate(old, bytes);
}

void __wrap_free(void *memory)
{
    sm_free(memory);
}

/* ---- Loading --------------------------------------------------------------------------------- */

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "simulated_mpi: %s: %s\n", what, why);
    exit(3);
}

static void *symbol(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (found == NULL)
        fail(name, "not there");
    return found;
}

/* The loader knows a file by its inode, so each copy is a file of its own. */
static void *load_copy(const char *path)
{
    struct stat about;
    char name[64];
    const int from = open(path, O_RDONLY), to = memfd_create("subject", MFD_CLOEXEC);
    if (from < 0 || to < 0 || fstat(from, &about) != 0 ||
        sendfile(to, from, NULL, (size_t)about.st_size) != about.st_size)
        fail(path, "can't be copied");
    close(from);
    snprintf(name, sizeof name, "/proc/self/fd/%d",
             to); /* stays open: the loader knows it by name, too */
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        fail(path, dlerror());
    return library;
}

void subjects_load(const char *path, int count)
{
    for (int r = 0; r < count; r++) {
        void *library = load_copy(path);
        void **members = (void **)&subjects[r];
        static const char *const names[] = {"exec_run", "exec_context_create",
                                            "exec_context_destroy", "exec_elements_of",
                                            "exec_script_free"};
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            members[i] = symbol(library, names[i]);
    }
}
