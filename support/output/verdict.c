#include "support/output/verdict.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "support/error.h"
#include "support/memory.h"
#include "support/output/table.h"
#include "support/units.h"

void out_verdict_say(struct out_verdict *verdict, const char *format, ...)
{
    va_list values;
    sup_grow(&verdict->sentence, verdict->count, sizeof *verdict->sentence);
    va_start(values, format);
    verdict->sentence[verdict->count++] = sup_vformat(format, values);
    va_end(values);
}

static void print_sentence(FILE *stream, const char *title, const char *format, va_list values)
{
    char *const text = sup_vformat(format, values);
    const int from = (int)strlen(title);
    fputs(title, stream);
    out_text_wrapped(from, from, text, stream);
    free(text);
}

void out_say(FILE *stream, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_sentence(stream, "", format, values);
    va_end(values);
}

void out_more(FILE *stream, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_sentence(stream, "More: ", format, values);
    va_end(values);
}

void out_verdict_lines(const struct out_verdict *verdict, size_t from, FILE *stream)
{
    for (size_t i = from; i < verdict->count; i++)
        out_say(stream, "%s", verdict->sentence[i]);
}

void out_verdict_text(const struct out_verdict *verdict, FILE *stream)
{
    static const char title[] = "Verdict: ";
    const int from = (int)strlen(title);
    if (verdict->count == 0)
        return;
    fputs(title, stream);
    for (size_t i = 0; i < verdict->count; i++)
        out_text_wrapped(i == 0 ? from : 0, from, verdict->sentence[i], stream);
}

json_t *out_verdict_json(const struct out_verdict *verdict)
{
    json_t *all = json_array();
    for (size_t i = 0; i < verdict->count; i++)
        json_array_append_new(all, out_json_text(verdict->sentence[i]));
    return all;
}

bool out_worst_add(struct out_worst *worst, double ratio)
{
    const bool largest = ratio > worst->most;
    worst->next = largest ? worst->most : fmax(worst->next, ratio);
    worst->most = fmax(worst->most, ratio);
    return largest;
}

const char *out_outlier(const struct out_worst *worst, char text[OUT_OUTLIER])
{
    char words[OUT_WORDS];
    text[0] = '\0';
    if (worst->next > 0 && worst->most > 4 * worst->next)
        snprintf(text, OUT_OUTLIER, " (an outlier; %s elsewhere)",
                 out_longer(fmax(worst->next, 1), words));
    return text;
}

const char *out_percent(double share, char words[OUT_WORDS])
{
    const double percent = 100 * share;
    if (fabs(percent) < 0.01 && percent != 0)
        snprintf(words, OUT_WORDS, "under 0.01 %%");
    else
        snprintf(words, OUT_WORDS, fabs(percent) < 9.95 ? "%.2g %%" : "%.0f %%", percent);
    return words;
}

const char *out_ratio(double ratio, char words[OUT_WORDS])
{
    const double size = fabs(ratio);
    snprintf(words, OUT_WORDS, size < 9.995 ? "%.2f" : size < 99.95 ? "%.1f" : "%.0f", ratio);
    return words;
}

const char *out_longer(double ratio, char words[OUT_WORDS])
{
    char percent[OUT_WORDS];
    if (ratio >= 99.5)
        snprintf(words, OUT_WORDS, "%.0f times as long", ratio);
    else if (ratio >= 2)
        snprintf(words, OUT_WORDS, "%.2g times as long", ratio);
    else if (ratio - 1 < 5e-5)
        snprintf(words, OUT_WORDS, "as long");
    else
        snprintf(words, OUT_WORDS, "%.12s longer", out_percent(ratio - 1, percent));
    return words;
}

void out_verdict_free(struct out_verdict *verdict)
{
    for (size_t i = 0; i < verdict->count; i++)
        free(verdict->sentence[i]);
    free(verdict->sentence);
    *verdict = (struct out_verdict){0};
}

/* ---- What is left out ------------------------------------------------------------------------ */

static const char others[] = "...";

static bool is_listed(const char *names, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = names; (at = strstr(at, name)) != NULL; at++)
        if ((at == names || at[-1] == ' ') && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

void out_leave_out(struct out_left_out *left, int64_t count, const char *name)
{
    const size_t most = 120, length = strlen(left->names);
    left->count += count;
    if (name == NULL || *name == '\0' || is_listed(left->names, name) ||
        is_listed(left->names, others))
        return;
    const bool has_room = length == 0 || length + strlen(name) < most;
    sup_append(left->names, sizeof left->names, ", ", "%s", has_room ? name : others);
}

char *out_left_out_text(const struct out_left_out *left, int64_t of, const char *unit,
                        const char *which)
{
    const char *names = left->names;
    char all[32] = "";
    if (of > 0)
        snprintf(all, sizeof all, " of %" PRId64, of);
    return sup_format("%" PRId64 "%s %s%s%s%s%s%s%s", left->count, all, unit,
                      sup_plural(of > 0 ? of : left->count), *which == '\0' ? "" : " ", which,
                      *names == '\0' ? "" : " (", names, *names == '\0' ? "" : ")");
}
