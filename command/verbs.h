/* verbs.h - the verbs of list.h. */
#ifndef RB_COMMAND_VERBS_H
#define RB_COMMAND_VERBS_H

#include "command/options/options.h"

#define RB_VERB(name) extern const struct rb_verb name;
#include "command/list.h"
#undef RB_VERB

#endif
