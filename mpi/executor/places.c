/* places.c - see places.h. */
#include "places.h"

/* Elements of a row before its block `index`. */
static int64_t before_in_row(const struct rb_plan *plan, int64_t elements, int64_t index)
{
    return rb_deal_before(elements, rb_plan_blocks(plan) / rb_plan_parts(plan), index);
}

int64_t exec_rows_count(const struct exec_rows *rows, const struct rb_plan *plan,
                        const struct rb_layout *layout, const struct rb_range *range)
{
    if (rows->count == NULL)
        return rb_layout_bytes(plan, layout, range);
    const struct rb_location location = rb_plan_location(plan, range);
    const int64_t elements = rows->count[location.row];
    return before_in_row(plan, elements, location.first + range->count) -
           before_in_row(plan, elements, location.first);
}

/* Elements of a slot of TMP: blocks of any name fit, as the first ones are the longest. */
static int64_t slot_elements(const struct rb_plan *plan, const struct rb_layout *layout)
{
    return rb_layout_offset(plan, layout, 0, rb_plan_slot_blocks(plan));
}

static int64_t place_in_slot(const struct rb_plan *plan, const struct rb_layout *layout,
                             const struct rb_range *range)
{
    const int64_t first = range->first - range->first % rb_plan_slot_blocks(plan);
    return range->owner * slot_elements(plan, layout) +
           rb_layout_offset(plan, layout, 0, range->first) -
           rb_layout_offset(plan, layout, 0, first);
}

int64_t exec_tmp_room(const struct rb_plan *plan, const struct rb_layout *layout)
{
    return rb_plan_slot_blocks(plan) == 0 ? layout->bytes
                                          : rb_plan_slots(plan) * slot_elements(plan, layout);
}

int64_t exec_rows_place(const struct exec_rows *rows, const struct rb_plan *plan,
                        const struct rb_layout *layout, const struct rb_range *range)
{
    const int64_t parts = rb_plan_parts(plan);
    if (range->buffer == RB_TMP && rb_plan_slot_blocks(plan) > 0)
        return place_in_slot(plan, layout, range);
    if (parts == 1 && rows->displacement == NULL) {
        const int64_t place =
            rb_layout_offset(plan, layout, range->owner, range->first) - rows->origin;
        return place >= 0 ? place : place + layout->bytes;
    }
    const struct rb_location location = rb_plan_location(plan, range);
    if (rows->count != NULL)
        return rows->displacement[location.row] +
               before_in_row(plan, rows->count[location.row], location.first);
    if (parts == 1)
        return rows->displacement[location.row] +
               rb_layout_offset(plan, layout, range->owner, range->first) -
               rb_layout_offset(plan, layout, range->owner, 0);
    if (layout->first != NULL) {
        const int64_t blocks = rb_plan_blocks(plan) / parts;
        const int64_t row_first = range->first - range->first % blocks;
        return rows->displacement[location.row] +
               rb_layout_offset(plan, layout, range->owner, range->first) -
               rb_layout_offset(plan, layout, range->owner, row_first);
    }
    const int64_t equal = layout->bytes / (parts * parts);
    const int64_t row =
        rows->displacement != NULL ? rows->displacement[location.row] : location.row * equal;
    return row + before_in_row(plan, equal, location.first);
}
