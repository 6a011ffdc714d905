#include "command/verbs.h"

#include <stdlib.h>
#include <string.h>

const struct rules_format *verb_rules_format(const struct cli_args *args)
{
    return rules_format_find(cli_args_text(args, "format"));
}

struct rules_head verb_rules_head(const struct cli_args *args)
{
    const char *const *operands;
    const int count = (int)cli_args_operands(args, &operands);
    return (struct rules_head){.source = count > 0 ? operands[0] : "a search",
                               .more = count - 1,
                               .base = cli_args_text(args, "base")};
}

int verb_rules_check(const struct cli_args *args, struct sup_error *error)
{
    const char *format = cli_args_text(args, "format");
    const struct rules_format *rules = verb_rules_format(args);
    const char *base = rules == NULL ? NULL : rules->base;
    const bool is_table = rules == NULL && strcmp(format, "decisions") != 0;
    if (base == NULL && cli_args_given(args, "base"))
        return sup_fail(error, RB_EINVAL, "--base: has no meaning with --format %s", format);
    if (base != NULL && !cli_args_given(args, "base"))
        return sup_fail(error, RB_EINVAL, "--format %s: add --base with %s", format, base);
    if (is_table && cli_args_given(args, "everywhere"))
        return sup_fail(error, RB_EINVAL, "--everywhere: --format %s has no rules", format);
    if (!is_table && cli_args_given(args, "what"))
        return sup_fail(error, RB_EINVAL, "--format %s: has no tables: leave --what out", format);
    return RB_OK;
}

void verb_rules_tell(const struct rules_notes *notes)
{
    static const char warning[] = "warning: ";
    for (size_t i = 0; i < notes->count; i++)
        cli_complain(CLI_EXIT_DONE, "%s%s",
                     strncmp(notes->line[i], warning, sizeof warning - 1) == 0 ? "" : "note: ",
                     notes->line[i]);
}

/* ---- Which mpirun started this process ------------------------------------------------------- */

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
