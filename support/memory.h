/* memory.h - memory, or the end of the program, for all code above the libraries.
 *
 * A result of these functions is never NULL, so that no caller needs a path for a failure that it
 * could only pass on. The libraries that other programs link (schedules/,
 * schedules/redistribution/, mpi/) report RB_ENOMEM instead and don't use them. */
#ifndef SUPPORT_MEMORY_H
#define SUPPORT_MEMORY_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SUP_MEMORY __attribute__((returns_nonnull, warn_unused_result))

/* As the functions of C that they are named for; freed by free. A size of 0 is a pointer, too. */
void *sup_malloc(size_t size) SUP_MEMORY;
void *sup_calloc(size_t count, size_t size) SUP_MEMORY;
void *sup_realloc(void *old, size_t size) SUP_MEMORY;
void *sup_reallocarray(void *old, size_t count, size_t size) SUP_MEMORY;
char *sup_strdup(const char *text) SUP_MEMORY;
char *sup_strndup(const char *text, size_t size) SUP_MEMORY;

/* The formatted text, which the caller frees. */
char *sup_format(const char *format, ...) __attribute__((format(printf, 1, 2))) SUP_MEMORY;
char *sup_vformat(const char *format, va_list values)
    __attribute__((format(printf, 1, 0))) SUP_MEMORY;

/* As sup_array_grow (array.h). */
void sup_grow(void *place, size_t count, size_t size);

/* A stream into memory, as open_memstream; *text is complete after sup_memory_close, and the caller
 * frees it. */
FILE *sup_memory_open(char **text, size_t *size) SUP_MEMORY;
void sup_memory_close(FILE *stream, char *const *text);

/* What a function of C has returned that says by errno why it is NULL (fopen, opendir, realpath):
 * NULL for any reason but want of memory. */
void *sup_got(void *piece);

/* Ends the program as sup_no_memory unless there was memory, as a library says in its own way. */
void sup_had_memory(bool had);

/* What all of these do where there is no memory: calls the handler, which ends the process. The
 * default prints one line and exits with status 3. */
void sup_no_memory(void) __attribute__((noreturn));

/* Sets the handler; it may not allocate, and if it returns, the process exits with status 3. A
 * child process that reports to its parent sets its own. */
void sup_no_memory_handler(void (*handler)(void));

#undef SUP_MEMORY

#ifdef __cplusplus
}
#endif
#endif
