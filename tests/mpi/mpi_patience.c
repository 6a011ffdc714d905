/* Lets MPICH's processes wait without a processor. MPICH over UCX asks UCX for messages until one
 * comes, so that with more ranks than processors nearly all of the time goes into waiting. This
 * function, which MPICH calls instead of UCX's, sleeps for a moment after some questions in vain.
 * The tests' programs have it, or it is preloaded. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <time.h>

unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
    static _Thread_local unsigned (*next)(void *);
    static _Thread_local int in_vain;
    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "ucp_worker_progress");
    const unsigned events = next(worker);
    in_vain = events == 0 ? in_vain + 1 : 0;
    if (in_vain > 50)
        nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
    return events;
}
