/* fail_allocation.c - linked into the program, where it stands before C's allocating functions:
 * counts what the program asks for, and lets one of these allocations fail, or all from one on.
 * What libc, SQLite, Jansson, libxml2, libyaml and NLopt ask for on the program's behalf counts,
 * too; SimGrid, which gives up when there is no memory, and the loader keep their own.
 *
 * RB_FAULT=K: the K-th allocation of the process and its children fails; K+: that and all after it.
 * RB_FAULT_COUNT=FILE: FILE gets two numbers of 64 bits: how many allocations there were, and where
 * in the program the K-th was asked for (an address for addr2line). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
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

/* ---- Who asks -------------------------------------------------------------------------------- */

enum asker { OTHERS, LIBC, OURS };
enum { MOST_PLACES = 16, MOST_FRAMES = 24 };

/* The code of libc, and of what asks on the program's behalf. */
static struct place {
    enum asker asker;
    uintptr_t first, end;
} places[MOST_PLACES];
static int place_count;
extern const char __executable_start[], etext[];

static int add_places(struct dl_phdr_info *library, size_t size, void *nothing)
{
    static const char *const ours[] = {"libsqlite3", "libjansson", "libxml2", "libyaml",
                                       "libnlopt"};
    (void)size;
    (void)nothing;
    enum asker asker = strstr(library->dlpi_name, "/libc.so") != NULL ? LIBC : OTHERS;
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strstr(library->dlpi_name, ours[i]) != NULL)
            asker = OURS;
    for (int i = 0; i < library->dlpi_phnum && asker != OTHERS && place_count < MOST_PLACES; i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && (part->p_flags & PF_X) != 0)
            places[place_count++] =
                (struct place){asker, library->dlpi_addr + part->p_vaddr,
                               library->dlpi_addr + part->p_vaddr + part->p_memsz};
    }
    return 0;
}

static bool is_in_program(const void *address)
{
    return (const char *)address > __executable_start && (const char *)address < etext;
}

static enum asker asker_of(const void *address)
{
    for (int i = 0; i < place_count; i++)
        if ((uintptr_t)address >= places[i].first && (uintptr_t)address < places[i].end)
            return places[i].asker;
    return is_in_program(address) ? OURS : OTHERS;
}

/* Of the calls above the one that returns to address: the first that is not libc's, or with program
 * the first that is in the program; NULL if there is none. */
__attribute__((noinline)) static const void *find_caller(const void *address, bool program)
{
    void *frames[MOST_FRAMES];
    const int count = backtrace(frames, MOST_FRAMES);
    bool above = false;
    for (int i = 0; i < count; i++) {
        above = above || frames[i] == address;
        if (above && (program ? is_in_program(frames[i]) : asker_of(frames[i]) != LIBC))
            return frames[i];
    }
    return NULL;
}

static bool is_counted(const void *caller)
{
    const enum asker asker = asker_of(caller);
    return asker == OURS || (asker == LIBC && asker_of(find_caller(caller, false)) == OURS);
}

static bool refuse(const void *caller)
{
    static _Thread_local bool asking; /* unwinding may allocate */
    if (tally == NULL || asking)
        return false;
    const int reason = errno;
    asking = true;
    bool refused = false;
    if (is_counted(caller)) {
        const int64_t call = atomic_fetch_add(&tally->calls, 1) + 1;
        refused = first_refused != 0 &&
                  (call == first_refused || (call > first_refused && refused_for_ever));
        const char *at = call == first_refused ? find_caller(caller, true) : NULL;
        if (at != NULL)
            atomic_store(&tally->where, at - __executable_start - 1);
    }
    asking = false;
    errno = refused ? ENOMEM : reason;
    return refused;
}

/* ---- What it asks for ------------------------------------------------------------------------ */

/* WRAP(type of result, what it returns if refused, name, parameters, arguments) */
#define WRAP(type, refused, name, parameters, arguments)                                           \
    type name parameters;                                                                          \
    type name parameters                                                                           \
    {                                                                                              \
        static type(*real) parameters;                                                             \
        if (real == NULL)                                                                          \
            *(void **)&real = dlsym(RTLD_NEXT, #name);                                             \
        return refuse(__builtin_return_address(0)) ? refused : real arguments;                     \
    }

WRAP(void *, NULL, malloc, (size_t size), (size))
WRAP(void *, NULL, calloc, (size_t count, size_t size), (count, size))
WRAP(void *, NULL, realloc, (void *old, size_t size), (old, size))
WRAP(void *, NULL, aligned_alloc, (size_t alignment, size_t size), (alignment, size))
WRAP(int, ENOMEM, posix_memalign, (void **piece, size_t alignment, size_t size),
     (piece, alignment, size))

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
    dl_iterate_phdr(add_places, NULL);
    find_caller(places, false); /* what unwinding loads the first time */
    tally = room;
}
