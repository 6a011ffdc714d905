/* for_libraries.c - the functions of plan.h that libraries on top of the core need, and instance.c.
 * A shared library has them inside (CMakeLists.txt), because the shared core exports only what
 * roundabout.h declares. They keep nothing between calls. */
#include <stdarg.h>
#include <stdio.h>

#include "plan.h"

int rb_why(char *why, size_t why_size, int status, const char *format, ...)
{
    if (why != NULL && why_size > 0) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(why, why_size, format, arguments);
        va_end(arguments);
    }
    return status;
}

int rb_need_one_port(const struct rb_plan *plan, char *why, size_t why_size)
{
    if (plan->ports == 1)
        return RB_OK;
    return rb_why(why, why_size, RB_EINVAL,
                  "%s %s is a one-port algorithm: ports must be 1, not %d",
                  plan->collective->info.name, plan->algorithm->info.name, (int)plan->ports);
}

struct rb_share rb_share_of(const struct rb_plan *plan, int32_t owner, int32_t part)
{
    const struct rb_shares *shares = plan->shares;
    const size_t end = shares->row[owner + 1];
    size_t low = shares->row[owner], high = end;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (shares->share[middle].part < part)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < end && shares->share[low].part == part)
        return shares->share[low];
    const int64_t before =
        low < shares->row[plan->owners] ? shares->share[low].before : shares->units;
    return (struct rb_share){.part = part, .before = before};
}
