/* help.h - the help, the manual pages and the completions of the program and of a verb, from their
 * tables. */
#pragma once

#include <stddef.h>

#include "support/options/options.h"

/* ---- What is said of an option --------------------------------------------------------------- */

/* What a verb's help says about its options, for all that show it: --help, the manual page, and
 * the completions of shells. */

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

/* ---- Help and manual pages ------------------------------------------------------------------- */

/* Print on standard output. Without details, a verb's help has three examples and describes its
 * common options. */
void cli_help_verb(const struct cli_verb *verb, bool details);
void cli_help_program(const struct cli_verb *const verbs[], int32_t count);

/* Print roundabout-VERB(1) and roundabout(1), for man(7). */
void cli_manual_verb(const struct cli_verb *verb);
void cli_manual_program(const struct cli_verb *const verbs[], int32_t count);

/* ---- Completions ----------------------------------------------------------------------------- */

/* Completions for bash, zsh and fish, from the tables of which --help is made. */

/* The shells, separated by |. */
#define CLI_SHELLS "bash|zsh|fish"

/* Prints the script for one of the shells on standard output; false: another shell. */
bool cli_completion(const char *shell);

/* A command line whose last word is to be completed. */
struct cli_words {
    const struct cli_verb *const *verbs;
    int32_t verb_count;
    const char *const *words; /* those after the program's name, as typed */
    int32_t count;
};

/* Prints what the last word can be, one per line, perhaps with a tab and what it means. A line
 * ":files" or ":directories" stands for the names of these, which the shell knows better. */
void cli_complete(const struct cli_words *line);
