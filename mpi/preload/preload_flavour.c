/* preload_flavour.c - see preload_flavour.h.
 *
 * MPI's handles are addresses in Open MPI and numbers in MPICH, so a function of ours that is
 * called by a program of the other kind can neither serve the call nor pass it on. Nor can this
 * library do without the MPI library that it is linked with: that of a program which loads it late
 * (Python's) is seen by that program alone. But an MPI library of the other kind that is loaded too
 * can only be the program's. Its version is asked for, which MPI allows before MPI_Init and which
 * needs no handles.
 *
 * A program that is linked with it has not begun when this library's constructor finds it there: it
 * is started again in the same process, without this library in LD_PRELOAD. One that loads it later
 * is ended when it starts MPI. */
#define _GNU_SOURCE /* dl_iterate_phdr */

#include "preload_flavour.h"

#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef OPEN_MPI
#define BUILT_FOR "Open MPI"
#else
#define BUILT_FOR "MPICH"
#endif
#define OWN_NAME "libroundabout-preload-"

/* Open MPI's versions have 256 bytes at most, MPICH's 8192. */
enum { MOST_LIBRARIES = 16, NAME_ROOM = 4096, VERSION_ROOM = 1 << 15 };

struct libraries {
    int count;
    char name[MOST_LIBRARIES][NAME_ROOM];
};

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* Finds libraries whose name begins like those of MPI libraries. The loader is locked meanwhile. */
static int note_library(struct dl_phdr_info *info, size_t size, void *data)
{
    struct libraries *libraries = data;
    (void)size;
    if (libraries->count < MOST_LIBRARIES && strncmp(base_of(info->dlpi_name), "libmpi", 6) == 0 &&
        strlen(info->dlpi_name) < NAME_ROOM)
        strcpy(libraries->name[libraries->count++], info->dlpi_name);
    return 0;
}

/* True if there is an MPI library of the other kind. Gives its version, in one line without
 * details. */
static bool find_other(char version[VERSION_ROOM])
{
    static struct libraries libraries; /* MPI is started once */
    bool other = false;
    libraries.count = 0;
    dl_iterate_phdr(note_library, &libraries);
    for (int i = 0; i < libraries.count && !other; i++) {
        int (*get_version)(char *version, int *length) = NULL;
        int length = 0;
        void *library = dlopen(libraries.name[i], RTLD_LAZY | RTLD_NOLOAD);
        if (library == NULL)
            continue;
        *(void **)&get_version = dlsym(library, "PMPI_Get_library_version");
        if (get_version != NULL && get_version(version, &length) == MPI_SUCCESS) {
            const bool is_open_mpi = strncmp(version, "Open MPI", strlen("Open MPI")) == 0;
            other = is_open_mpi != (strcmp(BUILT_FOR, "Open MPI") == 0);
        }
        dlclose(library);
    }
    if (other) {
        version[strcspn(version, ",\n")] = '\0';
        for (char *tab = strchr(version, '\t'); tab != NULL; tab = strchr(tab, '\t'))
            *tab = ' ';
    }
    return other;
}

/* True in the one process of a job that prints messages. */
static bool is_speaker(void)
{
    static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                        "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        const char *rank = getenv(ranks[i]);
        if (rank != NULL && strcmp(rank, "0") != 0)
            return false;
    }
    return true;
}

static void say(const char *version, const char *what)
{
    if (is_speaker())
        fprintf(stderr,
                "roundabout: this library is built for " BUILT_FOR
                ", but the program uses %s: %s\n",
                version, what);
}

/* mpirun ends all processes when one has ended with an error: the others wait until the one that
 * speaks has done so, or for some seconds, as it may have ended otherwise. */
static void wait_for_speaker(void)
{
    enum { SECONDS = 3 };
    if (!is_speaker())
        sleep(SECONDS);
}

/* Removes this library, and those for other MPI libraries, from LD_PRELOAD. False: none is there.
 */
static bool leave_environment(void)
{
    const char *preload = getenv("LD_PRELOAD");
    char *all = preload == NULL ? NULL : strdup(preload);
    char *others = preload == NULL ? NULL : calloc(1, strlen(preload) + 2);
    bool found = false;
    char *rest = all;
    for (char *name; all != NULL && others != NULL && (name = strsep(&rest, ": ")) != NULL;) {
        const bool own = strncmp(base_of(name), OWN_NAME, strlen(OWN_NAME)) == 0;
        found = found || own;
        if (!own && *name != '\0')
            strcat(strcat(others, *others != '\0' ? ":" : ""), name);
    }
    if (found)
        found = (*others != '\0' ? setenv("LD_PRELOAD", others, 1) : unsetenv("LD_PRELOAD")) == 0;
    free(all);
    free(others);
    return found;
}

/* The loader calls it with main's arguments. */
__attribute__((constructor)) static void start_without(int argc, char **argv)
{
    char version[VERSION_ROOM];
    (void)argc;
    if (!find_other(version) || !leave_environment())
        return;
    say(version, "it runs without Roundabout; preload the library that is built for it");
    execv("/proc/self/exe", argv);
    say(version, "it can't be started again without this library");
    wait_for_speaker();
    _exit(2);
}

void preload_check_flavour(void)
{
    char version[VERSION_ROOM];
    if (!find_other(version))
        return;
    say(version, "preload the library that is built for it");
    wait_for_speaker();
    exit(2);
}
