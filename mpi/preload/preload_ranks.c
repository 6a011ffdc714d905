/* preload_ranks.c - see preload_ranks.h.
 *
 * Ranks that lack the library take part in no collective of ours, so it can't be asked for by MPI,
 * and what a launcher's key-value store would need differs from launcher to launcher. But a host
 * shows its processes: whose environment says that they are ranks of this job, and which libraries
 * they have mapped. */
#define _DEFAULT_SOURCE

#include "preload_ranks.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- What /proc says ------------------------------------------------------------------------- */

/* The content of /proc/PID/NAME with a zero behind it, which the caller frees; NULL: there is none
 * to be read. */
static char *content_of(const char *process, const char *name, size_t *size)
{
    enum { STEP = 1 << 16, MOST = 1 << 24 };
    char path[64], *text = NULL;
    ssize_t got = 1;
    snprintf(path, sizeof path, "/proc/%.20s/%s", process, name);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    for (*size = 0; file >= 0 && got > 0 && *size<MOST; *size += got> 0 ? (size_t)got : 0) {
        char *grown = realloc(text, *size + STEP + 1);
        if (grown == NULL)
            break;
        text = grown;
        got = read(file, text + *size, STEP);
    }
    if (file >= 0)
        close(file);
    if (text != NULL)
        text[*size] = '\0';
    return text;
}

/* The value of a variable in the content of environ; NULL: it is not there. */
static const char *value_in(const char *environment, size_t size, const char *variable)
{
    const size_t length = strlen(variable);
    for (const char *at = environment; at < environment + size; at += strlen(at) + 1)
        if (strncmp(at, variable, length) == 0 && at[length] == '=')
            return at + length + 1;
    return NULL;
}

static int parent_of(const char *process)
{
    size_t size;
    int parent = -1;
    char *stat = content_of(process, "stat", &size);
    const char *behind_name = stat == NULL ? NULL : strrchr(stat, ')');
    if (behind_name == NULL || sscanf(behind_name, ") %*c %d", &parent) != 1)
        parent = -1;
    free(stat);
    return parent;
}

/* ---- This job -------------------------------------------------------------------------------- */

struct look {
    const char *rank_variable, *job; /* job: PMIx's name of it; NULL: the ranks have one parent */
    char library[4096];              /* this one, as maps has it */
    int p;
    bool *uses_mpi, *has_library; /* of each rank */
};

#define OWN_NAME "/libroundabout-preload-"

/* The library that this function is in. */
static void find_library(struct look *look)
{
    size_t size;
    char *maps = content_of("self", "maps", &size), *rest = maps;
    snprintf(look->library, sizeof look->library, "%s", OWN_NAME);
    for (char *line; maps != NULL && (line = strsep(&rest, "\n")) != NULL;) {
        uintptr_t first, end;
        int at = 0;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %*s %n", &first, &end, &at) == 2 &&
            at > 0 && line[at] == '/' && first <= (uintptr_t)preload_ranks_look &&
            (uintptr_t)preload_ranks_look < end)
            snprintf(look->library, sizeof look->library, "%s", line + at);
    }
    free(maps);
}

/* The rank in this job that the process is of; -1: it is none of it. */
static int rank_of(const struct look *look, const char *environment, size_t size)
{
    const char *rank = value_in(environment, size, look->rank_variable);
    const char *job = value_in(environment, size, "PMIX_NAMESPACE");
    char *end;
    if (rank == NULL || (look->job != NULL && (job == NULL || strcmp(job, look->job) != 0)))
        return -1;
    const long number = strtol(rank, &end, 10);
    return *end == '\0' && end != rank && number >= 0 && number < look->p ? (int)number : -1;
}

/* Mapped libraries are looked for only where the environment does not say that this one is. */
static void note_process(struct look *look, const char *process)
{
    struct stat about;
    char path[64];
    size_t size;
    snprintf(path, sizeof path, "/proc/%.20s", process);
    if (stat(path, &about) != 0 || about.st_uid != geteuid() ||
        (look->job == NULL && parent_of(process) != getppid()))
        return;
    char *environment = content_of(process, "environ", &size);
    const int rank = environment == NULL ? -1 : rank_of(look, environment, size);
    if (rank >= 0) {
        const char *preload = value_in(environment, size, "LD_PRELOAD");
        bool has = preload != NULL && strstr(preload, OWN_NAME) != NULL, uses = has;
        char *maps = has ? NULL : content_of(process, "maps", &size);
        if (maps != NULL) {
            has = strstr(maps, look->library) != NULL || strstr(maps, OWN_NAME) != NULL;
            uses = strstr(maps, "/libmpi") != NULL;
        }
        look->has_library[rank] = look->has_library[rank] || has;
        look->uses_mpi[rank] = look->uses_mpi[rank] || uses;
        free(maps);
    }
    free(environment);
}

void preload_ranks_look(int p, struct preload_ranks *ranks)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                            "SLURM_PROCID"};
    struct look look = {.p = p, .job = getenv("PMIX_NAMESPACE")};
    const struct dirent *entry;
    *ranks = (struct preload_ranks){.with = -1, .without = -1};
    for (size_t i = 0; i < 4 && look.rank_variable == NULL; i++)
        look.rank_variable = getenv(variables[i]) != NULL ? variables[i] : NULL;
    if (look.rank_variable == NULL || p == 1)
        return;
    look.uses_mpi = calloc(2 * (size_t)p, sizeof *look.uses_mpi);
    DIR *processes = look.uses_mpi == NULL ? NULL : opendir("/proc");
    if (processes != NULL) {
        look.has_library = look.uses_mpi + p;
        find_library(&look);
        while ((entry = readdir(processes)) != NULL)
            if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
                note_process(&look, entry->d_name);
        closedir(processes);
        for (int r = p - 1; r >= 0; r--) {
            ranks->seen += look.uses_mpi[r] || look.has_library[r];
            if (look.has_library[r])
                ranks->with = r;
            else if (look.uses_mpi[r])
                ranks->without = r;
        }
    }
    free(look.uses_mpi);
}
