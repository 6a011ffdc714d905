/* lock.c - one writer per results file. */
#include "experiments/results/lock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "roundabout.h"
#include "support/memory.h"
#include "support/options/options.h"

int results_lock_test(const char *path, struct sup_error *error)
{
    const pid_t holder = sup_lock_holder(path);
    return holder == 0
               ? RB_OK
               : sup_fail(error, RB_EINVAL, "%s: process %ld is writing it", path, (long)holder);
}

int results_lock_take(struct sup_lock *lock, const char *path, struct sup_error *error)
{
    const int reason = sup_lock_take(lock, path);
    const pid_t holder = reason == EAGAIN ? sup_lock_holder(path) : 0;
    char who[40] = "another process";
    switch (reason) {
    case 0:
        return RB_OK;
    case EAGAIN:
        if (holder != 0)
            snprintf(who, sizeof who, "process %ld", (long)holder);
        return sup_fail(error, RB_EINVAL,
                        "%s: %s is writing it; wait for its end, or give another file with -o",
                        path, who);
    case ENOMEM:
        sup_no_memory();
    case ENOLCK:
    case ENOSYS:
    case EOPNOTSUPP:
        return sup_fail(error, RB_EIO, "%s.lock: cannot be locked: %s", path, strerror(reason));
    default:
        return out_cannot_write(path, reason, error);
    }
}
