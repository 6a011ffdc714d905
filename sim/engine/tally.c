/* tally.c - see tally.h. */
#include "tally.h"

#include "support/units.h"

/* The largest power of two that, instead of the layout's size, would do: the sum grows with the
 * size, up to the rounding of blocks to whole elements. */
static int64_t size_that_works(sim_tally tally, const struct rb_layout *layout)
{
    const sim_tally most = (sim_tally)INT64_MAX * (sim_tally)layout->bytes / tally;
    int64_t size = 1;
    while ((sim_tally)size * 2 <= most)
        size *= 2;
    return size;
}

int sim_tally_take(sim_tally tally, const struct rb_layout *layout, int64_t *bytes,
                   struct sup_error *error)
{
    char size[32], works[32];
    if (tally <= (sim_tally)INT64_MAX) {
        *bytes = (int64_t)tally;
        return RB_OK;
    }
    return sup_fail(error, RB_EINVAL,
                    "--bytes: of %s the plan moves more than 2^63 - 1 bytes in all, which can't be "
                    "counted: up to %s works",
                    sup_format_shown(layout->bytes, size, sizeof size),
                    sup_format_shown(size_that_works(tally, layout), works, sizeof works));
}
