/* pool.c - see pool.h. A pair of sockets for each worker carries the numbers of its pieces, and the
 * messages that they are done. */
#define _GNU_SOURCE /* sched_getaffinity, MAP_ANONYMOUS */
#include "support/pool.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "roundabout.h"
#include "support/eta.h"
#include "support/memory.h"
#include "support/process.h"

enum { TICK_MS = 50, ALIGNED = 64, EXIT_NO_MEMORY = 71 };

enum word { DONE, LEAVING }; /* a worker's: its piece is done, and it wants the next one, or none */

struct worker {
    pid_t process; /* 0: none */
    int channel;   /* a socket that keeps messages apart */
    bool busy;
    bool left;    /* it wants no more pieces, and no worker replaces it */
    size_t piece; /* that it does, if busy */
    double started_s;
};

struct run {
    struct sup_pool *pool;
    struct sup_error *error;
    struct worker *worker; /* pool->workers of them */
    void *copy;            /* copy of a worker's memory; NULL: no caller uses it */
    size_t next;           /* next piece to give to a worker */
    size_t running;
};

struct sup_pool_worker {
    int channel;
    bool busy;
};

int32_t sup_pool_cores(void)
{
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) == 0 && CPU_COUNT(&cores) > 0)
        return CPU_COUNT(&cores);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int32_t)online : 1;
}

/* The distance in bytes from one worker's memory to the next one's. */
static size_t stride(const struct sup_pool *pool)
{
    return (pool->memory_size + ALIGNED) / ALIGNED * ALIGNED;
}

void *sup_pool_memory(const struct sup_pool *pool, int32_t w)
{
    return (char *)pool->memory + (size_t)w * stride(pool);
}

/* ---- In the worker --------------------------------------------------------------------------- */

static bool say(int channel, enum word word)
{
    return send(channel, &word, sizeof word, MSG_NOSIGNAL) == (ssize_t)sizeof word;
}

bool sup_pool_next(struct sup_pool_worker *worker, size_t *i)
{
    if (worker->busy && !say(worker->channel, DONE))
        return false;
    worker->busy = recv(worker->channel, i, sizeof *i, 0) == (ssize_t)sizeof *i;
    return worker->busy;
}

/* The exit status tells the parent the reason. */
static void leave_for_memory(void)
{
    _exit(EXIT_NO_MEMORY);
}

static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
enum { ENDS = sizeof ends / sizeof ends[0] };

static _Noreturn void be_worker(const struct sup_pool *pool, int channel, void *memory,
                                pid_t parent, const sigset_t *unheld)
{
    struct sup_pool_worker worker = {.channel = channel};
    sup_child_ends_with(parent, SIGKILL);
    /* Only the parent ends a worker. A batch system that ends a job sends SIGTERM to all processes;
     * a worker that obeyed would count as one whose piece failed. */
    for (int i = 0; i < ENDS; i++)
        signal(ends[i], SIG_IGN);
    sigprocmask(SIG_SETMASK, unheld, NULL);
    sup_no_memory_handler(leave_for_memory);
    pool->work(pool->context, &worker, memory);
    /* A piece that the worker never requested is read first: unread data would reset the
     * connection. */
    size_t i;
    if (worker.busy || sup_pool_next(&worker, &i))
        say(channel, LEAVING);
    _exit(0); /* the parent's buffers, files and exit handlers are not ours to run */
}

/* ---- Starting and ending workers ------------------------------------------------------------- */

/* Signals that come before the worker can ignore them wait. */
static void hold_ends(sigset_t *before)
{
    sigset_t held;
    sigemptyset(&held);
    for (int i = 0; i < ENDS; i++)
        sigaddset(&held, ends[i]);
    sigprocmask(SIG_BLOCK, &held, before);
}

static int start_worker(struct run *run, struct worker *worker)
{
    int channels[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channels) != 0)
        return sup_fail(run->error, RB_EFAILED, "cannot start a worker: %s", strerror(errno));
    fflush(NULL); /* or the worker would inherit unwritten output */
    sigset_t before;
    hold_ends(&before);
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        close(channels[0]);
        for (int32_t i = 0; i < run->pool->workers; i++)
            if (run->worker[i].process != 0)
                close(run->worker[i].channel);
        setpgid(0, 0);
        be_worker(run->pool, channels[1],
                  sup_pool_memory(run->pool, (int32_t)(worker - run->worker)), parent, &before);
    }
    int reason = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(channels[1]);
    if (child < 0) {
        close(channels[0]);
        return sup_fail(run->error, RB_EFAILED, "cannot start a worker: %s", strerror(reason));
    }
    /* Each worker has a process group of its own, so that Ctrl-C reaches this process alone, and so
     * that a worker is ended together with its child. Both sides set it, since either may run
     * first. */
    setpgid(child, child);
    *worker = (struct worker){.process = child, .channel = channels[0]};
    return RB_OK;
}

/* Waits until the worker has ended, or ends it together with its child processes. Returns its wait
 * status. */
static int end_worker(struct worker *worker, struct rusage *used)
{
    int how = 0;
    kill(-worker->process, SIGKILL);
    while (wait4(worker->process, &how, 0, used) < 0 && errno == EINTR)
        ;
    close(worker->channel);
    *worker = (struct worker){0};
    return how;
}

/* "a worker died (signal 11, Segmentation fault)" */
static void explain_death(int how, const struct rusage *used, char *text, size_t size)
{
    struct rlimit limit;
    const int killer = WIFSIGNALED(how) ? WTERMSIG(how) : 0;
    const bool all_time =
        killer != 0 && getrlimit(RLIMIT_CPU, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        (rlim_t)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) + 1 >= limit.rlim_cur;
    if (killer == SIGXCPU || (killer == SIGKILL && all_time))
        snprintf(text, size, "a worker died (it reached the limit on CPU time, ulimit -t)");
    else if (killer == SIGKILL)
        snprintf(text, size, "a worker died (killed by signal 9: out of memory?)");
    else if (killer != 0)
        snprintf(text, size, "a worker died (signal %d, %s)", killer, strsignal(killer));
    else if (WEXITSTATUS(how) == EXIT_NO_MEMORY)
        snprintf(text, size, "out of memory");
    else
        snprintf(text, size, "a worker died (exit status %d)", WEXITSTATUS(how));
}

/* ---- Handing out and taking back ------------------------------------------------------------- */

static int hand_out(struct run *run, struct worker *worker)
{
    if (worker->process == 0) {
        int status = start_worker(run, worker);
        if (status != RB_OK)
            return status;
    }
    worker->piece = run->next++;
    worker->busy = true;
    worker->started_s = sup_clock_s();
    run->running++;
    /* If the worker has died meanwhile, the next read from it will show that. */
    send(worker->channel, &worker->piece, sizeof worker->piece, MSG_NOSIGNAL);
    return RB_OK;
}

static int hand_out_all(struct run *run)
{
    int status = RB_OK;
    for (int32_t i = 0; status == RB_OK && i < run->pool->workers; i++)
        if (!run->worker[i].busy && !run->worker[i].left && run->next < run->pool->count)
            status = hand_out(run, &run->worker[i]);
    return status;
}

static int tell(struct run *run, const struct sup_pool_piece *piece)
{
    if (run->pool->done != NULL)
        return run->pool->done(run->pool->context, piece, run->error);
    return piece->lost == NULL ? RB_OK
                               : sup_fail(run->error, piece->lost_status, "%s", piece->lost);
}

/* The worker gets its next piece first, so that it need not wait until this one is, for example, on
 * disk. */
static int finish(struct run *run, struct worker *worker, struct sup_pool_piece *piece)
{
    int status = RB_OK;
    worker->busy = false;
    run->running--;
    if (run->copy != NULL) {
        memcpy(run->copy, piece->memory, run->pool->memory_size);
        piece->memory = run->copy;
    }
    if (!worker->left && run->next < run->pool->count)
        status = hand_out(run, worker);
    const int told = tell(run, piece);
    return told != RB_OK ? told : status;
}

static struct sup_pool_piece piece_of(const struct run *run, const struct worker *worker)
{
    return (struct sup_pool_piece){.i = worker->piece,
                                   .lost_status = RB_EFAILED,
                                   .memory =
                                       sup_pool_memory(run->pool, (int32_t)(worker - run->worker)),
                                   .wall_s = sup_clock_s() - worker->started_s};
}

bool sup_pool_busy(const struct sup_pool *pool, int32_t w, struct sup_pool_piece *piece)
{
    const struct run *run = pool->run;
    if (run == NULL || !run->worker[w].busy)
        return false;
    *piece = piece_of(run, &run->worker[w]);
    return true;
}

static int take_back(struct run *run, struct worker *worker)
{
    enum word word;
    char why[96];
    struct rusage used = {0};
    ssize_t got = recv(worker->channel, &word, sizeof word, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return RB_OK;
    struct sup_pool_piece piece = piece_of(run, worker);
    if (got == (ssize_t)sizeof word) {
        worker->left = word == LEAVING;
    } else {
        /* The worker has ended or is about to end; its wait status says why. */
        siginfo_t end;
        while (waitid(P_PID, (id_t)worker->process, &end, WEXITED | WNOWAIT) < 0 && errno == EINTR)
            ;
        const int how = end_worker(worker, &used);
        explain_death(how, &used, why, sizeof why);
        piece.lost = why;
        if (WIFEXITED(how) && WEXITSTATUS(how) == EXIT_NO_MEMORY)
            piece.lost_status = RB_ENOMEM;
    }
    return finish(run, worker, &piece);
}

static int end_if_too_long(struct run *run, struct worker *worker)
{
    char why[64];
    struct rusage used;
    struct sup_pool_piece piece = piece_of(run, worker);
    if (run->pool->limit_s <= 0 || piece.wall_s < run->pool->limit_s)
        return RB_OK;
    end_worker(worker, &used);
    snprintf(why, sizeof why, "took longer than %.9g s", run->pool->limit_s);
    piece.lost = why;
    return finish(run, worker, &piece);
}

/* Waits for messages of workers, at most until the next tick, and reads them. */
static int attend(struct run *run, struct pollfd *waits)
{
    int status = RB_OK;
    for (int32_t i = 0; i < run->pool->workers; i++)
        waits[i] = (struct pollfd){.fd = run->worker[i].busy ? run->worker[i].channel : -1,
                                   .events = POLLIN};
    if (poll(waits, (nfds_t)run->pool->workers, TICK_MS) < 0 && errno != EINTR)
        return sup_fail(run->error, RB_EFAILED, "waiting for workers: %s", strerror(errno));
    for (int32_t i = 0; status == RB_OK && i < run->pool->workers; i++) {
        if (waits[i].fd < 0)
            continue;
        if (waits[i].revents != 0)
            status = take_back(run, &run->worker[i]);
        else
            status = end_if_too_long(run, &run->worker[i]);
    }
    return status;
}

static bool is_over(const struct run *run)
{
    const struct sup_pool *pool = run->pool;
    return run->running == 0 || (pool->stop != NULL && *pool->stop) ||
           (pool->tick != NULL && pool->tick(pool->context, pool));
}

static int run_all(struct run *run, struct pollfd *waits)
{
    int status = hand_out_all(run);
    while (status == RB_OK && !is_over(run))
        status = attend(run, waits);
    return status;
}

int sup_pool_run(struct sup_pool *pool, struct sup_error *error)
{
    const size_t workers = (size_t)pool->workers, size = workers * stride(pool);
    struct run run = {.pool = pool, .error = error};
    struct rusage used;
    pool->memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (pool->memory == MAP_FAILED)
        sup_no_memory();
    struct pollfd *waits = sup_calloc(workers, sizeof *waits);
    run.worker = sup_calloc(workers, sizeof *run.worker);
    run.copy = pool->done != NULL ? sup_malloc(pool->memory_size) : NULL;
    pool->run = &run;
    const int status = run_all(&run, waits);
    pool->run = NULL;
    for (size_t i = 0; i < workers; i++)
        if (run.worker[i].process != 0)
            end_worker(&run.worker[i], &used);
    free(run.copy);
    free(run.worker);
    free(waits);
    return status;
}

void sup_pool_free(struct sup_pool *pool)
{
    if (pool->memory != NULL)
        munmap(pool->memory, (size_t)pool->workers * stride(pool));
    pool->memory = NULL;
}
