/* refusals.h - whether Jansson was ever refused memory. A value is built of dozens of members, each
 * by a call that fails if there is no memory, which leaves the member out; instead of asking each,
 * who writes the value asks here before it counts as written. */
#ifndef COMMAND_OUTPUT_REFUSALS_H
#define COMMAND_OUTPUT_REFUSALS_H

#include <stdbool.h>

/* From now on. cli_verb_main does it. */
void out_watch_refusals(void);
bool out_memory_refused(void);

#endif
