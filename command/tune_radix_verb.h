/* tune_radix_verb.h - tune --constant radix: from options to the table. */
#ifndef COMMAND_TUNE_RADIX_VERB_H
#define COMMAND_TUNE_RADIX_VERB_H

#include "support/options/common_options.h"

/* A row for the verb's table of options, besides those that choose points. Of these, --collective,
 * --algorithm, -p, -m and --platform here define what to tune. */
#define VERB_RADIX_OPTIONS                                                                         \
    {                                                                                              \
        CLI_ROW("ports", INTS, "K,..."),                                                           \
            .fallback = "1", .least = 1, .most = RB_MAX_PORTS,                                     \
            .help =                                                                                \
                "with --constant radix: sends and receives that a rank can have in flight at once" \
    }

/* True if the command line asks for a radix. */
bool verb_wants_radix(const struct cli_args *args);
/* Complains, and returns an enum cli_exit. */
int verb_tune_radix_run(const struct cli_args *args);

#endif
