/* attempt.h - one redistribution, and a timetable for it by each of several methods. */
#ifndef STUDIES_REDISTRIBUTION_ATTEMPT_H
#define STUDIES_REDISTRIBUTION_ATTEMPT_H

#include "roundabout-redistribution.h"
#include "support/error.h"

/* The data to move. */
struct compare_task {
    char text[RB_INSTANCE_LENGTH]; /* the instance in full */
    struct rb_redistribution problem;
    struct rb_traffic traffic;
};

/* From an instance's text, as plans take it (instance.h). RB_EINVAL with a message about the text,
 * RB_ENOMEM. The caller deinits it, and need not after a failure. */
int compare_task_init(struct compare_task *task, const char *instance, struct sup_error *error);
void compare_task_deinit(struct compare_task *task); /* safe on a zeroed one, and twice */

/* By one method. */
struct compare_attempt {
    const struct rb_redistribute_method *method;
    bool applies; /* otherwise the reason, and the members below are not set */
    struct sup_error why;
    struct rb_timetable timetable; /* owned; has passed its check */
    struct rb_timetable_facts facts;
    int64_t steps;  /* different times at which pieces start */
    double seconds; /* processor time that it took to make */
};

/* options may be NULL. The caller deinits the attempt, and need not after a failure. RB_EWRONG with
 * a message if the timetable fails its check, RB_ENOMEM. */
int compare_attempt_make(struct compare_attempt *attempt, const struct compare_task *task,
                         const struct rb_redistribute_method *method,
                         const struct rb_redistribute_options *options, struct sup_error *error);
void compare_attempt_deinit(struct compare_attempt *attempt); /* safe on a zeroed one, and twice */

/* The method of that name. RB_EINVAL with a message and the nearest name. */
int compare_method_find(const char *name, const struct rb_redistribute_method **method,
                        struct sup_error *error);

#endif
