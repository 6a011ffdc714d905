/* verb_measure.c - executes the measuring program for the MPI library whose mpirun started it. This
 * program itself does not use MPI; the environment shows which mpirun started it. */
#define _POSIX_C_SOURCE 200809L /* execv */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "roundabout.h"
#include "studies/measure/measure.h"
#include "support/data_files.h"
#include "support/memory.h"
#include "verbs.h"

static int run(const struct cli_args *args)
{
    char name[64], path[SUP_PATH_SIZE];
    struct sup_error error;
    const char *flavour = verb_starter_flavour();
    if (flavour == NULL)
        return cli_complain(CLI_EXIT_USAGE,
                            getenv("SLURM_JOB_ID") == NULL
                                ? "runs on MPI: start it with mpirun, as in mpirun -n 2 roundabout "
                                  "measure pairs"
                                : "runs on MPI: in a Slurm job, start it with mpirun, with srun "
                                  "--mpi=pmix (Open MPI) or with srun --mpi=pmi2 (MPICH)");
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

const struct cli_verb verb_measure = MEASURE_VERB(run, verb_starter_speaks);
