/* verb_measure.c - executes the measuring program for the MPI library whose mpirun started it. This
 * program itself does not use MPI; the environment shows which mpirun started it. */
#define _POSIX_C_SOURCE 200809L /* readlink */

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi/measure/request.h"

/* What an mpirun tells its processes: Open MPI's, or another one that starts them through PMIx; or
 * one that does so through PMI, as MPICH's hydra and its relatives. */
static const struct {
    const char *flavour, *rank;
} starters[] = {
    {"openmpi", "OMPI_COMM_WORLD_RANK"}, {"openmpi", "PMIX_RANK"}, {"mpich", "PMI_RANK"}};
enum { STARTERS = sizeof starters / sizeof starters[0] };

static int find_starter(void)
{
    int i = 0;
    while (i < STARTERS && getenv(starters[i].rank) == NULL)
        i++;
    return i;
}

/* Rank 0 speaks for all. */
static bool speaks(void)
{
    const int starter = find_starter();
    return starter == STARTERS || strcmp(getenv(starters[starter].rank), "0") == 0;
}

/* The program beside this one. */
static int find_program(const char *flavour, char *path, size_t size)
{
    char self[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0)
        return cli_complain(CLI_EXIT_FAILED, "/proc/self/exe: %s", strerror(errno));
    self[length] = '\0';
    char *slash = strrchr(self, '/');
    if (slash != NULL)
        *slash = '\0';
    if (snprintf(path, size, "%s/roundabout-measure-%s", self, flavour) >= (int)size)
        return cli_complain(CLI_EXIT_FAILED, "%s: too long a path", self);
    return CLI_EXIT_DONE;
}

static int run(const struct cli_args *args)
{
    char path[PATH_MAX];
    const int starter = find_starter();
    if (starter == STARTERS)
        return cli_complain(CLI_EXIT_USAGE,
                            "runs on MPI: start it with mpirun, as in mpirun -n 2 roundabout "
                            "measure pairs");
    const char *flavour = starters[starter].flavour;
    const int status = find_program(flavour, path, sizeof path);
    if (status != CLI_EXIT_DONE)
        return status;
    char *const *words = cli_args_words(args);
    size_t count = 0;
    while (words[count] != NULL)
        count++;
    char **arguments = calloc(count + 2, sizeof *arguments);
    if (arguments == NULL)
        return cli_complain(CLI_EXIT_FAILED, "out of memory");
    arguments[0] = path;
    memcpy(arguments + 1, words, count * sizeof *words);
    execv(path, arguments);
    const int reason = errno;
    free(arguments);
    if (reason == ENOENT)
        return cli_complain(CLI_EXIT_FAILED,
                            "started by %s's mpirun, but %s is missing: the build makes it if it "
                            "finds mpicc.%s and mpirun.%s; ./roundabout test mpi installs them",
                            flavour, path, flavour, flavour);
    return cli_complain(CLI_EXIT_FAILED, "%s: %s", path, strerror(reason));
}

const struct cli_verb verb_measure = MEASURE_VERB(run, speaks);
