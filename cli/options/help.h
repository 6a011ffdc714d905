/* help.h - the help of the program and of a verb, from their tables. */
#ifndef CLI_OPTIONS_HELP_H
#define CLI_OPTIONS_HELP_H

#include "cli/options/options.h"

/* Prints on standard output. */
void cli_help_verb(const struct cli_verb *verb);
void cli_help_program(const struct cli_verb *const verbs[], int32_t count);

#endif
