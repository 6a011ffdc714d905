/* refusals.h - detects whether Jansson ran out of memory. A value has dozens of members, and each
 * call that adds one fails without memory and leaves the member out. Instead of checking each call,
 * the writer of the value checks here once before the value counts as written. */
#ifndef CLI_OUTPUT_REFUSALS_H
#define CLI_OUTPUT_REFUSALS_H

#include <stdbool.h>

/* Starts to watch. cli_verb_main calls it. */
void out_watch_refusals(void);
bool out_memory_refused(void);

#endif
