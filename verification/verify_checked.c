/* verify_checked.c - see checked_ranges.h. */
#define _DEFAULT_SOURCE /* strsep, and POSIX: open, fcntl, fdatasync, strndup */

#include "verification/verify_checked.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/options/options.h"
#include "roundabout.h"
#include "support/array.h"

static const char first_line[] = "# roundabout verify --schedules, what has been checked: version, "
                                 "time, p, ranks of each, ranks in all, result\n";

enum { FIRST_LINE = sizeof first_line - 1, LONGEST_WRONG = 320 };

/* ---- Reading --------------------------------------------------------------------------------- */

/* "5..9+2" and the like; the whole word must be one. */
static bool read_range(const char *word, struct verify_chunk *range)
{
    int end = -1;
    *range = (struct verify_chunk){.step = 1};
    if (sscanf(word, "%" SCNd32 "..%" SCNd32 "+%" SCNd32 "%n", &range->first, &range->last,
               &range->step, &end) != 3) {
        end = -1;
        range->step = 1;
        if (sscanf(word, "%" SCNd32 "..%" SCNd32 "%n", &range->first, &range->last, &end) != 2) {
            end = -1;
            if (sscanf(word, "%" SCNd32 "%n", &range->first, &end) != 1)
                return false;
            range->last = range->first;
        }
    }
    return end >= 0 && word[end] == '\0' && range->first >= 1 && range->last >= range->first &&
           range->last <= RB_MAX_RANKS && range->step >= 1;
}

static bool read_mode(const char *word, int32_t *sample)
{
    int end = -1;
    *sample = 0;
    if (strcmp(word, "all") == 0)
        return true;
    return sscanf(word, "sample:%" SCNd32 "%n", sample, &end) == 1 && end >= 0 &&
           word[end] == '\0' && *sample >= 1;
}

static int keep(struct verify_checked *checked, const struct verify_checked_range *range)
{
    if (!sup_array_grow(&checked->ranges, checked->count, sizeof *checked->ranges))
        return RB_ENOMEM;
    checked->ranges[checked->count++] = *range;
    return RB_OK;
}

/* Parses one whole line without its end; it is split into words in place. */
static int read_line(struct verify_checked *checked, char *line)
{
    enum { VERSION, TIME, RANGE, MODE, RANKS, RESULT, WORDS };
    struct verify_checked_range range = {0};
    char *word[WORDS], *rest = line;
    for (int i = 0; i < WORDS; i++)
        word[i] = strsep(&rest, " ");
    bool good = word[RESULT] != NULL && read_range(word[RANGE], &range.range) &&
                read_mode(word[MODE], &range.sample);
    bool wrong = good && strcmp(word[RESULT], "wrong") == 0 && rest != NULL &&
                 range.range.first == range.range.last;
    good = good && (wrong || (strcmp(word[RESULT], "right") == 0 && rest == NULL));
    if (!good) {
        checked->damaged++;
        return RB_OK;
    }
    if (strcmp(word[VERSION], cli_program_version) != 0) {
        checked->other_versions++;
        return RB_OK;
    }
    if (wrong && (range.wrong = strndup(rest, LONGEST_WRONG)) == NULL)
        return RB_ENOMEM;
    int status = keep(checked, &range);
    if (status != RB_OK)
        free(range.wrong);
    return status;
}

/* The whole file in memory, a zero byte behind it. */
static int slurp(int file, const char *path, char **text, size_t *size, struct sup_error *error)
{
    struct stat about;
    if (fstat(file, &about) != 0)
        return sup_fail(error, RB_EIO, "--record: \"%s\": %s", path, strerror(errno));
    if (!S_ISREG(about.st_mode))
        return sup_fail(error, RB_EINVAL, "--record: \"%s\" is not a regular file", path);
    *text = malloc((size_t)about.st_size + 1);
    if (*text == NULL)
        return sup_fail(error, RB_ENOMEM, "out of memory");
    *size = 0;
    while (*size < (size_t)about.st_size) {
        ssize_t got = read(file, *text + *size, (size_t)about.st_size - *size);
        if (got < 0 && errno != EINTR)
            return sup_fail(error, RB_EIO, "--record: \"%s\" cannot be read: %s", path,
                            strerror(errno));
        if (got == 0)
            break;
        *size += got < 0 ? 0 : (size_t)got;
    }
    (*text)[*size] = '\0';
    return RB_OK;
}

static int write_all(int file, const char *path, const char *text, size_t size,
                     struct sup_error *error)
{
    ssize_t written;
    do
        written = write(file, text, size);
    while (written < 0 && errno == EINTR);
    if (written < 0 || (size_t)written < size || fdatasync(file) != 0)
        return sup_fail(error, RB_EIO, "--record: \"%s\": not all was written: %s", path,
                        written >= 0 && (size_t)written < size ? "the disk is full"
                                                               : strerror(errno));
    return RB_OK;
}

/* Makes the file end with a whole line, a first line if there is none. */
static int mend_end(const struct verify_checked *checked, size_t whole, size_t size,
                    struct sup_error *error)
{
    if (whole < size && ftruncate(checked->file, (off_t)whole) != 0)
        return sup_fail(error, RB_EIO, "--record: \"%s\" cannot be shortened: %s", checked->path,
                        strerror(errno));
    if (whole == 0)
        return write_all(checked->file, checked->path, first_line, FIRST_LINE, error);
    return RB_OK;
}

static int read_file(struct verify_checked *checked, char *text, size_t size,
                     struct sup_error *error)
{
    size_t common = size < FIRST_LINE ? size : FIRST_LINE;
    if (memcmp(text, first_line, common) != 0)
        return sup_fail(error, RB_EINVAL,
                        "--record: \"%s\" was not made by --record and is left unchanged: name a "
                        "new file, or one that --record made",
                        checked->path);
    size_t at = size < FIRST_LINE ? 0 : FIRST_LINE;
    for (char *end; at > 0 && (end = memchr(text + at, '\n', size - at)) != NULL;
         at = (size_t)(end - text) + 1) {
        *end = '\0';
        if (read_line(checked, text + at) != RB_OK)
            return sup_fail(error, RB_ENOMEM, "out of memory");
    }
    return mend_end(checked, at, size, error);
}

/* ---- Opening --------------------------------------------------------------------------------- */

static int lock(const struct verify_checked *checked, struct sup_error *error)
{
    struct flock wanted = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(checked->file, F_SETLK, &wanted) == 0)
        return RB_OK;
    int reason = errno;
    if (reason != EACCES && reason != EAGAIN)
        return sup_fail(error, RB_EIO, "--record: \"%s\" cannot be locked: %s", checked->path,
                        strerror(reason));
    struct flock holder = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    bool known =
        fcntl(checked->file, F_GETLK, &holder) == 0 && holder.l_type != F_UNLCK && holder.l_pid > 0;
    char who[48] = "another process";
    if (known)
        snprintf(who, sizeof who, "process %ld", (long)holder.l_pid);
    return sup_fail(error, RB_EINVAL,
                    "--record: \"%s\": %s is writing it; wait for its end, or name another file",
                    checked->path, who);
}

int verify_checked_open(struct verify_checked *checked, const char *path, struct sup_error *error)
{
    *checked = (struct verify_checked){.path = path};
    checked->file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666);
    if (checked->file < 0) {
        int reason = errno;
        checked->path = NULL;
        return sup_fail(error, reason == ENOSPC || reason == EIO ? RB_EIO : RB_EINVAL,
                        "--record: cannot write \"%s\": %s", path, strerror(reason));
    }
    char *text = NULL;
    size_t size = 0;
    int status = lock(checked, error);
    if (status == RB_OK)
        status = slurp(checked->file, path, &text, &size, error);
    if (status == RB_OK)
        status = read_file(checked, text, size, error);
    free(text);
    if (status != RB_OK)
        verify_checked_close(checked);
    return status;
}

/* ---- Looking up ------------------------------------------------------------------------------ */

struct place {
    int32_t p;
    size_t index;
};

static int by_p(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    return (a->p > b->p) - (a->p < b->p);
}

/* The first index with at least this p. */
static size_t first_from(const struct place places[], size_t count, int32_t p)
{
    size_t low = 0;
    while (low < count) {
        size_t middle = low + (count - low) / 2;
        if (places[middle].p < p)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

static bool suffices(const struct verify_checked_range *range, int32_t sample)
{
    return range->wrong != NULL || range->sample == 0 || (sample > 0 && range->sample >= sample);
}

int verify_checked_look_up(const struct verify_checked *checked, int32_t sample, const int32_t p[],
                           size_t count, const struct verify_checked_range *found[])
{
    struct place *places = malloc((count + 1) * sizeof *places);
    if (places == NULL)
        return RB_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        places[i] = (struct place){p[i], i};
        found[i] = NULL;
    }
    qsort(places, count, sizeof *places, by_p);
    for (size_t i = 0; i < checked->count; i++) {
        const struct verify_checked_range *range = &checked->ranges[i];
        const struct verify_chunk *held = &range->range;
        if (!suffices(range, sample))
            continue;
        for (size_t j = first_from(places, count, held->first);
             j < count && places[j].p <= held->last; j++) {
            const struct verify_checked_range **here = &found[places[j].index];
            if ((places[j].p - held->first) % held->step == 0 &&
                (*here == NULL || range->wrong != NULL))
                *here = range;
        }
    }
    free(places);
    return RB_OK;
}

/* ---- Adding, closing ------------------------------------------------------------------------- */

int verify_checked_add(const struct verify_checked *checked,
                       const struct verify_checked_range *range, int64_t ranks,
                       struct sup_error *error)
{
    const struct verify_chunk *p = &range->range;
    char when[32], values[64], mode[32] = "all", line[256 + LONGEST_WRONG];
    time_t now = time(NULL);
    struct tm utc;
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    int used = snprintf(values, sizeof values, "%" PRId32, p->first);
    if (p->last > p->first)
        used += snprintf(values + used, sizeof values - (size_t)used, "..%" PRId32, p->last);
    if (p->step > 1)
        snprintf(values + used, sizeof values - (size_t)used, "+%" PRId32, p->step);
    if (range->sample > 0)
        snprintf(mode, sizeof mode, "sample:%" PRId32, range->sample);
    int size = snprintf(line, sizeof line, "%s %s %s %s %" PRId64 " %s%.*s\n", cli_program_version,
                        when, values, mode, ranks, range->wrong == NULL ? "right" : "wrong ",
                        LONGEST_WRONG, range->wrong == NULL ? "" : range->wrong);
    return write_all(checked->file, checked->path, line, (size_t)size, error);
}

void verify_checked_close(struct verify_checked *checked)
{
    for (size_t i = 0; i < checked->count; i++)
        free(checked->ranges[i].wrong);
    free(checked->ranges);
    if (checked->path != NULL)
        close(checked->file);
    *checked = (struct verify_checked){0};
}
