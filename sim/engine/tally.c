/* tally.c - see tally.h. */
#include "tally.h"

#include "support/units.h"

/* The largest power of two that, instead of the layout's size, would do: the sum grows with the
 * size, up to the rounding of blocks to whole elements. */
static int64_t size_that_works(rb_tally tally, const struct rb_layout *layout)
{
    const rb_tally most = (rb_tally)INT64_MAX * (rb_tally)layout->bytes / tally;
    int64_t size = 1;
    while ((rb_tally)size * 2 <= most)
        size *= 2;
    return size;
}

int rb_tally_take(rb_tally tally, const struct rb_layout *layout, int64_t *bytes,
                  struct rb_error *error)
{
    char size[32], works[32];
    if (tally <= (rb_tally)INT64_MAX) {
        *bytes = (int64_t)tally;
        return RB_OK;
    }
    return rb_fail(error, RB_EINVAL,
                   "--bytes: of %s the plan moves more than 2^63 - 1 bytes in all, which can't be "
                   "counted: up to %s works",
                   rb_format_bytes(layout->bytes, size, sizeof size),
                   rb_format_bytes(size_that_works(tally, layout), works, sizeof works));
}
