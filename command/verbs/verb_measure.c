/* verb_measure.c - executes the measuring program for the MPI library whose mpirun started it. This
 * program itself does not use MPI; the environment shows which mpirun started it. */
#define _POSIX_C_SOURCE 200809L /* execv */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measurements/measure/measure.h"
#include "roundabout.h"
#include "support/data_files.h"
#include "support/memory.h"

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

/* Rank 0 speaks for all; srun numbers its tasks without MPI, too. */
static bool speaks(void)
{
    const int starter = find_starter();
    const char *rank = getenv(starter == STARTERS ? "SLURM_PROCID" : starters[starter].rank);
    return rank == NULL || strcmp(rank, "0") == 0;
}

static int run(const struct cli_args *args)
{
    char name[64], path[SUP_PATH_SIZE];
    struct sup_error error;
    const int starter = find_starter();
    if (starter == STARTERS)
        return cli_complain(CLI_EXIT_USAGE,
                            getenv("SLURM_JOB_ID") == NULL
                                ? "runs on MPI: start it with mpirun, as in mpirun -n 2 roundabout "
                                  "measure pairs"
                                : "runs on MPI: in a Slurm job, start it with mpirun, with srun "
                                  "--mpi=pmix (Open MPI) or with srun --mpi=pmi2 (MPICH)");
    const char *flavour = starters[starter].flavour;
    snprintf(name, sizeof name, "roundabout-measure-%s", flavour);
    if (sup_program_path(path, sizeof path, name, &error) != RB_OK)
        return cli_complain(CLI_EXIT_FAILED,
                            "started by %s's mpirun: %s; the build makes it if it finds that MPI "
                            "library's compiler wrapper (docs/mpi.md)",
                            flavour, error.text);
    char *const *words = cli_args_words(args);
    size_t count = 0;
    while (words[count] != NULL)
        count++;
    char **arguments = sup_calloc(count + 2, sizeof *arguments);
    arguments[0] = path;
    memcpy(arguments + 1, words, count * sizeof *words);
    execv(path, arguments);
    const int reason = errno;
    free(arguments);
    return cli_complain(CLI_EXIT_FAILED, "%s: %s", path, strerror(reason));
}

const struct cli_verb verb_measure = MEASURE_VERB(run, speaks);
