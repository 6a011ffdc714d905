/* child.c - see child.h. */
#define _GNU_SOURCE /* prctl, _exit */

#include "child.h"

#include <sys/prctl.h>
#include <unistd.h>

void sup_child_ends_with(pid_t parent, int signal_number)
{
    prctl(PR_SET_PDEATHSIG, signal_number);
    if (getppid() != parent) /* it ended before the request */
        _exit(1);
}
