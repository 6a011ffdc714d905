/* refusals.h - whether Jansson was ever refused memory. A value is built of dozens of members, each
 * by a call that fails if there is no memory, which leaves the member out; instead of asking each,
 * who writes the value asks here before it counts as written. */
#ifndef RB_COMMAND_OUTPUT_REFUSALS_H
#define RB_COMMAND_OUTPUT_REFUSALS_H

#include <stdbool.h>

/* From now on. rb_verb_main does it. */
void rb_watch_refusals(void);
bool rb_memory_refused(void);

#endif
