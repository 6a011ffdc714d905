/* probe.c - see probe.h. */
#define _POSIX_C_SOURCE 200809L /* fork, poll, kill */

#include "command/doctor/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/eta.h"
#include "support/process.h"

enum { MOST_READ = 1 << 16, NOT_FOUND = 127, POLL_MS = 20 };

bool doctor_find_program(const char *name, char *path, size_t size)
{
    const char *folder = getenv("PATH");
    struct stat file;
    while (folder != NULL && *folder != '\0') {
        const size_t length = strcspn(folder, ":");
        /* An empty folder is the current one. */
        const int written = length == 0
                                ? snprintf(path, size, "./%s", name)
                                : snprintf(path, size, "%.*s/%s", (int)length, folder, name);
        if (written < (int)size && stat(path, &file) == 0 && S_ISREG(file.st_mode) &&
            access(path, X_OK) == 0)
            return true;
        folder += length + (folder[length] == ':');
    }
    return false;
}

static _Noreturn void become(const char *path, const char *const arguments[], int out)
{
    const int nothing = open("/dev/null", O_RDONLY);
    setpgid(0, 0);
    sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
        dup2(out, STDERR_FILENO) < 0)
        _exit(NOT_FOUND);
    execv(path, (char *const *)arguments);
    _exit(NOT_FOUND);
}

/* Reads what the child writes until it has ended, or there is too much, or no time left; true if it
 * ended, with its status. A child of the child may hold the pipe open for longer. */
static bool listen(int in, pid_t child, double until, char *text, size_t size, int *status)
{
    size_t used = 0, read_so_far = 0;
    bool ended = false, open_end = true;
    text[0] = '\0';
    while (sup_clock_s() < until && read_so_far < MOST_READ) {
        char buffer[4096];
        struct pollfd ready = {.fd = in, .events = POLLIN};
        const bool was_ended = ended;
        if (open_end)
            poll(&ready, 1, ended ? 0 : POLL_MS);
        else
            poll(NULL, 0, POLL_MS);
        const ssize_t got = open_end && ready.revents != 0 ? read(in, buffer, sizeof buffer) : -1;
        if (got > 0) {
            const size_t room = size - 1 - used, taken = (size_t)got < room ? (size_t)got : room;
            memcpy(text + used, buffer, taken);
            used += taken;
            text[used] = '\0';
            read_so_far += (size_t)got;
        }
        open_end = open_end && got != 0;
        ended = ended || waitpid(child, status, WNOHANG) == child;
        if (was_ended && got <= 0) /* it had ended before the pipe was found empty */
            return true;
    }
    return ended;
}

enum doctor_answer doctor_ask(const char *const arguments[], double limit_s, char *text,
                              size_t size)
{
    char path[4096];
    int ends[2], status = 0;
    text[0] = '\0';
    if (!doctor_find_program(arguments[0], path, sizeof path) || pipe(ends) != 0)
        return DOCTOR_NOT_THERE;
    const pid_t parent = getpid(), child = fork();
    if (child == 0) {
        sup_child_ends_with(parent, SIGKILL);
        close(ends[0]);
        become(path, arguments, ends[1]);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return DOCTOR_SILENT;
    }
    setpgid(child, child); /* here, too: the child may not have run yet */
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    const bool ended = listen(ends[0], child, sup_clock_s() + limit_s, text, size, &status);
    kill(-child, SIGKILL);
    if (!ended)
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
    close(ends[0]);
    if (!ended)
        return DOCTOR_SILENT;
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
        return DOCTOR_NOT_THERE;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? DOCTOR_ANSWERED : DOCTOR_REFUSED;
}
