/* array.h - arrays that grow. */
#ifndef SUPPORT_ARRAY_H
#define SUPPORT_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room for one more item of this size behind the first `count` of an array: `place` is the
 * address of the pointer to it, which is NULL for an empty array. How much room there is follows
 * from `count`, because only this function grows the array; it doubles. False: out of memory, and
 * the array is as it was. */
bool sup_array_grow(void *place, size_t count, size_t size);

#endif
