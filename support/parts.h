/* parts.h - sets that are joined two by two: which nodes hang together. above[n] is a node of n's
 * part, at first n itself; the least node of a part stands for it. */
#ifndef SUPPORT_PARTS_H
#define SUPPORT_PARTS_H

#include <stdint.h>

/* The node that stands for n's part. Ways are halved as they are gone, so that most are short. */
static inline int32_t sup_part_of(int32_t above[], int32_t n)
{
    while (above[n] != n)
        n = above[n] = above[above[n]];
    return n;
}

static inline void sup_part_join(int32_t above[], int32_t a, int32_t b)
{
    a = sup_part_of(above, a);
    b = sup_part_of(above, b);
    if (a < b)
        above[b] = a;
    else
        above[a] = b;
}

#endif
