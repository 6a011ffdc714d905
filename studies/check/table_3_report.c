/* table_3_report.c - Table 3 as printed in the paper and as computed here (table_3.h). */
#include <inttypes.h>

#include "studies/check/table_3.h"

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
    int used = snprintf(text, size, "%s", line->holds ? "" : "FAILS");
    if (line->L != line->print->L)
        used += snprintf(text + used, size - (size_t)used, "%sin print L = %" PRId64,
                         used > 0 ? "  " : "", line->print->L);
    if (line->t_opt != line->print->t_opt)
        snprintf(text + used, size - (size_t)used, "%sin print T_opt = %" PRId64,
                 used > 0 ? "  " : "", line->print->t_opt);
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

void check_table_3_report(const struct check_request *request,
                          const struct check_table_3_line line[], size_t count)
{
    struct out_rows rows;
    if (request->format == OUT_TEXT)
        fprintf(request->stream,
                PAPER
                "\nLengths in elements of one slice of L. T_algo, T_ech: the paper's "
                "heuristic without and with\nexchanges; likewise greedy 0 and greedy. Length, "
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
