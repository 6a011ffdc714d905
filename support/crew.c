/* crew.c - see crew.h. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */

#include "support/crew.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "roundabout.h"
#include "support/child.h"

static pid_t start_worker(const struct rb_crew *crew, int32_t worker)
{
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    rb_child_ends_with(parent);
    crew->work(crew->context, worker, crew->workers,
               (char *)crew->records + (size_t)worker * crew->record_size);
    _exit(EXIT_SUCCESS);
}

/* Collects a worker that has ended. Returns whether it ended well, otherwise what killed it in how;
 * 0 in *pid: it is still running. */
static bool collect(pid_t *pid, int flags, char how[80])
{
    int status = 0;
    pid_t ended;
    struct rusage used;
    struct rlimit limit;
    do
        ended = wait4(*pid, &status, flags, &used);
    while (ended == -1 && errno == EINTR);
    if (ended == 0)
        return true;
    *pid = 0;
    const int killer = ended > 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    const bool all_time =
        killer != 0 && getrlimit(RLIMIT_CPU, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 1 >= limit.rlim_cur;
    if (killer == SIGXCPU || (killer == SIGKILL && all_time))
        snprintf(how, 80, "it reached the limit on CPU time, ulimit -t");
    else if (killer == SIGKILL)
        snprintf(how, 80, "killed by signal 9: out of memory?");
    else if (killer != 0)
        snprintf(how, 80, "signal %d, %s", killer, strsignal(killer));
    else
        snprintf(how, 80, "exit status %d", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    return ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
}

static void end_all(const struct rb_crew *crew, pid_t pids[])
{
    char how[80];
    for (int32_t w = 0; w < crew->workers; w++)
        if (pids[w] > 0)
            kill(pids[w], SIGKILL);
    for (int32_t w = 0; w < crew->workers; w++)
        if (pids[w] > 0)
            collect(&pids[w], 0, how);
}

/* Waits until all have ended, or watch or a worker's death ends it. */
static int wait_for_all(struct rb_crew *crew, pid_t pids[], struct rb_error *error)
{
    for (int32_t running = crew->workers; running > 0;) {
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        running = 0;
        for (int32_t w = 0; w < crew->workers; w++) {
            char how[80];
            if (pids[w] > 0 && !collect(&pids[w], WNOHANG, how))
                return rb_fail(error, RB_EFAILED, "a worker died (%s)", how);
            running += pids[w] > 0;
        }
        if (crew->watch(crew->context, crew->records))
            return RB_OK;
    }
    return RB_OK;
}

int rb_crew_run(struct rb_crew *crew, struct rb_error *error)
{
    size_t size = (size_t)crew->workers * crew->record_size;
    crew->records = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t *pids = calloc((size_t)crew->workers, sizeof *pids);
    int status = RB_OK;
    if (crew->records == MAP_FAILED) {
        crew->records = NULL;
        status = rb_fail(error, RB_ENOMEM, "out of memory");
    } else if (pids == NULL) {
        status = rb_fail(error, RB_ENOMEM, "out of memory");
    }
    fflush(NULL); /* or the workers would inherit unwritten output */
    for (int32_t w = 0; status == RB_OK && w < crew->workers; w++) {
        pids[w] = start_worker(crew, w);
        if (pids[w] == -1)
            status = rb_fail(error, RB_EFAILED, "cannot start a worker: %s", strerror(errno));
    }
    if (status == RB_OK)
        status = wait_for_all(crew, pids, error);
    if (pids != NULL)
        end_all(crew, pids);
    free(pids);
    return status;
}

void rb_crew_free(struct rb_crew *crew)
{
    if (crew->records != NULL)
        munmap(crew->records, (size_t)crew->workers * crew->record_size);
    crew->records = NULL;
}
