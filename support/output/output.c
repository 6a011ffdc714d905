/* output.c - see output.h. Every error of writing is noticed. */
#define _GNU_SOURCE /* fopencookie, TIOCGWINSZ, lstat */

#include "support/output/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "roundabout.h"
#include "support/error.h"
#include "support/memory.h"
#include "support/output/files.h"
#include "support/replace.h"

/* ---- The width of the terminal to which standard output goes --------------------------------- */

enum { LEAST_WIDTH = 20, MOST_WIDTH = 100000 };

int out_terminal_width(void)
{
    const char *text = getenv("COLUMNS");
    struct winsize window;
    if (text != NULL && *text != '\0' && strspn(text, "0123456789") == strlen(text)) {
        const long width = strtol(text, NULL, 10);
        if (width >= LEAST_WIDTH && width <= MOST_WIDTH)
            return (int)width;
    }
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col >= LEAST_WIDTH)
        return window.ws_col;
    return 0;
}

/* ---- A stream that writes displayable text to another stream --------------------------------- */

/* A character may be cut in two by the stream's buffer: its beginning waits for the rest. */
struct filter {
    FILE *beneath;
    char waiting[4];
    size_t held;
};

static bool is_plain(char c)
{
    return (c >= ' ' && c <= '~') || c == '\n' || c == '\t';
}

/* Writes the first character; returns the bytes it has, 0 if it needs more. */
static size_t write_one(FILE *beneath, const char *text, size_t size)
{
    int lacks = 0;
    const size_t bytes = is_plain(text[0]) ? 1 : sup_visible_bytes(text, size, &lacks);
    if (lacks)
        return 0;
    if (bytes > 0)
        fwrite(text, 1, bytes, beneath);
    else
        fprintf(beneath, "\\x%02x", (unsigned char)text[0]);
    return bytes > 0 ? bytes : 1;
}

/* Adds bytes to those that wait until their character is decided; returns how many it took. */
static size_t finish_waiting(struct filter *filter, const char *text, size_t size)
{
    size_t taken = 0;
    while (filter->held > 0 && taken < size) {
        filter->waiting[filter->held++] = text[taken++];
        for (size_t done; filter->held > 0; filter->held -= done) {
            done = write_one(filter->beneath, filter->waiting, filter->held);
            if (done == 0)
                break;
            memmove(filter->waiting, filter->waiting + done, filter->held - done);
        }
    }
    return taken;
}

static ssize_t write_visibly(void *cookie, const char *text, size_t size)
{
    struct filter *filter = cookie;
    size_t at = finish_waiting(filter, text, size);
    while (at < size) {
        size_t plain = at;
        while (plain < size && is_plain(text[plain]))
            plain++;
        fwrite(text + at, 1, plain - at, filter->beneath);
        at = plain;
        if (at == size)
            break;
        const size_t taken = write_one(filter->beneath, text + at, size - at);
        if (taken == 0) {
            filter->held = size - at;
            memcpy(filter->waiting, text + at, filter->held);
            break;
        }
        at += taken;
    }
    return fflush(filter->beneath) == 0 && !ferror(filter->beneath) ? (ssize_t)size : 0;
}

static int close_filter(void *cookie)
{
    struct filter *filter = cookie;
    for (size_t i = 0; i < filter->held; i++)
        fprintf(filter->beneath, "\\x%02x", (unsigned char)filter->waiting[i]);
    const int status = fflush(filter->beneath);
    free(filter);
    return status;
}

/* Writes every byte as \xNN except line ends, tabs and what sup_visible (support/error.h) leaves
 * unchanged. A flush also flushes the underlying stream; fclose flushes it and leaves it open. */
static FILE *visible_stream(FILE *beneath)
{
    struct filter *filter = sup_calloc(1, sizeof *filter);
    const cookie_io_functions_t functions = {.write = write_visibly, .close = close_filter};
    filter->beneath = beneath;
    FILE *stream = fopencookie(filter, "w", functions);
    if (stream == NULL)
        sup_no_memory();
    if (isatty(fileno(beneath)))
        setvbuf(stream, NULL, _IOLBF, 0);
    return stream;
}

/* ---- Output ---------------------------------------------------------------------------------- */

static int cannot_write(const char *option, const char *path, int reason, struct sup_error *error)
{
    const char *slash = strrchr(path, '/');
    if (reason == ENOENT && slash != NULL && slash != path)
        return sup_fail(error, RB_EINVAL,
                        "--%s: cannot write \"%s\": there is no directory \"%.*s\"", option, path,
                        (int)(slash - path), path);
    bool request = reason == ENOENT || reason == ENOTDIR || reason == EISDIR || reason == EACCES ||
                   reason == ENAMETOOLONG || reason == EROFS || reason == ELOOP;
    return sup_fail(error, request ? RB_EINVAL : RB_EIO, "--%s: cannot write \"%s\": %s", option,
                    path, strerror(reason));
}

int out_cannot_write(const char *path, int reason, struct sup_error *error)
{
    return cannot_write("output", path, reason, error);
}

/* ---- Which file ------------------------------------------------------------------------------ */

char *out_follow_links(const char *path)
{
    return sup_got(sup_follow_links(path));
}

char *out_temporary_name(const char *path, int number)
{
    return sup_got(sup_temporary_name(path, number));
}

/* ---- Its beginning --------------------------------------------------------------------------- */

static void watch(const char *temporary, bool begins)
{
    if (begins)
        out_unfinished(temporary);
    else
        out_finished(temporary);
}

static void release(struct out_file *output)
{
    if (output->temporary != NULL)
        out_finished(output->temporary);
    free(output->target);
    free(output->temporary);
    *output = (struct out_file){0};
}

int out_open(struct out_file *output, const char *path, struct sup_error *error)
{
    return out_open_for(output, "output", path, error);
}

int out_open_for(struct out_file *output, const char *option, const char *path,
                 struct sup_error *error)
{
    struct sup_replacement file;
    *output = (struct out_file){.stream = stdout, .file = stdout};
    if (path == NULL || strcmp(path, "-") == 0)
        return RB_OK;
    *output = (struct out_file){.path = path};
    int status = out_files_check(option, path, error);
    if (status != RB_OK)
        return status;
    const int reason = sup_replace_open(&file, path, SUP_WAIT | SUP_WRITE_OVER, watch);
    output->target = file.target;
    output->temporary = file.temporary;
    output->stream = output->file = file.stream;
    if (reason == 0)
        return RB_OK;
    *output = (struct out_file){0};
    if (reason == ENOMEM)
        sup_no_memory();
    return cannot_write(option, path, reason, error);
}

int out_open_derived(struct out_file *output, const char *path, struct sup_error *error)
{
    *output = (struct out_file){0};
    const int status = out_files_derive("--output", path, error);
    return status == RB_OK ? out_open(output, path, error) : status;
}

void out_show(struct out_file *output)
{
    output->stream = visible_stream(output->file);
}

const char *out_so_far(struct out_file *output)
{
    fflush(output->stream);
    return output->temporary != NULL ? output->temporary : output->path;
}

/* ---- Its end --------------------------------------------------------------------------------- */

/* Flushes the stream and closes it unless it is standard output; returns the errno of a failure, or
 * 0. */
static bool close_streams(struct out_file *output)
{
    errno = 0;
    bool good = ferror(output->stream) == 0 && fflush(output->stream) == 0;
    int reason = errno;
    if (!good && reason == 0)
        reason = sup_earlier_reason(output->file);
    if (output->stream != output->file && fclose(output->stream) != 0)
        good = false;
    if (fflush(output->file) != 0 || ferror(output->file) != 0) {
        reason = reason == 0 ? errno : reason;
        good = false;
    }
    if (output->path != NULL && fclose(output->file) != 0) {
        reason = reason == 0 ? errno : reason;
        good = false;
    }
    output->stream = output->file = NULL;
    errno = reason;
    return good;
}

/* Until the end, or an error, which either stream keeps. */
static void copy_bytes(FILE *from, FILE *to)
{
    char buffer[1 << 16];
    size_t got;
    while ((got = fread(buffer, 1, sizeof buffer, from)) > 0 && fwrite(buffer, 1, got, to) == got)
        ;
}

/* True if nobody reads our standard output any longer; a write that fails early leaves no errno. */
static bool reader_left(const struct out_file *output)
{
    struct pollfd standard = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return output->path == NULL && poll(&standard, 1, 0) == 1 && (standard.revents & POLLERR) != 0;
}

/* Fails with a message that not everything could be written, for this reason, and drops the
 * output. */
static int give_up(struct out_file *output, int reason, struct sup_error *error)
{
    const char *path = output->path;
    const bool left = reader_left(output);
    if (output->temporary != NULL)
        unlink(output->temporary);
    release(output);
    if (left)
        return sup_fail(error, RB_EIO, "%s", "");
    return sup_fail(error, RB_EIO, "%s%s%s: not all was written: %s", path == NULL ? "" : "\"",
                    path == NULL ? "standard output" : path, path == NULL ? "" : "\"",
                    sup_reason_text(reason));
}

int out_complete(struct out_file *output, struct sup_error *error)
{
    if (output->complete)
        return RB_OK;
    if (output->file == NULL)
        output->file = output->stream;
    output->complete = close_streams(output);
    if (output->complete)
        return RB_OK;
    return give_up(output, errno, error);
}

int out_close(struct out_file *output, struct sup_error *error)
{
    const int status = out_complete(output, error);
    if (status != RB_OK)
        return status;
    const struct sup_replacement file = {.target = output->target, .temporary = output->temporary};
    const int reason = sup_replace(&file);
    if (reason != 0)
        return give_up(output, reason, error);
    release(output);
    return RB_OK;
}

void out_discard(struct out_file *output)
{
    if (output->stream != NULL && (output->path != NULL || output->stream != output->file))
        close_streams(output);
    if (output->temporary != NULL)
        unlink(output->temporary);
    release(output);
}

/* ---- Files that are complete already --------------------------------------------------------- */

static int copy(const char *from, const char *path, struct sup_error *error)
{
    struct out_file output = {0};
    FILE *file = sup_got(fopen(from, "rb"));
    if (file == NULL)
        return sup_fail(error, RB_EIO, "%s: %s", from, strerror(errno));
    int status = out_open(&output, path, error);
    if (status == RB_OK)
        copy_bytes(file, output.stream);
    if (status == RB_OK && ferror(file) != 0)
        status = sup_fail(error, RB_EIO, "%s: cannot be read", from);
    fclose(file);
    if (status == RB_OK)
        return out_close(&output, error);
    out_discard(&output);
    return status;
}

/* Takes over mode and owner of the file to replace; false if it is not a file that may be
 * replaced. */
static bool take_after_old(const char *from, const char *path)
{
    struct stat old;
    if (lstat(path, &old) != 0)
        return true;
    const int file =
        S_ISREG(old.st_mode) && access(path, W_OK) == 0 ? open(from, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return false;
    sup_take_after(file, &old);
    close(file);
    return true;
}

/* A name that is taken may be that of a link, a device, or a mount. */
int out_move(const char *from, const char *path, struct sup_error *error)
{
    const int status = out_files_check("output", path, error);
    if (status != RB_OK || (take_after_old(from, path) && rename(from, path) == 0))
        return status;
    return copy(from, path, error);
}
