/* refusals.c - see refusals.h. */
#include "cli/output/refusals.h"

#include <jansson.h>
#include <stdlib.h>

/* Jansson has one allocator per process, hence one answer. */
static bool refused;

static void *allocate(size_t size)
{
    void *piece = malloc(size);
    if (piece == NULL)
        refused = true;
    return piece;
}

void out_watch_refusals(void)
{
    refused = false;
    json_set_alloc_funcs(allocate, free);
}

bool out_memory_refused(void)
{
    return refused;
}
