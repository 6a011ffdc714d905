/* spared_memory.h - beside without_memory.h, for work above the libraries: what support/memory.h
 * gives never fails here, as it would end the program; what the libraries below ask for does. For
 * programs linked with
 * ${spared_memory}, too. */
#ifndef TESTS_SPARED_MEMORY_H
#define TESTS_SPARED_MEMORY_H

#include <stdarg.h>
#include <stdio.h>

#include "support/memory.h"
#include "tests/without_memory.h"

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return made(__real_aligned_alloc(alignment, size)); /* its callers end the program, too */
}

/* own: pieces that libc makes, which the other wrappers do not count. */
#define SPARE(type, name, own, parameters, arguments)                                              \
    type __real_##name parameters;                                                                 \
    type __wrap_##name parameters;                                                                 \
    type __wrap_##name parameters                                                                  \
    {                                                                                              \
        spared++;                                                                                  \
        type const piece = __real_##name arguments;                                                \
        spared--;                                                                                  \
        alive += (own);                                                                            \
        return piece;                                                                              \
    }

SPARE(void *, sup_malloc, 0, (size_t size), (size))
SPARE(void *, sup_calloc, 0, (size_t count, size_t size), (count, size))
SPARE(void *, sup_realloc, 0, (void *old, size_t size), (old, size))
SPARE(void *, sup_reallocarray, old == NULL && count > 0 && size > 0,
      (void *old, size_t count, size_t size), (old, count, size))
SPARE(char *, sup_strdup, 1, (const char *text), (text))
SPARE(char *, sup_strndup, 1, (const char *text, size_t size), (text, size))
SPARE(char *, sup_vformat, 1, (const char *format, va_list values), (format, values))
SPARE(int64_t *, sup_map_at, 0, (struct sup_map * map, uint64_t hash, int64_t fresh),
      (map, hash, fresh))

char *__wrap_sup_format(const char *format, ...);
char *__wrap_sup_format(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    char *text = __wrap_sup_vformat(format, values);
    va_end(values);
    return text;
}

void __real_sup_grow(void *place, size_t count, size_t size);
void __wrap_sup_grow(void *place, size_t count, size_t size);
void __wrap_sup_grow(void *place, size_t count, size_t size)
{
    spared++;
    __real_sup_grow(place, count, size);
    spared--;
}

void __real_sup_memory_close(FILE *stream, char *const *text);
void __wrap_sup_memory_close(FILE *stream, char *const *text);
void __wrap_sup_memory_close(FILE *stream, char *const *text)
{
    __real_sup_memory_close(stream, text);
    alive++;
}

#endif
