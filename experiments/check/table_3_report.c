/* table_3_report.c - Table 3, printed and as it comes out here (table_3.h). */
#include <inttypes.h>

#include "command/output/json_rows.h"
#include "experiments/check/table_3.h"

#define PAPER                                                                                      \
    "Desprez, Domas, Dongarra, Petitet, Randriamaro, Robert: More on Scheduling Block-Cyclic "     \
    "Array Redistribution, 1998, Table 3"

static const char *number_or_dash(int64_t number, char *text, size_t size)
{
    snprintf(text, size, number > 0 ? "%" PRId64 : "-", number);
    return text;
}

static void print_line(const struct rb_table_3_line *line, FILE *stream)
{
    const struct rb_table_3_print *print = line->print;
    char t_ech[24];
    fprintf(stream,
            "%3" PRId32 " %3" PRId64 " %3" PRId32 " %3" PRId64 " %7" PRId64 " %6" PRId64
            " %7" PRId64 " %6s %8" PRId64 " %5" PRId64 " %9" PRId64 " %9" PRId64 " %7" PRId64
            " %8.3f",
            print->P, print->r, print->Q, print->s, line->L, line->t_opt, print->t_algo,
            number_or_dash(print->t_ech, t_ech, sizeof t_ech), line->length, line->cuts,
            line->matching_cuts, line->greedy_0, line->greedy, line->seconds);
    if (!line->holds)
        fputs("  FAILS", stream);
    if (line->L != print->L)
        fprintf(stream, "  in print L = %" PRId64, print->L);
    if (line->t_opt != print->t_opt)
        fprintf(stream, "  in print T_opt = %" PRId64, print->t_opt);
    fputc('\n', stream);
}

static void print_table(FILE *stream, const struct rb_table_3_line line[], size_t count)
{
    fputs(PAPER "\nLengths in elements of one slice of L. T_algo, T_ech: the paper's heuristic "
                "without and with\nexchanges; likewise greedy 0 and greedy.\n\n",
          stream);
    fprintf(stream, "%3s %3s %3s %3s %7s %6s %7s %6s %8s %5s %9s %9s %7s %8s\n", "", "", "", "", "",
            "", "", "", line[0].method, "", "matching", "", "", line[0].method);
    fprintf(stream, "%3s %3s %3s %3s %7s %6s %7s %6s %8s %5s %9s %9s %7s %8s\n", "P", "r", "Q", "s",
            "L", "T_opt", "T_algo", "T_ech", "length", "cuts", "cuts", "greedy 0", "greedy",
            "seconds");
    for (size_t i = 0; i < count; i++)
        print_line(&line[i], stream);
    fprintf(stream, "roundabout %s\n", rb_program_version);
}

static json_t *fields(const struct rb_table_3_line *line)
{
    const struct rb_table_3_print *print = line->print;
    return json_pack(
        "{s:i, s:I, s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:s, s:I, s:I, s:I, s:I, s:I, s:f, "
        "s:b, s:s}",
        "source_ranks", print->P, "source_block", (json_int_t)print->r, "target_ranks", print->Q,
        "target_block", (json_int_t)print->s, "slice", (json_int_t)line->L, "printed_slice",
        (json_int_t)print->L, "t_opt", (json_int_t)line->t_opt, "printed_t_opt",
        (json_int_t)print->t_opt, "t_algo", (json_int_t)print->t_algo, "t_ech",
        print->t_ech > 0 ? json_integer(print->t_ech) : json_null(), "method", line->method,
        "length", (json_int_t)line->length, "cuts", (json_int_t)line->cuts, "matching_cuts",
        (json_int_t)line->matching_cuts, "greedy_0", (json_int_t)line->greedy_0, "greedy",
        (json_int_t)line->greedy, "seconds", line->seconds, "holds", line->holds, "version",
        rb_program_version);
}

static int print_csv(FILE *stream, const struct rb_table_3_line line[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        json_t *row = fields(&line[i]);
        if (row == NULL)
            return RB_ENOMEM;
        if (i == 0)
            rb_csv_names(row, stream);
        rb_csv_values(row, stream);
        json_decref(row);
    }
    return RB_OK;
}

static int print_json(FILE *stream, const struct rb_table_3_line line[], size_t count)
{
    struct rb_json_rows rows;
    rb_json_rows_begin(&rows, stream,
                       json_pack("{s:s, s:s}", "check", rb_check_table_3.name, "paper", PAPER),
                       "rows");
    for (size_t i = 0; i < count; i++)
        rb_json_rows_add(&rows, fields(&line[i]));
    return rb_json_rows_end(&rows);
}

int rb_table_3_report(const struct rb_check_request *request, const struct rb_table_3_line line[],
                      size_t count)
{
    switch (request->format) {
    case RB_TABLE:
        print_table(request->stream, line, count);
        break;
    case RB_CSV:
        return print_csv(request->stream, line, count);
    case RB_JSON:
        return print_json(request->stream, line, count);
    }
    return RB_OK;
}
