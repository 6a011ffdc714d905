/* array.c - see array.h. */
#include "support/array.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

static int ascending(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

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
