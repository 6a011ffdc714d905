/* unfinished.c - see unfinished.h. A signal handler can reach nothing but static storage, and may
 * not allocate: hence no opendir. */
#define _GNU_SOURCE /* sigaction, getdents64, unlinkat */

#include "support/output/unfinished.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_FILES = 8 };

static struct {
    volatile sig_atomic_t watched; /* set when the path is complete */
    char path[PATH_MAX];
} files[MOST_FILES];
static volatile pid_t child;
static volatile sig_atomic_t line;
static pid_t owner;

/* Removing files while reading the directory may hide later entries, so this repeats until none is
 * left. */
static void empty_directory(const char *path)
{
    _Alignas(struct dirent64) char buffer[8192];
    const int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool any = directory >= 0;
    while (any) {
        ssize_t got;
        any = false;
        lseek(directory, 0, SEEK_SET);
        while ((got = getdents64(directory, buffer, sizeof buffer)) > 0)
            for (ssize_t at = 0; at < got;) {
                const struct dirent64 *entry = (const struct dirent64 *)(const void *)(buffer + at);
                any = unlinkat(directory, entry->d_name, 0) == 0 || any;
                at += entry->d_reclen;
            }
    }
    if (directory >= 0)
        close(directory);
}

void out_remove(const char *path)
{
    const int reason = errno;
    if (unlink(path) != 0 && (errno == EISDIR || errno == EPERM)) {
        empty_directory(path);
        rmdir(path);
    }
    errno = reason;
}

/* Lets it end what it has started itself, as mpirun does its ranks; if it takes too long, it is
 * killed. */
static void end_child(pid_t ending)
{
    enum { STEPS = 500 };
    const struct timespec step = {.tv_nsec = 10000000};
    kill(ending, SIGTERM);
    for (int i = 0; i < STEPS; i++) {
        if (waitpid(ending, NULL, WNOHANG) != 0)
            return;
        nanosleep(&step, NULL);
    }
    kill(ending, SIGKILL);
    waitpid(ending, NULL, 0);
}

void out_remove_unfinished(void)
{
    if (getpid() == owner && child > 0)
        end_child(child);
    for (int i = 0; i < MOST_FILES && getpid() == owner; i++)
        if (files[i].watched)
            out_remove(files[i].path);
    static const char erase[] = "\r\033[K";
    if (getpid() == owner && line && write(STDERR_FILENO, erase, sizeof erase - 1) < 0)
        line = 0; /* nothing else can be done about it */
}

static void remove_all(int signal_number)
{
    out_remove_unfinished();
    raise(signal_number); /* SA_RESETHAND: this time it ends the process */
}

/* A signal that is ignored (nohup) stays so. */
static void catch_signal(int signal_number)
{
    struct sigaction before;
    struct sigaction action = {.sa_handler = remove_all, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    if (sigaction(signal_number, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        sigaction(signal_number, &action, NULL);
}

static void catch_signals(void)
{
    owner = getpid();
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
    catch_signal(SIGHUP);
}

void out_unfinished(const char *path)
{
    if (strlen(path) >= PATH_MAX)
        return;
    for (int i = 0; i < MOST_FILES; i++) {
        if (files[i].watched)
            continue;
        strcpy(files[i].path, path);
        files[i].watched = 1;
        catch_signals();
        return;
    }
}

void out_finished(const char *path)
{
    for (int i = 0; i < MOST_FILES; i++)
        if (files[i].watched && strcmp(files[i].path, path) == 0)
            files[i].watched = 0;
}

void out_unfinished_child(pid_t started)
{
    child = started;
    if (started > 0)
        catch_signals();
}

void out_unfinished_line(bool shown)
{
    if (shown && !line)
        catch_signals();
    line = shown;
}
