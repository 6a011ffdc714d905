/* duration.c - see duration.h. */
#include "experiments/sweep/duration.h"

#include <stdlib.h>

/* free_s is a heap: the time of a worker is not later than those of its two children. */
static void sink(double free_s[], int32_t count)
{
    for (int32_t at = 0, child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && free_s[child + 1] < free_s[child];
        if (free_s[at] <= free_s[child])
            return;
        const double later = free_s[at];
        free_s[at] = free_s[child];
        free_s[child] = later;
    }
}

int sweep_duration(const struct sweep_points *points, int32_t jobs, double *seconds,
                   struct sup_error *error)
{
    double *free_s = calloc((size_t)jobs, sizeof *free_s);
    if (free_s == NULL)
        return sup_fail(error, RB_ENOMEM, "out of memory");
    *seconds = 0;
    for (size_t i = 0; i < points->count; i++) {
        free_s[0] += points->point[i].cost_s;
        if (free_s[0] > *seconds)
            *seconds = free_s[0];
        sink(free_s, jobs);
    }
    free(free_s);
    return RB_OK;
}
