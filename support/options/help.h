/* help.h - the help and the manual pages of the program and of a verb, from their tables. */
#ifndef SUPPORT_OPTIONS_HELP_H
#define SUPPORT_OPTIONS_HELP_H

#include "support/options/options.h"

/* Print on standard output. */
void cli_help_verb(const struct cli_verb *verb);
void cli_help_program(const struct cli_verb *const verbs[], int32_t count);

/* Print roundabout-VERB(1) and roundabout(1), for man(7). */
void cli_manual_verb(const struct cli_verb *verb);
void cli_manual_program(const struct cli_verb *const verbs[], int32_t count);

#endif
