/* overlap.c - overlap rules as text. */
#include <stdio.h>
#include <string.h>

#include "engine.h"
#include "support/units.h"

/* The rules without a number. */
static const char *const names[] = {
    [SIM_LOCKSTEP] = "lockstep", [SIM_BLOCKING] = "blocking", [SIM_DATA] = "data"};

int sim_overlap_parse(const char *text, struct sim_overlap *overlap, struct sup_error *error)
{
    static const char window[] = "window:";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i] != NULL && strcmp(names[i], text) == 0) {
            *overlap = (struct sim_overlap){.rule = (enum sim_overlap_rule)i, .window = 1};
            return RB_OK;
        }
    if (strncmp(text, window, sizeof window - 1) == 0) {
        int64_t rounds;
        struct sup_error reason = {0};
        int status = sup_parse_int(text + sizeof window - 1, 1, INT32_MAX, &rounds, &reason);
        if (status)
            return sup_fail(error, status, "overlap rule '%s': the window: %s", text, reason.text);
        *overlap = (struct sim_overlap){.rule = SIM_WINDOW, .window = (int32_t)rounds};
        return RB_OK;
    }
    return sup_fail(error, RB_EINVAL,
                    "overlap rule '%s' is unknown: there are lockstep, blocking, window:W (up to W "
                    "rounds in flight per rank, window:8) and data (all of them)",
                    text);
}

int64_t sim_overlap_window(const struct sim_overlap *overlap, int64_t rounds)
{
    const int64_t wanted = overlap->rule == SIM_WINDOW ? overlap->window
                           : overlap->rule == SIM_DATA ? rounds
                                                       : 1;
    return wanted < rounds ? wanted : rounds > 0 ? rounds : 1;
}

const char *sim_overlap_format(const struct sim_overlap *overlap, char *buffer, size_t size)
{
    if (overlap->rule == SIM_WINDOW)
        snprintf(buffer, size, "window:%d", overlap->window);
    else
        snprintf(buffer, size, "%s", names[overlap->rule]);
    return buffer;
}
