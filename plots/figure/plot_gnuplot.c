/* plot_gnuplot.c - scripts for gnuplot, and running it. */
#define _POSIX_C_SOURCE 200809L /* strnlen, fork, pipe, sigaction */

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plots/figure/plot.h"
#include "roundabout.h"
#include "support/error.h"
#include "support/output/files.h"
#include "support/process.h"

/* ---- Texts in a script ----------------------------------------------------------------------- */

/* How texts get into a script: the only way for any that isn't our own.
 *
 * gnuplot obeys backquotes and $ and @ in many places, and has its own rules for quotes within
 * quotes, which the expansion of macros doesn't share. So a script holds letters, digits and plain
 * punctuation only; each other byte is an octal escape in a string in double quotes, which gnuplot
 * undoes after all that; letters beyond ASCII stay. What then is shown is shown literally, because
 * our terminals are `noenhanced`. */

/* None of these characters has a special meaning to gnuplot within double quotes. */
static bool is_plain(unsigned char c)
{
    static const char punctuation[] = " .,:;=+-_/()<>|&!?*[]{}^~%";
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr(punctuation, c) != NULL);
}

void plot_gnuplot_text(FILE *script, const char *name, const char *text)
{
    fprintf(script, "%s = \"", name);
    for (size_t bytes; *text != '\0'; text += bytes) {
        bytes = sup_visible_bytes(text, strnlen(text, 4), NULL);
        if (bytes > 1 || is_plain((unsigned char)*text)) {
            fwrite(text, 1, bytes, script);
        } else {
            /* After a first 0 gnuplot reads up to three more digits, so a digit that follows is not
             * taken for a part of it. */
            fprintf(script, "\\0%03o", (unsigned char)*text);
            bytes = 1;
        }
    }
    fputs("\"\n", script);
}

/* The characters of visible text, and where the one after `most` of them begins. */
static size_t count_characters(const char *text, size_t most, size_t *end)
{
    size_t count = 0;
    for (*end = 0; text[*end] != '\0' && count < most; count++)
        *end += sup_visible_bytes(text + *end, strnlen(text + *end, 4), NULL);
    return count;
}

size_t plot_gnuplot_cut(const char *text, size_t most, char *buffer, size_t size)
{
    size_t end;
    sup_visible(text, buffer, size);
    const size_t count = count_characters(buffer, most, &end);
    if (buffer[end] == '\0')
        return count;
    count_characters(buffer, most - 3, &end);
    strcpy(buffer + end, "...");
    return most;
}

/* ---- Running gnuplot ------------------------------------------------------------------------- */

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
