/* interchange.c - see interchange.h. The plans that have been read stay until the program ends. */
#define _POSIX_C_SOURCE 200809L /* stat */
#include "interchange/interchange.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "interchange/readers.h"
#include "roundabout.h"
#include "support/data_files.h"
#include "support/memory.h"

enum { PREFIX = sizeof "file:" - 1 };

/* A file that was read for a collective. */
struct known {
    struct inter_plan plan;
    const struct rb_collective *collective;
    char *path, *name; /* the algorithm's name; both owned */
    uint64_t hash;
    struct known *next;
};

/* They are global because an algorithm that was found is there for all. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct known *first;

/* A pipe would block, and a device may never end. */
static int read_text(const char *path, struct sup_lines *lines, struct sup_error *error)
{
    struct stat about;
    *lines = (struct sup_lines){0};
    if (path[0] == '\0')
        return sup_fail(error, RB_EINVAL, "file: the name of a file is missing");
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return sup_fail(error, RB_EINVAL, "%.300s: not a regular file", path);
    const int status = sup_input("plan", path, error);
    return status == RB_OK ? sup_lines_read(lines, path, error) : status;
}

/* The collective that was asked for, or the file's. What does not say what ranks must have at the
 * end is of none. */
static int find_collective(struct known *known)
{
    struct inter_plan *plan = &known->plan;
    const bool unknown = plan->program != NULL && plan->header.collective[0] == '\0';
    if (known->collective == NULL)
        known->collective = unknown ? &rb_none : rb_collective_named(plan->header.collective);
    if (known->collective == NULL)
        return inter_fail(plan, 1, "it names no collective that there is");
    if (unknown == (known->collective == &rb_none) || plan->wrong != NULL)
        return RB_OK;
    return unknown ? inter_fail(plan, 1,
                                "it does not say what ranks must have at the end, so it can't be "
                                "taken for %s: its collective is none",
                                known->collective->info.name)
                   : inter_fail(plan, 1, "it has contents, so its collective can't be none");
}

static int read_plan(struct known *known, struct sup_error *error)
{
    struct sup_lines lines;
    int status = read_text(known->path, &lines, error);
    inter_plan_init(&known->plan, known->path, status == RB_OK ? strlen(lines.text) : 0, error);
    if (status == RB_OK) {
        known->hash = sup_hash_bytes(SUP_HASH_START, lines.text, strlen(lines.text));
        known->name = sup_format("file:%s#%016" PRIx64, known->path, known->hash);
        status = inter_read(&lines, &known->plan);
    }
    free(lines.text);
    if (status == RB_OK)
        status = find_collective(known);
    if (status == RB_OK)
        status = inter_plan_finish(&known->plan, known->collective, known->name);
    if (status == RB_ENOMEM) /* who only tries a name must not take it for a wrong one */
        sup_no_memory();
    return status;
}

static void forget(struct known *known)
{
    inter_plan_free(&known->plan);
    free(known->path);
    free(known->name);
    free(known);
}

static struct known *read_file(const struct rb_collective *collective, const char *path,
                               struct sup_error *error)
{
    struct known *known = sup_calloc(1, sizeof *known);
    known->collective = collective;
    known->path = sup_strdup(path);
    if (read_plan(known, error) == RB_OK)
        return known;
    forget(known);
    return NULL;
}

/* With the lock. */
static const struct known *find(const struct rb_collective *collective, const char *path,
                                struct sup_error *error)
{
    for (const struct known *known = first; known != NULL; known = known->next)
        if (strcmp(known->path, path) == 0 &&
            (collective == NULL
                 ? known->plan.header.collective[0] != '\0' || known->collective == &rb_none
                 : known->collective == collective))
            return known;
    struct known *known = read_file(collective, path, error);
    if (known != NULL) {
        known->next = first;
        first = known;
    }
    return known;
}

static const struct rb_algorithm *resolve(const char *collective, const char *name, char *why,
                                          size_t why_size)
{
    struct sup_error error;
    uint64_t hash;
    size_t length = strlen(name + PREFIX);
    const bool hashed = sup_hash_take(name + PREFIX, &length, &hash);
    char *path = sup_strndup(name + PREFIX, length);
    const struct rb_collective *by = collective == NULL ? NULL : rb_collective_named(collective);
    pthread_mutex_lock(&lock);
    const struct known *known = find(by, path, &error);
    pthread_mutex_unlock(&lock);
    free(path);
    if (known == NULL)
        rb_why(why, why_size, RB_EINVAL, "%s", error.text);
    else if (hashed && hash != known->hash)
        rb_why(why, why_size, RB_EINVAL,
               "%.300s: the file has changed: the hash of its content is %016" PRIx64
               ", not %016" PRIx64,
               known->path, known->hash, hash);
    else
        return &known->plan.algorithm;
    return NULL;
}

void inter_start(void)
{
    rb_resolve_by(resolve);
}
