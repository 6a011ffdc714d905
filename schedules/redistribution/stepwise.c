/* stepwise.c - synchronised steps, as few as there can be, or with the least total of their longest
 * messages (Desprez et al., Scheduling block-cyclic array redistribution, IEEE TPDS 1998, which the
 * paper goes on from). In Example 1 (6 ranks, r = 2, s = 3) both take 6 steps and 9 units, against
 * 6 without synchronisation. */
#include <stdlib.h>

#include "schedules/plan/plan.h"
#include "steps.h"

/* In times as many steps as the fewest. */
static int in_steps(const struct rb_traffic *traffic, int32_t times,
                    const struct rb_redistribute_options *options, struct rb_timetable *timetable,
                    char *why, size_t why_size)
{
    const int64_t nodes =
        options != NULL && options->most_nodes > 0 ? options->most_nodes : RB_MOST_NODES;
    int32_t *step = malloc((traffic->count + 1) * sizeof *step);
    int32_t fewest = 0, steps = 0;
    int status = step == NULL ? RB_ENOMEM : redist_steps_fewest(traffic, &fewest);
    *timetable = (struct rb_timetable){0};
    if (status == RB_OK)
        status = fewest > INT32_MAX / times
                     ? RB_ENOMEM
                     : redist_steps_choose(traffic, times * fewest, nodes, step, &steps);
    if (status == RB_OK)
        status = redist_timetable_of_steps(traffic, step, steps, timetable, why, why_size);
    free(step);
    return status == RB_ENOMEM ? rb_why(why, why_size, status, "out of memory") : status;
}

int redist_stepwise(const struct rb_redistribution *problem, const struct rb_traffic *traffic,
                    const struct rb_redistribute_options *options, struct rb_timetable *timetable,
                    char *why, size_t why_size)
{
    (void)problem;
    return in_steps(traffic, 1, options, timetable, why, why_size);
}

/* With more steps than the fewest, d, twice that is enough: a message in a step after 2 d - 1
 * others finds both its ranks idle in one of these, the longest of which is no shorter. As neither
 * is exact for many messages, the better one is taken. */
int redist_stepwise_total(const struct rb_redistribution *problem, const struct rb_traffic *traffic,
                          const struct rb_redistribute_options *options,
                          struct rb_timetable *timetable, char *why, size_t why_size)
{
    (void)problem;
    struct rb_timetable fewest;
    int status = in_steps(traffic, 1, options, &fewest, why, why_size);
    if (status != RB_OK)
        return status;
    status = in_steps(traffic, 2, options, timetable, why, why_size);
    if (status == RB_OK && fewest.length <= timetable->length) {
        const struct rb_timetable longer = *timetable;
        *timetable = fewest;
        fewest = longer;
    }
    rb_timetable_deinit(&fewest);
    return status;
}
