/* tally.h - the sum of all bytes that a plan moves, which may exceed an int64_t. */
#ifndef RB_SIM_ENGINE_TALLY_H
#define RB_SIM_ENGINE_TALLY_H

#include <stdint.h>

#include "roundabout.h"
#include "support/error.h"

#ifdef __cplusplus
extern "C" {
#endif

__extension__ typedef unsigned __int128 rb_tally;

/* The tally as a result's number of bytes. RB_EINVAL, with a size that would be possible, if it
 * exceeds an int64_t. */
int rb_tally_take(rb_tally tally, const struct rb_layout *layout, int64_t *bytes,
                  struct rb_error *error);

/* Adds to a sum that is a part of a tally; the sum is not used if the tally is too large. */
static inline void rb_tally_add_part(int64_t *sum, int64_t bytes)
{
    if (__builtin_add_overflow(*sum, bytes, sum))
        *sum = INT64_MAX;
}

#ifdef __cplusplus
}
#endif
#endif
