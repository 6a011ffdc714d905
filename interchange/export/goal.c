/* goal.c - see export.h.
 *
 *   rank 1 {
 *   l1: recv 500b from 0 tag 0
 *   l2: send 500b to 2 tag 1
 *   l2 requires l1
 *   }
 */
#include <inttypes.h>

#include "interchange/export/export.h"

enum { STOPPED = 1 }; /* the stream shows why */

struct goal {
    FILE *stream;
    int32_t ranks;
};

static int begin_rank(void *context, int32_t rank, struct sup_error *error)
{
    const struct goal *goal = context;
    (void)error;
    if (rank == 0)
        fprintf(goal->stream, "num_ranks %" PRId32 "\n", goal->ranks);
    fprintf(goal->stream, "\nrank %" PRId32 " {\n", rank);
    return RB_OK;
}

void export_goal_task(FILE *stream, const struct export_task *task)
{
    const bool send = task->kind == DEP_TASK_SEND;
    if (task->kind == DEP_TASK_LOCAL)
        fprintf(stream, "l%" PRId64 ": calc %" PRId64 "\n", task->label, task->bytes);
    else
        fprintf(stream, "l%" PRId64 ": %s %" PRId64 "b %s %" PRId32 " tag %" PRIu32 "\n",
                task->label, send ? "send" : "recv", task->bytes, send ? "to" : "from", task->peer,
                task->tag);
    for (int32_t i = 0; i < task->required_count; i++)
        fprintf(stream, "l%" PRId64 " requires l%" PRId64 "\n", task->label, task->required[i]);
}

static void write_task(void *context, const struct export_task *task)
{
    export_goal_task(((struct goal *)context)->stream, task);
}

static int end_rank(void *context, struct sup_error *error)
{
    const struct goal *goal = context;
    (void)error;
    fputs("}\n", goal->stream);
    return ferror(goal->stream) ? STOPPED : RB_OK;
}

int export_write_goal(const struct export_request *export, FILE *stream, struct sup_error *error)
{
    static const struct export_writer writer = {
        .begin = begin_rank, .task = write_task, .end = end_rank};
    struct goal goal = {stream, rb_plan_ranks(export->plan)};
    const int status = export_tasks(export, &writer, &goal, error);
    return status == STOPPED ? RB_OK : status;
}
