/* verify_counterexample.c - what led to the first thing wrong with a plan, as a table (verify.h).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "schedules/plan/plan.h"
#include "studies/verification/verify.h"
#include "support/memory.h"

enum { KEPT = 14 }; /* lines of each table: the last ones */

/* The last lines of a table. */
struct table {
    char line[KEPT][160];
    int32_t lines;
};

struct trace {
    struct rb_fault fault;
    struct table way; /* of the block that is wrong */
};

static char *next_line(struct table *table)
{
    return table->line[table->lines++ % KEPT];
}

static void print_table(const struct table *table, FILE *stream)
{
    const int32_t first = table->lines > KEPT ? table->lines - KEPT : 0;
    if (first > 0)
        fprintf(stream, "  (%" PRId32 " earlier lines left out)\n", first);
    for (int32_t i = first; i < table->lines; i++)
        fprintf(stream, "  %s\n", table->line[i % KEPT]);
    if (table->lines == 0)
        fputs("  none\n", stream);
}

/* The way of the block, or of the contribution to it. */
static void note_arrival(void *context, const struct rb_arrival *arrival)
{
    struct trace *trace = context;
    const int32_t contributor = trace->fault.contributor;
    if (arrival->datum != trace->fault.datum)
        return;
    if (contributor >= 0 && (arrival->set[contributor / 64] >> (contributor % 64) & 1u) == 0)
        return;
    snprintf(next_line(&trace->way), sizeof trace->way.line[0],
             "%7" PRId64 "  %9" PRId32 "  %9" PRId32, arrival->round, arrival->from, arrival->to);
}

/* True if the operation brings the block from another rank. */
static bool brings(const struct rb_plan *plan, const struct rb_op *op, int64_t datum)
{
    const int64_t ahead = datum - rb_plan_datum(plan, op->at.owner, op->at.first);
    return (op->kind == RB_RECV || op->kind == RB_RECV_REDUCE) && ahead >= 0 &&
           ahead < op->at.count;
}

static void note_op(const struct rb_plan *plan, const struct rb_op *op, int64_t t,
                    struct table *table)
{
    static const char *const verbs[RB_OP_KINDS] = {"sends", "receives", "receives and combines",
                                                   "copies", "combines"};
    char peer[32] = "", more[32] = "";
    if (op->kind <= RB_RECV_REDUCE)
        snprintf(peer, sizeof peer, " %s rank %" PRId32, op->kind == RB_SEND ? "to" : "from",
                 op->peer);
    if (op->at.count > 1)
        snprintf(more, sizeof more, " and %" PRId64 " more", op->at.count - 1);
    snprintf(next_line(table), sizeof table->line[0], "%7" PRId64 "  %s %s%s%s", t, verbs[op->kind],
             rb_datum_name(plan, rb_plan_datum(plan, op->at.owner, op->at.first)).text, more, peer);
}

/* What a rank does until the end of the round of the fault, each operation a line, and which later
 * rounds bring the block. */
static void print_rounds(const struct rb_plan *plan, int32_t rank, const struct rb_fault *fault,
                         FILE *stream)
{
    struct rb_op *ops = sup_calloc(2 * (size_t)plan->max_ops, sizeof *ops);
    struct rb_rank state;
    struct table table = {.lines = 0};
    rb_plan_rank(plan, rank, &state);
    for (int64_t t = rb_plan_next(plan, &state, 0); t < plan->rounds;
         t = rb_plan_next(plan, &state, t + 1)) {
        const int32_t count = rb_plan_round(plan, &state, t, ops);
        for (int32_t i = 0; i < count; i++)
            if (t <= fault->round || brings(plan, &ops[i], fault->datum))
                note_op(plan, &ops[i], t, &table);
    }
    fprintf(stream, "\nRank %" PRId32 ":\n    round  does\n", rank);
    print_table(&table, stream);
    free(ops);
}

void verify_counterexample(const struct rb_plan *plan, const struct rb_layout *layout,
                           const char *what, char text[], size_t size)
{
    struct trace trace = {0};
    struct rb_verdict verdict;
    struct rb_watch watch = {0};
    const struct rb_fault *fault = &trace.fault;
    if (rb_verify_plan_watched(plan, layout, &watch, &verdict) != RB_EWRONG)
        return;
    trace.fault = watch.fault;
    watch = (struct rb_watch){.arrives = note_arrival, .context = &trace};
    rb_verify_plan_watched(plan, layout, &watch, &verdict);
    char *written;
    size_t length;
    FILE *stream = sup_memory_open(&written, &length);
    fprintf(stream, "%s\n", what);
    print_rounds(plan, fault->rank, fault, stream);
    const int32_t other = fault->peer >= 0 ? fault->peer : fault->contributor;
    if (other >= 0 && other < plan->p && other != fault->rank)
        print_rounds(plan, other, fault, stream);
    if (fault->datum != RB_NOTHING) {
        fprintf(stream, "\nThe way of %s", rb_datum_name(plan, fault->datum).text);
        if (fault->contributor >= 0)
            fprintf(stream, " with the contribution of rank %" PRId32, fault->contributor);
        fputs(" until then:\n    round  from rank    to rank\n", stream);
        print_table(&trace.way, stream);
    }
    sup_memory_close(stream, &written);
    snprintf(text, size, "%s", written);
    free(written);
}
