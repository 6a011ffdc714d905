/* registries.h - the registries of names that options take, for completions. */
#ifndef COMMAND_REGISTRIES_H
#define COMMAND_REGISTRIES_H

#include "cli/options/completion.h"

extern const struct cli_registry verb_registries[]; /* ends with a row without a name */

#endif
