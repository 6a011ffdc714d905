/* inputs.c - see inputs.h. */
#include "support/inputs.h"

#include <stddef.h>

#include "roundabout.h"

/* The variable is global because a process has one command line at a time. */
static sup_input_listener *heard;

int sup_input(const char *what, const char *path, struct sup_error *error)
{
    return heard == NULL ? RB_OK : heard(what, path, error);
}

void sup_input_listen(sup_input_listener *listener)
{
    heard = listener;
}
