/* messages.c - output to standard error: messages and the progress line. */
#define _POSIX_C_SOURCE 200809L /* isatty */

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "command/options/options.h"
#include "support/clock.h"
#include "support/units.h"
#include "support/visible.h"

/* The process has one standard error, hence one speaker and at most one progress line on it. */
static const char *speaker;
static bool silent, quiet;
static bool line_shown;

static void clear_line(void)
{
    if (line_shown)
        fputs("\r\033[K", stderr);
    line_shown = false;
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
    fprintf(stderr, "roundabout%s%s: %s\n", speaker == NULL ? "" : " ",
            speaker == NULL ? "" : speaker, sup_visible(text, shown, sizeof shown));
    return status;
}

void cli_bar_start(struct cli_bar *bar, const char *what, int64_t total)
{
    double now = sup_clock_s();
    *bar = (struct cli_bar){.what = what,
                            .total = quiet ? 0 : total,
                            .started = now,
                            .shown = now,
                            .terminal = isatty(STDERR_FILENO) != 0};
}

void cli_bar_update(struct cli_bar *bar, int64_t done, const char *note)
{
    double now = sup_clock_s();
    if (now - bar->shown < (bar->terminal ? 0.2 : 10.0) || bar->total <= 0)
        return; /* too early, quiet, or nothing to do */
    bar->shown = now;
    double share = (double)done / (double)bar->total;
    char left[40] = "";
    if (done > 0) {
        char clock[32];
        snprintf(left, sizeof left, ", %s left",
                 sup_format_clock((now - bar->started) * (1 - share) / share, clock, 24));
    }
    clear_line();
    fprintf(stderr, "%s: %3.0f %%%s%s%s%s", bar->what, 100 * share, left, note == NULL ? "" : ", ",
            note == NULL ? "" : note, bar->terminal ? "" : "\n");
    line_shown = bar->terminal;
    fflush(stderr);
}

void cli_bar_end(struct cli_bar *bar)
{
    bar->total = 0;
    clear_line();
}
