/* steps.c - from messages in steps to times, and how few steps, how little time there can be. */
#include "steps.h"

#include <stdlib.h>

#include "schedules/plan/plan.h"

int redist_timetable_of_steps(const struct rb_traffic *traffic, const int32_t step[], int32_t steps,
                              struct rb_timetable *timetable, char *why, size_t why_size)
{
    int64_t *start = calloc((size_t)steps + 1, sizeof *start);
    size_t room = 0;
    int status = start == NULL ? RB_ENOMEM : RB_OK;
    *timetable = (struct rb_timetable){0};
    for (size_t i = 0; i < traffic->count && status == RB_OK; i++)
        if (traffic->message[i].length > start[step[i] + 1])
            start[step[i] + 1] = traffic->message[i].length;
    for (int32_t k = 0; k < steps && status == RB_OK; k++)
        start[k + 1] += start[k];
    for (size_t i = 0; i < traffic->count && status == RB_OK; i++)
        status = redist_timetable_add(
            timetable, &room, (struct rb_piece){i, 0, traffic->message[i].length, start[step[i]]});
    free(start);
    if (status != RB_OK) {
        rb_timetable_deinit(timetable);
        return rb_why(why, why_size, status, "out of memory");
    }
    redist_timetable_finish(timetable);
    return RB_OK;
}

int redist_steps_fewest(const struct rb_traffic *traffic, int32_t *steps)
{
    int32_t *of_port =
        calloc((size_t)traffic->senders + (size_t)traffic->receivers, sizeof *of_port);
    if (of_port == NULL)
        return RB_ENOMEM;
    *steps = 0;
    for (size_t i = 0; i < traffic->count; i++) {
        const struct rb_message m = traffic->message[i];
        const int32_t sent = ++of_port[m.from], received = ++of_port[traffic->senders + m.to];
        *steps = sent > *steps ? sent : *steps;
        *steps = received > *steps ? received : *steps;
    }
    free(of_port);
    return RB_OK;
}

static int longer_first(const void *x, const void *y)
{
    const struct rb_message *a = x, *b = y;
    return (a->length < b->length) - (a->length > b->length);
}

int redist_steps_bound(const struct rb_traffic *traffic, int64_t longest[])
{
    int32_t *of_port =
        calloc((size_t)traffic->senders + (size_t)traffic->receivers, sizeof *of_port);
    struct rb_message *sorted = malloc((traffic->count + 1) * sizeof *sorted);
    int status = of_port == NULL || sorted == NULL ? RB_ENOMEM : RB_OK;
    if (status == RB_OK) {
        for (size_t i = 0; i < traffic->count; i++)
            sorted[i] = traffic->message[i];
        if (traffic->count > 0)
            qsort(sorted, traffic->count, sizeof *sorted, longer_first);
        int32_t steps = 0;
        for (size_t i = 0; i < traffic->count; i++) {
            const struct rb_message m = sorted[i];
            const int32_t sent = ++of_port[m.from], received = ++of_port[traffic->senders + m.to];
            if (sent > steps || received > steps)
                longest[steps++] = m.length;
        }
    }
    free(of_port);
    free(sorted);
    return status;
}
