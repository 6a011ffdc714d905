/* messages.c - output to standard error: messages and the progress line. */
#define _POSIX_C_SOURCE 200809L /* isatty, fileno */

#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/error.h"
#include "support/eta.h"
#include "support/options/options.h"
#include "support/output/files.h"
#include "support/units.h"

/* The process has one standard error, hence one speaker and at most one progress line on it. */
static const char *speaker;
static bool silent, quiet;
static bool line_shown;
static struct cli_bar *whole; /* cli_bar_start_parts */

static void clear_line(void)
{
    if (line_shown)
        fputs("\r\033[K", stderr);
    line_shown = false;
    out_unfinished_line(false);
}

void cli_complain_as(const char *verb)
{
    speaker = verb;
}

void cli_complain_aloud(bool aloud)
{
    silent = !aloud;
}

void cli_show_progress(bool shown)
{
    quiet = !shown;
}

/* Cuts words of more than a path's length: what somebody gave by mistake would fill the screen. */
static void cut_words(char *text)
{
    enum { MOST = 1024, KEPT = 64 };
    char *to = text;
    for (const char *from = text; *from != '\0';) {
        const size_t gap = strspn(from, " "), word = strcspn(from + gap, " ");
        const bool cut = word > MOST;
        memmove(to, from, gap + (cut ? KEPT : word));
        to += gap + (cut ? KEPT : word);
        from += gap + word;
        if (cut)
            to = stpcpy(to, "...");
    }
    *to = '\0';
}

int cli_complain(int status, const char *format, ...)
{
    if (silent)
        return status;
    clear_line();
    char text[8192], shown[4 * sizeof text];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (text[0] == '\0') /* out_close */
        return status;
    cut_words(text);
    fflush(stdout); /* what was said before stands before, on a terminal and in a log of both */
    fprintf(stderr, "roundabout%s%s: %s\n", speaker == NULL ? "" : " ",
            speaker == NULL ? "" : speaker, sup_visible(text, shown, sizeof shown));
    return status;
}

void cli_bar_start(struct cli_bar *bar, const char *what, int64_t total)
{
    const double now_s = sup_clock_s();
    *bar = (struct cli_bar){.what = what,
                            .total = total,
                            .started_s = now_s,
                            .shown_s = now_s,
                            .hidden = quiet,
                            .terminal = isatty(STDERR_FILENO) != 0};
}

void cli_bar_start_parts(struct cli_bar *bar, const char *what, int64_t parts)
{
    cli_bar_start(bar, what, parts);
    bar->part_s = bar->started_s;
    whole = bar;
}

void cli_bar_start_writing(struct cli_bar *bar, const char *what, int64_t total,
                           const struct out_file *output)
{
    struct stat about;
    cli_bar_start(bar, what, total);
    if (output == NULL || fstat(fileno(output->file), &about) != 0 || !S_ISREG(about.st_mode))
        bar->hidden = true;
}

/* Work that takes less than this shows nothing on a terminal, which would only flicker. */
static const double first_s = 1, next_s = 0.2, log_s = 10;

bool cli_bar_is_due(const struct cli_bar *bar)
{
    const double now_s = sup_clock_s();
    const bool hidden = bar->hidden;
    bar = whole != NULL ? whole : bar;
    if (hidden)
        return false;
    if (!bar->terminal)
        return now_s - bar->shown_s >= log_s;
    return now_s - bar->shown_s >= (bar->shown_s == bar->started_s ? first_s : next_s);
}

/* Of all parts, if a bar of the present one has so long left: it may have more bars, and the other
 * parts take as long as those before. */
static double whole_left_s(double left_s)
{
    const double now_s = sup_clock_s(), gone_s = now_s - whole->part_s;
    const double part_s = whole->part > 0 ? (whole->part_s - whole->started_s) / (double)whole->part
                                          : gone_s + left_s;
    return fmax(left_s, part_s - gone_s) + part_s * (double)(whole->total - whole->part - 1);
}

static double share_of(const struct cli_bar *bar, double left_s)
{
    const double gone_s = sup_clock_s() - bar->started_s;
    return gone_s / (gone_s + left_s);
}

/* A share below 1 is never shown as 100 %. left_s below 0: not known. */
static void show(struct cli_bar *bar, double share, double left_s, const char *note)
{
    char left[48] = "", clock[32];
    if (whole != NULL) {
        note = bar->what;
        bar = whole;
        left_s = left_s >= 0 ? whole_left_s(left_s) : left_s;
        share = left_s >= 0 ? share_of(whole, left_s) : (double)whole->part / (double)whole->total;
    }
    const int percent = share >= 0.995 ? 99 : share > 0 ? (int)(100 * share) : 0;
    if (bar->percent < percent)
        bar->percent = percent;
    if (left_s >= 0) /* of less than a second left, one is shown */
        snprintf(left, sizeof left, ", %s left",
                 sup_format_clock(ceil(left_s), clock, sizeof clock));
    clear_line();
    fprintf(stderr, "%s: %3d %%%s%s%s%s", bar->what, bar->percent, left, note == NULL ? "" : ", ",
            note == NULL ? "" : note, bar->terminal ? "" : "\n");
    line_shown = bar->terminal;
    out_unfinished_line(line_shown);
    fflush(stderr);
    bar->shown_s = sup_clock_s();
}

void cli_bar_part(struct cli_bar *bar, int64_t part)
{
    bar->part = part;
    bar->part_s = sup_clock_s();
}

void cli_bar_update(struct cli_bar *bar, int64_t done, const char *note)
{
    if (bar->total <= 0 || !cli_bar_is_due(bar))
        return;
    const double share = (double)done / (double)bar->total;
    const double gone_s = sup_clock_s() - bar->started_s;
    show(bar, share, done > 0 ? gone_s * fmax(1 - share, 0) / share : -1, note);
}

void cli_bar_show(struct cli_bar *bar, double left_s, const char *note)
{
    if (!cli_bar_is_due(bar))
        return;
    show(bar, share_of(bar, left_s), left_s, note);
}

void cli_bar_share(void *context, double share)
{
    struct cli_bar *bar = context;
    const double took_s = sup_clock_s() - bar->started_s;
    cli_bar_show(bar, share > 0 ? took_s * (1 - share) / share : INFINITY, NULL);
}

void cli_bar_foretell(struct cli_bar *bar, double left_s)
{
    static const double long_s = 60;
    if (!bar->hidden && left_s >= long_s)
        show(bar, 0, left_s, NULL);
}

void cli_bar_end(struct cli_bar *bar)
{
    bar->hidden = true;
    whole = whole == bar ? NULL : whole;
    if (whole == NULL)
        clear_line();
}

void cli_bar_hide(void)
{
    clear_line();
}

/* ---- What is said of words that are not taken ------------------------------------------------ */

static struct {
    const struct cli_verb *const *verbs;
    int32_t count;
    const struct cli_advice *advice;
    const struct cli_registry *registries;
} known;

void cli_know(const struct cli_verb *const verbs[], int32_t count, const struct cli_advice *advice,
              const struct cli_registry *registries)
{
    known.registries = registries;
    known.verbs = verbs;
    known.count = count;
    known.advice = advice;
}

const struct cli_registry *cli_registry_of(const char *option)
{
    const struct cli_registry *registry = known.registries;
    while (registry != NULL && registry->option != NULL && strcmp(registry->option, option) != 0)
        registry++;
    return registry == NULL || registry->option == NULL ? NULL : registry;
}

bool cli_word_is_among(const char *word, const char *patterns)
{
    char pattern[128];
    for (const char *at = patterns; *at != '\0';) {
        const size_t length = strcspn(at, "|");
        snprintf(pattern, sizeof pattern, "%.*s", (int)length, at);
        if (fnmatch(pattern, word, 0) == 0)
            return true;
        at += length + (at[length] == '|');
    }
    return false;
}

/* to_do with the word in place of each @. */
static void complain_with(const char *typed, const char *to_do)
{
    char text[512] = "";
    for (; *to_do != '\0'; to_do++)
        sup_append(text, sizeof text, "", "%.*s", *to_do == '@' ? 200 : 1,
                   *to_do == '@' ? typed : to_do);
    cli_complain(CLI_EXIT_USAGE, "%s: %s", typed, text);
}

static bool is_for(const struct cli_advice *row, const char *verb)
{
    if (row->verbs == NULL)
        return *verb != '\0';
    return *verb == '\0' ? *row->verbs == '\0' : cli_word_is_among(verb, row->verbs);
}

bool cli_advise(const char *verb, const char *word, const char *typed)
{
    const struct cli_advice *row = known.advice;
    for (; row != NULL && row->words != NULL; row++)
        if (is_for(row, verb) && (*word == '-') == (*row->words == '-') &&
            cli_word_is_among(word, row->words)) {
            complain_with(typed, row->to_do);
            return true;
        }
    return false;
}

static bool has_option(const struct cli_verb *verb, const char *name, struct cli_option *option)
{
    for (int32_t i = 0; cli_verb_option(verb, i, option); i++)
        if (name[1] == '\0' ? option->letter == *name
                            : strcmp(option->name, name) == 0 ||
                                  (option->synonym != NULL && strcmp(option->synonym, name) == 0))
            return true;
    return false;
}

const struct cli_verb *cli_verb_with(const char *name, struct cli_option *option)
{
    const struct cli_verb *first = NULL;
    for (int32_t i = 0; *name != '\0' && i < known.count; i++)
        if ((first == NULL || strcmp(known.verbs[i]->name, "simulate") == 0) &&
            has_option(known.verbs[i], name, option))
            first = known.verbs[i];
    if (first != NULL)
        has_option(first, name, option);
    return first;
}
