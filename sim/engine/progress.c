/* progress.c - progress rules as text. */
#include <stdio.h>
#include <string.h>

#include "engine.h"
#include "support/units.h"

int rb_progress_parse(const char *text, struct rb_progress *progress, struct rb_error *error)
{
    static const char window[] = "window:";
    if (strcmp(text, "lockstep") == 0) {
        *progress = (struct rb_progress){.rule = RB_LOCKSTEP, .window = 1};
        return RB_OK;
    }
    if (strcmp(text, "blocking") == 0) {
        *progress = (struct rb_progress){.rule = RB_BLOCKING, .window = 1};
        return RB_OK;
    }
    if (strcmp(text, "data") == 0) {
        *progress = (struct rb_progress){.rule = RB_DATA, .window = 1};
        return RB_OK;
    }
    if (strncmp(text, window, sizeof window - 1) == 0) {
        int64_t rounds;
        struct rb_error reason = {0};
        int status = rb_parse_int(text + sizeof window - 1, 1, INT32_MAX, &rounds, &reason);
        if (status)
            return rb_fail(error, status, "progress rule '%s': the window: %s", text, reason.text);
        *progress = (struct rb_progress){.rule = RB_WINDOW, .window = (int32_t)rounds};
        return RB_OK;
    }
    return rb_fail(error, RB_EINVAL,
                   "progress rule '%s' is unknown: there are lockstep, blocking, window:W (up to W "
                   "rounds in flight per rank, window:8) and data (all of them)",
                   text);
}

int64_t rb_progress_window(const struct rb_progress *progress, int64_t rounds)
{
    const int64_t wanted = progress->rule == RB_WINDOW ? progress->window
                           : progress->rule == RB_DATA ? rounds
                                                       : 1;
    return wanted < rounds ? wanted : rounds > 0 ? rounds : 1;
}

const char *rb_progress_format(const struct rb_progress *progress, char *buffer, size_t size)
{
    static const char *const names[] = {
        [RB_LOCKSTEP] = "lockstep", [RB_BLOCKING] = "blocking", [RB_DATA] = "data"};
    if (progress->rule == RB_WINDOW)
        snprintf(buffer, size, "window:%d", progress->window);
    else
        snprintf(buffer, size, "%s", names[progress->rule]);
    return buffer;
}
