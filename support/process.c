#define _GNU_SOURCE /* prctl, _exit, pthread_condattr_setclock, pthread_sigmask */

#include "process.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "support/error.h"
#include "support/memory.h"

/* ---- Child processes that end with their parent ---------------------------------------------- */

void sup_child_ends_with(pid_t parent, int signal_number)
{
    prctl(PR_SET_PDEATHSIG, signal_number);
    if (getppid() != parent) /* it ended before the request */
        _exit(1);
}

/* ---- Text as one word of a shell's command line ---------------------------------------------- */

static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                            "%+,-./:=@_";

static bool displays(const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        const size_t bytes = sup_visible_bytes(text, left, NULL);
        if (bytes == 0)
            return false;
        text += bytes;
        left -= bytes;
    }
    return true;
}

/* Appends the text to the word at end, inside '...'; returns the new end. */
static char *append_quoted(char *end, const char *text)
{
    for (; *text != '\0'; text++)
        end += *text == '\'' ? sprintf(end, "'\\''") : sprintf(end, "%c", *text);
    return end;
}

/* Inside $'...'. A byte takes three octal digits, so the character that follows is not part of
 * it. */
static char *append_escaped(char *end, const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        const size_t bytes = sup_visible_bytes(text, left, NULL), taken = bytes > 0 ? bytes : 1;
        if (bytes == 0)
            end += sprintf(end, "\\%03o", (unsigned)(unsigned char)*text);
        else
            end += sprintf(end, "%s%.*s", *text == '\'' || *text == '\\' ? "\\" : "", (int)bytes,
                           text);
        text += taken;
        left -= taken;
    }
    return end;
}

char *sup_shell_word(const char *text)
{
    const size_t length = strlen(text);
    char *word = sup_malloc(4 * length + sizeof "$''");
    if (length > 0 && strspn(text, plain) == length) {
        memcpy(word, text, length + 1);
        return word;
    }
    const bool shown = displays(text);
    char *end = word + sprintf(word, shown ? "'" : "$'");
    end = shown ? append_quoted(end, text) : append_escaped(end, text);
    sprintf(end, "'");
    return word;
}

/* ---- Does work in a thread while this thread shows how far it is ----------------------------- */

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
