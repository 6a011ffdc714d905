/* duration.c - see duration.h. */
#include "experiments/sweep/duration.h"

#include <math.h>
#include <stdlib.h>

#include "support/eta.h"

int sweep_duration(const struct sweep_points *points, int32_t jobs, double *seconds,
                   struct sup_error *error)
{
    double *free_s = calloc((size_t)jobs, sizeof *free_s);
    if (free_s == NULL)
        return sup_fail(error, RB_ENOMEM, "out of memory");
    *seconds = 0;
    for (size_t i = 0; i < points->count; i++) {
        *seconds = fmax(*seconds, free_s[0] + points->point[i].cost_s);
        sup_eta_give_work(free_s, jobs, points->point[i].cost_s);
    }
    free(free_s);
    return RB_OK;
}
