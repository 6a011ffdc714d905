/* verbs.h - the verbs of list.h, and what several of them have in common. */
#pragma once

#include <stdbool.h>

#include "experiments/point/point.h"
#include "mpi/vendors/rules/rules.h"
#include "roundabout.h"
#include "support/options/options.h"

#define VERB(name) extern const struct cli_verb name;
#include "command/list.h"
#undef VERB

/* ---- Files of rules for MPI libraries, and measured rows ------------------------------------- */

/* Options beside --format. */
#define VERB_RULES_OPTIONS                                                                         \
    {CLI_ROW("base", TEXT, "FILE"), .file = CLI_READS,                                             \
     .help = "with --format mpich: MPICH's own rules, which the file replaces as a whole: the "    \
             "library, libmpich.so, or maint/tuning/coll/mpir/generic.json of its source"},        \
    {                                                                                              \
        CLI_FLAG("everywhere"),                                                                    \
            .help = "of files of rules: the nearest rule holds also below half the least and "     \
                    "above twice the largest p and m that have times, where otherwise the "        \
                    "library chooses by itself"                                                    \
    }

/* Of measured rows, which may be an operand: for a table of options that has point_filter_option.
 */
#define VERB_MEASURED_OPTIONS                                                                      \
    {CLI_ROW("machine", TEXT, "NAME"),                                                             \
     .help = "measured rows: the machine of rows that do not name it; default: here"},             \
        {CLI_ROW("system", TEXT, "NAME"), .help = "measured rows: only of this machine"},          \
    {                                                                                              \
        CLI_ROW("where", TEXT, "FILTER"),                                                          \
            .help = "measured rows: only those for which this holds, such as 'nodes<=64 & "        \
                    "library=OMPI'; docs/predict.md lists the fields"                              \
    }

/* Further ones, of verbs in which these names have no other meaning. */
#define VERB_MEASURED_FILTERS                                                                      \
    {CLI_ROW("nodes", INTS, "NODES"), .least = 1, .most = RB_MAX_RANKS,                            \
     .help = "measured rows: only those on so many nodes"},                                        \
    {                                                                                              \
        CLI_ROW("library", TEXT, "NAME"),                                                          \
            .help = "measured rows: only those of this MPI library, and the library of rows that " \
                    "do not name it"                                                               \
    }

/* The library's format that --format names; NULL: another format. */
const struct rules_format *verb_rules_format(const struct cli_args *args);

/* Of the first operand. */
struct rules_head verb_rules_head(const struct cli_args *args);

/* RB_EINVAL if --base is missing or has no meaning, or --everywhere or --what has none. */
int verb_rules_check(const struct cli_args *args, struct sup_error *error);

/* On standard error. */
void verb_rules_tell(const struct rules_notes *notes);

/* ---- Others ---------------------------------------------------------------------------------- */

/* What the verb recommend asks of a program (docs/recommend.md). */
struct verb_recommend_workload {
    const char *file;
    const struct point_known_platform *platform;
    const struct rules_format *format;
    const char *base; /* of the rules; NULL: none */
    int32_t nodes;    /* of the platform, that it may have */
    double budget_s;  /* of the search */
};

/* recommend --workload. */
int verb_recommend_for_workload(const struct cli_args *args,
                                const struct verb_recommend_workload *asked);

/* Which mpirun started this process: "openmpi" or "mpich", the MPI library whose mpirun, or whose
 * protocol, the environment shows; NULL: there is none. */
const char *verb_starter_flavour(void);

/* True in the process that speaks for all of the job: rank 0, or any without an mpirun. srun
 * numbers its tasks without MPI, too. */
bool verb_starter_speaks(void);
