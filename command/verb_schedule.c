/* verb_schedule.c - the circulant graph's skips, baseblocks, receive and send schedules, laid out
 * as in Tables 1 to 3 of J. L. Traeff, Optimal Broadcast Schedules in Logarithmic Time, 2024: a
 * column per rank, a vertical bar in front of rank skip[k]. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/point/parameters.h"
#include "support/memory.h"
#include "support/options/common_options.h"
#include "support/output/output.h"
#include "support/output/table.h"
#include "support/output/verdict.h"

enum { LEAST_WIDTH = 40, MOST_WIDTH = 100000, PLAIN_WIDTH = 80 };

static const struct cli_option options[] = {
    {POINT_LIKE(P), .required = true},
    {CLI_ROW("rank", INTS, "LIST"), .letter = 'r', .least = 0, .most = RB_MAX_RANKS - 1,
     .help = "print only these ranks; default: all"},
    CLI_OPTION_FORMAT("table|csv|json"),
    {CLI_ROW("width", INT, "COLUMNS"), .least = LEAST_WIDTH, .most = MOST_WIDTH,
     .help =
         "split the table at this width; default: the terminal's width, or 80 without a terminal"},
    CLI_OPTION_OUTPUT,
    CLI_OPTION_END,
};

/* The requested ranks: a list, or all. */
struct selection {
    const struct sup_list *list; /* empty: all ranks */
    int64_t count;
};

static int32_t selected(const struct selection *selection, int64_t i)
{
    return (int32_t)(selection->list->count == 0 ? i : selection->list->value[i]);
}

struct rank_schedule {
    int32_t rank;
    int32_t baseblock;
    int8_t recv[RB_MAX_Q + 1];
    int8_t send[RB_MAX_Q + 1];
};

static void compute(const struct rb_circulant *graph, int32_t rank, struct rank_schedule *schedule)
{
    schedule->rank = rank;
    schedule->baseblock = rb_circulant_baseblock(graph, rank);
    rb_circulant_recv(graph, rank, schedule->recv);
    rb_circulant_send(graph, rank, schedule->send);
}

/* ---- Table ----------------------------------------------------------------------------------- */

/* True if a skip lies in (before, rank], so that a bar stands between these ranks. */
static bool bar_between(const struct rb_circulant *graph, int32_t before, int32_t rank)
{
    for (int32_t k = 0; k < graph->q; k++)
        if (before < graph->skip[k] && graph->skip[k] <= rank)
            return true;
    return false;
}

/* A page of the table: the columns that fit one width. */
struct page {
    const struct rb_circulant *graph;
    FILE *stream;
    const struct rank_schedule *columns;
    int64_t count;
    int32_t before; /* the rank left of the page, or its first */
    int digits;     /* of the widest number */
    int label;      /* width of the row's name */
};

/* The i-th of the 2 + 2q numbers of a rank. */
static int32_t entry(const struct rank_schedule *column, int32_t q, int32_t i)
{
    return i == 0      ? column->rank
           : i == 1    ? column->baseblock
           : i < 2 + q ? column->recv[i - 2]
                       : column->send[i - 2 - q];
}

static void print_row(const struct page *page, const char *name, int32_t row)
{
    fprintf(page->stream, "%*s:", page->label, name);
    int32_t before = page->before;
    for (int64_t i = 0; i < page->count; i++) {
        const struct rank_schedule *column = &page->columns[i];
        if (bar_between(page->graph, before, column->rank))
            fputs(" |", page->stream);
        fprintf(page->stream, " %*" PRId32, page->digits, entry(column, page->graph->q, row));
        before = column->rank;
    }
    fputc('\n', page->stream);
}

static void print_page(const struct page *page)
{
    const int32_t q = page->graph->q;
    char name[32];
    print_row(page, "r", 0);
    print_row(page, "b", 1);
    for (int32_t k = 0; k < 2 * q; k++) {
        snprintf(name, sizeof name, "%sblock[%" PRId32 "]", k < q ? "recv" : "send", k % q);
        print_row(page, name, 2 + k);
    }
}

static int table_width(const struct cli_args *args)
{
    if (cli_args_given(args, "width"))
        return (int)cli_args_int(args, "width");
    const bool shown = strcmp(cli_args_text(args, "output"), "-") == 0;
    const int width = shown ? out_terminal_width() : 0;
    return width >= LEAST_WIDTH ? width : PLAIN_WIDTH;
}

static int widest_digits(const struct rb_circulant *graph, const struct selection *ranks)
{
    char text[16];
    int32_t largest = 0;
    for (int64_t i = 0; ranks->list->count > 0 && i < ranks->count; i++)
        if (selected(ranks, i) > largest)
            largest = selected(ranks, i);
    if (ranks->list->count == 0)
        largest = graph->p - 1;
    int digits = snprintf(text, sizeof text, "%" PRId32, largest);
    int negative = snprintf(text, sizeof text, "%" PRId32, -graph->q);
    return digits > negative ? digits : negative;
}

static void print_heading(const struct rb_circulant *graph, FILE *stream)
{
    fprintf(stream, "p = %" PRId32 ", q = %" PRId32 ", skip[0..%" PRId32 "] =", graph->p, graph->q,
            graph->q);
    for (int32_t k = 0; k <= graph->q; k++)
        fprintf(stream, " %" PRId32, graph->skip[k]);
    fputc('\n', stream);
}

/* Shows how far the ranks are, now and then. */
static void show_progress(struct cli_bar *bar, int64_t i)
{
    if (i % 64 == 0)
        cli_bar_update(bar, i, NULL);
}

static void print_table(const struct cli_args *args, const struct rb_circulant *graph,
                        const struct selection *ranks, FILE *stream, struct cli_bar *bar)
{
    const int width = table_width(args);
    struct rank_schedule *columns = sup_reallocarray(NULL, (size_t)width, sizeof *columns);
    char name[32];
    struct page page = {
        .graph = graph,
        .stream = stream,
        .columns = columns,
        .digits = widest_digits(graph, ranks),
        .label =
            graph->q == 0 ? 1 : snprintf(name, sizeof name, "recvblock[%" PRId32 "]", graph->q - 1),
    };
    print_heading(graph, stream);
    int32_t before = selected(ranks, 0);
    const bool brief = ranks->list->count == 0 && !cli_details(args) &&
                       !cli_args_given(args, "width") &&
                       strcmp(cli_args_text(args, "output"), "-") == 0;
    for (int64_t i = 0; i < ranks->count && ferror(stream) == 0;) {
        page.before = before;
        int used = page.label + 1;
        for (page.count = 0; i < ranks->count; page.count++, i++) {
            int32_t rank = selected(ranks, i);
            used += page.digits + 1 + (bar_between(graph, before, rank) ? 2 : 0);
            if (used > width && page.count > 0)
                break;
            show_progress(bar, i);
            compute(graph, rank, &columns[page.count]);
            before = rank;
        }
        fputc('\n', stream);
        print_page(&page);
        if (brief && i < ranks->count) {
            out_more(stream, "--details (all %" PRId32 " ranks), --rank LIST, --format csv",
                     graph->p);
            break;
        }
    }
    free(columns);
}

/* ---- csv and json ---------------------------------------------------------------------------- */

static void print_csv(const struct rb_circulant *graph, const struct selection *ranks, FILE *stream,
                      struct cli_bar *bar)
{
    const int32_t q = graph->q;
    fputs("rank,baseblock", stream);
    for (int32_t k = 0; k < 2 * q; k++)
        fprintf(stream, ",%s_%" PRId32, k < q ? "recv" : "send", k % q);
    fputc('\n', stream);
    for (int64_t i = 0; i < ranks->count && ferror(stream) == 0; i++) {
        struct rank_schedule schedule;
        show_progress(bar, i);
        compute(graph, selected(ranks, i), &schedule);
        for (int32_t k = 0; k < 2 + 2 * q; k++)
            fprintf(stream, "%s%" PRId32, k == 0 ? "" : ",", entry(&schedule, q, k));
        fputc('\n', stream);
    }
}

static json_t *json_of_blocks(const int8_t block[], int32_t q)
{
    json_t *array = json_array();
    for (int32_t k = 0; k < q; k++)
        json_array_append_new(array, json_integer(block[k]));
    return array;
}

static void print_json(const struct rb_circulant *graph, const struct selection *ranks,
                       FILE *stream, struct cli_bar *bar)
{
    json_t *skips = json_array();
    for (int32_t k = 0; k <= graph->q; k++)
        json_array_append_new(skips, json_integer(graph->skip[k]));
    struct out_json_rows rows;
    out_json_rows_begin(&rows, stream,
                        json_pack("{s:i, s:i, s:o}", "p", graph->p, "q", graph->q, "skip", skips),
                        "ranks");
    for (int64_t i = 0; i < ranks->count && ferror(stream) == 0; i++) {
        struct rank_schedule schedule;
        show_progress(bar, i);
        compute(graph, selected(ranks, i), &schedule);
        out_json_rows_add(&rows, json_pack("{s:i, s:i, s:o, s:o}", "rank", schedule.rank,
                                           "baseblock", schedule.baseblock, "recv",
                                           json_of_blocks(schedule.recv, graph->q), "send",
                                           json_of_blocks(schedule.send, graph->q)));
    }
    out_json_rows_end(&rows);
}

static int run(const struct cli_args *args)
{
    struct rb_circulant graph;
    const int32_t p = (int32_t)cli_args_int(args, "ranks");
    rb_circulant_init(&graph, p);
    struct selection ranks = {.list = cli_args_list(args, "rank"), .count = p};
    if (ranks.list->count > 0)
        ranks.count = (int64_t)ranks.list->count;
    for (size_t i = 0; i < ranks.list->count; i++)
        if (ranks.list->value[i] >= p)
            return cli_complain(CLI_EXIT_USAGE,
                                "--rank: %" PRId64 " is not a rank: with %" PRId32
                                " ranks it must be from 0 to %" PRId32,
                                ranks.list->value[i], p, p - 1);
    struct out_file output;
    const int status = cli_args_output(args, &output);
    if (status != CLI_EXIT_DONE)
        return status;
    struct cli_bar bar;
    cli_bar_start_writing(&bar, "schedule", ranks.count, &output);
    if (cli_args_format(args) == OUT_TEXT)
        print_table(args, &graph, &ranks, output.stream, &bar);
    else
        (cli_args_format(args) == OUT_CSV ? print_csv : print_json)(&graph, &ranks, output.stream,
                                                                    &bar);
    cli_bar_end(&bar);
    return cli_finish_output(&output, status);
}

const struct cli_verb verb_schedule = {
    .name = "schedule",
    .title = "Print the circulant schedules as in the paper's tables.",
    .options = options,
    .examples = "roundabout schedule -p 17\n"
                "roundabout schedule -p 1000000 -r 0,1,999999\n"
                "roundabout schedule -p 18 --format csv\n",
    .run = run,
};
