/* attempt.c - see attempt.h. */
#include "studies/redistribution/attempt.h"

#include <string.h>
#include <time.h>

#include "support/units.h"

int compare_task_init(struct compare_task *task, const char *instance, struct sup_error *error)
{
    *task = (struct compare_task){0};
    int status =
        rb_redistribution_read(instance, 0, &task->problem, error->text, sizeof error->text);
    if (status == RB_OK)
        status = rb_traffic_init(&task->traffic, &task->problem, error->text, sizeof error->text);
    if (status == RB_OK)
        rb_redistribution_write(&task->problem, task->text, sizeof task->text);
    return status;
}

void compare_task_deinit(struct compare_task *task)
{
    rb_traffic_deinit(&task->traffic);
}

static int64_t different_starts(const struct rb_timetable *timetable)
{
    int64_t starts = 0;
    for (size_t i = 0; i < timetable->count; i++)
        starts += i == 0 || timetable->piece[i].start != timetable->piece[i - 1].start;
    return starts;
}

int compare_attempt_make(struct compare_attempt *attempt, const struct compare_task *task,
                         const struct rb_redistribute_method *method,
                         const struct rb_redistribute_options *options, struct sup_error *error)
{
    *attempt = (struct compare_attempt){.method = method};
    const clock_t begun = clock();
    int status = method->schedule(&task->problem, &task->traffic, options, &attempt->timetable,
                                  attempt->why.text, sizeof attempt->why.text);
    attempt->seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
    if (status == RB_EINVAL)
        return RB_OK;
    if (status != RB_OK)
        return sup_fail(error, status, "%s: %s", method->name, attempt->why.text);
    struct sup_error why = {"out of memory"};
    status = rb_timetable_check(&attempt->timetable, &task->traffic, why.text, sizeof why.text);
    if (status == RB_OK)
        status = rb_timetable_facts(&attempt->timetable, &task->traffic, &attempt->facts);
    if (status != RB_OK) {
        compare_attempt_deinit(attempt);
        return sup_fail(error, status, "%s: %s", method->name, why.text);
    }
    attempt->steps = different_starts(&attempt->timetable);
    attempt->applies = true;
    return RB_OK;
}

void compare_attempt_deinit(struct compare_attempt *attempt)
{
    rb_timetable_deinit(&attempt->timetable);
}

int compare_method_find(const char *name, const struct rb_redistribute_method **method,
                        struct sup_error *error)
{
    enum { MOST = 64 };
    const char *names[MOST];
    size_t count = 0;
    for (*method = rb_redistribute_methods; (*method)->name != NULL && count < MOST; (*method)++) {
        if (strcmp((*method)->name, name) == 0)
            return RB_OK;
        names[count++] = (*method)->name;
    }
    char hint[SUP_HINT_SIZE];
    return sup_fail(
        error, RB_EINVAL, "unknown \"%s\": %s", name,
        sup_hint(name, names, count, "roundabout list shows them all, under redistribute", hint));
}
