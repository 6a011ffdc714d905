/* completion.h - completions for bash, zsh and fish, from the tables of which --help is made. */
#ifndef CLI_OPTIONS_COMPLETION_H
#define CLI_OPTIONS_COMPLETION_H

#include "cli/options/options.h"

/* The words of a registry that an option of this name takes, in every verb where it is a name. */
struct cli_registry {
    const char *option;
    const char *(*word_at)(int32_t i); /* NULL beyond the end */
};

/* Prints the script for a shell, "bash", "zsh" or "fish", on standard output; false: another shell.
 * `registries` ends with a row without a name. All words in a script are constants of the program,
 * and words that the user types are data in it, so that they run nothing. */
bool cli_completion(const char *shell, const struct cli_verb *const verbs[], int32_t count,
                    const struct cli_registry registries[]);

/* The shells, separated by |. */
#define CLI_SHELLS "bash|zsh|fish"

#endif
