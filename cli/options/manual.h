/* manual.h - manual pages, from the tables of which --help is made. */
#ifndef CLI_OPTIONS_MANUAL_H
#define CLI_OPTIONS_MANUAL_H

#include "cli/options/options.h"

/* Print roundabout-VERB(1) and roundabout(1) on standard output, for man(7). */
void cli_manual_verb(const struct cli_verb *verb);
void cli_manual_program(const struct cli_verb *const verbs[], int32_t count);

#endif
