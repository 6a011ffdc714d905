/* attend.c - see attend.h. */
#define _POSIX_C_SOURCE 200809L /* pthread_condattr_setclock, pthread_sigmask */

#include "support/attend.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>

enum { TICK_NS = 100000000, SECOND_NS = 1000000000 };
enum { STACK_BYTES = 64 << 20 }; /* as much as work may use in the first thread, and more */

struct attended {
    void (*work)(void *context);
    void *context;
    pthread_mutex_t mutex;
    pthread_cond_t ended;
    bool done; /* under the mutex */
};

static void *do_work(void *attended_)
{
    struct attended *attended = attended_;
    attended->work(attended->context);
    pthread_mutex_lock(&attended->mutex);
    attended->done = true;
    pthread_cond_signal(&attended->ended);
    pthread_mutex_unlock(&attended->mutex);
    return NULL;
}

/* The new thread blocks all signals, so that this thread gets them. */
static bool start(pthread_t *thread, struct attended *attended)
{
    sigset_t all, before;
    pthread_attr_t with;
    pthread_attr_init(&with);
    pthread_attr_setstacksize(&with, STACK_BYTES);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(thread, &with, do_work, attended) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&with);
    return started;
}

/* True if the work ended before the next tick. */
static bool wait_for(struct attended *attended)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += TICK_NS;
    until.tv_sec += until.tv_nsec / SECOND_NS;
    until.tv_nsec %= SECOND_NS;
    pthread_mutex_lock(&attended->mutex);
    int status = 0;
    while (!attended->done && status == 0)
        status = pthread_cond_timedwait(&attended->ended, &attended->mutex, &until);
    const bool done = attended->done;
    pthread_mutex_unlock(&attended->mutex);
    return done;
}

void sup_attend(void (*work)(void *context), void (*tick)(void *context), void *context)
{
    struct attended attended = {.work = work, .context = context};
    pthread_condattr_t monotonic;
    pthread_t thread;
    pthread_mutex_init(&attended.mutex, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&attended.ended, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (start(&thread, &attended)) {
        while (!wait_for(&attended))
            tick(context);
        pthread_join(thread, NULL);
    } else {
        work(context);
    }
    pthread_cond_destroy(&attended.ended);
    pthread_mutex_destroy(&attended.mutex);
}
