/* all_libraries.c - adds what a program adds at its start, before main, so that tests that go
 * through the registry leave no library out. */
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
