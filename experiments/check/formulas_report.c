/* formulas_report.c - the comparisons as table, csv and json (formulas.h). */
#include <inttypes.h>
#include <string.h>

#include "command/output/json_rows.h"
#include "experiments/check/formulas.h"

#define PAPER                                                                                      \
    "Grama, Gupta, Karypis, Kumar: Basic Communication Operations (Introduction to Parallel "      \
    "Computing, 2003)"

static const char *kind_of(const struct rb_formula_line *line)
{
    return line->formula->states->kind == RB_FORMULA_EXACT ? "exact" : "bound";
}

static const char *data_of(const struct rb_formula_line *line)
{
    static const char *const names[] = {
        [RB_DATA_WHOLE] = "message", [RB_DATA_EACH] = "rank", [RB_DATA_PAIR] = "pair"};
    return names[line->formula->states->data];
}

static double ratio_of(const struct rb_formula_line *line)
{
    return line->simulated_s / line->predicted_s;
}

/* "shift hypercube, q = 7" */
static const char *describe(const struct rb_formula_line *line, char *text, size_t size)
{
    const int used =
        snprintf(text, size, "%s %s", line->formula->collective, line->formula->algorithm);
    if (line->q > 0)
        snprintf(text + used, size - (size_t)used, ", q = %" PRId32, line->q);
    return text;
}

static const char *placement_of(const struct rb_formula_line *line)
{
    return (line->formula->flags & RB_FORMULA_GRAY) != 0 ? "gray" : "block";
}

/* The platform without its details, which are the same in all lines. */
static const char *shape_of(const struct rb_formula_line *line, char *text, size_t size)
{
    snprintf(text, size, "%.*s", (int)strcspn(line->platform, ","), line->platform);
    return text;
}

static void print_line(const struct rb_formula_line *line, FILE *stream)
{
    char what[64], shape[32], bytes[32], predicted[32], simulated[32];
    fprintf(stream, "%-4s %-33s %-29s %-13s %5" PRId32 " %7s %-7s %10s %10s %-11.9g %s\n",
            line->formula->states->number, line->formula->states->text,
            describe(line, what, sizeof what), shape_of(line, shape, sizeof shape), line->p,
            rb_format_bytes(line->m, bytes, sizeof bytes), data_of(line),
            rb_format_seconds(line->predicted_s, predicted, sizeof predicted),
            rb_format_seconds(line->simulated_s, simulated, sizeof simulated), ratio_of(line),
            line->holds ? kind_of(line) : "FAILS");
}

static void print_table(const struct rb_check_request *request,
                        const struct rb_formula_results *results)
{
    FILE *stream = request->stream;
    char progress[32];
    size_t wrong = 0;
    fprintf(stream,
            PAPER "\nts = %g us, tw = %g ns/B; engine simgrid, progress %s; of shifts the q that "
                  "comes off worst\n\n",
            rb_formula_ts_s * 1e6, rb_formula_tw_s_per_byte * 1e9,
            rb_progress_format(&request->progress, progress, sizeof progress));
    fprintf(stream, "%-38s %-29s %-13s %5s %7s %-7s %10s %10s %-11s %s\n", "formula", "algorithm",
            "topology", "p", "m", "per", "predicted", "simulated", "ratio", "");
    for (size_t i = 0; i < results->count; i++) {
        print_line(&results->line[i], stream);
        wrong += !results->line[i].holds;
    }
    fprintf(stream, "\n%zu lines: ", results->count);
    if (wrong == 0)
        fputs("all hold: the exact ones to 1e-9, the bounds are not exceeded\n", stream);
    else
        fprintf(stream, "%zu FAIL\n", wrong);
    if (results->left_out > 0)
        fprintf(stream,
                "%zu left out, to which p or m does not fit: log p is to be a whole number, a mesh "
                "square, and p to divide m in (10)\n",
                results->left_out);
    fprintf(stream, "roundabout %s\n", rb_program_version);
}

static void print_csv(const struct rb_check_request *request,
                      const struct rb_formula_results *results)
{
    FILE *stream = request->stream;
    char progress[32];
    rb_progress_format(&request->progress, progress, sizeof progress);
    fputs("formula,text,kind,collective,algorithm,instance,platform,placement,progress,p,m_bytes,"
          "per,predicted_s,simulated_s,ratio,holds,version\n",
          stream);
    for (size_t i = 0; i < results->count; i++) {
        const struct rb_formula_line *line = &results->line[i];
        char instance[32] = "";
        if (line->q > 0)
            snprintf(instance, sizeof instance, "q=%" PRId32, line->q);
        fprintf(stream,
                "%s,\"%s\",%s,%s,%s,%s,\"%s\",%s,%s,%" PRId32 ",%" PRId64
                ",%s,%.17g,%.17g,%.17g,%d,%s\n",
                line->formula->states->number, line->formula->states->text, kind_of(line),
                line->formula->collective, line->formula->algorithm, instance, line->platform,
                placement_of(line), progress, line->p, line->m, data_of(line), line->predicted_s,
                line->simulated_s, ratio_of(line), line->holds, rb_program_version);
    }
}

static int print_json(const struct rb_check_request *request,
                      const struct rb_formula_results *results)
{
    struct rb_json_rows rows;
    char progress[32];
    rb_progress_format(&request->progress, progress, sizeof progress);
    rb_json_rows_begin(&rows, request->stream,
                       json_pack("{s:s, s:s, s:f, s:f, s:s, s:s, s:I, s:s}", "check",
                                 rb_check_formulas.name, "paper", PAPER, "ts_s", rb_formula_ts_s,
                                 "tw_s_per_byte", rb_formula_tw_s_per_byte, "engine", "simgrid",
                                 "progress", progress, "left_out", (json_int_t)results->left_out,
                                 "version", rb_program_version),
                       "rows");
    for (size_t i = 0; i < results->count; i++) {
        const struct rb_formula_line *line = &results->line[i];
        char instance[32] = "";
        if (line->q > 0)
            snprintf(instance, sizeof instance, "q=%" PRId32, line->q);
        rb_json_rows_add(
            &rows,
            json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:I, s:s, s:f, s:f, s:f, s:b}",
                      "formula", line->formula->states->number, "text", line->formula->states->text,
                      "kind", kind_of(line), "collective", line->formula->collective, "algorithm",
                      line->formula->algorithm, "instance", instance, "platform", line->platform,
                      "placement", placement_of(line), "p", (int)line->p, "m_bytes",
                      (json_int_t)line->m, "per", data_of(line), "predicted_s", line->predicted_s,
                      "simulated_s", line->simulated_s, "ratio", ratio_of(line), "holds",
                      line->holds));
    }
    return rb_json_rows_end(&rows);
}

int rb_formulas_print(const struct rb_check_request *request,
                      const struct rb_formula_results *results)
{
    if (request->format == RB_JSON)
        return print_json(request, results);
    if (request->format == RB_CSV)
        print_csv(request, results);
    else
        print_table(request, results);
    return RB_OK;
}
