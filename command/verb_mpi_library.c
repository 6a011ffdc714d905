/* verb_mpi_library.c - where the library is that MPI programs preload, and the line to use it. */
#include <stdio.h>
#include <string.h>

#include "command/doctor/doctor.h"
#include "roundabout.h"
#include "support/data_files.h"
#include "support/names.h"
#include "support/options/options.h"

struct flavour {
    const char *name, *mpirun, *preload;
    const char *says[3]; /* what its mpirun says of itself */
};

static const struct flavour flavours[] = {
    {"openmpi", "mpirun.openmpi", "-x LD_PRELOAD=", {"Open MPI", "OpenRTE", "prte"}},
    {"mpich", "mpirun.mpich", "-genv LD_PRELOAD ", {"HYDRA", "Intel", "MPICH"}},
};
enum { FLAVOURS = sizeof flavours / sizeof flavours[0], SAYS = 3, LIMIT_S = 5 };

static const struct cli_option options[] = {CLI_OPTION_END};

static const struct flavour *flavour_named(const char *name)
{
    static const char *const of[][2] = {
        {"ompi", "openmpi"}, {"mpich", "mpich"}, {"impi", "mpich"}, {"mvapich2", "mpich"}};
    const char *library = sup_library_named(name);
    for (size_t k = 0; library != NULL && k < sizeof of / sizeof *of; k++)
        for (int i = 0; i < FLAVOURS; i++)
            if (strcmp(library, of[k][0]) == 0 && strcmp(of[k][1], flavours[i].name) == 0)
                return &flavours[i];
    return NULL;
}

static int find_library(const struct flavour *flavour, char path[SUP_PATH_SIZE],
                        struct sup_error *error)
{
    char name[64];
    snprintf(name, sizeof name, "libroundabout-preload-%s.so", flavour->name);
    return sup_library_path(path, SUP_PATH_SIZE, name, error);
}

/* That of the command mpirun; without this, the first with a library; otherwise the first. */
static const struct flavour *usual_flavour(void)
{
    static const char *const question[] = {"mpirun", "--version", NULL};
    char text[1024], path[SUP_PATH_SIZE];
    if (doctor_ask(question, LIMIT_S, text, sizeof text) == DOCTOR_ANSWERED)
        for (int i = 0; i < FLAVOURS; i++)
            for (int k = 0; k < SAYS; k++)
                if (strstr(text, flavours[i].says[k]) != NULL)
                    return &flavours[i];
    for (int i = 0; i < FLAVOURS; i++)
        if (find_library(&flavours[i], path, NULL) == RB_OK)
            return &flavours[i];
    return &flavours[0];
}

static int run(const struct cli_args *args)
{
    const char *name = cli_args_operand(args);
    const struct flavour *flavour = name != NULL ? flavour_named(name) : usual_flavour();
    char path[SUP_PATH_SIZE], mpirun[SUP_PATH_SIZE];
    struct sup_error error;
    if (flavour == NULL)
        return cli_complain(CLI_EXIT_USAGE,
                            "\"%s\": no such MPI library: openmpi or mpich (also Intel MPI, "
                            "MVAPICH and Cray MPICH), or nothing for that of mpirun",
                            name);
    if (find_library(flavour, path, &error) != RB_OK)
        return cli_complain(CLI_EXIT_FAILED,
                            "%s; the build makes it if it finds that MPI library's compiler "
                            "wrapper (docs/mpi.md)",
                            error.text);
    if (strpbrk(path, " \t\n:") != NULL)
        return cli_complain(CLI_EXIT_FAILED,
                            "%s: LD_PRELOAD takes no path with a blank or a colon: move "
                            "Roundabout to another directory",
                            path);
    const char *runner =
        doctor_find_program(flavour->mpirun, mpirun, sizeof mpirun) ? flavour->mpirun : "mpirun";
    cli_complain(0, "to use it: %s %s%s -n 4 PROGRAM", runner, flavour->preload, path);
    puts(path);
    return CLI_EXIT_DONE;
}

const struct cli_verb verb_mpi_library = {
    .name = "mpi-library",
    .title = "Print the path of the library that MPI programs preload.",
    .operands = "[openmpi|mpich]",
    .least_operands = 0,
    .most_operands = 1,
    .options = options,
    .examples = "roundabout mpi-library\n"
                "mpirun.mpich -genv LD_PRELOAD $(roundabout mpi-library mpich) -n 8 ./program\n",
    .run = run,
};
