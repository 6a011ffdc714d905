#include "studies/check/check.h"
#include "support/output/verdict.h"

#include <inttypes.h>

#include "studies/redistribution/redistribution.h"

/* ---- The report ------------------------------------------------------------------------------ */

#define PAPER                                                                                      \
    "Desprez, Domas, Dongarra, Petitet, Randriamaro, Robert: More on Scheduling Block-Cyclic "     \
    "Array Redistribution, 1998, Table 3"

#define PRINTED(member)  OUT_OF_BASE(0, struct check_table_3_print, member)
#define COMPUTED(member) OUT_OF_BASE(1, struct check_table_3_line, member)

enum { T_ECH = 9, NOTE = 18, VERSION };
static const struct out_column columns[] = {
    {"source_ranks", .heading = "P", .kind = OUT_COUNT, .width = 3, PRINTED(P)},
    {"source_block", .heading = "r", .kind = OUT_COUNT, .width = 3, PRINTED(r)},
    {"target_ranks", .heading = "Q", .kind = OUT_COUNT, .width = 3, PRINTED(Q)},
    {"target_block", .heading = "s", .kind = OUT_COUNT, .width = 3, PRINTED(s)},
    {"slice", .heading = "L", .kind = OUT_COUNT, .width = 7, COMPUTED(L)},
    {"printed_slice", .kind = OUT_COUNT, PRINTED(L)},
    {"t_opt", .heading = "T_opt", .kind = OUT_COUNT, .width = 6, COMPUTED(t_opt)},
    {"printed_t_opt", .kind = OUT_COUNT, PRINTED(t_opt)},
    {"t_algo", .heading = "T_algo", .kind = OUT_COUNT, .width = 7, PRINTED(t_algo)},
    [T_ECH] = {"t_ech", .heading = "T_ech", .kind = OUT_COUNT, .width = 6},
    {"method", .kind = OUT_WORD, COMPUTED(method)},
    {"length", .heading = "length", .kind = OUT_COUNT, .width = 8, COMPUTED(length)},
    {"cuts", .heading = "cuts", .kind = OUT_COUNT, .width = 5, COMPUTED(cuts)},
    {"matching_cuts", .heading = "matching\ncuts", .kind = OUT_COUNT, .width = 9,
     COMPUTED(matching_cuts)},
    {"greedy_0", .heading = "greedy 0", .kind = OUT_COUNT, .width = 9, COMPUTED(greedy_0)},
    {"greedy", .heading = "greedy", .kind = OUT_COUNT, .width = 7, COMPUTED(greedy)},
    {"seconds", .heading = "seconds", .kind = OUT_REAL, .width = 8, .real = "%.3f",
     COMPUTED(seconds)},
    {"holds", .kind = OUT_TRUTH, COMPUTED(holds)},
    [NOTE] = {.heading = "", .kind = OUT_WORD, .gap = 2},
    [VERSION] = {"version", .kind = OUT_WORD},
};
static const struct out_table table_3 = {columns, .width = OUT_COUNT_OF(columns)};

/* The values that differ from the printed ones. */
static const char *note_of(const struct check_table_3_line *line, char *text, size_t size)
{
    snprintf(text, size, "%s", line->holds ? "" : "FAILS");
    if (line->L != line->print->L)
        sup_append(text, size, "  ", "in print L = %" PRId64, line->print->L);
    if (line->t_opt != line->print->t_opt)
        sup_append(text, size, "  ", "in print T_opt = %" PRId64, line->print->t_opt);
    return text;
}

static void print_line(const struct check_table_3_line *line, struct out_rows *rows)
{
    const struct check_table_3_print *print = line->print;
    char note[96];
    union out_cell cells[OUT_COUNT_OF(columns)] = {[T_ECH].whole =
                                                       print->t_ech > 0 ? print->t_ech : -1,
                                                   [NOTE].word = note_of(line, note, sizeof note),
                                                   [VERSION].word = cli_program_version};
    out_cells(&table_3, (const void *const[]){print, line}, cells);
    out_rows_add(rows, cells);
}

static void table_3_report(const struct check_request *request,
                           const struct check_table_3_line line[], size_t count)
{
    struct out_rows rows;
    size_t holding = 0;
    for (size_t i = 0; i < count; i++)
        holding += line[i].holds;
    if (request->format == OUT_TEXT)
        out_say(request->stream, "%zu of %zu redistributions take T_opt, the least possible\n",
                holding, count);
    if (request->format == OUT_TEXT)
        fprintf(request->stream,
                PAPER "\nLengths in elements of one slice of L. T_algo, T_ech: the paper's "
                      "heuristic without and with\nexchanges, as of greedy the methods greedy 0 "
                      "and greedy. Length, "
                      "cuts and seconds: %s.\n\n",
                line[0].method);
    out_rows_begin(&rows, &table_3, request->format, request->stream,
                   json_pack("{s:s, s:s}", "check", check_paper_table_3.name, "paper", PAPER),
                   "rows");
    for (size_t i = 0; i < count; i++)
        print_line(&line[i], &rows);
    if (request->format == OUT_TEXT)
        fprintf(request->stream, "roundabout %s\n", cli_program_version);
    out_rows_end(&rows);
}

/* ---- The check ------------------------------------------------------------------------------- */

const struct check_table_3_print check_table_3[CHECK_TABLE_3_ROWS] = {
    {.P = 15, .r = 4, .Q = 12, .s = 3, .L = 180, .t_opt = 15, .t_algo = 18, .t_ech = 15},
    {.P = 15, .r = 4, .Q = 16, .s = 3, .L = 240, .t_opt = 16, .t_algo = 23, .t_ech = 17},
    {.P = 15, .r = 2, .Q = 14, .s = 3, .L = 210, .t_opt = 15, .t_algo = 19, .t_ech = 16},
    {.P = 15, .r = 2, .Q = 16, .s = 3, .L = 240, .t_opt = 16, .t_algo = 22, .t_ech = 17},
    {.P = 16, .r = 9, .Q = 18, .s = 5, .L = 720, .t_opt = 45, .t_algo = 49, .t_ech = 46},
    {.P = 15, .r = 9, .Q = 18, .s = 5, .L = 270, .t_opt = 18, .t_algo = 20, .t_ech = 18},
    {.P = 15, .r = 16, .Q = 18, .s = 32, .L = 2800, .t_opt = 192, .t_algo = 208, .t_ech = 192},
    {.P = 15, .r = 16, .Q = 9, .s = 32, .L = 1440, .t_opt = 160, .t_algo = 174, .t_ech = 160},
    {.P = 14, .r = 17, .Q = 19, .s = 33, .L = 149226, .t_opt = 10659, .t_algo = 10659},
};

/* A method's timetable for the task, in elements. */
static int try(const struct compare_task *task, const char *method, int64_t exchanges,
               int64_t *length, int64_t *cuts, double *seconds, struct sup_error *error)
{
    const struct rb_redistribute_options options = {.most_exchanges = exchanges};
    const struct rb_redistribute_method *found;
    struct compare_attempt attempt;
    int status = compare_method_find(method, &found, error);
    if (status == RB_OK)
        status = compare_attempt_make(&attempt, task, found, &options, error);
    if (status != RB_OK)
        return status;
    *length = attempt.facts.length * task->traffic.unit;
    *cuts = attempt.facts.cuts;
    *seconds = attempt.seconds;
    compare_attempt_deinit(&attempt);
    return RB_OK;
}

int check_table_3_compute(const struct check_table_3_print *print, struct check_table_3_line *line,
                          struct sup_error *error)
{
    char instance[128];
    struct compare_task task;
    int64_t length, cuts;
    double seconds;
    snprintf(instance, sizeof instance, "P=%" PRId32 ",r=%" PRId64 ",Q=%" PRId32 ",s=%" PRId64,
             print->P, print->r, print->Q, print->s);
    int status = compare_task_init(&task, instance, error);
    if (status != RB_OK)
        return status;
    *line = (struct check_table_3_line){.print = print,
                                        .method = rb_redistribute_methods[0].name,
                                        .L = task.problem.dimension[0].M,
                                        .t_opt = task.traffic.longest_port * task.traffic.unit};
    status = try(&task, line->method, 0, &line->length, &line->cuts, &line->seconds, error);
    if (status == RB_OK)
        status = try(&task, "matching", 0, &length, &line->matching_cuts, &seconds, error);
    if (status == RB_OK)
        status = try(&task, "greedy", -1, &line->greedy_0, &cuts, &seconds, error);
    if (status == RB_OK)
        status = try(&task, "greedy", 0, &line->greedy, &cuts, &seconds, error);
    line->holds = line->length == line->t_opt && line->seconds <= CHECK_TABLE_3_SECONDS;
    compare_task_deinit(&task);
    return status;
}

static int run(const struct check_request *request, struct sup_error *error)
{
    struct check_table_3_line line[CHECK_TABLE_3_ROWS];
    struct cli_bar bar;
    bool all_hold = true;
    cli_bar_start(&bar, "rows", CHECK_TABLE_3_ROWS);
    for (int64_t i = 0; i < CHECK_TABLE_3_ROWS; i++) {
        const int status = check_table_3_compute(&check_table_3[i], &line[i], error);
        if (status != RB_OK)
            return status;
        all_hold = all_hold && line[i].holds;
        cli_bar_update(&bar, i + 1, "");
    }
    cli_bar_end(&bar);
    table_3_report(request, line, CHECK_TABLE_3_ROWS);
    return all_hold ? RB_OK
                    : sup_fail(error, RB_EWRONG, "not every row reaches T_opt within %g s",
                               CHECK_TABLE_3_SECONDS);
}

const struct check_paper check_paper_table_3 = {
    .name = "table-3",
    .title = "Table 3 of Desprez et al. 1998: redistributions in T_opt",
    .options = (const char *const[]){NULL},
    .run = run,
};
