/* caterpillar.c - the all-to-all that everyone writes first: in step d, sender i sends to receiver
 * (i + d) mod max(P, Q) if it has something for it. Steps wait for each other. */
#include <stdlib.h>

#include "redistribution.h"
#include "schedules/plan/plan.h"

int redist_caterpillar(const struct rb_redistribution *problem, const struct rb_traffic *traffic,
                       const struct rb_redistribute_options *options,
                       struct rb_timetable *timetable, char *why, size_t why_size)
{
    (void)problem;
    (void)options;
    const int32_t steps =
        traffic->senders > traffic->receivers ? traffic->senders : traffic->receivers;
    int32_t *step = malloc((traffic->count + 1) * sizeof *step);
    *timetable = (struct rb_timetable){0};
    if (step == NULL)
        return rb_why(why, why_size, RB_ENOMEM, "out of memory");
    for (size_t i = 0; i < traffic->count; i++)
        step[i] = (traffic->message[i].to - traffic->message[i].from + steps) % steps;
    const int status = redist_timetable_of_steps(traffic, step, steps, timetable, why, why_size);
    free(step);
    return status;
}
