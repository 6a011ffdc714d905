/* ti_trace.c - a broadcast plan as time-independent traces, for SMPI's replay.
 *
 * ti_trace DIRECTORY ALGORITHM P N BYTES
 * writes one trace per rank, DIRECTORY/RANK, and DIRECTORY/traces, which lists them. A round is its
 * receives and sends, then a wait for all: what the progress rule `blocking` does. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "roundabout.h"
#include "support/units.h"

/* The message that begins at ops[0]; returns how many operations it has. */
static int32_t write_message(FILE *file, const struct rb_plan *plan, const struct rb_layout *layout,
                             int32_t rank, const struct rb_op ops[], int32_t count)
{
    int64_t bytes = 0;
    int32_t length = 0;
    for (; length < count && ops[length].kind == ops->kind && ops[length].peer == ops->peer;
         length++)
        bytes += rb_layout_bytes(plan, layout, &ops[length].at);
    fprintf(file, "%d %s %d 0 %" PRId64 "\n", rank, ops->kind == RB_SEND ? "isend" : "irecv",
            ops->peer, bytes);
    return length;
}

static void write_rounds(FILE *file, const struct rb_plan *plan, const struct rb_layout *layout,
                         int32_t rank, struct rb_op ops[])
{
    struct rb_rank state;
    rb_plan_rank(plan, rank, &state);
    int64_t rounds = rb_plan_rounds(plan);
    fprintf(file, "%d init\n", rank);
    for (int64_t t = 0; t < rounds; t++) {
        int32_t count = rb_layout_round(plan, layout, &state, t, ops);
        if (count == 0)
            continue;
        for (int32_t i = 0; i < count;)
            i += write_message(file, plan, layout, rank, &ops[i], count - i);
        fprintf(file, "%d waitall\n", rank);
    }
    fprintf(file, "%d finalize\n", rank);
}

static int write_traces(const char *directory, const struct rb_plan *plan,
                        const struct rb_layout *layout, struct rb_op ops[], struct rb_error *error)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/traces", directory);
    FILE *list = fopen(path, "w");
    if (!list)
        return rb_fail(error, RB_EIO, "cannot write %s", path);
    int status = 0;
    for (int32_t rank = 0; rank < rb_plan_ranks(plan) && status == 0; rank++) {
        snprintf(path, sizeof path, "%s/%d", directory, rank);
        fprintf(list, "%s\n", path);
        FILE *file = fopen(path, "w");
        if (file)
            write_rounds(file, plan, layout, rank, ops);
        if (!file || fclose(file))
            status = rb_fail(error, RB_EIO, "cannot write %s", path);
    }
    if (fclose(list) && status == 0)
        status = rb_fail(error, RB_EIO, "cannot write the list of traces");
    return status;
}

static int export_plan(char *const argv[], struct rb_error *error)
{
    int64_t p, n;
    struct rb_layout layout = {.element = 1};
    if (rb_parse_int(argv[3], 1, RB_MAX_RANKS, &p, error) ||
        rb_parse_int(argv[4], 1, INT64_MAX, &n, error) ||
        rb_parse_bytes(argv[5], &layout.bytes, error))
        return RB_EINVAL;
    struct rb_plan_spec spec = {
        .collective = "bcast", .algorithm = argv[2], .p = (int32_t)p, .n = n};
    struct rb_plan *plan;
    int status = rb_plan_create(&spec, &plan, error->text, sizeof error->text);
    if (status)
        return status;
    struct rb_op *ops = calloc((size_t)rb_plan_max_ops(plan) + 1, sizeof *ops);
    status = ops ? write_traces(argv[1], plan, &layout, ops, error)
                 : rb_fail(error, RB_ENOMEM, "out of memory");
    free(ops);
    rb_plan_destroy(plan);
    return status;
}

int main(int argc, char *argv[])
{
    if (argc != 6) {
        fprintf(stderr, "usage: %s DIRECTORY ALGORITHM P N BYTES\n", argv[0]);
        return 2;
    }
    struct rb_error error = {0};
    if (export_plan(argv, &error)) {
        fprintf(stderr, "%s: %s\n", argv[0], error.text);
        return 3;
    }
    return 0;
}
