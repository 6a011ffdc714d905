/* formulas_report.c - the comparisons as table, csv and json (formulas.h). */
#include <inttypes.h>
#include <string.h>

#include "studies/check/formulas.h"

#define PAPER                                                                                      \
    "Grama, Gupta, Karypis, Kumar: Basic Communication Operations (Introduction to Parallel "      \
    "Computing, 2003)"

static const char *kind_of(const struct check_formula_line *line)
{
    return line->formula->states->kind == CHECK_FORMULA_EXACT ? "exact" : "bound";
}

static const char *data_of(const struct check_formula_line *line)
{
    static const char *const names[] = {
        [CHECK_DATA_WHOLE] = "message", [CHECK_DATA_EACH] = "rank", [CHECK_DATA_PAIR] = "pair"};
    return names[line->formula->states->data];
}

static double ratio_of(const struct check_formula_line *line)
{
    return line->simulated_s / line->predicted_s;
}

/* "shift hypercube, q = 7" */
static const char *describe(const struct check_formula_line *line, char *text, size_t size)
{
    const int used =
        snprintf(text, size, "%s %s", line->formula->collective, line->formula->algorithm);
    if (line->q > 0)
        snprintf(text + used, size - (size_t)used, ", q = %" PRId32, line->q);
    return text;
}

static const char *placement_of(const struct check_formula_line *line)
{
    return (line->formula->flags & CHECK_FORMULA_GRAY) != 0 ? "gray" : "block";
}

/* The platform without its details, which are the same in all lines. */
static const char *shape_of(const struct check_formula_line *line, char *text, size_t size)
{
    snprintf(text, size, "%.*s", (int)strcspn(line->platform, ","), line->platform);
    return text;
}

static const struct out_column columns[] = {
    {"formula", .heading = "formula", .kind = OUT_WORD, .width = -4},
    {"text", .heading = "", .kind = OUT_WORD, .width = -33, .quoted = true},
    {"kind", .kind = OUT_WORD},
    {"collective", .kind = OUT_WORD},
    {"algorithm", .kind = OUT_WORD},
    {"instance", .kind = OUT_WORD},
    {.heading = "algorithm", .kind = OUT_WORD, .width = -29},
    {.heading = "topology", .kind = OUT_WORD, .width = -13, .less = 1},
    {"platform", .kind = OUT_WORD, .quoted = true},
    {"placement", .kind = OUT_WORD},
    {"progress", .kind = OUT_WORD, .same = true},
    {"p", .heading = "p", .kind = OUT_COUNT, .width = 5},
    {"m_bytes", .heading = "m", .kind = OUT_BYTES, .width = 7},
    {"per", .heading = "per", .kind = OUT_WORD, .width = -7, .less = 4},
    {"predicted_s", .heading = "predicted", .kind = OUT_SECONDS, .width = 10, .less = 3},
    {"simulated_s", .heading = "simulated", .kind = OUT_SECONDS, .width = 10, .less = 3},
    {"ratio", .heading = "ratio", .kind = OUT_REAL, .width = -11, .real = "%.9g", .less = 2},
    {"holds", .kind = OUT_TRUTH},
    {.heading = "", .kind = OUT_WORD},
    {"version", .kind = OUT_WORD, .same = true},
};
static const struct out_table comparisons = {columns, .width = OUT_COUNT_OF(columns)};

static void print_line(const struct check_formula_line *line, const char *overlap,
                       struct out_rows *rows)
{
    char what[64], shape[32], instance[32] = "";
    if (line->q > 0)
        snprintf(instance, sizeof instance, "q=%" PRId32, line->q);
    const union out_cell cells[] = {{.word = line->formula->states->number},
                                    {.word = line->formula->states->text},
                                    {.word = kind_of(line)},
                                    {.word = line->formula->collective},
                                    {.word = line->formula->algorithm},
                                    {.word = instance},
                                    {.word = describe(line, what, sizeof what)},
                                    {.word = shape_of(line, shape, sizeof shape)},
                                    {.word = line->platform},
                                    {.word = placement_of(line)},
                                    {.word = overlap},
                                    {.whole = line->p},
                                    {.whole = line->m},
                                    {.word = data_of(line)},
                                    {.real = line->predicted_s},
                                    {.real = line->simulated_s},
                                    {.real = ratio_of(line)},
                                    {.whole = line->holds},
                                    {.word = line->holds ? kind_of(line) : "FAILS"},
                                    {.word = cli_program_version}};
    out_rows_add(rows, cells);
}

static void print_sum(const struct check_formula_results *results, FILE *stream)
{
    size_t wrong = 0;
    for (size_t i = 0; i < results->count; i++)
        wrong += !results->line[i].holds;
    fprintf(stream, "\n%zu lines: ", results->count);
    if (wrong == 0)
        fputs("all hold: the exact ones to 1e-9, the bounds are not exceeded\n", stream);
    else
        fprintf(stream, "%zu FAIL\n", wrong);
    if (results->left_out > 0)
        fprintf(stream,
                "%zu left out, because p or m does not fit: log p must be a whole number, a mesh "
                "must be square, and p must divide m in (10)\n",
                results->left_out);
    fprintf(stream, "roundabout %s\n", cli_program_version);
}

void check_formulas_print(const struct check_request *request,
                          const struct check_formula_results *results)
{
    struct out_rows rows;
    char overlap[32];
    sim_overlap_format(&request->overlap, overlap, sizeof overlap);
    if (request->format == OUT_TEXT)
        fprintf(
            request->stream,
            PAPER
            "\nts = %g us, tw = %g ns/B; engine simgrid, overlap %s; for shifts the slowest q\n\n",
            check_formula_ts_s * 1e6, check_formula_tw_s_per_byte * 1e9, overlap);
    out_rows_begin(&rows, &comparisons, request->format, request->stream,
                   json_pack("{s:s, s:s, s:f, s:f, s:s, s:s, s:I, s:s}", "check",
                             check_paper_formulas.name, "paper", PAPER, "ts_s", check_formula_ts_s,
                             "tw_s_per_byte", check_formula_tw_s_per_byte, "engine", "simgrid",
                             "progress", overlap, "left_out", (json_int_t)results->left_out,
                             "version", cli_program_version),
                   "rows");
    for (size_t i = 0; i < results->count; i++)
        print_line(&results->line[i], overlap, &rows);
    if (request->format == OUT_TEXT)
        print_sum(results, request->stream);
    out_rows_end(&rows);
}
