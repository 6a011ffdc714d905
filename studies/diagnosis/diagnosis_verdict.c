/* diagnosis_verdict.c - what bounds the time of a run, in a sentence or two. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "studies/diagnosis/diagnosis_report.h"
#include "support/memory.h"
#include "support/units.h"

/* The critical path's time is the sum of these parts, but for waiting below 0, where messages
 * overlap. Which parts are known depends on the engine and on the platform. */
enum part {
    START_UPS, /* alpha of each message */
    DATA,      /* beta of each byte */
    MOVING,    /* messages, where alpha and beta are not known */
    SHARING,   /* what messages take longer than they would alone */
    SLOW,      /* what they take longer alone than between ranks 0 and 1 */
    BEYOND,    /* SHARING and SLOW, where it is not known how long messages would take alone */
    WAITING,
    PARTS
};

static void split(const struct diag_subject *diagnosed, double part_s[PARTS])
{
    const struct obs_critical_path *path = &diagnosed->diagnosis->path;
    const struct diag_shares shares = diag_shares_of(diagnosed);
    const double rest_s = isnan(shares.rest_s) ? path->moving_s : shares.rest_s;
    double lost_s = 0;
    bool known = true;
    for (int32_t i = 0; i < path->count; i++) {
        const struct sim_message *message = path->step[i].message;
        known = known && message->alone_s > 0;
        lost_s += fmax(message->end_s - message->start_s - message->alone_s, 0);
    }
    memset(part_s, 0, PARTS * sizeof *part_s);
    part_s[WAITING] = fmax(path->waiting_s, 0);
    part_s[SHARING] = known ? fmin(lost_s, fmax(rest_s, 0)) : 0;
    if (isnan(shares.rest_s)) {
        part_s[MOVING] = rest_s - part_s[SHARING];
        return;
    }
    part_s[START_UPS] = shares.alpha_s;
    part_s[DATA] = shares.beta_s;
    part_s[known ? SLOW : BEYOND] = fmax(rest_s - part_s[SHARING], 0);
}

/* The rank that sends most of the path's time, if that is more than half of at least 3 messages;
 * otherwise -1. */
static int32_t busiest_sender(const struct diag_subject *diagnosed, int32_t *messages)
{
    const struct obs_critical_path *path = &diagnosed->diagnosis->path;
    const int32_t p = sim_ranks(diagnosed->spec);
    int32_t *sends = sup_calloc((size_t)p, sizeof *sends), most = 0;
    for (int32_t i = 0; i < path->count; i++)
        if (++sends[path->step[i].message->from] > sends[most])
            most = path->step[i].message->from;
    *messages = sends[most];
    free(sends);
    return path->count >= 3 && 2 * *messages > path->count ? most : -1;
}

static const struct obs_path_step *longest_wait(const struct obs_critical_path *path)
{
    const struct obs_path_step *longest = &path->step[0];
    for (int32_t i = 1; i < path->count; i++)
        if (path->step[i].wait_s > longest->wait_s)
            longest = &path->step[i];
    return longest;
}

static void describe(const struct diag_subject *diagnosed, enum part part, double sharing_s,
                     char *text, size_t size)
{
    const struct sim_result *result = diagnosed->result;
    const struct obs_critical_path *path = &diagnosed->diagnosis->path;
    char value[32], other[32];
    switch (part) {
    case START_UPS:
        snprintf(text, size, "start-ups: %" PRId32 " message%s in sequence, %s each", path->count,
                 sup_plural(path->count), sup_format_seconds(result->alpha_s, value, sizeof value));
        break;
    case DATA:
        snprintf(text, size, "data: %" PRId32 " message%s in sequence, at %.3g GB/s", path->count,
                 sup_plural(path->count), 1e-9 / result->beta_s_per_byte);
        break;
    case MOVING:
        snprintf(text, size, "messages as such: %" PRId32 " in sequence", path->count);
        break;
    case SHARING:
        snprintf(text, size,
                 "lost to shared links: messages in sequence take %s, alone they would take %s",
                 sup_format_seconds(path->moving_s, value, sizeof value),
                 sup_format_seconds(path->moving_s - sharing_s, other, sizeof other));
        break;
    case SLOW:
        snprintf(text, size, "slower routes: what messages take longer than from rank 0 to 1");
        break;
    case BEYOND:
        snprintf(text, size, "slower or shared links");
        break;
    case WAITING:
        snprintf(text, size, "waiting, longest (%s) that of rank %" PRId32,
                 sup_format_seconds(longest_wait(path)->wait_s, value, sizeof value),
                 longest_wait(path)->at);
        break;
    case PARTS:
        break;
    }
}

static void say_parts(const struct diag_subject *diagnosed, struct out_verdict *verdict)
{
    static const char *const short_names[PARTS] = {
        [START_UPS] = "start-ups", [DATA] = "data",          [MOVING] = "messages as such",
        [SHARING] = "sharing",     [SLOW] = "slower routes", [BEYOND] = "slower or shared links",
        [WAITING] = "waiting"};
    double part_s[PARTS], all_s = 0;
    char text[200], others[200] = "", sender[80] = "", words[OUT_WORDS];
    int32_t messages;
    int most = 0;
    split(diagnosed, part_s);
    for (int i = 0; i < PARTS; i++) {
        most = part_s[i] > part_s[most] ? i : most;
        all_s += part_s[i]; /* more than the run's time where messages overlap */
    }
    for (int i = 0; i < PARTS; i++) {
        const size_t used = strlen(others);
        if (i != most && part_s[i] >= 0.1 * all_s)
            snprintf(others + used, sizeof others - used, "%s %s %s", used == 0 ? ";" : ",",
                     out_percent(part_s[i] / all_s, words), short_names[i]);
    }
    const int32_t rank = busiest_sender(diagnosed, &messages);
    if (rank >= 0 && messages == diagnosed->diagnosis->path.count)
        snprintf(sender, sizeof sender, "; rank %" PRId32 " sends all of them", rank);
    else if (rank >= 0)
        snprintf(sender, sizeof sender, "; rank %" PRId32 " sends %" PRId32 " of them", rank,
                 messages);
    describe(diagnosed, (enum part)most, part_s[SHARING], text, sizeof text);
    out_verdict_say(verdict, "%s of the time is %s%s%s.", out_percent(part_s[most] / all_s, words),
                    text, sender, others);
}

/* The busiest link that messages share: a loopback gives each its whole bandwidth, so that it can
 * carry more than it could otherwise. NULL: none of those known. */
static const struct sim_link *busiest_link(const struct sim_result *result, double *share)
{
    for (int32_t i = 0; i < result->link_count; i++) {
        const struct sim_link *link = &result->links[i];
        *share = (double)link->bytes / link->bandwidth / result->time_s;
        if (*share <= 1.001)
            return link;
    }
    return NULL;
}

/* A host's own link is busy in every good plan; a round that wants more than a link has is
 * contention. Of another link it matters only where no link is full anyway. */
static void say_links(const struct diag_subject *diagnosed, struct out_verdict *verdict)
{
    const struct sim_fullest *fullest = &diagnosed->result->fullest;
    char words[OUT_WORDS], round[320] = "";
    double share;
    const struct sim_link *link = busiest_link(diagnosed->result, &share);
    if (link == NULL)
        return;
    const bool same = strcmp(fullest->link, link->name) == 0;
    const bool crowded = fullest->messages > 1 && fullest->load > 1 + 1e-9 && (same || share < 0.9);
    if (share < 0.5 && !crowded)
        return;
    if (crowded)
        snprintf(round, sizeof round,
                 "; the %" PRId64 " messages of round %" PRId64
                 " on %s want %.3g times its bandwidth",
                 fullest->messages, fullest->round, same ? "it" : fullest->link, fullest->load);
    out_verdict_say(verdict, "Of the busiest link, %s, %s of the bandwidth is used on average%s.",
                    link->name, out_percent(share, words), round);
}

void diag_verdict(const struct diag_subject *diagnosed, struct out_verdict *verdict)
{
    if (diagnosed->diagnosis->path.count == 0 || !(diagnosed->diagnosis->time_s > 0))
        return;
    say_parts(diagnosed, verdict);
    say_links(diagnosed, verdict);
}
