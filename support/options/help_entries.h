/* help_entries.h - what a verb's help says about its options, for all that show it: --help, the
 * manual page, and the completions of shells. */
#ifndef SUPPORT_OPTIONS_HELP_ENTRIES_H
#define SUPPORT_OPTIONS_HELP_ENTRIES_H

#include <stddef.h>

#include "support/options/options.h"

/* Sets *option to the verb's i-th option as cli_verb_option does, followed by the options that
 * every verb has; false if there are fewer. */
bool cli_help_option(const struct cli_verb *verb, int32_t i, struct cli_option *option);

/* The text of an option: its help with its words, bounds, choices and default. Into buffer,
 * returned. */
enum { CLI_HELP_SIZE = 4096 };
const char *cli_help_text(const struct cli_option *option, char buffer[CLI_HELP_SIZE]);

/* All choices of an option, separated by |. Into buffer, returned. */
const char *cli_help_choices(const struct cli_option *option, char buffer[CLI_HELP_SIZE]);

/* Calls `line` with each of the verb's examples, which are commands. */
void cli_help_examples(const struct cli_verb *verb, void (*line)(const char *text, size_t length));

/* The program's title and the note at the end of its help. */
extern const char cli_help_title[];

/* A word of a text with separators, "a|b": sets *length and returns its start; NULL: there is none
 * left. *rest is the text first, and then what is left of it. */
const char *cli_help_next(const char **rest, char separator, size_t *length);

#endif
