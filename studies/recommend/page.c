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

struct page {
    const struct recommend_request *request;
    const struct recommend_answer *answer;
    enum recommend_format format;
    FILE *stream;
};

/* ---- Text or HTML ---------------------------------------------------------------------------- */

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
        out_html_text(text, page->stream);
        fprintf(page->stream, "</%s>\n", element);
    } else if (element[0] == 'h')
        fprintf(page->stream, "%s%s\n", element[1] == '1' ? "" : "\n", text);
    else if (strcmp(element, "pre") == 0)
        fprintf(page->stream, "  %s\n", text);
    else
        out_text_wrapped(0, 0, text, page->stream);
    free(text);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* The fastest of our plans that the library lacks; NULL: none has a time. */
static const struct decide_way *best_of_ours(const struct decide *decision,
                                             const struct decide_call *call)
{
    const struct decide_way *best = NULL;
    for (size_t i = call->first; i < call->first + call->count; i++) {
        const struct decide_way *way = &decision->ways[i];
        if (!way->offered && !way->own && isfinite(way->time_s) &&
            (best == NULL || way->time_s < best->time_s))
            best = way;
    }
    return best;
}

static bool is_same_choice(const struct decide_call *a, const struct decide_call *b)
{
    return a->place == b->place && a->p == b->p && a->choice->name == b->choice->name &&
           a->choice->segment_bytes == b->choice->segment_bytes;
}

static size_t end_of_ranks(const struct decide *decision, size_t i)
{
    const struct decide_call *first = &decision->calls[i];
    while (i < decision->call_count && decision->calls[i].p == first->p &&
           decision->calls[i].place == first->place)
        i++;
    return i;
}

static const struct out_column our_columns[] = {
    {"ours", "best of ours", OUT_WORD, OUT_OF_BASE(DECIDE_ITSELF, struct decide_way, name)},
    {"ours_s", "its time", OUT_SECONDS, OUT_OF_BASE(DECIDE_ITSELF, struct decide_way, time_s)},
};

/* Calls, all or those with these numbers. */
struct rows {
    const struct decide *decision;
    size_t *numbers; /* NULL: all */
};

static struct decide_row row_of(const void *context, size_t i)
{
    const struct rows *rows = context;
    const struct decide *decision = rows->decision;
    const struct decide_call *call = &decision->calls[rows->numbers == NULL ? i : rows->numbers[i]];
    return (struct decide_row){.place = &decision->places[call->place],
                               .call = call,
                               .itself = best_of_ours(decision, call)};
}

static struct decide_table table_of(const struct rows *rows, size_t count)
{
    return (struct decide_table){
        .text = "size choice/! segment time_s own_s gain source limit ours ours_s",
        .data = "collective p size m_bytes choice segment time_s low_s high_s own_s gain source "
                "limit bound_s ours ours_s",
        .own = our_columns,
        .own_width = OUT_COUNT_OF(our_columns),
        .rows = count,
        .row = row_of,
        .context = rows};
}

/* ---- Paragraphs ------------------------------------------------------------------------------ */

static void say_ranks(const struct page *page, size_t from, size_t end)
{
    const struct decide_call *call = page->answer->decision.calls;
    char *line = sup_format("p = %" PRId32 ":", call[from].p);
    char size[32], segment[32];
    for (size_t i = from; i < end; i++) {
        if (i > from && is_same_choice(&call[i - 1], &call[i]))
            continue;
        const int64_t bytes = call[i].choice->segment_bytes;
        char *longer = sup_format(
            "%s%s %s from %s%s%s", line, i > from ? ";" : "", call[i].choice->name,
            sup_format_shown(call[i].size, size, sizeof size), bytes > 0 ? " in segments of " : "",
            bytes > 0 ? sup_format_shown(bytes, segment, sizeof segment) : "");
        free(line);
        line = longer;
    }
    say(page, "p", "%s", line);
    free(line);
}

/* The whole cluster's calls of the collective: the last ones. */
static size_t find_all(const struct decide *decision, size_t place, size_t *end)
{
    size_t from = 0;
    *end = 0;
    for (size_t i = 0; i < decision->call_count; i = end_of_ranks(decision, i))
        if (decision->calls[i].place == place) {
            from = i;
            *end = end_of_ranks(decision, i);
        }
    return from;
}

/* A row for each choice, from the smallest size for which it is one. */
static void say_choices(const struct page *page, size_t from, size_t end)
{
    const struct decide *decision = &page->answer->decision;
    struct rows rows = {decision, sup_calloc(end - from, sizeof *rows.numbers)};
    size_t count = 0;
    for (size_t i = from; i < end; i++)
        if (i == from || !is_same_choice(&decision->calls[i - 1], &decision->calls[i]))
            rows.numbers[count++] = i;
    const struct decide_table table = table_of(&rows, count);
    (page->format == RECOMMEND_HTML ? decide_table_html : decide_table_text)(&table, page->stream);
    free(rows.numbers);
}

static void say_collective(const struct page *page, size_t place)
{
    const struct decide *decision = &page->answer->decision;
    size_t end;
    const size_t all = find_all(decision, place, &end);
    const bool whole = decision->calls[end - 1].size == decision->calls[end - 1].m_bytes;
    say(page, "h2", "%s on all %" PRId32 " ranks, by bytes %s", decision->places[place].collective,
        decision->calls[all].p, whole ? "of all data" : "of a rank, as the library counts them");
    say_choices(page, all, end);
    for (size_t i = 0; i < all; i = end_of_ranks(decision, i))
        if (decision->calls[i].place == place)
            say_ranks(page, i, end_of_ranks(decision, i));
}

/* ---- The verdict ----------------------------------------------------------------------------- */

/* How much faster than the default, over all p and sizes of the collective. */
static void judge_gain(const struct page *page, size_t place, struct out_verdict *verdict)
{
    const struct decide *decision = &page->answer->decision;
    const char *name = decision->places[place].collective;
    struct out_worst ratios = {0};
    const struct decide_call *most = NULL;
    char where[160] = "", bytes[32], seconds[32], outlier[OUT_OUTLIER];
    double logs = 0;
    int32_t count = 0, slower = 0;
    for (size_t i = 0; i < decision->call_count; i++) {
        const struct decide_call *call = &decision->calls[i];
        if (call->place != place || !isfinite(call->gain) || call->gain <= 0)
            continue;
        logs += log(call->gain);
        most = out_worst_add(&ratios, call->gain) ? call : most;
        slower += call->gain < 0.98;
        count++;
    }
    if (*out_outlier(&ratios, outlier) != '\0')
        snprintf(where, sizeof where,
                 " (an outlier: %s by default at p = %" PRId32 ", %s; %.2g elsewhere)",
                 sup_format_seconds(most->own.time_s, seconds, sizeof seconds), most->p,
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
static void judge_limits(const struct page *page, size_t place, struct out_verdict *verdict)
{
    const struct decide *decision = &page->answer->decision;
    size_t end;
    const size_t all = find_all(decision, place, &end);
    const size_t at[] = {all, end - 1};
    for (size_t i = 0; i < 2; i++) {
        const struct decide_call *call = &decision->calls[at[i]];
        const double ratio = point_bound_ratio(call->choice->time_s, &call->bound);
        const char *limit = decide_limit(&call->bound);
        char words[OUT_WORDS], size[32];
        if (limit == NULL || !(ratio >= 1))
            continue;
        out_verdict_say(verdict,
                        "At %s on %" PRId32
                        " ranks no plan is faster than %s allow%s; this one takes %s "
                        "(the bound of docs/bounds.md).",
                        sup_format_shown(call->size, size, sizeof size), call->p, limit,
                        strcmp(limit, "start-ups") == 0 ? "" : "s", out_longer(ratio, words));
    }
}

/* Calls whose choice has another one's time in its interval. */
static int32_t count_ties(const struct decide *decision)
{
    int32_t ties = 0;
    for (size_t i = 0; i < decision->call_count; i++) {
        const struct decide_call *call = &decision->calls[i];
        bool tie = false;
        for (size_t k = call->first; k < call->first + call->count; k++)
            tie =
                tie || (decision->ways[k].offered && decision->ways[k].more != call->choice->more &&
                        decision->ways[k].time_s < call->choice->high_s);
        ties += tie;
    }
    return ties;
}

static void judge_rows(const struct page *page, struct out_verdict *verdict)
{
    const struct recommend_answer *answer = page->answer;
    out_verdict_say(verdict, "Measured on %s: %" PRId64 " times.", page->request->where,
                    answer->source[DECIDE_MEASURED]);
    out_verdict_say(verdict,
                    "Predicted by a model that is fitted to %zu rows (%s): %" PRId64
                    " times; not predicted: %" PRId64 ".",
                    page->request->rows, answer->fit, answer->source[DECIDE_PREDICTED],
                    answer->source[DECIDE_UNTIMED]);
    out_verdict_say(verdict,
                    "At %" PRId32 " of %zu pairs of p and size another choice of the library is as "
                    "fast within the prediction's 90 %% interval: measure there.",
                    count_ties(&answer->decision), answer->decision.call_count);
}

static void judge_runs(const struct page *page, struct out_verdict *verdict)
{
    const struct recommend_answer *answer = page->answer;
    char words[OUT_WORDS];
    out_verdict_say(verdict,
                    "Simulated by flow on %s, overlap blocking: %" PRId64 " runs, with contention "
                    "of links, without the processors' own time; nothing is measured.",
                    page->request->where, answer->source[DECIDE_SIMULATED]);
    out_verdict_say(verdict,
                    "Predicted from fewer ranks, by the ratio of the closed forms: %" PRId64
                    " times, which were hopeless or too long for the budget of %g s; not reached: "
                    "%" PRId64 ".",
                    answer->source[DECIDE_PREDICTED], page->request->budget_s,
                    answer->source[DECIDE_UNTIMED]);
    const struct decide_left_out *failed = &answer->decision.left_out[DECIDE_FAILED];
    if (failed->count > 0)
        out_verdict_say(verdict, "Failed: %" PRId64 " run%s, such as %s.", failed->count,
                        sup_plural(failed->count), failed->what);
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
    for (size_t i = 0; i < page->answer->decision.place_count; i++) {
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
static void say_run(const struct page *page, const struct decide_way *way)
{
    if (way->source != DECIDE_SIMULATED)
        return;
    const struct point *point = &((const struct recommend_try *)way->more)->point;
    const struct rb_plan_spec *plan = &point->plan;
    char *platform = sup_shell_word(page->request->where);
    char n[32] = "", radix[32] = "";
    if (!way->own)
        snprintf(n, sizeof n, " -n %" PRId64, plan->n);
    if (!way->own && plan->radix > 0)
        snprintf(radix, sizeof radix, " --radix %" PRId32, plan->radix);
    say(page, "pre",
        "roundabout simulate --collective %s --algorithm %s%s%s -p %" PRId32 " --ppn %" PRId32
        " -m %" PRId64 " --platform %s --engine flow",
        plan->collective, way->own ? page->answer->native : plan->algorithm, n, radix, plan->p,
        point->ppn, point->m_bytes, platform);
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
    for (size_t i = 0; i < answer->decision.place_count; i++) {
        size_t end;
        find_all(&answer->decision, i, &end);
        const struct decide_call *last = &answer->decision.calls[end - 1];
        say_run(page, last->choice);
        if (last->choice->more != last->own.more)
            say_run(page, &last->own);
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
        (json_int_t)answer->source[DECIDE_SIMULATED], "predicted",
        (json_int_t)answer->source[DECIDE_PREDICTED], "measured",
        (json_int_t)answer->source[DECIDE_MEASURED], "not_reached",
        (json_int_t)answer->source[DECIDE_UNTIMED], "confirmed", (int)answer->confirmed,
        "difference", out_json_real(answer->confirmed > 0 ? answer->difference : NAN), "notes",
        notes, "verdict", judged);
}

/* ---- Public ---------------------------------------------------------------------------------- */

static void print_json(const struct page *page)
{
    const struct rows rows = {&page->answer->decision, NULL};
    const struct decide_table table = table_of(&rows, rows.decision->call_count);
    decide_table_rows(&table, page->stream, head_of(page), "calls");
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
    for (size_t i = 0; i < answer->decision.place_count; i++)
        say_collective(&page, i);
    say_verdict(&page);
    say_commands(&page, words, output);
}
