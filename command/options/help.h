/* help.h - the help of the program and of a verb, from their tables. */
#ifndef RB_COMMAND_OPTIONS_HELP_H
#define RB_COMMAND_OPTIONS_HELP_H

#include "command/options/options.h"

/* Prints on standard output. */
void rb_help_verb(const struct rb_verb *verb);
void rb_help_program(const struct rb_verb *const verbs[], int32_t count);

#endif
