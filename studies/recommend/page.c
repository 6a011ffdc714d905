/* page.c - a recommendation as one screen of text, as a page, or as JSON (recommend.h). */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "plots/report/page.h"
#include "studies/recommend/recommend.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/options/options.h"
#include "support/output/verdict.h"
#include "support/process.h"
#include "support/units.h"

struct page {
    const struct recommend_request *request;
    const struct recommend_answer *answer;
    enum recommend_format format;
    FILE *stream;
    const char *output; /* the rules file; NULL: none */
};

/* What measured rows say of NCCL's model, and of plans by hosts (docs/gpu.md). */
static const double ring_forgets = 1.6;
enum { MANY_NODES = 16, LARGE = 64 << 20 };

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
    } else if (strcmp(element, "h2") == 0)
        fprintf(page->stream, "\n%s\n", text);
    else if (strcmp(element, "pre") == 0)
        fprintf(page->stream, "  %s\n", text);
    else
        out_say(page->stream, "%s", text);
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

static const struct out_column our_columns[] = {
    {"ours", "no library has", OUT_WORD, OUT_OF_BASE(DECIDE_ITSELF, struct decide_way, name)},
    {"ours_s", "time", OUT_SECONDS, OUT_OF_BASE(DECIDE_ITSELF, struct decide_way, time_s)},
    {"protocol", "protocol", OUT_WORD,
     OUT_OF_BASE(DECIDE_CHOICE_MORE, struct recommend_try, protocol), .optional = true},
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

static struct decide_table table_of(const struct rows *rows, const char *text, size_t count)
{
    return (struct decide_table){.text = text,
                                 .data = "collective p size m_bytes choice protocol segment time_s "
                                         "low_s high_s own_s gain source "
                                         "limit bound_s ours ours_s",
                                 .own = our_columns,
                                 .own_width = OUT_COUNT_OF(our_columns),
                                 .rows = count,
                                 .row = row_of,
                                 .context = rows};
}

static bool is_same_choice(const struct decide_call *a, const struct decide_call *b)
{
    return a->place == b->place && a->p == b->p && a->choice->name == b->choice->name &&
           a->choice->segment_bytes == b->choice->segment_bytes;
}

/* True if the call has all ranks of the cluster: those of a place with most are its last. */
static bool has_all_ranks(const struct decide *decision, size_t i)
{
    size_t last = i;
    while (last + 1 < decision->call_count &&
           decision->calls[last + 1].place == decision->calls[i].place)
        last++;
    return decision->calls[i].p == decision->calls[last].p;
}

/* The calls of a place with all ranks; returns the first. */
static size_t find_all(const struct decide *decision, size_t place, size_t *end)
{
    size_t first = 0;
    while (decision->calls[first].place != place || !has_all_ranks(decision, first))
        first++;
    for (*end = first; *end < decision->call_count && decision->calls[*end].place == place;)
        ++*end;
    return first;
}

/* NCCL's times are computed, those of other plans simulated. */
static bool is_computed(const struct page *page)
{
    return page->answer->source[DECIDE_COMPUTED] > 0;
}

/* A row for each choice, from the smallest size for which it is one; with `all`, of other numbers
 * of ranks, too. What is computed has a row for each size, to be compared with what plans take. */
static void say_choices(const struct page *page, bool all)
{
    const struct decide *decision = &page->answer->decision;
    struct rows rows = {decision, sup_calloc(decision->call_count, sizeof *rows.numbers)};
    size_t count = 0;
    for (size_t i = 0; i < decision->call_count; i++)
        if ((i == 0 || is_computed(page) ||
             !is_same_choice(&decision->calls[i - 1], &decision->calls[i])) &&
            (all || has_all_ranks(decision, i)))
            rows.numbers[count++] = i;
    const char *text = all ? "collective p size choice/! segment time_s own_s gain source of_bound "
                             "limit ours ours_s"
                           : "collective size choice/! segment time_s own_s gain";
    if (is_computed(page))
        text = all ? "collective p size choice/! protocol time_s lead ours ours_s bound_s limit"
                   : "collective size choice/! protocol time_s ours ours_s bound_s";
    if (decision->place_count == 1)
        text = strchr(text, ' ');
    const struct decide_table table = table_of(&rows, text, count);
    (page->format == RECOMMEND_HTML ? decide_table_html : decide_table_text)(&table, page->stream);
    free(rows.numbers);
}

/* ---- What was tried -------------------------------------------------------------------------- */

#define TRIED(member) OUT_OF_BASE(DECIDE_ITSELF, struct recommend_tried, member)
static const struct out_column tried_columns[] = {
    {"tried", "tried", OUT_WORD, TRIED(choice)},
    {"promised", "promised", OUT_RATIO, TRIED(promised)},
    {"measured", "measured", OUT_RATIO, TRIED(gain)},
    {"measured_low", "from", OUT_RATIO, TRIED(low)},
    {"measured_high", "to", OUT_RATIO, TRIED(high)},
    {"measured_own_s", "without", OUT_SECONDS, TRIED(own_s)},
    {"measured_s", "with", OUT_SECONDS, TRIED(time_s)},
    {"pairs", "pairs", OUT_COUNT, TRIED(pairs)},
    {"found", "found", OUT_WORD, TRIED(found)},
};

static struct decide_row tried_row(const void *context, size_t i)
{
    const struct recommend_answer *answer = context;
    const struct recommend_tried *tried = &answer->trials.tried[i];
    const struct decide_call *call = &answer->decision.calls[tried->call];
    return (struct decide_row){
        .place = &answer->decision.places[call->place], .call = call, .itself = tried};
}

static struct decide_table tried_table(const struct recommend_answer *answer)
{
    return (struct decide_table){
        .text = "collective p size tried/! promised measured/! measured_low/2 measured_high/2 "
                "pairs/3 found/!",
        .data = "collective p size m_bytes tried promised measured measured_low measured_high "
                "measured_own_s measured_s pairs found",
        .own = tried_columns,
        .own_width = OUT_COUNT_OF(tried_columns),
        .rows = answer->trials.count,
        .row = tried_row,
        .context = answer};
}

static const char *library_of(const struct page *page)
{
    return sup_library_title(page->request->format->library);
}

/* The mean gain over the calls that were tried: what was measured beside what was promised. */
static void judge_gains(const struct page *page, struct out_verdict *verdict)
{
    const struct recommend_trials *trials = &page->answer->trials;
    double measured = 0, promised = 0;
    int32_t calls = 0;
    char words[2][OUT_WORDS];
    for (size_t i = 0; i < trials->count; i++)
        if (strcmp(trials->tried[i].found, "open") != 0 && trials->tried[i].promised > 0) {
            measured += log(trials->tried[i].gain);
            promised += log(trials->tried[i].promised);
            calls++;
        }
    if (calls > 0)
        out_verdict_say(verdict,
                        "%s the rules %s took %s in the mean of %" PRId32
                        " call%s; without them %s was promised.",
                        measured < 0 ? "With" : "Without", library_of(page),
                        out_longer(exp(fabs(measured) / calls), words[0]), calls, sup_plural(calls),
                        out_longer(exp(promised / calls), words[1]));
}

static void judge_trials(const struct page *page, struct out_verdict *verdict)
{
    const int32_t *fate = page->answer->trials.fate;
    char *left = decide_say_left_out(&page->answer->decision, DECIDE_UNTRIED);
    out_verdict_say(verdict,
                    "Tried on the machine, of the rules, each for one number of ranks, %" PRId32
                    " held, %" PRId32 " moved, %" PRId32 " dropped; %" PRId32 " open.",
                    fate[RECOMMEND_HELD], fate[RECOMMEND_MOVED], fate[RECOMMEND_DROPPED],
                    fate[RECOMMEND_OPEN]);
    judge_gains(page, verdict);
    if (left != NULL)
        out_verdict_say(verdict, "%s.", left);
    free(left);
    out_verdict_say(verdict, "recommend --rows fits a model of the machine to the same rows.");
}

/* ---- What is gained -------------------------------------------------------------------------- */

static char *gain_text(const struct page *page, size_t place, const char *names)
{
    return decide_say_gains(&page->answer->decision, place, library_of(page), names);
}

/* The answer, with which page and text begin. */
static char *answer_of(const struct page *page)
{
    const struct recommend_request *request = page->request;
    const struct decide *decision = &page->answer->decision;
    char names[300] = "";
    for (size_t i = 0; i < decision->place_count; i++)
        sup_append(names, sizeof names, ", ", "%s", decision->places[i].collective);
    char *gain = is_computed(page)
                     ? sup_format("NCCL's own choices for %s are its best ones by its own cost "
                                  "model, so no rule is needed",
                                  names)
                     : gain_text(page, DECIDE_ALL_PLACES, names);
    char *answer = sup_format("%s: %" PRId32 " node%s of %" PRId32 " rank%s on %s", gain,
                              request->nodes, request->nodes == 1 ? "" : "s", request->ppn,
                              request->ppn == 1 ? "" : "s", request->where);
    free(gain);
    return answer;
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
    out_verdict_say(verdict,
                    "%" PRId64
                    " times were measured on %s; a model that is fitted to %zu rows (%s) "
                    "predicts %" PRId64 " others, and cannot predict %" PRId64 ".",
                    answer->source[DECIDE_MEASURED], page->request->where, page->request->rows,
                    answer->fit, answer->source[DECIDE_PREDICTED], answer->source[DECIDE_UNTIMED]);
    out_verdict_say(verdict,
                    "At %" PRId32 " of %zu points another choice of the library is as fast within "
                    "the 90 %% interval of its prediction: measure there.",
                    count_ties(&answer->decision), answer->decision.call_count);
}

void recommend_say_learnt(const struct recommend_learnt *learnt, const char *unknown,
                          struct out_verdict *verdict)
{
    out_verdict_say(
        verdict,
        "Times are those of a model that is fitted to %" PRId32 " measured rows (%s)%s%s%s%s.",
        learnt->rows, learnt->machines, learnt->left_out == NULL ? "" : ", without those of ",
        learnt->left_out == NULL ? "" : learnt->left_out,
        unknown[0] == '\0' ? "" : "; simulated, as these don't know them: ", unknown);
}

void recommend_say_model(const struct recommend_request *request,
                         const struct recommend_answer *answer, struct out_verdict *verdict)
{
    const struct recommend_learnt *learnt = request->learnt;
    if (learnt != NULL && learnt->model == NULL)
        out_verdict_say(verdict, "Times are simulated, not corrected by measured ones: %s.",
                        learnt->why.text);
    else if (learnt != NULL)
        recommend_say_learnt(learnt, answer->unknown, verdict);
}

static void judge_confirmed(const struct recommend_answer *answer, struct out_verdict *verdict)
{
    const char *why = answer->unconfirmed.text;
    char words[OUT_WORDS];
    if (answer->confirmed > 0)
        out_verdict_say(verdict, "Simgrid confirms %" PRId32 " of the choices' times to %s%s%s.",
                        answer->confirmed, out_percent(answer->difference, words),
                        why[0] == '\0' ? "" : "; a run failed: ", why);
    else
        out_verdict_say(verdict, "Simgrid confirms none of them: %s.",
                        why[0] == '\0' ? "its runs would take too long" : why);
}

static void judge_runs(const struct page *page, struct out_verdict *verdict)
{
    const struct recommend_answer *answer = page->answer;
    const struct out_left_out *failed = &answer->decision.left_out[DECIDE_FAILED];
    const bool corrected = answer->source[DECIDE_SIMULATED] < answer->simulated;
    recommend_say_model(page->request, answer, verdict);
    out_verdict_say(verdict, "%" PRId64 " runs were simulated by flow on %s, with contention%s.",
                    answer->simulated, page->request->where,
                    answer->trials.count > 0 ? ""
                                             : ", and nothing is measured: try the rules on the "
                                               "machine before everybody uses them");
    if (!corrected && answer->source[DECIDE_PREDICTED] + answer->source[DECIDE_UNTIMED] > 0)
        out_verdict_say(verdict,
                        "%" PRId64 " times are predicted from those with fewer ranks, where a way "
                        "loses by far or a simulation would exceed the budget of %g s; %" PRId64
                        " ways have no time.",
                        answer->source[DECIDE_PREDICTED], page->request->budget_s,
                        answer->source[DECIDE_UNTIMED]);
    if (failed->count > 0)
        out_verdict_say(verdict, "%" PRId64 " run%s failed, such as %s.", failed->count,
                        sup_plural(failed->count), failed->names);
    if (answer->trials.count == 0 && !corrected)
        judge_confirmed(answer, verdict);
}

/* Rings between many nodes that lead by less than what NCCL's model forgets of them. */
static void judge_rings(const struct page *page, struct out_verdict *verdict)
{
    const struct decide *decision = &page->answer->decision;
    char size[32], words[2][OUT_WORDS];
    for (size_t i = 0; i < decision->call_count && page->request->nodes >= MANY_NODES; i++) {
        const struct decide_call *call = &decision->calls[i];
        const char *name = decision->places[call->place].collective;
        if (!has_all_ranks(decision, i) || strcmp(call->choice->name, "ring") != 0 ||
            call->next_best == NULL || !(call->lead < ring_forgets))
            continue;
        out_verdict_say(
            verdict,
            "At %s ring leads %s by %s, and on 32 nodes of MareNostrum 5 rings took up "
            "to %s times as long as this model says: measure NCCL_ALGO=%s:%s from there.",
            sup_format_shown(call->size, size, sizeof size), call->next_best->name,
            out_ratio(call->lead, words[0]), out_ratio(ring_forgets, words[1]), name,
            call->next_best->name);
        return;
    }
}

static void judge_computed(const struct page *page, struct out_verdict *verdict)
{
    const struct recommend_answer *answer = page->answer;
    const struct decide_call *last = &answer->decision.calls[answer->decision.call_count - 1];
    const struct recommend_try *taken = last->choice->more;
    judge_rings(page, verdict);
    out_verdict_say(
        verdict,
        "NCCL's times are computed by its cost model (2.30.7); those of plans, which "
        "nobody offers for GPUs yet, are simulated by flow (%" PRId64
        " runs). None is measured: on MareNostrum 5 such plans took 1.1 to 1.2 times as "
        "long from 64 MiB on, and 3 to 4 times up to 1 MiB.",
        answer->source[DECIDE_SIMULATED]);
    out_verdict_say(verdict,
                    "NCCL_ALGO=%s:%s NCCL_PROTO=%s is the last row's choice for all sizes; "
                    "NCCL_TUNER_PLUGIN=libroundabout-nccl-tuner.so RB_NCCL_TABLE=%s (-o) is each "
                    "row's.",
                    answer->decision.places[last->place].collective, last->choice->name,
                    taken == NULL || taken->protocol == NULL ? "Simple" : taken->protocol,
                    page->output == NULL ? "FILE" : page->output);
}

/* Where the largest gain is that the library cannot offer. */
static void judge_ours(const struct page *page, struct out_verdict *verdict)
{
    const struct decide *decision = &page->answer->decision;
    const struct decide_call *most = NULL;
    const struct decide_way *best = NULL;
    double gain = is_computed(page) ? 1.25 : 1.1;
    char words[OUT_WORDS], size[32];
    for (size_t i = 0; i < decision->call_count; i++) {
        const struct decide_call *call = &decision->calls[i];
        const struct decide_way *ours = best_of_ours(decision, call);
        if (ours == NULL || !has_all_ranks(decision, i) ||
            !(call->choice->time_s / ours->time_s > gain) ||
            (is_computed(page) && call->m_bytes < LARGE))
            continue;
        gain = call->choice->time_s / ours->time_s;
        most = call;
        best = ours;
    }
    const bool computed = is_computed(page);
    if (most != NULL)
        out_verdict_say(
            verdict, "%s, which %s, would be %s times as fast%s for %s at %s: docs/%s.", best->name,
            computed ? "nobody offers for GPUs yet" : "no MPI library has", out_ratio(gain, words),
            computed ? "" : " again", decision->places[most->place].collective,
            sup_format_shown(most->size, size, sizeof size),
            computed ? "gpu.md says how MSCCL++ would run it" : "mpi.md says how programs run it");
}

/* Points whose gain is not known. */
static void judge_own(const struct page *page, struct out_verdict *verdict)
{
    const struct decide *decision = &page->answer->decision;
    const struct out_left_out *lacking = &decision->left_out[DECIDE_NO_PLAN];
    size_t unknown = 0;
    for (size_t i = 0; i < decision->call_count; i++)
        unknown += !(decision->calls[i].own.time_s > 0);
    if (unknown > 0)
        out_verdict_say(verdict,
                        "At %zu of %zu points the time of %s's own choice is not known%s%s.",
                        unknown, decision->call_count, library_of(page),
                        lacking->count > 0 ? "; without a plan here: " : "", lacking->names);
}

/* First what the screen says, too. */
static void judge(const struct page *page, struct out_verdict *verdict)
{
    const struct decide *decision = &page->answer->decision;
    if (page->answer->trials.count > 0)
        judge_trials(page, verdict);
    judge_ours(page, verdict);
    judge_own(page, verdict);
    (page->request->rows > 0 ? judge_rows
     : is_computed(page)     ? judge_computed
                             : judge_runs)(page, verdict);
    for (size_t i = 0; i < decision->place_count && decision->place_count > 1 && !is_computed(page);
         i++) {
        char *gain = gain_text(page, i, decision->places[i].collective);
        out_verdict_say(verdict, "%s.", gain);
        free(gain);
    }
}

static void say_verdict(const struct page *page, bool screen)
{
    const size_t most = page->answer->trials.count > 0 ? 5 : 4; /* on a screen */
    struct out_verdict verdict = {0};
    judge(page, &verdict);
    for (size_t i = 0; i < verdict.count && !(screen && i == most); i++)
        say(page, "p", "%s", verdict.sentence[i]);
    out_verdict_free(&verdict);
}

/* ---- The commands ---------------------------------------------------------------------------- */

/* One run again, of the recommendation or of the default. */
static void say_run(const struct page *page, const struct decide_way *way)
{
    if (way->source != DECIDE_SIMULATED && way->source != DECIDE_COMPUTED)
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
        " -m %" PRId64 " --platform %s --engine %s",
        plan->collective,
        way->own && way->source == DECIDE_SIMULATED ? page->answer->native : plan->algorithm, n,
        radix, plan->p, point->ppn, point->m_bytes, platform, point->engine_text);
    free(platform);
}

static void say_commands(const struct page *page, char *const words[])
{
    const struct recommend_answer *answer = page->answer;
    char *command = page_command("recommend", words);
    say(page, "h2", "Commands (the file is for %s)", page->request->format->title);
    say(page, "pre", "%s", command);
    free(command);
    for (size_t i = 0; i < answer->decision.place_count; i++) {
        size_t end;
        find_all(&answer->decision, i, &end);
        const struct decide_call *last = &answer->decision.calls[end - 1];
        say_run(page, last->choice);
        if (last->choice->more != last->own.more && !is_computed(page))
            say_run(page, &last->own);
    }
    for (size_t i = 0; i < answer->notes.count; i++)
        say(page, "p", "%s", answer->notes.line[i]);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *head_of(const struct page *page)
{
    const struct recommend_answer *answer = page->answer;
    const struct decide_table tried = tried_table(answer);
    struct out_verdict verdict = {0};
    json_t *notes = json_array();
    judge(page, &verdict);
    json_t *judged = out_verdict_json(&verdict);
    out_verdict_free(&verdict);
    for (size_t i = 0; i < answer->notes.count; i++)
        json_array_append_new(notes, out_json_text(answer->notes.line[i]));
    return json_pack(
        "{s:s, s:o, s:s*, s:s*, s:i, s:i, s:s, s:I, s:I, s:I, s:I, s:I, s:i, s:o, s:o, s:o, s:o*}",
        "version", cli_program_version, page->request->platform == NULL ? "machine" : "platform",
        out_json_text(page->request->where), "hash",
        page->request->platform == NULL ? NULL : page->request->platform->hash, "engine",
        page->request->platform == NULL ? NULL : "flow", "nodes", (int)page->request->nodes, "ppn",
        (int)page->request->ppn, "format", page->request->format->name, "computed",
        (json_int_t)answer->source[DECIDE_COMPUTED], "simulated",
        (json_int_t)answer->source[DECIDE_SIMULATED], "predicted",
        (json_int_t)answer->source[DECIDE_PREDICTED], "measured",
        (json_int_t)answer->source[DECIDE_MEASURED], "not_reached",
        (json_int_t)answer->source[DECIDE_UNTIMED], "confirmed", (int)answer->confirmed,
        "difference", out_json_real(answer->confirmed > 0 ? answer->difference : NAN), "notes",
        notes, "verdict", judged, "tried",
        answer->trials.count > 0 ? decide_table_json(&tried) : NULL);
}

/* ---- Public ---------------------------------------------------------------------------------- */

static void print_json(const struct page *page)
{
    const struct rows rows = {&page->answer->decision, NULL};
    const struct decide_table table = table_of(&rows, "", rows.decision->call_count);
    decide_table_rows(&table, page->stream, head_of(page), "calls");
}

int recommend_print(const struct recommend_request *request, const struct recommend_answer *answer,
                    const struct recommend_printing *how, FILE *stream, struct sup_error *error)
{
    const struct page page = {request, answer, how->format, stream, how->output};
    int status = RB_OK;
    if (how->format == RECOMMEND_JSON) {
        print_json(&page);
        return RB_OK;
    }
    const bool screen = how->format == RECOMMEND_TEXT && !how->details;
    char *title = answer_of(&page);
    if (how->format == RECOMMEND_HTML)
        status = page_begin(stream, title, error);
    say(&page, "h1", "%s", title);
    free(title);
    say_choices(&page, !screen);
    const struct decide_table tried = tried_table(answer);
    if (answer->trials.count > 0)
        (how->format == RECOMMEND_HTML ? decide_table_html : decide_table_text)(&tried, stream);
    if (how->format == RECOMMEND_TEXT)
        fputc('\n', stream);
    say_verdict(&page, screen);
    if (screen && how->output != NULL)
        say(&page, "p", "%s has %s.", how->output, answer->notes.line[0]);
    if (how->script != NULL)
        say(&page, "p",
            "%s tries %zu call%s at the ends of rules in %.0f s at most%s: run it on the machine, "
            "then add --tried with its rows to these words.",
            how->script, how->trial->tried, sup_plural((int64_t)how->trial->tried),
            how->trial->time_s,
            how->trial->left_out > 0 ? "; others need a longer --try-time" : "");
    if (screen)
        out_more(stream, "%s--details (fewer ranks, bounds, commands), --format html|json",
                 how->output == NULL ? "-o rules.txt (the rules as a file), " : "");
    else
        say_commands(&page, how->words);
    return status;
}
