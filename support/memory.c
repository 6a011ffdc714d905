#define _GNU_SOURCE /* reallocarray, strndup, vasprintf, open_memstream */

#include "support/memory.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Arrays that grow, and sorted arrays ----------------------------------------------------- */

enum { LEAST_ROOM = 16 };

bool sup_array_grow(void *place, size_t count, size_t size)
{
    void *array;
    if (count > 0 && (count < LEAST_ROOM || (count & (count - 1)) != 0))
        return true;
    if (count > SIZE_MAX / 2 / size)
        return false;
    memcpy(&array, place, sizeof array);
    array = realloc(array, (count == 0 ? LEAST_ROOM : 2 * count) * size);
    if (array == NULL)
        return false;
    memcpy(place, &array, sizeof array);
    return true;
}

size_t sup_array_place(const void *array, size_t count, size_t size, const void *element,
                       int (*compare)(const void *a, const void *b))
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare((const char *)array + middle * size, element) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool sup_array_insert(void *place, size_t count, size_t size, size_t index, const void *element)
{
    char *array;
    if (!sup_array_grow(place, count, size))
        return false;
    memcpy(&array, place, sizeof array);
    memmove(array + (index + 1) * size, array + index * size, (count - index) * size);
    memcpy(array + index * size, element, size);
    return true;
}

SUP_COMPARE(ascending, double, SUP_ORDER(*a, *b));

void sup_sort_reals(double value[], size_t count)
{
    if (count > 0) /* of none the pointer may be NULL, which qsort must not get */
        qsort(value, count, sizeof *value, ascending);
}

double sup_quantile(const double sorted[], size_t count, double share)
{
    if (count == 0)
        return NAN;
    const double place = share * (double)(count - 1);
    const size_t below = (size_t)place;
    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

/* ---- Memory, or the end of the program ------------------------------------------------------- */

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

/* ---- Values by hashes ------------------------------------------------------------------------ */

int64_t *sup_map_at(struct sup_map *map, uint64_t hash, int64_t fresh)
{
    if (2 * map->count >= map->places) {
        const struct sup_map old = *map;
        *map = (struct sup_map){.places = old.places == 0 ? 256 : 2 * old.places};
        map->of = sup_calloc(map->places, sizeof *map->of);
        for (size_t i = 0; i < old.places; i++)
            if (old.of[i].hash != 0)
                sup_map_at(map, old.of[i].hash, old.of[i].value);
        free(old.of);
    }
    hash |= 1; /* 0: a place is free */
    size_t i = (hash * UINT64_C(0x9e3779b97f4a7c15)) >> 24 & (map->places - 1);
    while (map->of[i].hash != 0 && map->of[i].hash != hash)
        i = (i + 1) & (map->places - 1);
    if (map->of[i].hash == 0) {
        map->of[i] = (struct sup_mapped){hash, fresh};
        map->count++;
    }
    return &map->of[i].value;
}

size_t sup_map_number(struct sup_map *map, void *array, size_t *count, const void *value,
                      size_t size)
{
    const size_t number =
        (size_t)*sup_map_at(map, sup_hash_bytes(SUP_HASH_START, value, size), (int64_t)*count);
    if (number == *count)
        sup_had_memory(sup_array_insert(array, (*count)++, size, number, value));
    return number;
}
