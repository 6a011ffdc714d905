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
                   "progress rule '%s' is unknown: there are lockstep, blocking and window:W "
                   "(up to W rounds in flight per rank, window:8)",
                   text);
}

const char *rb_progress_format(const struct rb_progress *progress, char *buffer, size_t size)
{
    if (progress->rule == RB_WINDOW)
        snprintf(buffer, size, "window:%d", progress->window);
    else
        snprintf(buffer, size, "%s", progress->rule == RB_LOCKSTEP ? "lockstep" : "blocking");
    return buffer;
}
