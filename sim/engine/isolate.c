/* isolate.c - a child process whose replies live in memory files.
 *
 * Files are used instead of pipes, so that the parent only waits and then reads, and a child with
 * much output cannot block. Only records for a listener go through a pipe, which the parent reads
 * until the child closes it. The status and the message of work that failed without a crash are in
 * shared memory. */
#define _GNU_SOURCE
#include "isolate.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "roundabout.h"
#include "support/memory.h"
#include "support/process.h"

enum { MOST_RECORD = 4096, IDLE_MS = 200 };

struct outcome {
    bool finished; /* work returned */
    int status;
    struct sup_error error;
    bool reading;    /* the input (sim_isolated_input) */
    char input[400]; /* "": unknown */
};

static struct outcome *own_outcome; /* in a child: where it says how it goes on */

struct job {
    sim_isolated_work *work;
    void *context;
    struct sim_isolate_listener *listener; /* or NULL */
    pid_t parent;
    int reply_file, complaint_file;
    int pipe_ends[2]; /* -1: no listener */
    struct outcome *outcome;
};

void sim_isolated_input(bool reading, const char *format, ...)
{
    va_list values;
    if (own_outcome == NULL)
        return;
    own_outcome->reading = reading;
    va_start(values, format);
    vsnprintf(own_outcome->input, sizeof own_outcome->input, format, values);
    va_end(values);
}

static void leave_for_memory(void)
{
    own_outcome->status = sup_fail(&own_outcome->error, RB_ENOMEM, "out of memory");
    own_outcome->finished = true;
    _exit(0);
}

static _Noreturn void be_child(const struct job *job)
{
    struct outcome *outcome = job->outcome;
    sup_child_ends_with(job->parent, SIGKILL);
    own_outcome = outcome;
    sup_no_memory_handler(leave_for_memory);
    dup2(job->complaint_file, STDERR_FILENO);
    FILE *reply = sup_got(fdopen(job->reply_file, "w"));
    if (job->listener) {
        close(job->pipe_ends[0]);
        job->listener->told = sup_got(fdopen(job->pipe_ends[1], "w"));
    }
    if (!reply || (job->listener && !job->listener->told)) {
        outcome->status = sup_fail(&outcome->error, RB_ENOMEM, "out of memory");
    } else {
        outcome->status = job->work(job->context, reply, &outcome->error);
        bool lost = fflush(reply) != 0 || (job->listener && fflush(job->listener->told) != 0);
        if (lost && outcome->status == 0)
            outcome->status = sup_fail(&outcome->error, RB_ENOMEM, "out of memory for the result");
    }
    outcome->finished = true;
    _exit(0); /* the parent's buffers and exit handlers are not ours to run */
}

/* Reads until the child has closed its end. Pipes have no records, so an incomplete record waits
 * for its rest. */
static void listen_to(const struct sim_isolate_listener *listener, int pipe_end)
{
    _Alignas(max_align_t) char buffer[16 * MOST_RECORD];
    size_t held = 0;
    for (;;) {
        struct pollfd wait = {.fd = pipe_end, .events = POLLIN};
        if (listener->idle != NULL && poll(&wait, 1, IDLE_MS) == 0) {
            listener->idle(listener->context);
            continue;
        }
        ssize_t got = read(pipe_end, buffer + held, sizeof buffer - held);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return;
        held += (size_t)got;
        size_t heard = 0;
        for (; held - heard >= listener->record_size; heard += listener->record_size)
            listener->hear(listener->context, buffer + heard);
        held -= heard;
        memmove(buffer, buffer + heard, held);
    }
}

/* Reads the whole memory file, with a terminating 0 behind it. */
static char *read_all(int file, size_t *size)
{
    const size_t end = (size_t)lseek(file, 0, SEEK_END);
    char *text = sup_malloc(end + 1);
    *size = 0;
    for (ssize_t got; *size < end; *size += (size_t)got)
        if ((got = pread(file, text + *size, end - *size, (off_t)*size)) <= 0)
            break;
    text[*size] = 0;
    return text;
}

/* The line that gives the reason: SimGrid's first critical line (a backtrace may follow), otherwise
 * the last line that is not empty. */
static const char *telling_line(char *text)
{
    const char *last = NULL;
    const char *critical = NULL;
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n"));) {
        if (!line[0])
            continue;
        last = line;
        if (!critical && strstr(line, "CRITICAL"))
            critical = line;
    }
    return critical ? critical : last;
}

static int explain_death(const char *name, int wait_status, int complaint_file,
                         const struct outcome *outcome, struct sup_error *error)
{
    static const char critical[] = "CRITICAL: ";
    char how[96];
    size_t size;
    char *text = read_all(complaint_file, &size);
    const char *said = telling_line(text);
    const char *on = outcome->input[0] != '\0' ? " on " : "";
    int status = RB_EFAILED;
    const char *complaint = said == NULL ? NULL : strstr(said, critical);
    if (WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGABRT && complaint != NULL) {
        status = outcome->reading ? RB_EINVAL : RB_EFAILED;
        sup_fail(error, status, "%s gave up%s%s: %s", name, on, outcome->input,
                 complaint + strlen(critical));
    } else {
        if (WIFSIGNALED(wait_status))
            snprintf(how, sizeof how, "died of signal %d (%s)", WTERMSIG(wait_status),
                     strsignal(WTERMSIG(wait_status)));
        else
            snprintf(how, sizeof how, "gave up with exit status %d", WEXITSTATUS(wait_status));
        sup_fail(error, status, "%s %s%s%s%s%s", name, how, on, outcome->input,
                 said ? "; it last said: " : "", said ? said : "");
    }
    free(text);
    return status;
}

static void close_files(const struct job *job)
{
    const int files[] = {job->reply_file, job->complaint_file, job->pipe_ends[0],
                         job->pipe_ends[1]};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (files[i] >= 0)
            close(files[i]);
}

/* Starts the child, hears it out and waits for its end. */
static int run_child(struct job *job, int *wait_status, struct sup_error *error)
{
    job->parent = getpid();
    pid_t child = fork();
    if (child < 0)
        return sup_fail(error, RB_ENOMEM, "cannot start a child process: %s", strerror(errno));
    if (child == 0)
        be_child(job);
    if (job->listener) {
        close(job->pipe_ends[1]);
        job->pipe_ends[1] = -1;
        listen_to(job->listener, job->pipe_ends[0]);
    }
    while (waitpid(child, wait_status, 0) < 0 && errno == EINTR)
        ;
    return RB_OK;
}

int sim_isolate_listening(const char *name, sim_isolated_work *work, void *context,
                          struct sim_isolate_listener *listener, char **reply, size_t *size,
                          struct sup_error *error)
{
    *reply = NULL;
    *size = 0;
    struct job job = {.work = work,
                      .context = context,
                      .listener = listener,
                      .reply_file = memfd_create("reply", MFD_CLOEXEC),
                      .complaint_file = memfd_create("complaints", MFD_CLOEXEC),
                      .pipe_ends = {-1, -1}};
    struct outcome *outcome = job.outcome =
        mmap(NULL, sizeof *outcome, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status = RB_OK, wait_status;
    if (job.reply_file < 0 || job.complaint_file < 0 || outcome == MAP_FAILED ||
        (listener && pipe2(job.pipe_ends, O_CLOEXEC) != 0)) {
        status = sup_fail(error, RB_ENOMEM, "no room for a child process: %s", strerror(errno));
        goto done;
    }
    status = run_child(&job, &wait_status, error);
    if (status)
        goto done;
    if (!outcome->finished)
        status = explain_death(name, wait_status, job.complaint_file, outcome, error);
    else if (outcome->status)
        status = sup_fail(error, outcome->status, "%s", outcome->error.text);
    else
        *reply = read_all(job.reply_file, size);
done:
    if (outcome != MAP_FAILED)
        munmap(outcome, sizeof *outcome);
    close_files(&job);
    return status;
}

int sim_isolate(const char *name, sim_isolated_work *work, void *context, char **reply,
                size_t *size, struct sup_error *error)
{
    return sim_isolate_listening(name, work, context, NULL, reply, size, error);
}
