/* memory.c - see memory.h. */
#define _GNU_SOURCE /* reallocarray, strndup, vasprintf, open_memstream */

#include "support/memory.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/array.h"

enum { EXIT_FAILED = 3 };

static void complain(void)
{
    fputs("roundabout: out of memory\n", stderr);
}

static void (*on_no_memory)(void) = complain;

void sup_no_memory_handler(void (*handler)(void))
{
    on_no_memory = handler;
}

void sup_no_memory(void)
{
    on_no_memory();
    _exit(EXIT_FAILED); /* other threads may still use what exit would take down */
}

static void *checked(void *piece)
{
    if (piece == NULL)
        sup_no_memory();
    return piece;
}

void *sup_malloc(size_t size)
{
    return checked(malloc(size == 0 ? 1 : size));
}

void *sup_calloc(size_t count, size_t size)
{
    return count == 0 || size == 0 ? checked(calloc(1, 1)) : checked(calloc(count, size));
}

void *sup_realloc(void *old, size_t size)
{
    return checked(realloc(old, size == 0 ? 1 : size));
}

void *sup_reallocarray(void *old, size_t count, size_t size)
{
    return count == 0 || size == 0 ? sup_realloc(old, 1) : checked(reallocarray(old, count, size));
}

char *sup_strdup(const char *text)
{
    return checked(strdup(text));
}

char *sup_strndup(const char *text, size_t size)
{
    return checked(strndup(text, size));
}

char *sup_vformat(const char *format, va_list values)
{
    char *text;
    if (vasprintf(&text, format, values) < 0)
        sup_no_memory();
    return text;
}

char *sup_format(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    char *text = sup_vformat(format, values);
    va_end(values);
    return text;
}

void sup_had_memory(bool had)
{
    if (!had)
        sup_no_memory();
}

void sup_grow(void *place, size_t count, size_t size)
{
    if (!sup_array_grow(place, count, size))
        sup_no_memory();
}

FILE *sup_memory_open(char **text, size_t *size)
{
    return checked(open_memstream(text, size));
}

/* Where the text can't be made as long as it is, fclose succeeds and leaves none. */
void sup_memory_close(FILE *stream, char *const *text)
{
    const int lost = ferror(stream);
    if (fclose(stream) != 0 || lost || *text == NULL)
        sup_no_memory();
}

void *sup_got(void *piece)
{
    if (piece == NULL && errno == ENOMEM)
        sup_no_memory();
    return piece;
}
