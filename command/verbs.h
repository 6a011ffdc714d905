/* verbs.h - the verbs of list.h. */
#ifndef COMMAND_VERBS_H
#define COMMAND_VERBS_H

#include "support/options/options.h"

#define VERB(name) extern const struct cli_verb name;
#include "command/list.h"
#undef VERB

#endif
