/* tasks.h - what each rank does in a plan as tasks that wait for one another, for formats that say
 * it so. */
#ifndef INTERCHANGE_EXPORT_TASKS_H
#define INTERCHANGE_EXPORT_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "interchange/export/export.h"
#include "schedules/dependences/window.h"

struct export_task {
    enum dep_task_kind kind;
    int64_t label; /* counts a rank's tasks from 1 */
    int64_t bytes; /* of a message: at least 1, because simulators expect some */
    int32_t peer;
    uint32_t tag; /* export.h */
    const int64_t *required;
    int32_t required_count; /* labels of the tasks that must be done before, each once */
};

/* A format. begin and end of a rank return RB_OK, or an error with its message. */
struct export_writer {
    bool reductions; /* what comes in and is combined is a receive, and then a local task */
    int (*begin)(void *context, int32_t rank, struct sup_error *error);
    void (*task)(void *context, const struct export_task *task);
    int (*end)(void *context, struct sup_error *error);
};

/* Calls the writer for the tasks of rank after rank, each behind those that it requires. RB_EINVAL
 * in lockstep; RB_EWRONG for a plan that breaks the rules; RB_ENOMEM. */
int export_tasks(const struct export_request *export, const struct export_writer *writer,
                 void *context, struct sup_error *error);

#endif
