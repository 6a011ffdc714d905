/* verb_plan.c - prints a plan: who sends which block to whom in which round. Rounds and ranks are
 * streamed: a plan of any size needs no more memory than a bounded cache of ranks. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/point/words.h"
#include "interchange/export/export.h"
#include "interchange/msccl_xml.h"
#include "schedules/dependences/messages.h"
#include "support/memory.h"
#include "support/options/common_options.h"
#include "support/output/verdict.h"

static const struct cli_option options[] = {
    {POINT_LIKE(COLLECTIVE)},
    {POINT_LIKE(ALGORITHM)},
    {POINT_LIKE(P), .help = "number of ranks; required unless the instance gives it"},
    {POINT_LIKE(N), .fallback = "1"},
    {POINT_LIKE(BYTES), .help = "bytes of all the data; default: one element per block"},
    {POINT_LIKE(ELEMENT)},
    {POINT_LIKE(COUNTS)},
    {.more = point_plan_option},
    {POINT_LIKE(PLATFORM),
     .help = "the platform for which --groups are the ranks of a host or node, such as rails:16x8"},
    {POINT_LIKE(PPN)},
    {CLI_ROW("rank", INT, "RANK"), .letter = 'r', .least = 0, .most = RB_MAX_RANKS - 1,
     .help = "print only this rank; default: all"},
    {CLI_ROW("round", INT, "ROUND"), .letter = 't', .least = 0, .most = INT64_MAX,
     .help = "print only this round, counted from 0; default: all"},
    {CLI_ROW("overlap", TEXT, "RULE"), .synonym = "progress", .fallback = "blocking",
     .help = "for goal, ti and chakra: the rule that says what a message waits for: blocking; for "
             "goal and chakra also window:W and data"},
    {CLI_ROW("format", CHOICE, "FORMAT"), .fallback = "table",
     .choices = "table|csv|json|goal|ti|chakra|msccl|mscclpp",
     .help = "output format, see docs/formats.md; goal is for LogGOPSim; ti makes traces for "
             "smpirun -replay, chakra for ASTRA-sim, in the directory that --output names; msccl "
             "is for MSCCL and RCCL, mscclpp for MSCCL++"},
    CLI_OPTION_OUTPUT,
    CLI_OPTION_FORCE,
    CLI_OPTION_END,
};

static const char *const op_names[RB_OP_KINDS] = {
    [RB_SEND] = "send", [RB_RECV] = "recv",     [RB_RECV_REDUCE] = "reduce",
    [RB_COPY] = "copy", [RB_REDUCE] = "reduce",
};
static const char *const buffer_names[RB_BUFFERS] = {
    [RB_SRC] = "src",
    [RB_DST] = "dst",
    [RB_TMP] = "tmp",
};

/* The selection to print, and the format. */
struct export
{
    const struct rb_plan *plan;
    struct rb_layout layout;
    int64_t *first; /* the layout's irregular counts, owned */
    int32_t first_rank, end_rank;
    int64_t first_round, end_round;
    const char *note; /* what groups or ports were set, "" if none */
    const struct out_file *output;
    FILE *stream; /* its */
    enum out_format format;
    struct out_rows rows;
    struct cli_bar bar;
    int64_t row_count;       /* printed */
    bool brief;              /* text on one screen */
    int32_t lines;           /* of it */
    bool cut;                /* there would be more */
    int64_t longest;         /* blocks: of the present round's messages */
    int64_t critical_volume; /* sum of the longest messages of all earlier rounds (C2) */
};

/* ---- One round of one rank ---- */

static void print_table_op(const struct export *export, const struct rb_op *op)
{
    const struct rb_range *at = &op->at;
    FILE *stream = export->stream;
    fprintf(stream, " %s %" PRId64, op_names[op->kind], at->first);
    if (at->count > 1)
        fprintf(stream, "..%" PRId64, at->first + at->count - 1);
    if (rb_plan_owners(export->plan) > 1)
        fprintf(stream, " of %" PRId32, at->owner);
    if (at->buffer != RB_DST)
        fprintf(stream, " in %s", buffer_names[at->buffer]);
    if (op->kind == RB_SEND)
        fprintf(stream, " to %" PRId32, op->peer);
    else if (op->kind == RB_RECV || op->kind == RB_RECV_REDUCE)
        fprintf(stream, " from %" PRId32, op->peer);
    else
        fprintf(stream, " from %s %" PRId64 " of %" PRId32, buffer_names[op->from.buffer],
                op->from.first, op->from.owner);
    if (rb_plan_ports(export->plan) > 1 && op->kind <= RB_RECV_REDUCE)
        fprintf(stream, " by port %" PRId32, op->port);
}

static bool reduces(const struct rb_op *op)
{
    return op->kind == RB_RECV_REDUCE || op->kind == RB_REDUCE;
}

/* A row per block, with the block that a local operation reads, and the left operand of a
 * reduction: the incoming block, or the one in place; none for other operations. */
static const struct out_column block_columns[] = {
    {"round", .kind = OUT_COUNT},      {"rank", .kind = OUT_COUNT},
    {"op", .kind = OUT_WORD},          {"peer", .kind = OUT_WHOLE},
    {"port", .kind = OUT_WHOLE},       {"buffer", .kind = OUT_WORD},
    {"owner", .kind = OUT_WHOLE},      {"index", .kind = OUT_WHOLE},
    {"bytes", .kind = OUT_WHOLE},      {"from_buffer", .kind = OUT_WORD},
    {"from_owner", .kind = OUT_COUNT}, {"from_index", .kind = OUT_COUNT},
    {"left", .kind = OUT_WORD},
};
static const struct out_table block_table = {block_columns, .width = OUT_COUNT_OF(block_columns)};

static void print_row(struct export *export, int64_t t, int32_t rank, const struct rb_op *op,
                      int64_t index)
{
    const struct rb_range block = {op->at.buffer, op->at.owner, index, 1};
    const bool local = op->kind == RB_COPY || op->kind == RB_REDUCE;
    const union out_cell cells[] = {
        {.whole = t},
        {.whole = rank},
        {.word = op_names[op->kind]},
        {.whole = op->peer},
        {.whole = op->port},
        {.word = buffer_names[op->at.buffer]},
        {.whole = op->at.owner},
        {.whole = index},
        {.whole = rb_layout_bytes(export->plan, &export->layout, &block)},
        {.word = local ? buffer_names[op->from.buffer] : NULL},
        {.whole = local ? op->from.owner : -1},
        {.whole = local ? op->from.first + (index - op->at.first) : -1},
        {.word = !reduces(op)           ? NULL
                 : op->incoming_is_left ? "incoming"
                                        : "present"}};
    out_rows_add(&export->rows, cells);
}

/* Lines of a plan on one screen. */
enum { SCREEN_LINES = 18 };

static void print_round(struct export *export, int64_t t, int32_t rank, const struct rb_op ops[],
                        int32_t count)
{
    if (export->format == OUT_TEXT && count > 0) {
        export->cut = export->brief && export->lines == SCREEN_LINES;
        if (export->cut)
            return;
        export->lines++;
        fprintf(export->stream, "%7" PRId64 " %7" PRId32 " ", t, rank);
        for (int32_t i = 0; i < count; i++) {
            fputs(i == 0 ? "" : ";", export->stream);
            print_table_op(export, &ops[i]);
        }
        fputc('\n', export->stream);
        return;
    }
    for (int32_t i = 0; i < count; i++)
        for (int64_t block = 0; block < ops[i].at.count; block++)
            print_row(export, t, rank, &ops[i], ops[i].at.first + block);
}

/* As print_round prints: a row per round in a table, otherwise one per block. */
static int64_t count_rows(const struct export *export, const struct rb_op ops[], int32_t count)
{
    int64_t rows = 0;
    for (int32_t i = 0; i < count; i++)
        rows += export->format == OUT_TEXT ? 1 : ops[i].at.count;
    return rows;
}

/* One rank's part of C2 in a round. */
static void measure_round(struct export *export, const struct rb_op ops[], int32_t count)
{
    struct dep_messages left = dep_messages_of(ops, count);
    for (struct dep_message message; dep_next_send(&left, &message);) {
        const int64_t blocks = dep_message_blocks(&message);
        if (blocks > export->longest)
            export->longest = blocks;
    }
}

/* ---- All of them ---- */

/* C2 by the algorithm's formula, null if it states none. */
static json_t *stated_c2(const struct rb_plan *plan)
{
    int64_t blocks;
    return rb_plan_critical_volume(plan, &blocks) == RB_OK ? json_integer(blocks) : json_null();
}

static json_t *bound_or_null(int64_t bound)
{
    return bound < 0 ? json_null() : json_integer(bound);
}

static json_t *json_head(const struct export *export)
{
    const struct rb_plan *plan = export->plan;
    const struct point point = {.plan = rb_plan_spec_of(plan),
                                .m_bytes = export->layout.bytes,
                                .element_bytes = export->layout.element};
    json_t *head = json_object();
    point_add(head, &point, POINT_COLLECTIVE, POINT_N);
    point_add(head, &point, POINT_ROOT, POINT_PORTS);
    json_object_set_new(head, "blocks", json_integer(rb_plan_blocks(plan)));
    json_object_set_new(head, "rounds", json_integer(rb_plan_rounds(plan)));
    point_add(head, &point, POINT_BYTES, POINT_BYTES);
    point_add(head, &point, POINT_ELEMENT, POINT_ELEMENT);
    point_add_chosen(head, &point.plan);
    json_object_set_new(head, "bound_rounds", bound_or_null(rb_bound_rounds(plan)));
    json_object_set_new(head, "c2", stated_c2(plan));
    json_object_set_new(head, "bound_c2", bound_or_null(rb_bound_critical_volume(plan, INT64_MAX)));
    return head;
}

/* The answer: how many rounds, of what; with details the blocks and bytes. */
static void say_head(const struct export *export)
{
    const struct rb_plan *plan = export->plan;
    const struct rb_plan_spec spec = rb_plan_spec_of(plan);
    const int64_t blocks = rb_plan_blocks(plan);
    char root[32] = "", ways[128], rounds[192], bytes[32], more[80] = "";
    if (rb_plan_root(plan) > 0)
        cli_format_root(rb_plan_collective(plan), rb_plan_root(plan), root, sizeof root);
    if (!export->brief)
        snprintf(more, sizeof more, ", %" PRId64 " block%s, m = %s", blocks, sup_plural(blocks),
                 sup_format_shown(export->layout.bytes, bytes, sizeof bytes));
    out_say(export->stream, "%s: %s by %s, p = %" PRId32 ", n = %" PRId64 "%s%s%s",
            cli_format_rounds(plan, rounds, sizeof rounds), rb_plan_collective(plan)->name,
            rb_plan_algorithm(plan)->name, rb_plan_ranks(plan), rb_plan_n(plan),
            point_format_ways(&spec, ways, sizeof ways), root, more);
    if (rb_plan_rounds(plan) > 0)
        fputs("  round    rank  blocks\n", export->stream);
}

static void print_head(struct export *export)
{
    if (export->format != OUT_TEXT)
        out_rows_begin(&export->rows, &block_table, export->format, export->stream,
                       export->format == OUT_JSON ? json_head(export) : NULL, "rows");
    else
        say_head(export);
}

/* C2 of a plan that was printed as a whole, beside the formula and the bounds. */
static void print_measures(const struct export *export)
{
    const struct rb_plan *plan = export->plan;
    char least[128], formula[64] = "";
    int64_t stated;
    if (!export->brief && rb_plan_critical_volume(plan, &stated) == RB_OK)
        snprintf(formula, sizeof formula, ", by the algorithm's formula %" PRId64, stated);
    out_say(export->stream, "%" PRId64 " block%s in sequence%s (%s)", export->critical_volume,
            sup_plural(export->critical_volume), formula,
            cli_format_least_critical_volume(plan, least, sizeof least));
}

/* Ranks computed once; beyond that many, a rank is computed anew in each round. */
enum { CACHED_RANKS = 1 << 16 };
/* Ranks, from one look at the clock to the next. */
enum { LOOK_EVERY = 64 };

/* Rounds differ in how much they print: about how many rows there are, from a sample of ranks and
 * rounds. */
static int64_t estimate_rows(const struct export *export, struct rb_op ops[])
{
    enum { RANKS = 16, ROUNDS = 256 };
    const int64_t ranks = export->end_rank - export->first_rank;
    const int64_t rounds = export->end_round - export->first_round;
    const int64_t of_ranks = ranks < RANKS ? ranks : RANKS;
    const int64_t of_rounds = rounds < ROUNDS ? rounds : ROUNDS;
    int64_t rows = 0;
    for (int64_t i = 0; i < of_ranks; i++) {
        struct rb_rank state;
        rb_plan_rank(export->plan, export->first_rank + (int32_t)(i * ranks / of_ranks), &state);
        for (int64_t k = 0; k < of_rounds; k++) {
            const double share = (double)k / (double)of_rounds;
            const int64_t t = export->first_round + (int64_t)(share * (double)rounds);
            const int32_t count = rb_plan_round(export->plan, &state, t, ops);
            rows += count_rows(export, ops, count);
        }
    }
    const double share = (double)(of_ranks * of_rounds) / ((double)ranks * (double)rounds);
    return (int64_t)fmin((double)rows / share, 0x1p62);
}

static int print_plan(struct export *export)
{
    const int32_t ranks = export->end_rank - export->first_rank;
    const int32_t cached = ranks < CACHED_RANKS ? ranks : CACHED_RANKS;
    struct rb_rank *states = sup_reallocarray(NULL, (size_t)cached, sizeof *states);
    struct rb_op *ops = sup_reallocarray(NULL, (size_t)rb_plan_max_ops(export->plan), sizeof *ops);
    int status = RB_OK;
    char why[240];
    for (int32_t i = 0; i < cached; i++)
        rb_plan_rank(export->plan, export->first_rank + i, &states[i]);
    print_head(export);
    cli_bar_start_writing(&export->bar, "plan", 0, export->output);
    if (!export->bar.hidden)
        export->bar.total = estimate_rows(export, ops);
    for (int64_t t = export->first_round; status == RB_OK && t < export->end_round && !export->cut;
         t++) {
        if (ferror(export->stream) != 0)
            break;
        for (int32_t i = 0; i < ranks && !export->cut; i++) {
            struct rb_rank fresh;
            const struct rb_rank *state = &fresh;
            if (i < cached)
                state = &states[i];
            else
                rb_plan_rank(export->plan, export->first_rank + i, &fresh);
            const int32_t count = rb_layout_checked_round(export->plan, &export->layout, state, t,
                                                          ops, why, sizeof why);
            if (count < 0) {
                status = count;
                break;
            }
            if (i % LOOK_EVERY == 0)
                cli_bar_update(&export->bar, export->row_count, NULL);
            export->row_count += count_rows(export, ops, count);
            measure_round(export, ops, count);
            print_round(export, t, export->first_rank + i, ops, count);
        }
        export->critical_volume += export->longest;
        export->longest = 0;
    }
    cli_bar_end(&export->bar);
    const bool whole = ranks == rb_plan_ranks(export->plan) &&
                       export->end_round - export->first_round == rb_plan_rounds(export->plan);
    if (status == RB_OK && export->format == OUT_TEXT && whole && !export->cut)
        print_measures(export);
    if (export->cut)
        fprintf(export->stream, "%7s %7s\n", "...", "...");
    if (export->brief)
        out_more(export->stream, "--details%s, --rank R, --round T, --format csv",
                 export->cut ? " (all of it)" : "");
    if (status == RB_OK && export->format != OUT_TEXT)
        out_rows_end(&export->rows);
    free(states);
    free(ops);
    if (status == RB_EWRONG)
        return cli_complain(CLI_EXIT_FALSE, "the plan is wrong: %s", why);
    return status == RB_OK ? CLI_EXIT_DONE : cli_complain(CLI_EXIT_FAILED, "out of memory");
}

/* Which ranks and rounds. Complains. */
static int read_selection(const struct cli_args *args, struct export *export)
{
    const int32_t p = rb_plan_ranks(export->plan);
    const int64_t rounds = rb_plan_rounds(export->plan);
    export->end_rank = p;
    export->end_round = rounds;
    if (cli_args_given(args, "rank")) {
        export->first_rank = (int32_t)cli_args_int(args, "rank");
        export->end_rank = export->first_rank + 1;
    }
    if (export->first_rank >= p)
        return cli_complain(CLI_EXIT_USAGE,
                            "--rank: %" PRId32 " is not a rank: with %" PRId32
                            " ranks it must be from 0 to %" PRId32,
                            export->first_rank, p, p - 1);
    if (cli_args_given(args, "round")) {
        export->first_round = cli_args_int(args, "round");
        if (export->first_round >= rounds)
            return cli_complain(CLI_EXIT_USAGE,
                                "--round: %" PRId64 ": this plan has %" PRId64
                                " rounds, counted from 0",
                                export->first_round, rounds);
        export->end_round = export->first_round + 1;
    }
    return CLI_EXIT_DONE;
}

static int read_layout(const struct cli_args *args, struct export *export)
{
    const struct rb_algorithm_info *algorithm = rb_plan_algorithm(export->plan);
    struct sup_error error;
    int64_t bytes;
    int status = cli_request_bytes(args, algorithm, &bytes, &error);
    if (status != RB_OK)
        return cli_fail(status, &error);
    if (!cli_args_given(args, "bytes") && (algorithm->only == NULL || algorithm->only->bytes < 0) &&
        __builtin_mul_overflow(rb_plan_blocks(export->plan) * rb_plan_owners(export->plan),
                               cli_args_int(args, "element"), &bytes))
        return cli_complain(CLI_EXIT_USAGE, "--element: so many blocks of this size are more than "
                                            "2^63 bytes: give --bytes or a smaller element");
    status =
        cli_request_layout(args, bytes, rb_plan_collective(export->plan),
                           rb_plan_ranks(export->plan), &export->layout, &export->first, &error);
    return cli_fail(status, &error);
}

/* ---- For other simulators ---- */

static bool is_for_others(const char *format)
{
    return strcmp(format, "goal") == 0 || strcmp(format, "ti") == 0 ||
           strcmp(format, "chakra") == 0 || strncmp(format, "msccl", 5) == 0;
}

/* A schedule of another form names places, with which other readers could do nothing. */
static int check_names(const struct cli_args *args, const struct rb_plan *plan)
{
    const char *format = cli_args_text(args, "format");
    if (!rb_is_by_place(rb_plan_algorithm(plan)) || strcmp(format, "table") == 0 ||
        strcmp(format, "goal") == 0 || strcmp(format, "ti") == 0 || strcmp(format, "chakra") == 0)
        return CLI_EXIT_DONE;
    return cli_complain(CLI_EXIT_USAGE,
                        "--format: %s is for round plans, and %s is a schedule of another form: "
                        "table, goal, ti and chakra are for both",
                        format, rb_plan_algorithm(plan)->only->file);
}

static int export_traces(const struct cli_args *args, const struct export_request *export)
{
    const char *directory = cli_args_text(args, "output");
    struct sup_error error;
    if (strcmp(directory, "-") == 0)
        return cli_complain(CLI_EXIT_USAGE,
                            "--output: missing: traces are one file per rank and need a directory");
    const bool ti = strcmp(cli_args_text(args, "format"), "ti") == 0;
    const bool overlap =
        ti ? export->overlap.rule != SIM_BLOCKING : export->overlap.rule == SIM_LOCKSTEP;
    const char *culprit = overlap ? "--overlap" : "--output";
    const int status = ti ? export_write_ti(export, directory, &error)
                          : export_write_chakra(export, directory, &error);
    if (status == RB_EWRONG)
        return cli_complain(CLI_EXIT_FALSE, "%s", error.text);
    return status == RB_OK ? CLI_EXIT_DONE
                           : cli_complain(cli_exit_of(status), "%s: %s", culprit, error.text);
}

static int export_goal(const struct cli_args *args, struct export_request *export)
{
    struct out_file output = {0};
    struct sup_error error;
    int status = cli_args_output(args, &output);
    if (status != CLI_EXIT_DONE)
        return status;
    export->output = &output;
    const int exported = export_write_goal(export, output.stream, &error);
    if (exported != RB_OK)
        status = cli_complain(cli_exit_of(exported), "%s%s",
                              exported == RB_EINVAL ? "--overlap: " : "", error.text);
    return cli_finish_output(&output, status);
}

static int export_msccl(const struct cli_args *args, const struct rb_plan *plan)
{
    const char *format = cli_args_text(args, "format");
    struct out_file output = {0};
    struct sup_error error;
    const char *name = cli_args_first(args, "overlap|counts");
    if (name != NULL)
        return cli_complain(CLI_EXIT_USAGE, "--%s: not with --format %s", name, format);
    int status = cli_args_output(args, &output);
    if (status != CLI_EXIT_DONE)
        return status;
    const int exported = (strcmp(format, "msccl") == 0 ? inter_msccl_write : inter_mscclpp_write)(
        plan, output.stream, &error);
    if (exported != RB_OK)
        status = cli_complain(cli_exit_of(exported), "%s%s",
                              exported == RB_EINVAL ? "--format: " : "", error.text);
    return cli_finish_output(&output, status);
}

/* The whole plan, with its layout in `selected`. */
static int export_plan(const struct cli_args *args, const struct export *selected)
{
    struct export_request export = {.plan = selected->plan, .layout = &selected->layout};
    struct sup_error error;
    if (cli_args_given(args, "rank") || cli_args_given(args, "round"))
        return cli_complain(CLI_EXIT_USAGE, "--%s: --format %s is for whole plans",
                            cli_args_given(args, "rank") ? "rank" : "round",
                            cli_args_text(args, "format"));
    if (strncmp(cli_args_text(args, "format"), "msccl", 5) == 0)
        return export_msccl(args, selected->plan);
    if (sim_overlap_parse(cli_args_text(args, "overlap"), &export.overlap, &error) != RB_OK)
        return cli_complain(CLI_EXIT_USAGE, "--overlap: %s", error.text);
    return strcmp(cli_args_text(args, "format"), "goal") == 0 ? export_goal(args, &export)
                                                              : export_traces(args, &export);
}

/* Notes, once nothing more can be refused, and before rows: who reads them may close the pipe. */
static void tell(const struct cli_args *args, const struct export *export)
{
    if (export->note[0] != '\0')
        cli_complain(CLI_EXIT_DONE, "%s", export->note);
    cli_say_untimed(rb_plan_algorithm(export->plan));
    if (cli_args_given(args, "bytes"))
        cli_note_empty_blocks(rb_plan_collective(export->plan), rb_plan_ranks(export->plan),
                              rb_plan_n(export->plan), &export->layout);
}

static int print(const struct cli_args *args, struct export *export)
{
    struct out_file output = {0};
    if (cli_args_given(args, "overlap"))
        return cli_complain(CLI_EXIT_USAGE, "--overlap: only with --format goal, ti or chakra");
    const int status = cli_args_output(args, &output);
    if (status != CLI_EXIT_DONE)
        return status;
    export->output = &output;
    export->stream = output.stream;
    export->brief = export->format == OUT_TEXT && !cli_details(args) &&
                    !cli_args_given(args, "rank") && !cli_args_given(args, "round") &&
                    strcmp(cli_args_text(args, "output"), "-") == 0;
    tell(args, export);
    return cli_finish_output(&output, print_plan(export));
}

/* Plans again, by the layout's counts. */
static int plan_by_sizes(const struct rb_plan_spec *asked, struct rb_plan **plan,
                         struct export *export)
{
    struct rb_plan_spec spec = *asked;
    struct sup_error error;
    spec.first = export->first;
    rb_plan_destroy(*plan);
    *plan = NULL;
    const int status = cli_request_plan(&spec, plan, &error);
    export->plan = *plan;
    return cli_fail(status, &error);
}

static int run(const struct cli_args *args)
{
    struct point point = {.ppn = (int32_t)cli_args_int(args, "ppn"),
                          .platform_text = "crossbar:1",
                          .placement_rule = &(struct sim_placement){.rule = SIM_BLOCK}};
    struct sup_error error;
    struct rb_plan *plan = NULL;
    char *groups = NULL, note[POINT_NOTE] = "";
    struct point_neighbours *neighbours = NULL;
    int32_t shared;
    if (cli_args_given(args, "platform"))
        point.platform_text = cli_args_text(args, "platform");
    point_read_plan(args, &point.plan);
    point_resolve(&point);
    int status = cli_args_ranks(args, point.plan.collective, &point.plan.p, &error);
    if (status == RB_OK)
        status = point_shared_ranks(args, &shared, &error);
    if (status == RB_OK)
        status = point_complete(&point, cli_args_given(args, "ports"), &groups, &neighbours, note,
                                &error);
    if (status != RB_OK && groups == NULL && !cli_args_given(args, "platform") &&
        point.plan.groups != NULL && strncmp(error.text, "groups: ", 8) == 0)
        return cli_complain(CLI_EXIT_USAGE,
                            "--groups: %s is of a platform: give --platform, such as rails:16x8, "
                            "or sizes",
                            point.plan.groups);
    if (status == RB_OK)
        status = cli_request_plan(&point.plan, &plan, &error);
    if (status != RB_OK) {
        free(groups);
        point_neighbours_free(neighbours);
        return cli_fail(status, &error);
    }
    struct export export = {.plan = plan, .format = cli_args_format(args), .note = note};
    status = check_names(args, plan);
    if (status == CLI_EXIT_DONE)
        status = read_layout(args, &export);
    if (status == CLI_EXIT_DONE && export.first != NULL && rb_plan_algorithm(plan)->sizes)
        status = plan_by_sizes(&point.plan, &plan, &export);
    if (status == CLI_EXIT_DONE)
        status = read_selection(args, &export);
    const bool for_others = is_for_others(cli_args_text(args, "format"));
    if (status == CLI_EXIT_DONE)
        status = for_others ? export_plan(args, &export) : print(args, &export);
    if (status == CLI_EXIT_DONE && for_others)
        tell(args, &export);
    rb_plan_destroy(plan);
    free(export.first);
    free(groups);
    point_neighbours_free(neighbours);
    return status;
}

const struct cli_verb verb_plan = {
    .name = "plan",
    .title = "Print which rank sends which block to which rank in which round.",
    .common = "collective|algorithm|ranks|blocks|bytes|root|groups|format|output",
    .options = options,
    .examples =
        "roundabout plan -p 17 -n 4\n"
        "roundabout plan --algorithm binomial -p 64 --rank 5\n"
        "roundabout plan -p 17 -n 4 -m 64KiB --format csv\n"
        "roundabout plan -p 17 -n 4 -m 64KiB --format goal --overlap window:4 -o plan.goal\n"
        "roundabout plan -p 17 -n 4 -m 64KiB --format ti -o traces\n"
        "roundabout plan --collective allreduce --algorithm ring -p 8 -m 1MiB --format chakra "
        "--overlap data -o ring\n"
        "roundabout plan --collective allreduce -p 8 --format msccl -o allreduce.xml\n"
        "roundabout plan --collective allgather -p 8 --format mscclpp -o allgather.json\n",
    .run = run,
};
