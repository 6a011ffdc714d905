/* doctor_report.c - prints findings as text or JSON (doctor.h). */

#include "command/doctor/doctor.h"

static const char *const state_words[DOCTOR_STATES] = {
    [DOCTOR_OK] = "ok",
    [DOCTOR_MISSING] = "missing",
    [DOCTOR_LACKING] = "optional",
    [DOCTOR_NOTE] = "note",
};

enum { STATE = 1 };
static const struct out_column columns[] = {
    {"item", .kind = OUT_WORD, OUT_OF(struct doctor_finding, item)},
    [STATE] = {"state", .kind = OUT_WORD},
    {"needed", .kind = OUT_TRUTH, OUT_OF(struct doctor_finding, needed)},
    {"found", .kind = OUT_WORD, OUT_OF(struct doctor_finding, found)},
    {"path", .kind = OUT_WORD, OUT_OF(struct doctor_finding, path)},
    {"advice", .kind = OUT_WORD, OUT_OF(struct doctor_finding, advice)},
};
static const struct out_table table = {columns, .width = OUT_COUNT_OF(columns)};

static void print_json(const struct doctor_findings *findings, FILE *stream)
{
    struct out_rows rows;
    out_rows_begin(&rows, &table, OUT_JSON, stream,
                   json_pack("{s:b}", "complete", doctor_is_well(findings)), "findings");
    for (int32_t i = 0; i < findings->count; i++) {
        const struct doctor_finding *finding = &findings->finding[i];
        union out_cell cells[OUT_COUNT_OF(columns)] = {[STATE].word = state_words[finding->state]};
        out_cells(&table, (const void *const[]){finding}, cells);
        out_rows_add(&rows, cells);
    }
    out_rows_end(&rows);
}

static void print_advice(const struct doctor_findings *findings, enum doctor_state state,
                         const char *title, FILE *stream)
{
    bool first = true;
    for (int32_t i = 0; i < findings->count; i++) {
        const struct doctor_finding *finding = &findings->finding[i];
        if (finding->state != state || finding->advice[0] == '\0')
            continue;
        if (first)
            fprintf(stream, "\n%s\n", title);
        first = false;
        out_text_entry(2, 15, 2, finding->item, stream, "%s", finding->advice);
    }
}

static void print_text(const struct doctor_findings *findings, FILE *stream)
{
    for (int32_t i = 0; i < findings->count; i++) {
        const struct doctor_finding *finding = &findings->finding[i];
        const bool both = finding->found[0] != '\0' && finding->path[0] != '\0';
        char item[64];
        if (finding->found[0] == '\0' && finding->path[0] == '\0') {
            out_text_entry(0, 15, 2, finding->item, stream, "%s", state_words[finding->state]);
            continue;
        }
        snprintf(item, sizeof item, "%-15s  %-8s", finding->item, state_words[finding->state]);
        out_text_entry(0, 25, 2, item, stream, "%s%s%s", finding->found, both ? ", " : "",
                       finding->path);
    }
}

void doctor_print(const struct doctor_findings *findings, enum out_format format, FILE *stream)
{
    if (format == OUT_JSON) {
        print_json(findings, stream);
        return;
    }
    print_text(findings, stream);
    print_advice(findings, DOCTOR_MISSING, "Missing; to get it:", stream);
    print_advice(findings, DOCTOR_NOTE, "To note:", stream);
    print_advice(findings, DOCTOR_LACKING, "Optional; to get it:", stream);
    fputs(doctor_is_well(findings) ? "\nEverything that the verbs need is there.\n"
                                   : "\nSomething that the verbs need is missing.\n",
          stream);
}
