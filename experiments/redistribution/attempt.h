/* attempt.h - one redistribution, and a timetable for it by each of several methods. */
#ifndef RB_EXPERIMENTS_REDISTRIBUTION_ATTEMPT_H
#define RB_EXPERIMENTS_REDISTRIBUTION_ATTEMPT_H

#include "roundabout-redistribution.h"
#include "support/error.h"

/* What is to be moved. */
struct rb_task {
    char text[RB_INSTANCE_LENGTH]; /* the instance in full */
    struct rb_redistribution problem;
    struct rb_traffic traffic;
};

/* From an instance's text, as plans take it (instance.h). RB_EINVAL with a message about the text,
 * RB_ENOMEM. The caller deinits it, and need not after a failure. */
int rb_task_init(struct rb_task *task, const char *instance, struct rb_error *error);
void rb_task_deinit(struct rb_task *task); /* safe on a zeroed one, and twice */

/* By one method. */
struct rb_attempt {
    const struct rb_redistribute_method *method;
    bool applies; /* else why not, and nothing below */
    struct rb_error why;
    struct rb_timetable timetable; /* owned; has passed its check */
    struct rb_timetable_facts facts;
    int64_t steps;  /* different times at which pieces start */
    double seconds; /* processor time that it took to make */
};

/* options may be NULL. The caller deinits the attempt, and need not after a failure. RB_EWRONG with
 * a message if the timetable fails its check, RB_ENOMEM. */
int rb_attempt_make(struct rb_attempt *attempt, const struct rb_task *task,
                    const struct rb_redistribute_method *method,
                    const struct rb_redistribute_options *options, struct rb_error *error);
void rb_attempt_deinit(struct rb_attempt *attempt); /* safe on a zeroed one, and twice */

/* The method of that name. RB_EINVAL with a message and the nearest name. */
int rb_method_find(const char *name, const struct rb_redistribute_method **method,
                   struct rb_error *error);

#endif
