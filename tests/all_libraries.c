/* all_libraries.c - adds all libraries before main, as a program does at its start, so that tests
 * of the registry cover every library. */
#include "roundabout-redistribution.h"

#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void add_libraries(void)
{
    char why[200];
    if (rb_redistribution_add(why, sizeof why) != RB_OK) {
        fprintf(stderr, "%s\n", why);
        abort();
    }
}
