/* isolate.c - a child process whose replies live in memory files.
 *
 * Files instead of pipes: the parent only waits, then reads, and a child that says much can't
 * block. The status and the message of work that failed in good order lie in shared memory. */
#define _GNU_SOURCE
#include "isolate.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "roundabout.h"

struct outcome {
    bool finished; /* work returned */
    int status;
    struct rb_error error;
};

static _Noreturn void be_child(rb_work *work, void *context, pid_t parent, int reply_file,
                               int complaint_file, struct outcome *outcome)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it died before we asked */
        _exit(1);
    dup2(complaint_file, STDERR_FILENO);
    FILE *reply = fdopen(reply_file, "w");
    if (!reply) {
        outcome->status = rb_fail(&outcome->error, RB_ENOMEM, "out of memory");
    } else {
        outcome->status = work(context, reply, &outcome->error);
        if (fflush(reply) && outcome->status == 0)
            outcome->status = rb_fail(&outcome->error, RB_ENOMEM, "no memory for the result");
    }
    outcome->finished = true;
    _exit(0); /* the parent's buffers and exit handlers are not ours to run */
}

/* Reads the whole memory file, with a terminating 0 behind it. */
static int read_all(int file, char **text, size_t *size)
{
    off_t end = lseek(file, 0, SEEK_END);
    if (end < 0)
        return RB_EIO;
    *text = malloc((size_t)end + 1);
    if (!*text)
        return RB_ENOMEM;
    *size = 0;
    while (*size < (size_t)end) {
        ssize_t got = pread(file, *text + *size, (size_t)end - *size, (off_t)*size);
        if (got == 0 || (got < 0 && errno != EINTR))
            break;
        if (got > 0)
            *size += (size_t)got;
    }
    (*text)[*size] = 0;
    return RB_OK;
}

/* The line that says why: the first critical one of SimGrid (a backtrace may follow), else the last
 * one that isn't empty. */
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
                         struct rb_error *error)
{
    char *text = NULL;
    size_t size;
    const char *said = NULL;
    if (read_all(complaint_file, &text, &size) == 0)
        said = telling_line(text);
    char how[96];
    if (WIFSIGNALED(wait_status))
        snprintf(how, sizeof how, "died of signal %d (%s)", WTERMSIG(wait_status),
                 strsignal(WTERMSIG(wait_status)));
    else
        snprintf(how, sizeof how, "gave up with exit status %d", WEXITSTATUS(wait_status));
    rb_fail(error, RB_EFAILED, "%s %s%s%s", name, how, said ? "; it last said: " : "",
            said ? said : "");
    free(text);
    return RB_EFAILED;
}

int rb_isolate(const char *name, rb_work *work, void *context, char **reply, size_t *size,
               struct rb_error *error)
{
    *reply = NULL;
    *size = 0;
    int status = RB_OK;
    int reply_file = memfd_create("reply", MFD_CLOEXEC);
    int complaint_file = memfd_create("complaints", MFD_CLOEXEC);
    struct outcome *outcome =
        mmap(NULL, sizeof *outcome, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (reply_file < 0 || complaint_file < 0 || outcome == MAP_FAILED) {
        status = rb_fail(error, RB_ENOMEM, "no room for a child process: %s", strerror(errno));
        goto done;
    }
    pid_t parent = getpid();
    pid_t child = fork();
    if (child < 0) {
        status = rb_fail(error, RB_ENOMEM, "cannot start a child process: %s", strerror(errno));
        goto done;
    }
    if (child == 0)
        be_child(work, context, parent, reply_file, complaint_file, outcome);
    int wait_status;
    while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR)
        ;
    if (!outcome->finished) {
        status = explain_death(name, wait_status, complaint_file, error);
    } else if (outcome->status) {
        status = rb_fail(error, outcome->status, "%s", outcome->error.text);
    } else if (read_all(reply_file, reply, size)) {
        status = rb_fail(error, RB_ENOMEM, "out of memory");
    }
done:
    if (outcome != MAP_FAILED)
        munmap(outcome, sizeof *outcome);
    if (complaint_file >= 0)
        close(complaint_file);
    if (reply_file >= 0)
        close(reply_file);
    return status;
}
