/* fail_allocation.c - linked into the program, where it stands before C's allocating functions:
 * counts what the program asks for, and lets one of these allocations fail, or all from one on.
 * What libc, SQLite, Jansson, libxml2, libyaml and NLopt ask for on the program's behalf counts,
 * too; SimGrid, which gives up when there is no memory, and the loader keep their own.
 *
 * RB_FAULT=K: the K-th allocation of the process and its children fails; K+: that and all after it.
 * RB_FAULT=#HASH and #HASH+: likewise from the first on this path of calls.
 * RB_FAULT_COUNT=FILE: FILE gets numbers of 64 bits: how many allocations there were; where in the
 * program the K-th was asked for (an address for addr2line); and with RB_FAULT_PATHS, for each path
 * of calls in the program that led to an allocation, a hash of the path and the number of its first
 * allocation, in a table with free places, which have zeros. */
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

enum { PATHS = 1 << 14 };

/* Shared by the process and its children, and with FILE. */
static struct tally {
    _Atomic int64_t calls, where;
    _Atomic int64_t first_refused; /* 0: none */
    struct path {
        _Atomic uint64_t hash; /* 0: free */
        int64_t first;
    } path[PATHS];
} * tally;
static bool want_paths;
static uint64_t refused_path; /* 0: none, but perhaps a number */
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

/* The frames that are in the program, FNV-1a; never 0. */
static uint64_t hash_path(void)
{
    void *frames[2 * MOST_FRAMES];
    const int count = backtrace(frames, 2 * MOST_FRAMES);
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < count; i++)
        if (is_in_program(frames[i]))
            hash = (hash ^ (uint64_t)((const char *)frames[i] - __executable_start)) *
                   UINT64_C(0x100000001b3);
    return hash | 1;
}

/* Notes the path of this allocation unless it is known; of those that find no place, none is. */
static void note_path(uint64_t hash, int64_t call)
{
    for (uint64_t i = 0; i < PATHS; i++) {
        struct path *path = &tally->path[(hash / 2 + i) % PATHS];
        uint64_t there = 0;
        if (atomic_compare_exchange_strong(&path->hash, &there, hash))
            path->first = call;
        if (there == 0 || there == hash)
            return;
    }
}

/* The number of the first allocation that fails: of this one, if its path is asked for; or 0. */
static int64_t find_first_refused(uint64_t hash, int64_t call)
{
    int64_t first = atomic_load(&tally->first_refused);
    if (first == 0 && hash == refused_path &&
        atomic_compare_exchange_strong(&tally->first_refused, &first, call))
        first = call;
    return first;
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
        const uint64_t hash = want_paths || refused_path != 0 ? hash_path() : 1;
        const int64_t first = find_first_refused(hash, call);
        refused = first != 0 && (call == first || (call > first && refused_for_ever));
        if (want_paths)
            note_path(hash, call);
        const char *at = call == first ? find_caller(caller, true) : NULL;
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
    int64_t number = 0;
    if (plan != NULL) {
        char *rest;
        if (*plan == '#')
            refused_path = strtoull(plan + 1, &rest, 10);
        else
            number = strtoll(plan, &rest, 10);
        refused_for_ever = *rest == '+';
    }
    want_paths = getenv("RB_FAULT_PATHS") != NULL;
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
    atomic_store(&tally->first_refused, number);
}
