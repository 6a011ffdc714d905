/* visible_stream.c - see visible_stream.h. */
#define _GNU_SOURCE /* fopencookie */

#include "support/output/visible_stream.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/memory.h"
#include "support/visible.h"

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

FILE *out_visible_stream(FILE *beneath)
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
