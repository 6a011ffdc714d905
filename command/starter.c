#include "starter.h"

#include <stdlib.h>
#include <string.h>

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

const char *verb_starter_flavour(void)
{
    const int starter = find_starter();
    return starter == STARTERS ? NULL : starters[starter].flavour;
}

bool verb_starter_speaks(void)
{
    const int starter = find_starter();
    const char *rank = getenv(starter == STARTERS ? "SLURM_PROCID" : starters[starter].rank);
    return rank == NULL || strcmp(rank, "0") == 0;
}
