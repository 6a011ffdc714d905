/* time_independent.c - see export.h. A round consists of its sends and receives, then a wait for
 * all of them, as in the overlap rule `blocking`. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "interchange/export/export.h"
#include "schedules/dependences/messages.h"
#include "sim/engine/tally.h"
#include "support/memory.h"
#include "support/options/options.h"

struct writing {
    const struct export_request *export;
    FILE *file;
    int32_t rank;
};

void export_ti_task(FILE *file, int32_t rank, const struct export_task *task)
{
    if (task->kind == DEP_TASK_LOCAL)
        fprintf(file, "%" PRId32 " sleep %.9f\n", rank, 1e-9 * (double)task->bytes);
    else
        fprintf(file, "%" PRId32 " %s %" PRId32 " %" PRIu32 " %" PRId64 "\n", rank,
                task->kind == DEP_TASK_SEND ? "isend" : "irecv", task->peer, task->tag & INT32_MAX,
                task->bytes);
}

static void write_message(void *context, const struct export_task *task)
{
    const struct writing *writing = context;
    export_ti_task(writing->file, writing->rank, task);
}

static void end_round(void *context)
{
    const struct writing *writing = context;
    fprintf(writing->file, "%" PRId32 " waitall\n", writing->rank);
}

int export_rounds(const struct rb_plan *plan, const struct rb_layout *layout, int32_t rank,
                  const struct export_round_writer *writer, void *context, struct sup_error *error)
{
    const int64_t rounds = rb_plan_rounds(plan);
    struct rb_op *ops = sup_calloc((size_t)rb_plan_max_ops(plan), sizeof *ops);
    struct rb_rank state;
    int32_t count = 0;
    rb_plan_rank(plan, rank, &state);
    for (int64_t t = dep_next_round(plan, &state, 0); t < rounds && count >= 0;
         t = dep_next_round(plan, &state, t + 1)) {
        count = sim_round(plan, layout, &state, t, ops, error);
        struct dep_messages left = dep_messages_of(ops, count > 0 ? count : 0);
        for (struct dep_message message; dep_next_message(&left, &message);)
            writer->message(
                context,
                &(struct export_task){
                    .kind = message.ops->kind == RB_SEND ? DEP_TASK_SEND : DEP_TASK_RECEIVE,
                    .peer = message.ops->peer,
                    .tag = (uint32_t)(t * rb_plan_ports(plan) + message.ops->port),
                    .bytes = dep_message_bytes(plan, layout, &message)});
        if (left.ops > ops)
            writer->end(context);
    }
    free(ops);
    return count < 0 ? count : RB_OK;
}

static int write_rank(void *context, FILE *file, int32_t rank, struct sup_error *error)
{
    static const struct export_round_writer writer = {write_message, end_round};
    const struct export_request *export = context;
    struct writing writing = {export, file, rank};
    return export_rounds(export->plan, export->layout, rank, &writer, &writing, error);
}

static int write_traces(const struct export_directory *directory, int32_t ranks,
                        export_rank_writer *write, void *context, struct sup_error *error)
{
    char *absolute = sup_got(realpath(directory->path, NULL)); /* smpirun runs elsewhere */
    FILE *list = NULL, *file = NULL;
    struct cli_bar bar;
    cli_bar_start(&bar, "plan", ranks);
    int status = absolute == NULL
                     ? sup_fail(error, RB_EIO, "%s: %s", directory->path, strerror(errno))
                     : export_file_open(directory, "traces", &list, error);
    for (int32_t rank = 0; rank < ranks && status == RB_OK; rank++) {
        char name[16];
        cli_bar_update(&bar, rank, NULL);
        snprintf(name, sizeof name, "%" PRId32, rank);
        fprintf(list, "%s/%s\n", absolute, name);
        status = export_file_open(directory, name, &file, error);
        if (status != RB_OK)
            break;
        fprintf(file, "%" PRId32 " init\n", rank);
        status = write(context, file, rank, error);
        fprintf(file, "%" PRId32 " finalize\n", rank);
        status = export_file_close(directory, name, file, status, error);
    }
    cli_bar_end(&bar);
    free(absolute);
    return export_file_close(directory, "traces", list, status, error);
}

int export_ti_ranks(const char *path, int32_t ranks, export_rank_writer *write, void *context,
                    struct sup_error *error)
{
    struct export_directory directory;
    int status = export_directory_open(&directory, path, error);
    if (status == RB_OK)
        status = write_traces(&directory, ranks, write, context, error);
    return export_directory_close(&directory, status, error);
}

int export_write_ti(const struct export_request *export, const char *path, struct sup_error *error)
{
    if (export->overlap.rule != SIM_BLOCKING)
        return sup_fail(error, RB_EINVAL,
                        "in a time-independent trace a rank waits for its whole round: use "
                        "blocking");
    struct export_request request = *export;
    return export_ti_ranks(path, rb_plan_ranks(export->plan), write_rank, &request, error);
}
