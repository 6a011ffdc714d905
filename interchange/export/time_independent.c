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

static void write_message(FILE *file, const struct export_request *export, int32_t rank, int64_t t,
                          const struct dep_message *message)
{
    const struct rb_op *op = message->ops;
    const int64_t tag = (t * rb_plan_ports(export->plan) + op->port) & INT32_MAX;
    fprintf(file, "%" PRId32 " %s %" PRId32 " %" PRId64 " %" PRId64 "\n", rank,
            op->kind == RB_SEND ? "isend" : "irecv", op->peer, tag,
            dep_message_bytes(export->plan, export->layout, message));
}

static int write_rank(FILE *file, const struct export_request *export, int32_t rank,
                      struct rb_op ops[], struct sup_error *error)
{
    const struct rb_plan *plan = export->plan;
    const int64_t rounds = rb_plan_rounds(plan);
    struct rb_rank state;
    rb_plan_rank(plan, rank, &state);
    fprintf(file, "%" PRId32 " init\n", rank);
    for (int64_t t = dep_next_round(plan, &state, 0); t < rounds;
         t = dep_next_round(plan, &state, t + 1)) {
        const int32_t count = sim_round(plan, export->layout, &state, t, ops, error);
        if (count < 0)
            return count;
        struct dep_messages left = dep_messages_of(ops, count);
        for (struct dep_message message; dep_next_message(&left, &message);)
            write_message(file, export, rank, t, &message);
        if (left.ops > ops)
            fprintf(file, "%" PRId32 " waitall\n", rank);
    }
    fprintf(file, "%" PRId32 " finalize\n", rank);
    return RB_OK;
}

static int write_traces(const struct export_request *export,
                        const struct export_directory *directory, struct rb_op ops[],
                        struct sup_error *error)
{
    char *absolute = sup_got(realpath(directory->path, NULL)); /* smpirun runs elsewhere */
    FILE *list = NULL, *file = NULL;
    struct cli_bar bar;
    cli_bar_start(&bar, "plan", rb_plan_ranks(export->plan));
    int status = absolute == NULL
                     ? sup_fail(error, RB_EIO, "%s: %s", directory->path, strerror(errno))
                     : export_file_open(directory, "traces", &list, error);
    for (int32_t rank = 0; rank < rb_plan_ranks(export->plan) && status == RB_OK; rank++) {
        char name[16];
        cli_bar_update(&bar, rank, NULL);
        snprintf(name, sizeof name, "%" PRId32, rank);
        fprintf(list, "%s/%s\n", absolute, name);
        status = export_file_open(directory, name, &file, error);
        if (status == RB_OK)
            status = export_file_close(directory, name, file,
                                       write_rank(file, export, rank, ops, error), error);
    }
    cli_bar_end(&bar);
    free(absolute);
    return export_file_close(directory, "traces", list, status, error);
}

int export_write_ti(const struct export_request *export, const char *path, struct sup_error *error)
{
    struct export_directory directory;
    if (export->overlap.rule != SIM_BLOCKING)
        return sup_fail(error, RB_EINVAL,
                        "in a time-independent trace a rank waits for its whole round: use "
                        "blocking");
    int status = export_directory_open(&directory, path, error);
    struct rb_op *ops = sup_calloc((size_t)rb_plan_max_ops(export->plan), sizeof *ops);
    if (status == RB_OK)
        status = write_traces(export, &directory, ops, error);
    free(ops);
    return export_directory_close(&directory, status, error);
}
