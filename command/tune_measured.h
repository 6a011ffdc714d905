/* tune_measured.h - `tune MEASURED --format ompi`: rules for an MPI library of measured rows. */
#ifndef COMMAND_TUNE_MEASURED_H
#define COMMAND_TUNE_MEASURED_H

#include "experiments/decide/rules.h"
#include "support/options/options.h"

/* For a table of options that has point_filter_option. */
#define VERB_MEASURED_OPTIONS                                                                      \
    {CLI_ROW("machine", TEXT, "NAME"),                                                             \
     .help = "measured rows: the machine of rows that do not name it; default: here"},             \
        {CLI_ROW("system", TEXT, "NAME"), .help = "measured rows: only of this machine"},          \
    {                                                                                              \
        CLI_ROW("where", TEXT, "FILTER"),                                                          \
            .help = "measured rows: only those for which this holds, such as 'nodes<=64 & "        \
                    "library=OMPI'; docs/predict.md lists the fields"                              \
    }

/* True if the operand is a file of measured rows: it is there, and no database. */
bool verb_tune_is_measured(const struct cli_args *args);

/* Writes the rules of the operand's rows. Complains and returns an enum cli_exit. */
int verb_tune_measured_run(const struct cli_args *args, const struct decide_rules_request *request,
                           FILE *stream);

#endif
