/* page.c - a recommendation as one page: text, HTML or JSON (recommend.h). */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "studies/recommend/recommend.h"
#include "support/memory.h"
#include "support/options/options.h"
#include "support/output/verdict.h"
#include "support/process.h"
#include "support/units.h"

static const struct out_column columns[] = {
    {.name = "collective"},
    {.name = "p", .kind = OUT_COUNT},
    {.name = "size", .heading = "from", .kind = OUT_BYTES, .width = 7},
    {.name = "m_bytes", .kind = OUT_COUNT},
    {.name = "choice", .heading = "algorithm", .width = -22},
    {.name = "segment_bytes", .heading = "segment", .kind = OUT_BYTES, .width = 7},
    {.name = "time_s", .heading = "time", .kind = OUT_SECONDS, .width = 9},
    {.name = "low_s", .kind = OUT_REAL},
    {.name = "high_s", .kind = OUT_REAL},
    {.name = "default_s", .heading = "default", .kind = OUT_SECONDS, .width = 9},
    {.name = "faster", .heading = "faster", .kind = OUT_RATIO, .width = 6},
    {.name = "source", .heading = "this is", .width = -9},
    {.name = "limit", .heading = "limited by", .width = -14},
    {.name = "bound_s", .kind = OUT_REAL},
    {.name = "ours", .heading = "best of ours", .width = -12},
    {.name = "ours_s", .heading = "its time", .kind = OUT_SECONDS, .width = 9},
};
enum { WIDTH = OUT_COUNT_OF(columns), LINE = 100 };
static const struct out_table table = {.columns = columns, .width = WIDTH, .gap = 2};

struct page {
    const struct recommend_request *request;
    const struct recommend_answer *answer;
    enum recommend_format format;
    FILE *stream;
};

/* ---- Text or HTML ---------------------------------------------------------------------------- */

static void put(const struct page *page, const char *text)
{
    for (; *text != '\0'; text++)
        switch (page->format == RECOMMEND_HTML ? *text : 0) {
        case '&':
            fputs("&amp;", page->stream);
            break;
        case '<':
            fputs("&lt;", page->stream);
            break;
        case '>':
            fputs("&gt;", page->stream);
            break;
        default:
            putc(*text, page->stream);
        }
}

/* A paragraph in this element of HTML; in text of `pre` the line as it is. */
__attribute__((format(printf, 3, 4))) static void say(const struct page *page, const char *element,
                                                      const char *format, ...)
{
    va_list values;
    va_start(values, format);
    char *text = sup_vformat(format, values);
    va_end(values);
    if (page->format == RECOMMEND_HTML) {
        fprintf(page->stream, "<%s>", element);
        put(page, text);
        fprintf(page->stream, "</%s>\n", element);
    } else if (element[0] == 'h')
        fprintf(page->stream, "%s%s\n", element[1] == '1' ? "" : "\n", text);
    else if (strcmp(element, "pre") == 0)
        fprintf(page->stream, "  %s\n", text);
    else
        out_text_wrapped(0, 0, text, page->stream);
    free(text);
}

static void begin_table(const struct page *page)
{
    if (page->format == RECOMMEND_TEXT) {
        out_text_heading(&table, page->stream);
        return;
    }
    fputs("<table><tr>", page->stream);
    for (size_t i = 0; i < WIDTH; i++)
        if (columns[i].heading != NULL)
            fprintf(page->stream, "<th>%s</th>", columns[i].heading);
    fputs("</tr>\n", page->stream);
}

static void add_row(const struct page *page, const union out_cell cells[])
{
    char buffer[OUT_CELL_SIZE];
    if (page->format == RECOMMEND_TEXT) {
        out_text_row(&table, cells, page->stream);
        return;
    }
    fputs("<tr>", page->stream);
    for (size_t i = 0; i < WIDTH; i++)
        if (columns[i].heading != NULL) {
            fputs("<td>", page->stream);
            put(page, out_cell_text(&columns[i], cells[i], buffer));
            fputs("</td>", page->stream);
        }
    fputs("</tr>\n", page->stream);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static double time_of(const struct recommend_try *try_)
{
    return try_ == NULL ? NAN : try_->time_s;
}

static double faster(const struct recommend_cell *cell)
{
    return time_of(cell->standard) / time_of(cell->best);
}

static const char *choice_of(const struct recommend_cell *cell)
{
    return cell->name[0] == '\0' ? "the library's own" : cell->name;
}

/* The part of the machine that binds, as users call it. */
static const char *limit_of(const struct recommend_try *try_)
{
    const char *part = try_ == NULL ? "" : try_->bound.part;
    return strcmp(part, "latency") == 0 ? "start-ups"
           : strcmp(part, "host") == 0  ? "the nodes' NIC"
           : strcmp(part, "rank") == 0  ? "a rank's port"
           : part[0] == '\0'            ? NULL
                                        : part;
}

static void fill(const struct page *page, const struct recommend_cell *cell,
                 union out_cell cells[WIDTH])
{
    const struct recommend_try *best = cell->best;
    size_t i = 0;
    cells[i++].word = page->request->collective[cell->collective];
    cells[i++].whole = cell->p;
    cells[i++].whole = cell->size;
    cells[i++].whole = cell->m_bytes;
    cells[i++].word = choice_of(cell);
    cells[i++].whole = best == NULL || best->segment_bytes == 0 ? -1 : best->segment_bytes;
    cells[i++].real = time_of(best);
    cells[i++].real = best == NULL ? NAN : best->low_s;
    cells[i++].real = best == NULL ? NAN : best->high_s;
    cells[i++].real = time_of(cell->standard);
    cells[i++].real = faster(cell);
    cells[i++].word = recommend_source_names[best == NULL ? RECOMMEND_NOT_REACHED : best->source];
    cells[i++].word = limit_of(best);
    cells[i++].real = best == NULL ? NAN : best->bound.time_s;
    cells[i++].word = cell->ours == NULL ? NULL : cell->ours->point.plan.algorithm;
    cells[i++].real = time_of(cell->ours);
}

static bool is_same_choice(const struct recommend_cell *a, const struct recommend_cell *b)
{
    return strcmp(a->name, b->name) == 0 && a->collective == b->collective && a->p == b->p &&
           (a->best == NULL ? 0 : a->best->segment_bytes) ==
               (b->best == NULL ? 0 : b->best->segment_bytes);
}

static size_t end_of_ranks(const struct recommend_answer *answer, size_t i)
{
    const struct recommend_cell *first = &answer->cell[i];
    while (i < answer->cells && answer->cell[i].p == first->p &&
           answer->cell[i].collective == first->collective)
        i++;
    return i;
}

/* ---- Paragraphs ------------------------------------------------------------------------------ */

static void say_ranks(const struct page *page, size_t from, size_t end)
{
    const struct recommend_cell *cell = page->answer->cell;
    char *line = sup_format("p = %" PRId32 ":", cell[from].p);
    char size[32], segment[32];
    for (size_t i = from; i < end; i++) {
        if (i > from && is_same_choice(&cell[i - 1], &cell[i]))
            continue;
        const int64_t bytes = cell[i].best == NULL ? 0 : cell[i].best->segment_bytes;
        char *longer = sup_format(
            "%s%s %s from %s%s%s", line, i > from ? ";" : "", choice_of(&cell[i]),
            sup_format_shown(cell[i].size, size, sizeof size), bytes > 0 ? " in segments of " : "",
            bytes > 0 ? sup_format_shown(bytes, segment, sizeof segment) : "");
        free(line);
        line = longer;
    }
    say(page, "p", "%s", line);
    free(line);
}

/* The whole cluster's cells of the collective: the last ones. */
static size_t find_all(const struct recommend_answer *answer, int32_t collective, size_t *end)
{
    size_t from = 0;
    *end = 0;
    for (size_t i = 0; i < answer->cells; i = end_of_ranks(answer, i))
        if (answer->cell[i].collective == collective) {
            from = i;
            *end = end_of_ranks(answer, i);
        }
    return from;
}

static void say_collective(const struct page *page, int32_t collective)
{
    const struct recommend_answer *answer = page->answer;
    union out_cell cells[WIDTH];
    size_t end;
    const size_t all = find_all(answer, collective, &end);
    const bool whole = answer->cell[end - 1].size == answer->cell[end - 1].m_bytes;
    say(page, "h2", "%s on all %" PRId32 " ranks, by bytes %s",
        page->request->collective[collective], answer->cell[all].p,
        whole ? "of all data" : "of a rank, as the library counts them");
    begin_table(page);
    for (size_t i = all; i < end; i++)
        if (i == all || !is_same_choice(&answer->cell[i - 1], &answer->cell[i])) {
            fill(page, &answer->cell[i], cells);
            add_row(page, cells);
        }
    if (page->format == RECOMMEND_HTML)
        fputs("</table>\n", page->stream);
    for (size_t i = 0; i < all; i = end_of_ranks(answer, i))
        if (answer->cell[i].collective == collective)
            say_ranks(page, i, end_of_ranks(answer, i));
}

/* ---- The verdict ----------------------------------------------------------------------------- */

/* How much faster than the default, over all p and sizes of the collective. */
static void judge_gain(const struct page *page, int32_t collective, struct out_verdict *verdict)
{
    const char *name = page->request->collective[collective];
    struct out_worst ratios = {0};
    const struct recommend_cell *most = NULL;
    char where[160] = "", bytes[32], seconds[32], outlier[OUT_OUTLIER];
    double logs = 0;
    int32_t count = 0, slower = 0;
    for (size_t i = 0; i < page->answer->cells; i++) {
        const struct recommend_cell *cell = &page->answer->cell[i];
        const double ratio = cell->collective == collective ? faster(cell) : NAN;
        if (!isfinite(ratio) || ratio <= 0)
            continue;
        logs += log(ratio);
        most = out_worst_add(&ratios, ratio) ? cell : most;
        slower += ratio < 0.98;
        count++;
    }
    if (*out_outlier(&ratios, outlier) != '\0')
        snprintf(where, sizeof where,
                 " (an outlier: %s by default at p = %" PRId32 ", %s; %.2g elsewhere)",
                 sup_format_seconds(time_of(most->standard), seconds, sizeof seconds), most->p,
                 sup_format_shown(most->size, bytes, sizeof bytes), ratios.next);
    if (count == 0)
        out_verdict_say(verdict, "%s: the default of %s is not known here.", name,
                        page->request->format->library);
    else
        out_verdict_say(verdict,
                        "%s: over %" PRId32
                        " pairs of p and size %.2g times as fast as the default of "
                        "%s in the mean, %.*f times at most%s; slower at %" PRId32 ".",
                        name, count, exp(logs / count), page->request->format->library,
                        ratios.most < 10 ? 1 : 0, ratios.most, where, slower);
}

/* What sets the least time at the smallest and at the largest size. */
static void judge_limits(const struct page *page, int32_t collective, struct out_verdict *verdict)
{
    const struct recommend_answer *answer = page->answer;
    size_t end;
    const size_t all = find_all(answer, collective, &end);
    const size_t at[] = {all, end - 1};
    for (size_t i = 0; i < 2; i++) {
        const struct recommend_try *best = answer->cell[at[i]].best;
        const double ratio = best == NULL ? NAN : point_bound_ratio(best->time_s, &best->bound);
        char words[OUT_WORDS], size[32];
        if (limit_of(best) == NULL || !(ratio >= 1))
            continue;
        out_verdict_say(
            verdict,
            "At %s on %" PRId32 " ranks no plan is faster than %s allow%s; this one takes %s "
            "(the bound of docs/bounds.md).",
            sup_format_shown(answer->cell[at[i]].size, size, sizeof size), answer->cell[at[i]].p,
            limit_of(best), strcmp(limit_of(best), "start-ups") == 0 ? "" : "s",
            out_longer(ratio, words));
    }
}

/* Cells whose choice has another one's time in its interval. */
static int32_t count_ties(const struct recommend_answer *answer)
{
    int32_t ties = 0;
    for (size_t i = 0; i < answer->cells; i++) {
        const struct recommend_cell *cell = &answer->cell[i];
        bool tie = false;
        for (size_t k = cell->first; k < cell->first + cell->count && cell->best != NULL; k++)
            tie = tie ||
                  (answer->try_[k].whose == RECOMMEND_LIBRARY && &answer->try_[k] != cell->best &&
                   answer->try_[k].time_s < cell->best->high_s);
        ties += tie;
    }
    return ties;
}

static void judge_rows(const struct page *page, struct out_verdict *verdict)
{
    const struct recommend_answer *answer = page->answer;
    out_verdict_say(verdict, "Measured on %s: %" PRId64 " times.", page->request->where,
                    answer->source[RECOMMEND_MEASURED]);
    out_verdict_say(verdict,
                    "Predicted by a model that is fitted to %zu rows (%s): %" PRId64
                    " times; not predicted: %" PRId64 ".",
                    page->request->rows, answer->fit, answer->source[RECOMMEND_PREDICTED],
                    answer->source[RECOMMEND_NOT_REACHED]);
    out_verdict_say(verdict,
                    "At %" PRId32 " of %zu pairs of p and size another choice of the library is as "
                    "fast within the prediction's 90 %% interval: measure there.",
                    count_ties(answer), answer->cells);
}

static void judge_runs(const struct page *page, struct out_verdict *verdict)
{
    const struct recommend_answer *answer = page->answer;
    char words[OUT_WORDS];
    out_verdict_say(verdict,
                    "Simulated by flow on %s, overlap blocking: %" PRId64 " runs, with contention "
                    "of links, without the processors' own time; nothing is measured.",
                    page->request->where, answer->source[RECOMMEND_SIMULATED]);
    out_verdict_say(verdict,
                    "Predicted from fewer ranks, by the ratio of the closed forms: %" PRId64
                    " times, which were hopeless or too long for the budget of %g s; not reached: "
                    "%" PRId64 ".",
                    answer->source[RECOMMEND_PREDICTED], page->request->budget_s,
                    answer->source[RECOMMEND_NOT_REACHED]);
    if (answer->failed > 0)
        out_verdict_say(verdict, "Failed: %" PRId64 " run%s, such as %s.", answer->failed,
                        sup_plural(answer->failed), answer->failure.text);
    if (answer->confirmed > 0)
        out_verdict_say(verdict, "Simgrid confirms %" PRId32 " of the choices' times to %s%s%s.",
                        answer->confirmed, out_percent(answer->difference, words),
                        answer->unconfirmed.text[0] == '\0' ? "" : "; a run failed: ",
                        answer->unconfirmed.text);
    else
        out_verdict_say(verdict, "Simgrid confirms none of them: %s.",
                        answer->unconfirmed.text[0] == '\0' ? "its runs would take too long"
                                                            : answer->unconfirmed.text);
}

static void judge(const struct page *page, struct out_verdict *verdict)
{
    for (int32_t i = 0; i < page->request->collectives; i++) {
        judge_gain(page, i, verdict);
        judge_limits(page, i, verdict);
    }
    (page->request->rows > 0 ? judge_rows : judge_runs)(page, verdict);
}

static void say_verdict(const struct page *page)
{
    struct out_verdict verdict = {0};
    judge(page, &verdict);
    if (page->format == RECOMMEND_TEXT)
        out_verdict_text(&verdict, page->stream);
    else
        say(page, "h2", "Verdict");
    for (size_t i = 0; i < verdict.count && page->format == RECOMMEND_HTML; i++)
        say(page, "p", "%s", verdict.sentence[i]);
    out_verdict_free(&verdict);
}

/* ---- The commands ---------------------------------------------------------------------------- */

static void say_command(const struct page *page, char *const words[])
{
    char *line = NULL;
    size_t size;
    FILE *stream = sup_memory_open(&line, &size);
    fputs("roundabout", stream);
    for (; *words != NULL; words++) {
        char *word = sup_shell_word(*words);
        fprintf(stream, " %s", word);
        free(word);
    }
    sup_memory_close(stream, &line);
    say(page, "pre", "%s", line);
    free(line);
}

/* One run again, of the recommendation or of the default. */
static void say_run(const struct page *page, const struct recommend_try *try_)
{
    if (try_ == NULL || try_->source != RECOMMEND_SIMULATED)
        return;
    const struct rb_plan_spec *plan = &try_->point.plan;
    const bool standard = try_->whose == RECOMMEND_DEFAULT;
    char *platform = sup_shell_word(page->request->where);
    char n[32] = "", radix[32] = "";
    if (!standard)
        snprintf(n, sizeof n, " -n %" PRId64, plan->n);
    if (!standard && plan->radix > 0)
        snprintf(radix, sizeof radix, " --radix %" PRId32, plan->radix);
    say(page, "pre",
        "roundabout simulate --collective %s --algorithm %s%s%s -p %" PRId32 " --ppn %" PRId32
        " -m %" PRId64 " --platform %s --engine flow",
        plan->collective, standard ? page->answer->native : plan->algorithm, n, radix, plan->p,
        try_->point.ppn, try_->point.m_bytes, platform);
    free(platform);
}

static void say_commands(const struct page *page, char *const words[], const char *output)
{
    const struct recommend_answer *answer = page->answer;
    size_t count = 0;
    say(page, "h2", "Commands");
    while (words[count] != NULL)
        count++;
    char **all = sup_calloc(count + 2, sizeof *all);
    all[0] = (char[]){"recommend"};
    memcpy(all + 1, words, count * sizeof *all);
    say_command(page, all);
    free(all);
    for (size_t i = 0; i < answer->cells; i = end_of_ranks(answer, i)) {
        const size_t end = end_of_ranks(answer, i);
        const bool last =
            end == answer->cells || answer->cell[end].collective != answer->cell[i].collective;
        if (last) {
            say_run(page, answer->cell[end - 1].best);
            if (answer->cell[end - 1].standard != answer->cell[end - 1].best)
                say_run(page, answer->cell[end - 1].standard);
        }
    }
    if (output == NULL)
        say(page, "p", "Add -o FILE for the rules.");
    for (size_t i = 0; i < answer->notes.count; i++)
        say(page, "p", "%s", answer->notes.line[i]);
}

static json_t *head_of(const struct page *page)
{
    const struct recommend_answer *answer = page->answer;
    struct out_verdict verdict = {0};
    json_t *notes = json_array();
    judge(page, &verdict);
    json_t *judged = out_verdict_json(&verdict);
    out_verdict_free(&verdict);
    for (size_t i = 0; i < answer->notes.count; i++)
        json_array_append_new(notes, out_json_text(answer->notes.line[i]));
    return json_pack(
        "{s:s, s:o, s:s*, s:s*, s:i, s:i, s:s, s:I, s:I, s:I, s:I, s:i, s:o, s:o, s:o}", "version",
        cli_program_version, page->request->platform == NULL ? "machine" : "platform",
        out_json_text(page->request->where), "hash",
        page->request->platform == NULL ? NULL : page->request->platform->hash, "engine",
        page->request->platform == NULL ? NULL : "flow", "nodes", (int)page->request->nodes, "ppn",
        (int)page->request->ppn, "format", page->request->format->name, "simulated",
        (json_int_t)answer->source[RECOMMEND_SIMULATED], "predicted",
        (json_int_t)answer->source[RECOMMEND_PREDICTED], "measured",
        (json_int_t)answer->source[RECOMMEND_MEASURED], "not_reached",
        (json_int_t)answer->source[RECOMMEND_NOT_REACHED], "confirmed", (int)answer->confirmed,
        "difference", out_json_real(answer->confirmed > 0 ? answer->difference : NAN), "notes",
        notes, "verdict", judged);
}

/* ---- Public ---------------------------------------------------------------------------------- */

static void print_json(const struct page *page)
{
    struct out_rows rows;
    union out_cell cells[WIDTH];
    out_rows_begin(&rows, &table, OUT_JSON, page->stream, head_of(page), "calls");
    for (size_t i = 0; i < page->answer->cells; i++) {
        fill(page, &page->answer->cell[i], cells);
        out_rows_add(&rows, cells);
    }
    out_rows_end(&rows);
}

void recommend_print(const struct recommend_request *request, const struct recommend_answer *answer,
                     enum recommend_format format, char *const words[], const char *output,
                     FILE *stream)
{
    const struct page page = {request, answer, format, stream};
    if (format == RECOMMEND_JSON) {
        print_json(&page);
        return;
    }
    if (format == RECOMMEND_HTML)
        fputs("<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
              "content=\"width=device-width\">\n<title>Recommendation</title>\n<style>"
              ":root{color-scheme:light dark}body{font:1rem/1.4 sans-serif;max-width:64em;"
              "margin:auto;padding:0 1em;overflow-wrap:anywhere}h1{font-size:1.5em}h2{font-size:"
              "1.2em}table{display:block;overflow-x:auto;border-spacing:0}td,th{text-align:right;"
              "white-space:nowrap;padding:.1em .6em}pre{white-space:pre-wrap;margin:.5em 0}"
              "</style>\n",
              stream);
    say(&page, "h1", "%" PRId32 " node%s of %" PRId32 " rank%s on %s: rules for %s", request->nodes,
        request->nodes == 1 ? "" : "s", request->ppn, request->ppn == 1 ? "" : "s", request->where,
        request->format->title);
    for (int32_t i = 0; i < request->collectives; i++)
        say_collective(&page, i);
    say_verdict(&page);
    say_commands(&page, words, output);
}
