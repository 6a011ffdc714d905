/* plot_gnuplot.c - running gnuplot. */
#define _POSIX_C_SOURCE 200809L /* fork, pipe, sigaction */

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plots/figure/plot.h"
#include "roundabout.h"
#include "support/output/files.h"
#include "support/process.h"

#define HOW_TO_GET_IT "install it: apt install gnuplot-nox"

enum { NOT_FOUND = 127, NO_DIRECTORY = 126 };

/* In the child: executes gnuplot, with its output in the pipe. */
static _Noreturn void become_gnuplot(const char *directory, const char *const arguments[], int out)
{
    sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    if (directory != NULL && chdir(directory) != 0)
        _exit(NO_DIRECTORY);
    if (dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0)
        _exit(NO_DIRECTORY);
    execvp("gnuplot", (char *const *)arguments);
    _exit(NOT_FOUND);
}

/* Keeps the last line that is not empty: gnuplot prints the faulty command before the error. */
static void read_last_line(int in, char *line, size_t size)
{
    char buffer[512];
    size_t used = 0;
    bool ended = true;
    ssize_t got;
    line[0] = '\0';
    while ((got = read(in, buffer, sizeof buffer)) > 0 || (got < 0 && errno == EINTR))
        for (ssize_t i = 0; i < got; i++) {
            if (buffer[i] == '\n') {
                ended = true;
                continue;
            }
            if (ended && (buffer[i] == ' ' || buffer[i] == '\t'))
                continue;
            if (ended)
                used = 0;
            ended = false;
            if (used + 1 < size)
                line[used++] = buffer[i];
            line[used] = '\0';
        }
}

/* Runs gnuplot; *code is its exit status, or 128 + the signal that ended it. */
static int run(const char *directory, const char *const arguments[], int *code, char *line,
               size_t size, struct sup_error *error)
{
    int ends[2], status;
    if (pipe(ends) != 0)
        return sup_fail(error, RB_EIO, "gnuplot: no pipe to it: %s", strerror(errno));
    const pid_t parent = getpid(), child = fork();
    if (child == 0) {
        sup_child_ends_with(parent, SIGKILL);
        close(ends[0]);
        become_gnuplot(directory, arguments, ends[1]);
    }
    int reason = errno;
    close(ends[1]);
    out_unfinished_child(child);
    if (child > 0)
        read_last_line(ends[0], line, size);
    out_unfinished_child(0);
    close(ends[0]);
    if (child < 0)
        return sup_fail(error, RB_EIO, "gnuplot: cannot be started: %s", strerror(reason));
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return sup_fail(error, RB_EIO, "gnuplot: lost sight of it: %s", strerror(errno));
    *code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return RB_OK;
}

int plot_gnuplot_find(unsigned pictures, bool *missing, struct sup_error *error)
{
    static const char *const terminals[] = {"pdfcairo", "pngcairo", "svg", "tikz",
                                            "cairolatex pdf"};
    char line[300];
    if (missing != NULL)
        *missing = false;
    for (int i = 0; i < PLOT_CSV; i++) {
        char command[64];
        const char *const arguments[] = {"gnuplot", "-d", "-e", command, NULL};
        int code;
        if ((pictures & 1u << i) == 0)
            continue;
        snprintf(command, sizeof command, "set terminal %s", terminals[i]);
        int status = run(NULL, arguments, &code, line, sizeof line, error);
        if (status != RB_OK)
            return status;
        if (code == NOT_FOUND && missing != NULL)
            *missing = true;
        if (code == NOT_FOUND)
            return sup_fail(error, RB_EFAILED, "gnuplot is not installed; " HOW_TO_GET_IT);
        if (code != 0)
            return sup_fail(error, RB_EFAILED,
                            "this gnuplot can make no %s (%s); one with the terminal %s is "
                            "needed; " HOW_TO_GET_IT,
                            plot_picture_names[i], line, terminals[i]);
    }
    return RB_OK;
}

int plot_gnuplot_style(const char *directory, struct sup_error *error)
{
    static const char *const others[] = {"gnuplot-lua-tikz.tex", "t-gnuplot-lua-tikz.tex"};
    const char *const arguments[] = {"gnuplot", "-d", "-e", "set terminal tikz createstyle", NULL};
    char line[300], path[2048];
    int code;
    const int status = run(directory, arguments, &code, line, sizeof line, error);
    if (status != RB_OK)
        return status;
    if (code != 0)
        return sup_fail(error, RB_EFAILED, "gnuplot cannot write its style for tikz: %s", line);
    for (int i = 0; i < 2; i++) { /* for plain TeX and ConTeXt */
        snprintf(path, sizeof path, "%s/%s", directory, others[i]);
        unlink(path);
    }
    return RB_OK;
}

int plot_gnuplot_run(const char *directory, const char *script, struct sup_error *error)
{
    const char *const arguments[] = {"gnuplot", "-d", script, NULL};
    char line[300];
    int code;
    int status = run(directory, arguments, &code, line, sizeof line, error);
    if (status != RB_OK)
        return status;
    if (code != 0)
        return sup_fail(error, RB_EFAILED, "gnuplot failed on %s: %s", script,
                        line[0] == '\0' ? "it said nothing" : line);
    return RB_OK;
}
