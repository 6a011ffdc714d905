/* memory.h - arrays that grow, hashes, and memory or the end of the program. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- Arrays that grow, and sorted arrays ----------------------------------------------------- */

/* Makes room for one more item of this size behind the first `count` of an array: `place` is the
 * address of the pointer to it, which is NULL for an empty array. How much room there is follows
 * from `count`, because only this function grows the array; it doubles. False: out of memory, and
 * the array is as it was. */
bool sup_array_grow(void *place, size_t count, size_t size);

/* The index in a sorted array of `count` elements of the first that is not before this one. */
size_t sup_array_place(const void *array, size_t count, size_t size, const void *element,
                       int (*compare)(const void *a, const void *b));

/* Inserts a copy of the element at this index into an array as above. False: out of memory. */
bool sup_array_insert(void *place, size_t count, size_t size, size_t index, const void *element);

/* The order of two values, and the first of several orders that is not 0, for functions that
 * compare by several keys: return SUP_FIRST(strcmp(a->name, b->name), SUP_ORDER(a->p, b->p)). */
#define SUP_ORDER(a, b) (((a) > (b)) - ((a) < (b)))
#define SUP_FIRST(...)                                                                             \
    sup_first((const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int))
static inline int sup_first(const int order[], size_t count)
{
    size_t i = 0;
    while (i + 1 < count && order[i] == 0)
        i++;
    return order[i];
}

/* Defines a function for qsort that compares two values of a type, *a and *b, by these orders. */
#define SUP_COMPARE(name, type, ...)                                                               \
    static int name(const void *left, const void *right)                                           \
    {                                                                                              \
        type const *const a = left;                                                                \
        type const *const b = right;                                                               \
        return SUP_FIRST(__VA_ARGS__);                                                             \
    }                                                                                              \
    static int name(const void *left, const void *right)

/* Sorts numbers, none of which is NAN. */
void sup_sort_reals(double value[], size_t count);
/* The value at a share (0 .. 1) of sorted values, interpolated between two of them if necessary; of
 * none NAN. */
double sup_quantile(const double sorted[], size_t count, double share);

/* ---- Hashes ---------------------------------------------------------------------------------- */

/* FNV-1a of 64 bits (Fowler, Noll, Vo): distinguishes texts and files, with the same values on
 * every machine. It does not protect against texts that somebody constructs to have the same
 * hash. */

#define SUP_HASH_START UINT64_C(14695981039346656037)

/* Extends `hash`, the hash of a text, by these bytes. */
static inline uint64_t sup_hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * UINT64_C(1099511628211);
    return hash;
}

enum { SUP_HASH_DIGITS = 16 };

/* Takes the hash off the end of NAME#HASH, a name of *length characters; false: there is none. */
static inline bool sup_hash_take(const char *name, size_t *length, uint64_t *hash)
{
    if (*length <= SUP_HASH_DIGITS || name[*length - SUP_HASH_DIGITS - 1] != '#')
        return false;
    uint64_t value = 0;
    for (size_t i = *length - SUP_HASH_DIGITS; i < *length; i++) {
        const char c = name[i];
        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f'))
            return false;
        value = value << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    *hash = value;
    *length -= SUP_HASH_DIGITS + 1;
    return true;
}

/* Values by such hashes; zeroed: there are none. The caller frees `of`. */
struct sup_map {
    struct sup_mapped {
        uint64_t hash;
        int64_t value;
    } * of;
    size_t places, count;
};
/* The value of this hash, which is `fresh` if it is new; it stays where it is until the next call.
 * Ends the program without memory, as the functions below. */
int64_t *sup_map_at(struct sup_map *map, uint64_t hash, int64_t fresh);
/* The index of a value in an array of different values, as for sup_array_grow, by a map of its own.
 * A new one is put behind the others, of which *count says how many there are. */
size_t sup_map_number(struct sup_map *map, void *array, size_t *count, const void *value,
                      size_t size);

/* ---- Memory, or the end of the program, for all code above the libraries --------------------- */

/* A result of these functions is never NULL, so that no caller needs a path for a failure that it
 * could only pass on. The libraries that other programs link (schedules/,
 * schedules/redistribution/, mpi/) report RB_ENOMEM instead and don't use them. */

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

/* As sup_array_grow. */
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
