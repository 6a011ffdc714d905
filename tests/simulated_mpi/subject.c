/* subject.c - see subject.h. The shared object is linked so that what it allocates comes from here.
 */
#include "subject.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <threads.h>
#include <unistd.h>

#include "calls.h"
#include "simulation.h"

FILE *sm_said;
int mpi_fortran_in_place_, mpi_fortran_bottom_;
struct subject subjects[SM_MOST_RANKS];
bool subjects_counted;

/* ---- What the copies call -------------------------------------------------------------------- */

void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
void __wrap_free(void *memory);
void *__wrap_reallocarray(void *old, size_t count, size_t bytes);
char *__wrap_strndup(const char *text, size_t most);
char *__wrap_strdup(const char *text);
char *__wrap_realpath(const char *path, char *resolved);
char *__wrap_getenv(const char *name);
ssize_t __wrap_write(int file, const void *bytes, size_t count);
_Noreturn void __wrap_exit(int status);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left);
pthread_t __wrap_pthread_self(void);
int __wrap_tss_create(tss_t *key, tss_dtor_t destroy);
int __wrap_tss_set(tss_t key, void *value);

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

void *__wrap_reallocarray(void *old, size_t count, size_t bytes)
{
    return sm_reallocate(old, count * bytes);
}

char *__wrap_strndup(const char *text, size_t most)
{
    const size_t length = strnlen(text, most);
    char *made = sm_allocate(length + 1);
    if (made != NULL) {
        memcpy(made, text, length);
        made[length] = '\0';
    }
    return made;
}

char *__wrap_strdup(const char *text)
{
    return __wrap_strndup(text, strlen(text));
}

char *__wrap_realpath(const char *path, char *resolved)
{
    char *found = realpath(path, resolved), *made = found == NULL ? NULL : __wrap_strdup(found);
    free(found);
    return made;
}

char *__wrap_getenv(const char *name)
{
    const char *own = sm_current < 0 ? NULL : sm_own_name[sm_current];
    return own != NULL && strcmp(own, name) == 0 ? (char *)(uintptr_t)sm_own_value[sm_current]
                                                 : getenv(name);
}

ssize_t __wrap_write(int file, const void *bytes, size_t count)
{
    if (count == 0 || !sm_write_fails())
        return write(file, bytes, count);
    errno = ENOSPC;
    return sm_choose(2) - 1;
}

void __wrap_exit(int status)
{
    subjects[sm_current].status = status;
    sm_end_rank();
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
    (void)time;
    (void)left;
    sm_pause();
    return 0;
}

pthread_t __wrap_pthread_self(void)
{
    return (pthread_t)(2 * sm_current + sm_other_thread[sm_current] + 1);
}

/* What a rank keeps for its thread: one value. */
static struct {
    tss_dtor_t destroy;
    void *value;
} kept[SM_MOST_RANKS];

int __wrap_tss_create(tss_t *key, tss_dtor_t destroy)
{
    *key = 0;
    kept[sm_current].destroy = destroy;
    return thrd_success;
}

int __wrap_tss_set(tss_t key, void *value)
{
    (void)key;
    kept[sm_current].value = value;
    return thrd_success;
}

void subject_end_thread(void)
{
    if (kept[sm_current].value != NULL)
        kept[sm_current].destroy(kept[sm_current].value);
    kept[sm_current].value = NULL;
}

/* ---- Globals --------------------------------------------------------------------------------- */

/* Where a copy may be written to, and what was there. */
static struct globals {
    uint64_t *at, *before;
    size_t words;
} globals[SM_MOST_RANKS][4];

/* Sanitizers put forbidden bytes between globals. */
__attribute__((no_sanitize("address"))) static void
copy_words(volatile uint64_t *to, const volatile uint64_t *from, size_t words)
{
    for (size_t i = 0; i < words; i++)
        to[i] = from[i];
}

struct search {
    const char *name;
    uintptr_t counters; /* of coverage, which go on; 0: there are none */
    struct globals *found;
};

static int find_globals(struct dl_phdr_info *info, size_t size, void *data)
{
    const struct search *search = data;
    uintptr_t constant = 0; /* is read-only from the start on, up to here */
    int count = 0;
    (void)size;
    if (strcmp(info->dlpi_name, search->name) != 0)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO)
            constant = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + part->p_vaddr;
        uintptr_t end = begin + part->p_memsz;
        if (part->p_type != PT_LOAD || (part->p_flags & PF_W) == 0 || end <= constant)
            continue;
        begin = (begin < constant && constant < end ? constant : begin) & ~(uintptr_t)7;
        end = begin < search->counters && search->counters < end ? search->counters : end;
        struct globals *made = &search->found[count++];
        made->at = (uint64_t *)begin;
        made->words = (end - begin) / sizeof *made->at;
        made->before = malloc(made->words * sizeof *made->at);
        copy_words(made->before, made->at, made->words);
    }
    return 1;
}

void subjects_reset(int count)
{
    for (int r = 0; r < count; r++) {
        kept[r].value = NULL;
        subjects[r].status = 0;
        for (const struct globals *part = globals[r]; part->at != NULL; part++)
            copy_words(part->at, part->before, part->words);
    }
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
static void *load_copy(const char *path, struct globals *of)
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
    const uintptr_t counters = (uintptr_t)dlsym(library, "subject_counters");
    subjects_counted = counters != 0;
    dl_iterate_phdr(find_globals, &(struct search){name, counters, of});
    return library;
}

void subjects_load(const char *path, int count)
{
    sm_said = stderr;
    for (int r = 0; r < count; r++) {
        void *library = load_copy(path, globals[r]);
        void **members = (void **)&subjects[r];
        static const char *const names[] = {
            "exec_run",         "exec_context_create", "exec_context_destroy",
            "exec_elements_of", "exec_script_free",    "RB_Choose",
            "MPI_Init",         "MPI_Init_thread",     "mpi_init_",
            "mpi_init_thread_", "MPI_Finalize",        "mpi_finalize_",
#define LIB_CALL(name, collective)
#define LIB_FUNCTION(name, fortran, collective, arguments, key) "RB_" #name,
#include "mpi/library/list.h"
        };
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            members[i] = symbol(library, names[i]);
        for (int i = 0; i < 2 * CALLS; i++)
            subjects[r].call[i / CALLS][i % CALLS] =
                symbol(library, call_name(i % CALLS, i / CALLS != 0));
    }
}
