/* tally.h - the sum of all bytes that a plan moves, which may exceed an int64_t. */
#ifndef SIM_ENGINE_TALLY_H
#define SIM_ENGINE_TALLY_H

#include <stdint.h>

#include "roundabout.h"
#include "support/error.h"

#ifdef __cplusplus
extern "C" {
#endif

__extension__ typedef unsigned __int128 sim_tally;

/* The tally as a result's number of bytes. RB_EINVAL, with a size that would be possible, if it
 * exceeds an int64_t. */
int sim_tally_take(sim_tally tally, const struct rb_layout *layout, int64_t *bytes,
                   struct sup_error *error);

/* Adds to a sum that is a part of a tally; the sum is not used if the tally is too large. */
static inline void sim_tally_add_part(int64_t *sum, int64_t bytes)
{
    if (__builtin_add_overflow(*sum, bytes, sum))
        *sum = INT64_MAX;
}

#ifdef __cplusplus
}
#endif
#endif
