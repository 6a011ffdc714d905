/* plan_file.c - plans in files: the first byte chooses the collective, the rest is csv or json.
 * What is read has only rounds that keep rules 1 to 9 of roundabout.h, a place for each of them,
 * and can be verified. */
#include <inttypes.h>
#include <string.h>

#include "fuzz.h"
#include "interchange/interchange.h"
#include "roundabout.h"
#include "schedules/plan/plan.h"

enum { MOST_RANKS = 40, MOST_ROUNDS = 200, MOST_BLOCKS = 1000 };

static void check_rounds(const struct rb_plan *plan)
{
    struct rb_op *ops = calloc((size_t)rb_plan_max_ops(plan), sizeof *ops);
    int32_t *order = calloc((size_t)rb_plan_max_ops(plan), sizeof *order);
    char why[300];
    if (ops == NULL || order == NULL)
        abort();
    for (int32_t rank = 0; rank < rb_plan_ranks(plan); rank++) {
        struct rb_rank state;
        rb_plan_rank(plan, rank, &state);
        for (int64_t t = 0; t < rb_plan_rounds(plan); t++) {
            const int32_t count = rb_plan_round(plan, &state, t, ops);
            FUZZ_ASSERT(rb_round_check(plan, rank, t, ops, count, order, why, sizeof why) == RB_OK,
                        "%s", why);
            FUZZ_ASSERT((rb_plan_next(plan, &state, t) == t) == (count > 0),
                        "rank %" PRId32 ", round %" PRId64, rank, t);
        }
    }
    free(ops);
    free(order);
}

static void check_plan(const struct inter_plan *file, const struct rb_collective *collective)
{
    const struct rb_plan_only *only = &file->only;
    const struct rb_plan_spec spec = {.p = only->p,
                                      .n = 1,
                                      .root = only->root < 0 ? 0 : only->root,
                                      .ports = only->ports,
                                      .instance = only->instance};
    struct rb_plan *plan;
    struct rb_verdict verdict;
    struct sup_error error = {.text = ""};
    const int status =
        rb_plan_make(collective, &file->algorithm, &spec, &plan, error.text, sizeof error.text);
    FUZZ_ASSERT(status == (file->wrong == NULL ? RB_OK : RB_EWRONG), "%s", error.text);
    if (status != RB_OK) {
        fuzz_check_error(&error);
        return;
    }
    if (only->p <= MOST_RANKS && rb_plan_rounds(plan) <= MOST_ROUNDS &&
        rb_plan_blocks(plan) <= MOST_BLOCKS) {
        check_rounds(plan);
        rb_verify_plan(plan, NULL, &verdict);
    }
    rb_plan_destroy(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sup_error error = {.text = ""};
    struct inter_plan plan;
    int32_t collectives = 0;
    while (rb_collective_at(collectives) != NULL)
        collectives++;
    if (size == 0)
        return 0;
    const struct rb_collective *collective =
        rb_collective_named(rb_collective_at(data[0] % collectives)->name);
    char *text = fuzz_text(data + 1, size - 1);
    struct sup_lines lines = {.path = "plan", .text = text, .next = text};
    inter_plan_init(&plan, "plan", strlen(lines.text), &error);
    int status = inter_read(&lines, &plan);
    if (status == RB_OK)
        status = inter_plan_finish(&plan, collective, "file:plan");
    if (status == RB_OK)
        check_plan(&plan, collective);
    else
        fuzz_check_error(&error);
    inter_plan_free(&plan);
    free(lines.text);
    return 0;
}
