/* verify_report.c - what the verb verify says of its results (verify.h). */
#include "studies/verification/verify.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/plan/plan.h"
#include "support/memory.h"
#include "support/options/options.h"
#include "support/output/table.h"
#include "support/output/verdict.h"

/* ---- Counterexamples ------------------------------------------------------------------------- */

/* What led to the first thing wrong with a plan, as a table (verify.h). */

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

/* ---- Reports --------------------------------------------------------------------------------- */

int64_t verify_plan_count(const struct verify_run *verification)
{
    int64_t plans = 0;
    for (int32_t a = 0; a < verification->job.algorithm_count; a++)
        plans += verification->sum.tallies[a].plans;
    return plans;
}

struct verify_cover verify_cover(const struct verify_run *verification)
{
    struct verify_cover cover = {0};
    for (int32_t a = 0; a < verification->job.algorithm_count; a++)
        verify_cover_add(&cover, &verification->sum.tallies[a].cover);
    return cover;
}

void verify_complain(struct verify_run *verification, bool aloud)
{
    struct verify_record *sum = &verification->sum;
    int64_t kept = sum->failed < VERIFY_KEPT_FAILURES ? sum->failed : VERIFY_KEPT_FAILURES;
    if (!aloud)
        return;
    for (int64_t i = 0; i < kept; i++) {
        cli_complain(CLI_EXIT_FALSE, "wrong: %s", sum->failures[i].what);
        cli_complain(CLI_EXIT_FALSE, "repeat it: %s", sum->failures[i].repeat);
    }
    if (sum->failed > kept)
        cli_complain(CLI_EXIT_FALSE, "and %" PRId64 " more", sum->failed - kept);
}

/* How many algorithms have plans in rank order. */
static int32_t ordered_algorithms(const struct verify_run *verification)
{
    int32_t ordered = 0;
    for (int32_t a = 0; a < verification->job.algorithm_count; a++)
        ordered += verification->sum.tallies[a].cover.ordered > 0;
    return ordered;
}

/* Those without a number for a narrow line are on the screen, too. */
static const struct out_column plan_columns[] = {
    {"collective", "collective", .kind = OUT_WORD,
     .width = -14}, /* in text: if there are several */
    {"algorithm", "algorithm", .kind = OUT_WORD, .width = -32},
    {"plans", "plans", .kind = OUT_COUNT, .width = 8},
    {"wrong", "wrong", .kind = OUT_COUNT, .width = 5},
    {"left_out", "left out", .kind = OUT_COUNT, .width = 8, .less = 2},
    {"optimal", "fewest rounds", .kind = OUT_COUNT, .width = 13},
    {"extra_rounds", "most extra", .kind = OUT_WHOLE, .width = 10},
    {"extra_moves", "extra moves", .kind = OUT_WHOLE, .width = 11, .less = 1},
    {"optimal_c2", "least C2", .kind = OUT_COUNT, .width = 8, .less = 1},
    {"extra_c2", "extra C2", .kind = OUT_WHOLE, .width = 8, .less = 1},
    /* With --buffers: */
    {"fifo", "FIFO", .kind = OUT_COUNT, .width = 9},
    {"fifo_blocks", "in blocks", .kind = OUT_COUNT, .width = 11},
};
enum { PLAN_COLUMNS = OUT_COUNT_OF(plan_columns), OF_BUFFERS = 2, MOST_LINES = 16 };

static struct out_table table_of(const struct verify_run *verification)
{
    return (struct out_table){
        plan_columns, .width = PLAN_COLUMNS - (verification->job.buffers > 0 ? 0 : OF_BUFFERS)};
}

static void fill(const struct verify_run *verification, int32_t a, union out_cell cells[])
{
    const struct verify_tally *tally = &verification->sum.tallies[a];
    const bool none = tally->unbounded > 0 && tally->unbounded == tally->plans - tally->wrong;
    const union out_cell all[PLAN_COLUMNS] = {
        {.word = verification->job.algorithms[a]->collective},
        {.word = verification->job.algorithms[a]->name},
        {.whole = tally->plans},
        {.whole = tally->wrong},
        {.whole = tally->unfit},
        {.whole = none ? -1 : tally->at_bound},
        {.whole = none ? INT64_MIN : tally->most_extra_rounds},
        {.whole = none ? INT64_MIN : tally->most_extra_moves},
        {.whole = none ? -1 : tally->critical_volume_at_bound},
        {.whole = none ? INT64_MIN : tally->most_extra_critical_volume},
        {.whole = tally->most_room},
        {.whole = tally->most_block_room}};
    memcpy(cells, all, sizeof all);
}

static json_t *json_of_plans(const struct verify_run *verification)
{
    const struct out_table table = table_of(verification);
    json_t *rows = json_array();
    for (int32_t a = 0; a < verification->job.algorithm_count; a++) {
        union out_cell cells[PLAN_COLUMNS];
        fill(verification, a, cells);
        json_array_append_new(rows, out_json_row(&table, cells));
    }
    return rows;
}

/* Of many algorithms on a screen those that have wrong plans; the others are counted. */
static void print_algorithms(const struct verify_run *verification, FILE *stream)
{
    const struct verify_job *job = &verification->job;
    struct out_column list[PLAN_COLUMNS];
    size_t number[PLAN_COLUMNS];
    const struct out_table all = table_of(verification);
    const struct out_table shown =
        out_text_columns(&all, job->several ? 0 : 1, verification->details, list, number);
    const bool few = verification->details || job->algorithm_count <= MOST_LINES;
    int32_t lines = 0;
    for (int32_t a = 0; a < job->algorithm_count; a++) {
        const struct verify_tally *tally = &verification->sum.tallies[a];
        union out_cell cells[PLAN_COLUMNS], some[PLAN_COLUMNS];
        if ((tally->plans == 0 && !verification->details) ||
            (!few && (tally->wrong == 0 || lines == MOST_LINES)))
            continue;
        fill(verification, a, cells);
        for (size_t i = 0; i < shown.width; i++)
            some[i] = cells[number[i]];
        if (lines++ == 0) {
            fputc('\n', stream);
            out_text_heading(&shown, stream);
        }
        out_text_row(&shown, some, stream);
    }
}

static json_t *json_of_cover(const struct verify_run *verification)
{
    const struct verify_cover cover = verify_cover(verification);
    const struct verify_record *sum = &verification->sum;
    int32_t ranks, gapless;
    verify_cells_ranks(&verification->job.cells, &ranks, &gapless);
    return json_pack("{s:s, s:I, s:i, s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, "
                     "s:I, s:I, s:I}",
                     "level", "thorough", "seed", (json_int_t)verification->job.seed, "p_count",
                     (int)ranks, "p_all_up_to", (int)gapless, "p_most", (json_int_t)cover.most_p,
                     "n_most", (json_int_t)cover.most_n, "too_large", (json_int_t)cover.too_large,
                     "ordered", (json_int_t)cover.ordered, "ordered_algorithms",
                     (json_int_t)ordered_algorithms(verification), "other_roots",
                     (json_int_t)cover.off_roots, "irregular_counts", (json_int_t)cover.irregular,
                     "several_ports", (json_int_t)cover.on_ports, "ports_most",
                     (json_int_t)cover.most_ports, "given_radix", (json_int_t)cover.by_radix,
                     "radix_most", (json_int_t)cover.most_radix, "other_instances",
                     (json_int_t)cover.instances, "schedules_p_count", (json_int_t)sum->p_count,
                     "schedules_ranks", (json_int_t)sum->rank_count);
}

/* "p = 1..40", "12 values of p up to 1025". */
static const char *describe_ranks(const struct sup_list *ranks, char *text, size_t size)
{
    const int64_t first = ranks->value[0], last = ranks->value[ranks->count - 1];
    if (ranks->count == 1)
        snprintf(text, size, "p = %" PRId64, first);
    else if (last - first + 1 == (int64_t)ranks->count)
        snprintf(text, size, "p = %" PRId64 "..%" PRId64, first, last);
    else
        snprintf(text, size, "%zu values of p up to %" PRId64, ranks->count, last);
    return text;
}

/* The first fault to the step, and how to see it again. */
static void say_fault(const struct verify_record *sum, FILE *stream)
{
    if (sum->failed == 0)
        return;
    out_say(stream, "%s", sum->failures[0].what);
    out_say(stream, "Repeat it: %s", sum->failures[0].repeat);
}

/* How near the right plans of one algorithm are to the lower bounds. */
static void say_quality(const struct verify_tally *tally, double wall_s, FILE *stream)
{
    const int64_t right = tally->plans - tally->wrong - tally->unbounded;
    if (tally->plans == tally->wrong)
        return;
    if (right == 0)
        out_say(stream, "No lower bound is known. %.1f s", wall_s);
    else if (tally->at_bound == right)
        out_say(stream, "%s fewest rounds possible. %.1f s",
                right == 1 ? "It takes the" : "All take the", wall_s);
    else
        out_say(stream,
                "%" PRId64 " take the fewest rounds possible; the others up to %" PRId64
                " more. %.1f s",
                tally->at_bound, tally->most_extra_rounds, wall_s);
}

static void say_best(const struct verify_run *verification, FILE *stream)
{
    int32_t best = 0;
    for (int32_t a = 0; a < verification->job.algorithm_count; a++) {
        const struct verify_tally *tally = &verification->sum.tallies[a];
        best += tally->plans > 0 && tally->at_bound == tally->plans;
    }
    out_say(stream, "%" PRId32 " of %" PRId32 " algorithms always take the fewest rounds. %.1f s",
            best, verification->job.algorithm_count, verification->wall_s);
}

static void say_plans(const struct verify_run *verification, FILE *stream)
{
    const struct verify_job *job = &verification->job;
    const int64_t count = verify_plan_count(verification), failed = verification->sum.failed;
    const bool one = job->algorithm_count == 1;
    char p[64], by[40], wrong[40] = "";
    snprintf(by, sizeof by, "%" PRId32 " algorithms", job->algorithm_count);
    if (failed > 0)
        snprintf(wrong, sizeof wrong, "%" PRId64 " of ", failed);
    out_say(
        stream, "%s%" PRId64 " plan%s %s %s: %s by %s, %s%s%s", wrong, count, sup_plural(count),
        count == 1 ? "is" : "are", failed > 0 ? "wrong" : "right",
        one                                    ? job->algorithms[0]->collective
        : strcmp(job->collectives, "all") == 0 ? "all collectives"
                                               : job->collectives,
        one ? job->algorithms[0]->name : by, describe_ranks(job->ranks, p, sizeof p),
        job->blocks_text == NULL ? "" : ", n = ", job->blocks_text == NULL ? "" : job->blocks_text);
}

/* Combinations without plans: for example, an algorithm for 2^d ranks has few plans in a range of
 * p. */
static void say_left_out(const struct verify_run *verification, FILE *stream)
{
    const struct verify_job *job = &verification->job;
    int64_t unfit = 0;
    for (int32_t a = 0; a < job->algorithm_count; a++)
        unfit += verification->sum.tallies[a].unfit;
    if (unfit > 0 && job->algorithm_count == 1 && job->algorithms[0]->ranks != NULL)
        out_say(stream, "Left out: %" PRId64 " of p; %s needs %s", unfit, job->algorithms[0]->name,
                job->algorithms[0]->ranks);
    else if (unfit > 0)
        out_say(stream, "Left out: %" PRId64 " combinations for which there is no plan", unfit);
}

static void print_plans(const struct verify_run *verification, FILE *stream)
{
    const struct verify_record *sum = &verification->sum;
    const bool one = verification->job.algorithm_count == 1,
               buffers = verification->job.buffers > 0;
    if (verify_plan_count(verification) == 0)
        out_say(stream, "No plan was verified; schedules are %s. %.1f s",
                sum->failed == 0 ? "right" : "wrong", verification->wall_s);
    else
        say_plans(verification, stream);
    if (!verification->details)
        say_fault(sum, stream);
    if (!one || verification->details || buffers)
        print_algorithms(verification, stream);
    if (one)
        say_quality(&sum->tallies[0], verification->wall_s, stream);
    else
        say_best(verification, stream);
    if (verification->details)
        out_say(stream, "C2: blocks of the longest message of each round, added up; least: no more "
                        "than the lower bound for as many rounds; extra: the most above it.");
    if (buffers)
        out_say(stream, "FIFO: for how many messages each pair's must have room if a rank sends "
                        "and then receives in each round, one after the other; in blocks: if each "
                        "block takes a place.");
    if (sum->note[0] != '\0')
        out_say(stream, "%s", sum->note);
    say_left_out(verification, stream);
    if (verification->job.thorough)
        out_json_details(json_of_cover(verification), stream);
    if (!verification->details)
        out_more(stream, "--details%s",
                 sum->failed == 0   ? ""
                 : sum->failed == 1 ? ", --counterexample FILE"
                                    : " (more faults), --counterexample FILE");
}

static void print_sample(const struct verify_job *job, FILE *stream)
{
    if (job->sample > 0)
        fprintf(stream,
                "a sample: of each p the ranks 0, 1, p - 1 and %" PRId32 " pseudo-random ones\n",
                job->sample);
}

static void print_schedules_table(const struct verify_run *verification, FILE *stream)
{
    const struct verify_record *sum = &verification->sum;
    const bool sample = verification->job.sample > 0;
    fprintf(stream, "%" PRId64 " value%s of p, %" PRId64 " rank%s: %s; %.1f s\n", sum->p_count,
            sup_plural(sum->p_count), sum->rank_count, sup_plural(sum->rank_count),
            sum->failed > 0 ? "WRONG"
            : sample        ? "all four conditions hold for these"
                            : "all four conditions hold",
            verification->wall_s);
    print_sample(&verification->job, stream);
}

static json_t *json_of_case(const struct verify_claim_case *one, bool any)
{
    if (!any)
        return json_null();
    return json_pack("{s:i, s:i, s:i, s:i}", "p", one->p, "r", one->r, "value", one->value, "bound",
                     one->bound);
}

/* "25 > 24 at p = 257, r = 2", or a dash. */
static const char *case_text(const struct verify_claim_case *one, bool any, char *text, size_t size)
{
    snprintf(text, size, "-");
    if (any)
        snprintf(text, size, "%" PRId32 " %s %" PRId32 " at p = %" PRId32 ", r = %" PRId32,
                 one->value, one->value > one->bound ? ">" : "<=", one->bound, one->p, one->r);
    return text;
}

static const struct out_column claim_columns[] = {
    {"name", .kind = OUT_WORD},
    {"claim", "claim", .kind = OUT_WORD, .width = -44},
    {"source", "source", .kind = OUT_WORD, .width = -9, .less = 3},
    {"checked", "ranks", .kind = OUT_COUNT, .width = 13},
    {"exceptions", "exceptions", .kind = OUT_COUNT, .width = 11},
    {.heading = "first exception", .kind = OUT_WORD, .width = -30, .gap = 2, .less = 2},
    {.heading = "nearest to the bound, or most above", .kind = OUT_WORD},
};
static const struct out_table claims = {claim_columns, .width = OUT_COUNT_OF(claim_columns)};

/* Into the stream as text, or into the array, whichever is not NULL. */
static void add_claims(const struct verify_claim_tally tallies[], FILE *stream, json_t *array)
{
    if (stream != NULL)
        out_text_heading(&claims, stream);
    for (int32_t c = 0; c < VERIFY_CLAIMS; c++) {
        const struct verify_claim_tally *tally = &tallies[c];
        const bool any = tally->exceptions > 0;
        char first[64], tightest[64];
        const union out_cell cells[] = {
            {.word = verify_claim_table[c].name},
            {.word = verify_claim_table[c].text},
            {.word = verify_claim_table[c].source},
            {.whole = tally->checked},
            {.whole = tally->exceptions},
            {.word = case_text(&tally->first_exception, any, first, sizeof first)},
            {.word = case_text(&tally->tightest, tally->checked > 0, tightest, sizeof tightest)}};
        if (stream != NULL) {
            out_text_row(&claims, cells, stream);
            continue;
        }
        json_t *row = out_json_row(&claims, cells);
        json_object_set_new(row, "first_exception", json_of_case(&tally->first_exception, any));
        json_object_set_new(row, "tightest", json_of_case(&tally->tightest, tally->checked > 0));
        json_array_append_new(array, row);
    }
}

void verify_print_json(const struct verify_run *verification, FILE *stream)
{
    const struct verify_record *sum = &verification->sum;
    json_t *all;
    if (verification->job.what == VERIFY_WHAT_PLANS)
        all = json_pack("{s:s, s:I, s:I, s:o}", "collective", verification->job.collectives,
                        "plans", (json_int_t)verify_plan_count(verification), "wrong",
                        (json_int_t)sum->failed, "algorithms", json_of_plans(verification));
    else
        all = json_pack("{s:I, s:I}", "p_count", (json_int_t)sum->p_count, "ranks",
                        (json_int_t)sum->rank_count);
    if (sum->note[0] != '\0')
        json_object_set_new(all, "note", json_string(sum->note));
    if (verification->job.thorough)
        json_object_set_new(all, "covered", json_of_cover(verification));
    if (verification->job.what == VERIFY_WHAT_SCHEDULES)
        json_object_set_new(all, "wrong", json_integer(sum->failed));
    if (verification->job.what == VERIFY_WHAT_CLAIMS) {
        json_object_set_new(all, "claims", json_array());
        add_claims(sum->claims, NULL, json_object_get(all, "claims"));
    }
    json_object_set_new(all, "wall_s", json_real(verification->wall_s));
    json_object_set_new(all, "version", json_string(cli_program_version));
    if (verification->job.what != VERIFY_WHAT_PLANS)
        json_object_set_new(all, "sample",
                            verification->job.sample > 0 ? json_integer(verification->job.sample)
                                                         : json_null());
    out_json_print(stream, all, 0);
}

static void print_claims_table(const struct verify_run *verification, FILE *stream)
{
    const struct verify_record *sum = &verification->sum;
    fprintf(stream, "%" PRId64 " value%s of p, %" PRId64 " rank%s: %s; %.1f s\n", sum->p_count,
            sup_plural(sum->p_count), sum->rank_count, sup_plural(sum->rank_count),
            verify_claims_news(sum->claims) ? "A CLAIM FAILS that was believed true"
                                            : "as expected",
            verification->wall_s);
    add_claims(sum->claims, stream, NULL);
    for (int32_t c = 0; c < VERIFY_CLAIMS; c++)
        if (verify_claim_table[c].known_false && sum->claims[c].exceptions > 0)
            fprintf(stream, "%s is known to fail; the iterations are O(log p) all the same\n",
                    verify_claim_table[c].source);
    print_sample(&verification->job, stream);
}

void verify_print_table(const struct verify_run *verification, FILE *stream)
{
    static void (*const print[])(const struct verify_run *, FILE *) = {
        [VERIFY_WHAT_PLANS] = print_plans,
        [VERIFY_WHAT_SCHEDULES] = print_schedules_table,
        [VERIFY_WHAT_CLAIMS] = print_claims_table,
    };
    print[verification->job.what](verification, stream);
    if (!verification->details && verification->job.what != VERIFY_WHAT_PLANS)
        say_fault(&verification->sum, stream);
}
