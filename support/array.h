/* array.h - arrays that grow, and sorted arrays. */
#ifndef SUPPORT_ARRAY_H
#define SUPPORT_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

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

/* Sorts numbers, none of which is NAN. */
void sup_sort_reals(double value[], size_t count);
/* The value at a share (0 .. 1) of sorted values, interpolated between two of them if necessary; of
 * none NAN. */
double sup_quantile(const double sorted[], size_t count, double share);

#endif
