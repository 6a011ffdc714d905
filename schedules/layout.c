/* layout.c - the one place where blocks become bytes. */
#include "plan.h"

int rb_layout_check(const struct rb_layout *layout, char *why, size_t why_size)
{
    if (layout->bytes < 0)
        return rb_why(why, why_size, RB_EINVAL, "the size must not be negative, but is %lld bytes",
                      (long long)layout->bytes);
    if (layout->element < 1)
        return rb_why(why, why_size, RB_EINVAL, "an element has at least 1 byte, not %lld",
                      (long long)layout->element);
    if (layout->bytes % layout->element != 0)
        return rb_why(why, why_size, RB_EINVAL,
                      "%lld bytes are not a whole number of elements of %lld bytes",
                      (long long)layout->bytes, (long long)layout->element);
    return RB_OK;
}

/* Bytes before block index of one owner: the first `longer` blocks have one element more. */
static int64_t bytes_before(const struct rb_plan *plan, const struct rb_layout *layout,
                            int64_t index)
{
    int64_t elements = layout->bytes / layout->element;
    int64_t least = elements / plan->blocks;
    int64_t longer = elements % plan->blocks;
    return (least * index + (index < longer ? index : longer)) * layout->element;
}

int64_t rb_layout_offset(const struct rb_plan *plan, const struct rb_layout *layout, int32_t owner,
                         int64_t index)
{
    return rb_owner_place(plan, owner) * layout->bytes + bytes_before(plan, layout, index);
}

int64_t rb_layout_bytes(const struct rb_plan *plan, const struct rb_layout *layout,
                        const struct rb_range *range)
{
    return bytes_before(plan, layout, range->first + range->count) -
           bytes_before(plan, layout, range->first);
}
