/* fuzz.c - see fuzz.h. */
#define _GNU_SOURCE /* memfd_create, fmemopen */

#include "fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mpi/choice/decisions.h"
#include "roundabout.h"

void fuzz_check_error(struct sup_error *error)
{
    FUZZ_ASSERT(error->text[0] != '\0', "an error without a message");
    FUZZ_ASSERT(strchr(error->text, '\n') == NULL, "a message of several lines: %s", error->text);
    error->text[0] = '\0';
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (text == NULL)
        abort();
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

const char *fuzz_file(int slot, const void *data, size_t size)
{
    static int files[FUZZ_SLOTS]; /* 0: not made yet */
    static char paths[FUZZ_SLOTS][40];
    if (files[slot] == 0) {
        files[slot] = memfd_create("fuzz", 0);
        if (files[slot] <= 0)
            abort();
        snprintf(paths[slot], sizeof paths[slot], "/proc/self/fd/%d", files[slot]);
    }
    if (ftruncate(files[slot], 0) != 0 ||
        (size > 0 && pwrite(files[slot], data, size, 0) != (ssize_t)size))
        abort();
    return paths[slot];
}

static char scratch[256];

static void remove_scratch(void)
{
    rmdir(scratch);
}

void fuzz_path(const char *name, char *path, size_t size)
{
    const char *parent = getenv("FUZZ_SCRATCH");
    if (scratch[0] == '\0') {
        snprintf(scratch, sizeof scratch, "%s/fuzz-XXXXXX", parent != NULL ? parent : "/dev/shm");
        if (mkdtemp(scratch) == NULL)
            abort();
        atexit(remove_scratch);
    }
    snprintf(path, size, "%s/%s", scratch, name);
}

bool fuzz_decisions_are_read(const char *text, size_t size, struct sup_error *error)
{
    struct choice_decisions *decisions;
    FILE *file = fmemopen((void *)text, size, "r"); /* only read */
    if (file == NULL)
        abort();
    const int status = choice_decisions_read(file, "file", &decisions, error);
    fclose(file);
    if (status == RB_OK)
        choice_decisions_free(decisions);
    return status == RB_OK;
}

uint8_t fuzz_take(struct fuzz_bytes *bytes)
{
    if (bytes->size == 0)
        return 0;
    bytes->size--;
    return *bytes->data++;
}

static uint64_t take_number(struct fuzz_bytes *bytes, int count)
{
    uint64_t number = 0;
    for (int i = 0; i < count; i++)
        number = number << 8 | fuzz_take(bytes);
    return number;
}

int64_t fuzz_take_int(struct fuzz_bytes *bytes, int64_t least, int64_t most)
{
    const uint64_t span = (uint64_t)most - (uint64_t)least;
    const int count = span < 256 ? 1 : span < 65536 ? 2 : 8;
    const uint64_t number = take_number(bytes, count);
    return (int64_t)((uint64_t)least + (span == UINT64_MAX ? number : number % (span + 1)));
}

int64_t fuzz_take_wild(struct fuzz_bytes *bytes)
{
    const uint8_t kind = fuzz_take(bytes);
    const int64_t near = (int64_t)fuzz_take(bytes) - 128;
    switch (kind % 4) {
    case 0:
        return near;
    case 1:
        return (int64_t)((UINT64_C(1) << (kind / 4)) + (uint64_t)near);
    case 2:
        return kind < 128 ? INT64_MAX - (near + 128) : INT64_MIN + (near + 128);
    default:
        return (int64_t)take_number(bytes, 8);
    }
}

/* Memory that was freed is reused after 4 MB instead of 256 MB: that is long after the input that
 * freed it, and several times as fast. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "quarantine_size_mb=4:malloc_context_size=8:allocator_release_to_os_interval_ms=-1";
}
