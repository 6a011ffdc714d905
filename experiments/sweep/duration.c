/* duration.c - see duration.h. */
#include "experiments/sweep/duration.h"

#include <math.h>
#include <stdlib.h>

#include "support/memory.h"

/* The worker that is free first gets work of so many seconds. free_s[w] is when a worker is free; a
 * heap: free_s[0] is the earliest. O(log workers). */
static void give_work(double free_s[], int32_t workers, double work_s)
{
    free_s[0] += work_s;
    for (int32_t at = 0, child; (child = 2 * at + 1) < workers; at = child) {
        child += child + 1 < workers && free_s[child + 1] < free_s[child];
        if (free_s[at] <= free_s[child])
            return;
        const double later = free_s[at];
        free_s[at] = free_s[child];
        free_s[child] = later;
    }
}

double sweep_duration(const struct sweep_points *points, int32_t jobs)
{
    double *free_s = sup_calloc((size_t)jobs, sizeof *free_s), seconds = 0;
    for (size_t i = 0; i < points->count; i++) {
        seconds = fmax(seconds, free_s[0] + points->point[i].cost_s);
        give_work(free_s, jobs, points->point[i].cost_s);
    }
    free(free_s);
    return seconds;
}
