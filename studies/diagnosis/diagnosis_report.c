#include "studies/diagnosis/diagnosis_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory.h"
#include "support/output/table.h"
#include "support/units.h"

/* ---- The verdict ----------------------------------------------------------------------------- */

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

static struct diag_shares shares_of(const struct diag_subject *diagnosed)
{
    const struct obs_critical_path *path = &diagnosed->diagnosis->path;
    struct diag_shares shares = {path->count * diagnosed->result->alpha_s,
                                 (double)path->bytes * diagnosed->result->beta_s_per_byte, 0};
    shares.rest_s = path->moving_s - shares.alpha_s - shares.beta_s;
    if (fabs(shares.rest_s) <= 1e-9 * diagnosed->result->time_s) /* rounding */
        shares.rest_s = 0;
    if (!diagnosed->result->uncontended && diagnosed->spec->ppn > 1)
        shares.alpha_s = shares.beta_s = shares.rest_s = NAN;
    return shares;
}

static void split(const struct diag_subject *diagnosed, double part_s[PARTS])
{
    const struct obs_critical_path *path = &diagnosed->diagnosis->path;
    const struct diag_shares shares = shares_of(diagnosed);
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
        snprintf(text, size, "messages: %" PRId32 " in sequence", path->count);
        break;
    case SHARING:
        snprintf(text, size,
                 "lost to shared links: messages in sequence take %s, alone they would take %s",
                 sup_format_seconds(path->moving_s, value, sizeof value),
                 sup_format_seconds(path->moving_s - sharing_s, other, sizeof other));
        break;
    case SLOW:
        snprintf(text, size, "slower routes than that from rank 0 to rank 1");
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
        [START_UPS] = "start-ups", [DATA] = "data",          [MOVING] = "messages",
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
    for (int i = 0; i < PARTS; i++)
        if (i != most && part_s[i] >= 0.1 * all_s)
            sup_append(others, sizeof others, ", ", "%s%s %s", *others == '\0' ? "; " : "",
                       out_percent(part_s[i] / all_s, words), short_names[i]);
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

/* ---- The report ------------------------------------------------------------------------------ */

static const char *const uses[OBS_USES] = {
    [OBS_USE_BEGUN] = "begun_s",    [OBS_USE_THROUGH] = "through_s", [OBS_USE_SENDING] = "send_s",
    [OBS_USE_RECEIVING] = "recv_s", [OBS_USE_BUSY] = "busy_s",       [OBS_USE_IDLE] = "idle_s",
    [OBS_USE_GAPS] = "gaps_s",
};
/* In the order of columns and lines. */
static const enum obs_use order[OBS_USES] = {OBS_USE_BEGUN,     OBS_USE_THROUGH, OBS_USE_SENDING,
                                             OBS_USE_RECEIVING, OBS_USE_BUSY,    OBS_USE_IDLE,
                                             OBS_USE_GAPS};

static const char *phase_name(const struct obs_diagnosis *diagnosis, int phase)
{
    static const char *const names[OBS_PHASES] = {"fill", "steady", "drain"};
    return phase == OBS_STEADY && !diagnosis->full ? "never full" : names[phase];
}

static double spread_width(const struct obs_diagnosis *diagnosis, enum obs_use use)
{
    return diagnosis->spread[use].most - diagnosis->spread[use].least;
}

/* ---- json ------------------------------------------------------------------------------------ */

static json_t *phases_json(const struct obs_diagnosis *diagnosis)
{
    json_t *all = json_array();
    for (int i = 0; i < OBS_PHASES; i++) {
        const struct obs_phase *phase = &diagnosis->phase[i];
        json_array_append_new(
            all, json_pack("{s:s, s:f, s:f, s:I, s:o}", "phase", phase_name(diagnosis, i), "from_s",
                           phase->from_s, "to_s", phase->to_s, "rounds", (json_int_t)phase->rounds,
                           "utilisation", out_json_real(phase->utilisation)));
    }
    return all;
}

static json_t *spreads_json(const struct obs_diagnosis *diagnosis)
{
    json_t *all = json_object();
    for (int i = 0; i < OBS_USES; i++) {
        const struct obs_spread *spread = &diagnosis->spread[order[i]];
        json_object_set_new(all, uses[order[i]],
                            json_pack("{s:f, s:i, s:f, s:i, s:f, s:i}", "least", spread->least,
                                      "least_rank", spread->least_rank, "median", spread->median,
                                      "median_rank", spread->median_rank, "most", spread->most,
                                      "most_rank", spread->most_rank));
    }
    return all;
}

static json_t *steps_json(const struct obs_critical_path *path)
{
    json_t *all = json_array();
    for (int32_t i = 0; i < path->count; i++) {
        const struct obs_path_step *step = &path->step[i];
        const struct sim_message *message = step->message;
        json_array_append_new(
            all, json_pack("{s:I, s:i, s:i, s:i, s:I, s:f, s:f, s:s, s:i, s:f}", "round",
                           (json_int_t)message->round, "from", message->from, "to", message->to,
                           "port", message->port, "bytes", (json_int_t)message->bytes, "start_s",
                           message->start_s, "end_s", message->end_s, "cause",
                           obs_cause_names[step->cause], "at", step->at, "wait_s", step->wait_s));
    }
    return all;
}

static json_t *path_json(const struct diag_subject *diagnosed)
{
    const struct obs_critical_path *path = &diagnosed->diagnosis->path;
    const struct diag_shares shares = shares_of(diagnosed);
    json_t *causes = json_object();
    for (int i = 0; i < OBS_CAUSES; i++)
        json_object_set_new(causes, obs_cause_names[i], json_integer(path->causes[i]));
    return json_pack("{s:i, s:i, s:I, s:f, s:f, s:o, s:o, s:o, s:o, s:o}", "messages", path->count,
                     "ranks", path->ranks, "bytes", (json_int_t)path->bytes, "moving_s",
                     path->moving_s, "waiting_s", path->waiting_s, "alpha_s",
                     out_json_real(shares.alpha_s), "beta_s", out_json_real(shares.beta_s),
                     "rest_s", out_json_real(shares.rest_s), "causes", causes, "steps",
                     steps_json(path));
}

/* Of each rank: its messages, and its uses of time in their order. */
enum { RANK_COLUMNS = 3 + OBS_USES };

static void rank_columns(struct out_column columns[RANK_COLUMNS])
{
    columns[0] = (struct out_column){"rank", .kind = OUT_COUNT};
    columns[1] = (struct out_column){"sends", .kind = OUT_COUNT};
    columns[2] = (struct out_column){"receives", .kind = OUT_COUNT};
    for (int i = 0; i < OBS_USES; i++)
        columns[3 + i] = (struct out_column){uses[order[i]], .kind = OUT_REAL};
}

/* Into the stream as CSV, or into the array, whichever is not NULL. */
static void add_ranks(const struct diag_subject *diagnosed, FILE *stream, json_t *array)
{
    struct out_column columns[RANK_COLUMNS];
    const struct out_table ranks = {columns, .width = RANK_COLUMNS};
    rank_columns(columns);
    if (stream != NULL)
        out_csv_heading(&ranks, stream);
    for (int32_t r = 0; r < sim_ranks(diagnosed->spec); r++) {
        const struct obs_rank_use *rank = &diagnosed->diagnosis->rank[r];
        union out_cell cells[RANK_COLUMNS] = {
            {.whole = r}, {.whole = rank->sends}, {.whole = rank->receives}};
        for (int i = 0; i < OBS_USES; i++)
            cells[3 + i].real = obs_use_of(rank, order[i], diagnosed->diagnosis->time_s);
        if (stream != NULL)
            out_csv_row(&ranks, cells, stream);
        else
            json_array_append_new(array, out_json_row(&ranks, cells));
    }
}

json_t *diag_json(const struct diag_subject *diagnosed)
{
    const struct obs_diagnosis *diagnosis = diagnosed->diagnosis;
    json_t *ranks = json_array();
    add_ranks(diagnosed, NULL, ranks);
    return json_pack("{s:i, s:b, s:o, s:o, s:f, s:f, s:I, s:o, s:o}", "taking_part",
                     diagnosis->taking_part, "full", diagnosis->full, "phases",
                     phases_json(diagnosis), "spreads", spreads_json(diagnosis), "through_skew_s",
                     spread_width(diagnosis, OBS_USE_THROUGH), "start_skew_s",
                     diagnosis->start_skew_s, "start_skew_round",
                     (json_int_t)diagnosis->start_skew_round, "critical_path", path_json(diagnosed),
                     "ranks", ranks);
}

/* ---- csv ------------------------------------------------------------------------------------- */

void diag_csv(const struct diag_subject *diagnosed, FILE *stream)
{
    add_ranks(diagnosed, stream, NULL);
}

/* ---- Table ----------------------------------------------------------------------------------- */

/* A time in a column. */
static void print_time(double time_s, FILE *stream)
{
    char text[32];
    fprintf(stream, "  %11s", sup_format_seconds(time_s, text, sizeof text));
}

static void print_phases(const struct obs_diagnosis *diagnosis, FILE *stream)
{
    fprintf(stream, "\n%-14s  %11s  %11s  %11s  %9s  %10s\n", "pipeline", "from", "to", "length",
            "rounds", "ports busy");
    for (int i = 0; i < OBS_PHASES; i++) {
        const struct obs_phase *phase = &diagnosis->phase[i];
        fprintf(stream, "%-14s", phase_name(diagnosis, i));
        print_time(phase->from_s, stream);
        print_time(phase->to_s, stream);
        print_time(phase->to_s - phase->from_s, stream);
        fprintf(stream, "  %9" PRId64, phase->rounds);
        if (isnan(phase->utilisation))
            fputs("           -\n", stream);
        else
            fprintf(stream, "  %8.1f %%\n", 100 * phase->utilisation);
    }
}

void diag_table(const struct diag_subject *diagnosed, bool details, FILE *stream)
{
    if (diagnosed->diagnosis->taking_part == 0) {
        fputs("\nno messages: nothing to diagnose\n", stream);
        return;
    }
    print_phases(diagnosed->diagnosis, stream);
    if (!details)
        return;
    fputc('\n', stream);
    out_json_details(diag_json(diagnosed), stream);
}
