/* array.c - see array.h. */
#include "support/array.h"

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
