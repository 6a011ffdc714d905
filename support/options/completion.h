/* completion.h - completions for bash, zsh and fish, from the tables of which --help is made. */
#ifndef SUPPORT_OPTIONS_COMPLETION_H
#define SUPPORT_OPTIONS_COMPLETION_H

#include "support/options/options.h"

/* The words of a registry that an option of this name takes, in every verb where it is a name. */
struct cli_registry {
    const char *option;
    const char *(*word_at)(int32_t i); /* NULL beyond the end */
};

/* The shells, separated by |. */
#define CLI_SHELLS "bash|zsh|fish"

/* Prints the script for one of the shells on standard output; false: another shell. */
bool cli_completion(const char *shell);

/* A command line whose last word is to be completed. */
struct cli_words {
    const struct cli_verb *const *verbs;
    int32_t verb_count;
    const struct cli_registry *registries; /* ends with a row without a name */
    const char *const *words;              /* those after the program's name, as typed */
    int32_t count;
};

/* Prints what the last word can be, one per line, perhaps with a tab and what it means. A line
 * ":files" or ":directories" stands for the names of these, which the shell knows better. */
void cli_complete(const struct cli_words *line);

#endif
