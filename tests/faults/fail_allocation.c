/* fail_allocation.c - linked into the program with the linker's --wrap: counts the allocations of
 * Roundabout's own code and lets one of them fail, or all from one on. So do those of the C
 * libraries that let a program provide memory and take a refusal (SQLite, Jansson, libxml2);
 * SimGrid, which gives up when there is no memory, keeps its own.
 *
 * RB_FAULT=K: the K-th allocation of the process and its children fails; K+: that and all after it.
 * RB_FAULT_COUNT=FILE: FILE gets two numbers of 64 bits: how many allocations there were, and where
 * in the program the K-th was asked for (an address for addr2line). */
#define _GNU_SOURCE
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <jansson.h>
#include <libxml/xmlmemory.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Shared by the process and its children, and with FILE. */
static struct tally {
    _Atomic int64_t calls, where;
} * tally;
static int64_t first_refused; /* 0: none */
static bool refused_for_ever;

extern const char __executable_start[], etext[];

/* Who in the program asked, whichever library did it for it. */
__attribute__((noinline)) static int64_t find_caller(void)
{
    void *frames[24];
    const int count = backtrace(frames, sizeof frames / sizeof frames[0]);
    for (int i = 3; i < count; i++) /* below us and the wrapper */
        if ((const char *)frames[i] > __executable_start && (const char *)frames[i] < etext)
            return (const char *)frames[i] - __executable_start - 1;
    return 0;
}

__attribute__((noinline)) static bool refuse(void)
{
    if (tally == NULL)
        return false;
    const int64_t call = atomic_fetch_add(&tally->calls, 1) + 1;
    if (first_refused == 0 || call < first_refused || (call > first_refused && !refused_for_ever))
        return false;
    if (call == first_refused)
        atomic_store(&tally->where, find_caller());
    errno = ENOMEM;
    return true;
}

/* WRAP(type of result, name, parameters, arguments): fails with a null pointer. */
#define WRAP(type, name, parameters, arguments)                                                    \
    type __real_##name parameters;                                                                 \
    type __wrap_##name parameters;                                                                 \
    type __wrap_##name parameters                                                                  \
    {                                                                                              \
        return refuse() ? NULL : __real_##name arguments;                                          \
    }

WRAP(void *, malloc, (size_t size), (size))
WRAP(void *, calloc, (size_t count, size_t size), (count, size))
WRAP(void *, realloc, (void *old, size_t size), (old, size))
WRAP(void *, reallocarray, (void *old, size_t count, size_t size), (old, count, size))
WRAP(void *, aligned_alloc, (size_t alignment, size_t size), (alignment, size))
WRAP(char *, strdup, (const char *text), (text))
WRAP(char *, strndup, (const char *text, size_t size), (text, size))
WRAP(FILE *, fopen, (const char *path, const char *mode), (path, mode))
WRAP(FILE *, fdopen, (int file, const char *mode), (file, mode))
WRAP(FILE *, tmpfile, (void), ())
WRAP(FILE *, open_memstream, (char **text, size_t *size), (text, size))

ssize_t __real_getline(char **line, size_t *room, FILE *file);
ssize_t __wrap_getline(char **line, size_t *room, FILE *file);
ssize_t __wrap_getline(char **line, size_t *room, FILE *file)
{
    return refuse() ? -1 : __real_getline(line, room, file);
}

/* ---- What the libraries ask for
 * ------------------------------------------------------------------ */

static void *library_malloc(size_t size)
{
    return refuse() ? NULL : __real_malloc(size);
}

static void *library_realloc(void *old, size_t size)
{
    return refuse() ? NULL : __real_realloc(old, size);
}

static char *library_strdup(const char *text)
{
    return refuse() ? NULL : __real_strdup(text);
}

/* SQLite wants to know how large a piece is: that stands before it. */
enum { HEAD = 16 };

static void *sqlite_malloc(int size)
{
    char *piece = refuse() ? NULL : __real_malloc((size_t)size + HEAD);
    if (piece == NULL)
        return NULL;
    memcpy(piece, &size, sizeof size);
    return piece + HEAD;
}

static void sqlite_free(void *piece)
{
    if (piece != NULL)
        free((char *)piece - HEAD);
}

static int sqlite_size(void *piece)
{
    int size = 0;
    if (piece != NULL)
        memcpy(&size, (char *)piece - HEAD, sizeof size);
    return size;
}

static void *sqlite_realloc(void *old, int size)
{
    char *piece = refuse() ? NULL : __real_realloc((char *)old - HEAD, (size_t)size + HEAD);
    if (piece == NULL)
        return NULL;
    memcpy(piece, &size, sizeof size);
    return piece + HEAD;
}

static int sqlite_round_up(int size)
{
    return (size + 7) & ~7;
}

static int sqlite_begin(void *nothing)
{
    (void)nothing;
    return SQLITE_OK;
}

static void sqlite_end(void *nothing)
{
    (void)nothing;
}

__attribute__((constructor)) static void begin(void)
{
    const char *plan = getenv("RB_FAULT"), *path = getenv("RB_FAULT_COUNT");
    if (plan != NULL) {
        char *rest;
        first_refused = strtoll(plan, &rest, 10);
        refused_for_ever = *rest == '+';
    }
    int file = path == NULL ? -1 : open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file >= 0 && ftruncate(file, sizeof *tally) != 0)
        _exit(99);
    void *room = mmap(NULL, sizeof *tally, PROT_READ | PROT_WRITE,
                      MAP_SHARED | (file < 0 ? MAP_ANONYMOUS : 0), file, 0);
    if (room == MAP_FAILED)
        _exit(99);
    if (file >= 0)
        close(file);
    static sqlite3_mem_methods sqlite = {sqlite_malloc,   sqlite_free,  sqlite_realloc, sqlite_size,
                                         sqlite_round_up, sqlite_begin, sqlite_end,     NULL};
    sqlite3_config(SQLITE_CONFIG_MALLOC, &sqlite);
    json_set_alloc_funcs(library_malloc, free);
    xmlMemSetup(free, library_malloc, library_realloc, library_strdup);
    tally = room;
}
