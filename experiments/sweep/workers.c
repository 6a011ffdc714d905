/* workers.c - points run in worker processes. */
#define _GNU_SOURCE /* sched_getaffinity */

#include "experiments/sweep/workers.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "roundabout.h"
#include "support/child.h"

enum { TICK_MS = 200 };

struct worker {
    pid_t process; /* 0: none */
    int channel;   /* a socket that keeps messages apart */
    bool busy;
    size_t piece; /* that it runs, if busy */
    double started_s;
};

struct crew {
    const struct rb_work *work;
    struct rb_error *error;
    struct worker *worker; /* work->jobs of them */
    size_t next;           /* piece to be handed out */
    size_t running;
};

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int32_t rb_workers_cores(void)
{
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) == 0 && CPU_COUNT(&cores) > 0)
        return CPU_COUNT(&cores);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int32_t)online : 1;
}

/* ---- In the worker --------------------------------------------------------------------------- */

static _Noreturn void be_worker(const struct rb_work *work, int channel, pid_t parent)
{
    size_t piece;
    struct rb_outcome outcome;

    rb_child_ends_with(parent);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    while (recv(channel, &piece, sizeof piece, 0) == (ssize_t)sizeof piece) {
        memset(&outcome, 0, sizeof outcome);
        work->run(work->context, piece, &outcome);
        if (send(channel, &outcome, sizeof outcome, MSG_NOSIGNAL) != (ssize_t)sizeof outcome)
            break;
    }
    _exit(0); /* the parent's buffers, files and exit handlers are not ours to run */
}

/* ---- Starting and ending workers ---- */

static int hire(struct crew *crew, struct worker *worker)
{
    int channels[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channels) != 0)
        return rb_fail(crew->error, RB_EFAILED, "no worker can be started: %s", strerror(errno));
    fflush(NULL);
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        close(channels[0]);
        for (int32_t i = 0; i < crew->work->jobs; i++)
            if (crew->worker[i].process != 0)
                close(crew->worker[i].channel);
        setpgid(0, 0);
        be_worker(crew->work, channels[1], parent);
    }
    int reason = errno;
    close(channels[1]);
    if (child < 0) {
        close(channels[0]);
        return rb_fail(crew->error, RB_EFAILED, "no worker can be started: %s", strerror(reason));
    }
    /* A process group of its own: Ctrl-C reaches us alone, and we end a worker with its child. Set
     * on both sides, since either may run first. */
    setpgid(child, child);
    *worker = (struct worker){.process = child, .channel = channels[0]};
    return RB_OK;
}

/* Ends the worker and what it started; returns how it died. */
static int dismiss(struct worker *worker)
{
    int how = 0;
    kill(-worker->process, SIGKILL);
    while (waitpid(worker->process, &how, 0) < 0 && errno == EINTR)
        ;
    close(worker->channel);
    *worker = (struct worker){0};
    return how;
}

/* ---- Handing out and taking back ---- */

static int hand_out(struct crew *crew, struct worker *worker)
{
    if (worker->process == 0) {
        int status = hire(crew, worker);
        if (status != RB_OK)
            return status;
    }
    worker->piece = crew->next++;
    worker->busy = true;
    worker->started_s = now_s();
    crew->running++;
    /* If it died meanwhile, taking back will find that. */
    send(worker->channel, &worker->piece, sizeof worker->piece, MSG_NOSIGNAL);
    return RB_OK;
}

static int hand_out_all(struct crew *crew)
{
    int status = RB_OK;
    for (int32_t i = 0; status == RB_OK && i < crew->work->jobs; i++)
        if (!crew->worker[i].busy && crew->next < crew->work->count)
            status = hand_out(crew, &crew->worker[i]);
    return status;
}

static int finish(struct crew *crew, struct worker *worker, const struct rb_outcome *outcome)
{
    size_t piece = worker->piece;
    worker->busy = false;
    crew->running--;
    /* The worker's next piece comes first, so that it doesn't wait for the disk. */
    int status = crew->next < crew->work->count ? hand_out(crew, worker) : RB_OK;
    int recorded = crew->work->done(crew->work->context, piece, outcome, crew->error);
    return recorded != RB_OK ? recorded : status;
}

static void explain_death(int how, struct rb_error *error)
{
    if (WIFSIGNALED(how))
        rb_fail(error, RB_EFAILED, "the worker process died of signal %d (%s)", WTERMSIG(how),
                strsignal(WTERMSIG(how)));
    else
        rb_fail(error, RB_EFAILED, "the worker process ended with status %d", WEXITSTATUS(how));
}

static int take_back(struct crew *crew, struct worker *worker)
{
    struct rb_outcome outcome;
    ssize_t got = recv(worker->channel, &outcome, sizeof outcome, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return RB_OK;
    if (got != (ssize_t)sizeof outcome) {
        size_t piece = worker->piece;
        outcome = (struct rb_outcome){.status = RB_EFAILED, .wall_s = now_s() - worker->started_s};
        /* It is dead or dying: let it, to learn of what. */
        siginfo_t end;
        while (waitid(P_PID, (id_t)worker->process, &end, WEXITED | WNOWAIT) < 0 && errno == EINTR)
            ;
        explain_death(dismiss(worker), &outcome.error);
        worker->piece = piece;
    }
    return finish(crew, worker, &outcome);
}

static int end_if_too_long(struct crew *crew, struct worker *worker)
{
    double took_s = now_s() - worker->started_s;
    if (crew->work->limit_s <= 0 || took_s < crew->work->limit_s)
        return RB_OK;
    struct rb_outcome outcome = {.status = RB_EFAILED, .wall_s = took_s};
    size_t piece = worker->piece;
    dismiss(worker);
    worker->piece = piece;
    rb_fail(&outcome.error, RB_EFAILED, "took longer than %.9g s", crew->work->limit_s);
    return finish(crew, worker, &outcome);
}

/* Waits for answers, for a tick at most, and takes them. */
static int attend(struct crew *crew, struct pollfd *waits)
{
    int status = RB_OK;
    for (int32_t i = 0; i < crew->work->jobs; i++)
        waits[i] = (struct pollfd){.fd = crew->worker[i].busy ? crew->worker[i].channel : -1,
                                   .events = POLLIN};
    if (poll(waits, (nfds_t)crew->work->jobs, TICK_MS) < 0 && errno != EINTR)
        return rb_fail(crew->error, RB_EFAILED, "waiting for workers: %s", strerror(errno));
    for (int32_t i = 0; status == RB_OK && i < crew->work->jobs; i++) {
        if (waits[i].fd < 0)
            continue;
        if (waits[i].revents != 0)
            status = take_back(crew, &crew->worker[i]);
        else
            status = end_if_too_long(crew, &crew->worker[i]);
    }
    if (crew->work->tick != NULL)
        crew->work->tick(crew->work->context);
    return status;
}

int rb_workers_run(const struct rb_work *work, struct rb_error *error)
{
    struct crew crew = {.work = work, .error = error};
    size_t jobs = (size_t)work->jobs;
    struct pollfd *waits = calloc(jobs, sizeof *waits);
    int status = RB_OK;

    crew.worker = calloc(jobs, sizeof *crew.worker);
    if (waits == NULL || crew.worker == NULL)
        status = rb_fail(error, RB_ENOMEM, "out of memory");
    if (status == RB_OK)
        status = hand_out_all(&crew);
    while (status == RB_OK && crew.running > 0 && (work->stop == NULL || !*work->stop))
        status = attend(&crew, waits);
    for (size_t i = 0; crew.worker != NULL && i < jobs; i++)
        if (crew.worker[i].process != 0)
            dismiss(&crew.worker[i]);
    free(crew.worker);
    free(waits);
    return status;
}
