/* circulant_search.h - the depth-first search for receive schedules (circulant_search.c). */
#ifndef RB_SCHEDULES_CIRCULANT_SEARCH_H
#define RB_SCHEDULES_CIRCULANT_SEARCH_H

#include <stdint.h>

/* For r, 0 <= r < skip[q], on the circulant graph with skip[q] ranks: index[k], 0 <= k <= last < q,
 * is the index e of the skip that stands for what r receives in round k, block e - q, or for e = q
 * block b, r's baseblock. O(q), no allocation. */
void rb_circulant_search(const int32_t skip[], int32_t q, int32_t r, int32_t b, int32_t last,
                         int8_t index[]);

#endif
