/* simulate_report.c - one simulated point as table, csv or json. All three print one list of
 * fields, whose names docs/formats.md documents. */
#include "command/simulate.h"
#include "experiments/point/parameters.h"
#include "platforms/platform.h"
#include "studies/diagnosis/diagnosis_report.h"
#include "support/output/table.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *engine_options(const struct sim_spec *spec)
{
    json_t *all = json_array();
    for (int32_t i = 0; i < spec->option_count; i++)
        json_array_append_new(all, out_json_text(spec->options[i]));
    return all;
}

/* The plan with the algorithm's choices, or the request if there is no plan. */
static struct rb_plan_spec planned_of(const struct verb_simulated *simulated)
{
    const struct rb_plan *plan = simulated->run->plan;
    return plan != NULL ? rb_plan_spec_of(plan) : simulated->point->plan;
}

/* The request. */
static json_t *request_fields(const struct verb_simulated *simulated)
{
    const struct point *point = simulated->point;
    const struct sim_result *result = &simulated->run->result;
    const struct rb_plan_spec planned = planned_of(simulated);
    json_t *fields = json_object();
    point_add(fields, point, POINT_COLLECTIVE, POINT_N);
    json_object_set_new(fields, "n_origin", json_string(simulated->n_origin));
    point_add(fields, point, POINT_BYTES, POINT_PLATFORM_HASH);
    json_object_set_new(fields, "hosts", json_integer(result->hosts));
    point_add(fields, point, POINT_PPN, POINT_ENGINE);
    json_object_set_new(fields, "variant", json_string(result->variant));
    point_add(fields, point, POINT_OVERLAP, POINT_OVERLAP);
    json_object_set_new(fields, "engine_options", engine_options(&simulated->run->spec));
    point_add_chosen(fields, &planned);
    return fields;
}

static const struct out_column link_columns[] = {
    {"link", "busiest links", .kind = OUT_WORD, .width = -32},
    {"bytes", "bytes", .kind = OUT_BYTES, .width = 14},
    {"messages", "messages", .kind = OUT_COUNT, .width = 10},
    {"bandwidth_bytes_per_s", .kind = OUT_REAL},
    {"most_in_round", "in round", .kind = OUT_COUNT, .width = 9},
    {.heading = "share of time", .kind = OUT_PERCENT, .width = 16, .real = "%.1f %%"},
};
static const struct out_table link_table = {link_columns, .width = OUT_COUNT_OF(link_columns)};

/* In JSON to the end of the array, otherwise to the stream. */
static void add_links(const struct sim_result *result, enum out_format format, FILE *stream,
                      json_t *array)
{
    for (int32_t i = 0; i < result->link_count; i++) {
        const struct sim_link *link = &result->links[i];
        const union out_cell cells[] = {
            {.word = link->name},
            {.whole = link->bytes},
            {.whole = link->messages},
            {.real = link->bandwidth},
            {.whole = link->most_in_round},
            {.real = (double)link->bytes / link->bandwidth / result->time_s}};
        if (format == OUT_TEXT)
            out_text_row(&link_table, cells, stream);
        else if (format == OUT_CSV)
            out_csv_row(&link_table, cells, stream);
        else
            json_array_append_new(array, out_json_row(&link_table, cells));
    }
}

static json_t *links_of(const struct sim_result *result)
{
    json_t *all = json_array();
    add_links(result, OUT_JSON, NULL, all);
    return all;
}

static json_t *fullest_of(const struct sim_result *result)
{
    const struct sim_fullest *fullest = &result->fullest;
    if (fullest->messages == 0)
        return json_null();
    return json_pack("{s:o, s:I, s:I, s:f}", "link", out_json_text(fullest->link), "messages",
                     (json_int_t)fullest->messages, "round", (json_int_t)fullest->round, "load",
                     fullest->load);
}

/* Of a placement that was searched for. */
static json_t *search_of(const struct sim_searched *searched)
{
    return json_pack(
        "{s:f, s:f, s:I, s:I, s:I, s:i, s:I, s:I}", "search_before", searched->before,
        "search_after", searched->after, "search_rounds", (json_int_t)searched->looked_at,
        "search_different_rounds", (json_int_t)searched->different, "search_all_rounds",
        (json_int_t)searched->rounds, "search_units", (int)searched->units, "search_tried",
        (json_int_t)searched->tried, "search_kept", (json_int_t)searched->kept);
}

static json_t *times_of(const struct verb_simulated *simulated, const double at_s[])
{
    json_t *all = json_array();
    for (int32_t rank = 0; rank < simulated->point->plan.p; rank++)
        json_array_append_new(all, json_real(at_s[rank]));
    return all;
}

/* ---- csv ---- */

/* With a column of arrivals, unless they are NULL. */
static void print_csv_finish(const json_t *arrival, const json_t *finish, FILE *stream)
{
    fprintf(stream, "rank,%sfinish_s\n", arrival != NULL ? "arrival_s," : "");
    for (size_t rank = 0; rank < json_array_size(finish); rank++) {
        fprintf(stream, "%zu,", rank);
        if (arrival != NULL)
            fprintf(stream, "%.17g,", json_real_value(json_array_get(arrival, rank)));
        fprintf(stream, "%.17g\n", json_real_value(json_array_get(finish, rank)));
    }
}

static struct diag_subject diagnosed(const struct verb_simulated *simulated)
{
    return (struct diag_subject){&simulated->run->spec, &simulated->run->result,
                                 simulated->diagnosis};
}

/* csv has one table: the point, or the requested detail of it. */
static void print_csv(const struct verb_simulated *simulated, json_t *fields, FILE *stream)
{
    const struct diag_subject of = diagnosed(simulated);
    const json_t *finish = json_object_get(fields, "finish_s");
    const json_t *links = json_object_get(fields, "links");
    if (simulated->diagnosis != NULL) {
        diag_csv(&of, stream);
    } else if (finish != NULL) {
        print_csv_finish(json_object_get(fields, "arrival_s"), finish, stream);
    } else if (links != NULL) {
        out_csv_heading(&link_table, stream);
        add_links(&simulated->run->result, OUT_CSV, stream, NULL);
    } else {
        out_csv_names(fields, stream);
        out_csv_values(fields, stream);
    }
}

/* ---- Text ---- */

void verb_simulated_lines(const struct verb_simulated *simulated,
                          struct verb_simulated_lines *lines)
{
    const struct point *point = simulated->point;
    const struct rb_plan_spec planned = planned_of(simulated);
    const int32_t hosts = simulated->run->result.hosts;
    const char *variant = simulated->run->result.variant;
    const bool regular = !sup_counts_differ(point->counts_rule);
    const bool late = simulated->run->arrival_s != NULL;
    char bytes[32], root[32], ways[128];
    snprintf(lines->plan, sizeof lines->plan,
             "%s %s: p = %" PRId32 ", n = %" PRId64 " (%s)%s, m = %s%s%s%s", point->plan.collective,
             point->plan.algorithm, point->plan.p, point->plan.n, simulated->n_origin,
             point_format_ways(&planned, ways, sizeof ways),
             sup_format_shown(point->m_bytes, bytes, sizeof bytes), regular ? "" : ", counts ",
             regular ? "" : point->counts,
             cli_format_root(point->collective, point->plan.root, root, sizeof root));
    snprintf(lines->platform, sizeof lines->platform,
             "platform %s: %" PRId32 " host%s, %" PRId32 " rank%s per host, placement %s",
             point->platform_text, hosts, sup_plural(hosts), point->ppn, sup_plural(point->ppn),
             point->placement);
    snprintf(lines->engine, sizeof lines->engine, "engine %s%s%s%s, overlap %s%s%s",
             point->engine_text, variant[0] != '\0' ? " (" : "", variant,
             variant[0] != '\0' ? ")" : "", point->overlap, late ? ", arrival " : "",
             late ? point->arrival : "");
}

/* The time above is the median. */
static void print_spread(const struct sim_spread *spread, FILE *stream)
{
    char low[32], high[32], share[OUT_WORDS];
    if (spread->copies == 0)
        return;
    fprintf(stream, "copies %" PRId32 ", %s to %s (%s); the time is the median\n", spread->copies,
            sup_format_seconds(spread->low_s, low, sizeof low),
            sup_format_seconds(spread->high_s, high, sizeof high),
            out_percent(spread->low_s > 0 ? spread->high_s / spread->low_s - 1 : 0, share));
}

/* The highest load of a link in a round. */
static void print_fullest(const struct sim_result *result, FILE *stream)
{
    const struct sim_fullest *fullest = &result->fullest;
    if (fullest->messages == 0)
        return;
    fputc('\n', stream);
    if (fullest->load <= 1 + 1e-9)
        out_text_entry(0, 17, 1, "contention", stream,
                       "none: no link gets more messages of one round than it can carry at full "
                       "speed");
    else
        out_text_entry(0, 17, 1, "contention", stream,
                       "%.3g times the load that %s can carry: %" PRId64
                       " message%s of round %" PRId64,
                       fullest->load, fullest->link, fullest->messages,
                       sup_plural(fullest->messages), fullest->round);
}

static void print_link_lines(const struct sim_result *result, FILE *stream)
{
    if (result->link_count == 0)
        return;
    print_fullest(result, stream);
    fputc('\n', stream);
    out_text_heading(&link_table, stream);
    add_links(result, OUT_TEXT, stream, NULL);
}

static void print_finish(const struct verb_simulated *simulated, FILE *stream)
{
    const double *arrival_s = simulated->run->arrival_s;
    fprintf(stream, "\n   rank  %sfinished\n", arrival_s != NULL ? "arrived     " : "");
    for (int32_t rank = 0; rank < simulated->point->plan.p; rank++) {
        char text[32];
        fprintf(stream, "%7" PRId32 "  ", rank);
        if (arrival_s != NULL)
            fprintf(stream, "%-12s", sup_format_seconds(arrival_s[rank], text, sizeof text));
        fprintf(stream, "%s\n",
                sup_format_seconds(simulated->run->result.finish_s[rank], text, sizeof text));
    }
}

/* "a broadcast of 1 MiB to 64 ranks". */
static const char *describe_call(const struct point *point, char *text, size_t size)
{
    static const struct {
        const char *collective, *noun, *ranks;
    } nouns[] = {{"bcast", "a broadcast", "to"},
                 {"reduce", "a reduction", "of"},
                 {"scatter", "a scatter", "to"},
                 {"gather", "a gather", "from"}};
    const char *name = point->plan.collective, *noun = NULL, *ranks = "among";
    char bytes[32], other[64];
    for (size_t i = 0; i < sizeof nouns / sizeof *nouns; i++)
        if (strcmp(nouns[i].collective, name) == 0) {
            noun = nouns[i].noun;
            ranks = nouns[i].ranks;
        }
    snprintf(other, sizeof other, "a%s %.50s", strchr("aeiou", name[0]) != NULL ? "n" : "", name);
    snprintf(text, size, "%s of %s %s %" PRId32 " rank%s", noun == NULL ? other : noun,
             sup_format_shown(point->m_bytes, bytes, sizeof bytes), ranks, point->plan.p,
             sup_plural(point->plan.p));
    return text;
}

/* "the root's port". */
static const char *binding(const char *part, char *text, size_t size)
{
    const bool memory = strcmp(part, "memory") == 0, root = strcmp(part, "root") == 0;
    if (strcmp(part, "latency") == 0 || strstr(part, "links") != NULL || strchr(part, '\'') != NULL)
        return part; /* "leaf 3's links", "rank 7's row" */
    snprintf(text, size, "%s %s's %s", root ? "the" : "a", memory ? "host" : part,
             memory                              ? "memory"
             : root || strcmp(part, "rank") == 0 ? "port"
                                                 : "links");
    return text;
}

/* What the time is worth. */
static void say_bound(const struct verb_simulated *simulated, FILE *stream)
{
    const struct point_outcome *outcome = simulated->outcome;
    char time[32], part[80], ratio[OUT_WORDS];
    if (simulated->point->engine->computes)
        out_say(stream, "The engine is %s", simulated->point->engine->title);
    else if (outcome->bound.time_s > 0)
        out_say(stream, "%s times the bound (%s, %s)", out_ratio(outcome->time_over_bound, ratio),
                sup_format_seconds(outcome->bound.time_s, time, sizeof time),
                binding(outcome->bound.part, part, sizeof part));
    else if (outcome->time_s > 0)
        out_say(stream, "No bound on the time is known here");
}

/* What the time is counted from, and how long ranks are in the collective. */
static void say_arrival(const struct verb_simulated *simulated, FILE *stream)
{
    const struct point_outcome *outcome = simulated->outcome;
    char last[32], inside[32], share[OUT_WORDS], seeds[40] = "";
    if (simulated->run->arrival_s != NULL && simulated->point->arrival_rule->seeds > 1)
        snprintf(seeds, sizeof seeds, ", the median of %" PRId32 " arrivals",
                 simulated->point->arrival_rule->seeds);
    if (isfinite(outcome->last_arrival_s))
        out_say(stream,
                "That is from the last arrival, at %s%s; ranks are inside for %s on average, %s of "
                "it waiting for others",
                sup_format_seconds(outcome->last_arrival_s, last, sizeof last), seeds,
                sup_format_seconds(outcome->mean_inside_s, inside, sizeof inside),
                out_percent(outcome->waiting_share, share));
}

/* What damage costs a plan that does not know of it: its time on the healthy platform. */
static void say_damage(const struct verb_simulated *simulated, FILE *stream)
{
    struct sim_spec spec = simulated->run->spec;
    struct sim_result result;
    struct sup_error error;
    char time[32], ratio[OUT_WORDS], *healthy;
    if (spec.platform == NULL || spec.workload != NULL ||
        (healthy = platform_healthy(spec.platform)) == NULL)
        return;
    spec.platform = healthy;
    spec.observer = NULL;
    spec.meter = NULL;
    spec.want_finish = spec.want_hosts = spec.want_contention = false;
    spec.want_links = 0;
    if (sim_run(simulated->point->engine, &spec, &result, &error) == RB_OK) {
        out_say(stream, "The damage costs a factor of %s: the healthy platform takes %s",
                out_ratio(simulated->outcome->time_s / result.time_s, ratio),
                sup_format_seconds(result.time_s, time, sizeof time));
        sim_result_free(&result);
    }
    free(healthy);
}

/* What a platform's file has, and what of it is ignored. */
static void say_taken(const struct verb_simulated *simulated, FILE *stream)
{
    const char *platform = simulated->run->spec.platform;
    char taken[PLATFORM_TAKEN_SIZE];
    struct sup_error error;
    if (platform != NULL && platform_is_generated(platform) &&
        platform_find_taken(platform, taken, &error) == RB_OK && taken[0] != '\0')
        out_say(stream, "%s", taken);
}

/* The time, and of what. */
static void say_answer(const struct verb_simulated *simulated, FILE *stream)
{
    const struct point *point = simulated->point;
    const struct rb_plan_spec planned = planned_of(simulated);
    char time[32], call[160], ways[128], blocks[40] = "";
    if (point->algorithm != NULL && point->algorithm->pipelined)
        snprintf(blocks, sizeof blocks, ", %" PRId64 " block%s", point->plan.n,
                 sup_plural(point->plan.n));
    out_say(stream, "%s for %s: %s%s%s",
            sup_format_seconds(simulated->outcome->time_s, time, sizeof time),
            describe_call(point, call, sizeof call), point->plan.algorithm, blocks,
            point_format_ways(&planned, ways, sizeof ways));
    say_arrival(simulated, stream);
    say_bound(simulated, stream);
    say_damage(simulated, stream);
    say_taken(simulated, stream);
}

/* The block count with which the closed form, where it holds, is least, if another was given. */
static void say_other_n(const struct verb_simulated *simulated, char *text, size_t size)
{
    const struct point *point = simulated->point;
    const struct point_outcome *outcome = simulated->outcome;
    const struct rb_layout *layout = &simulated->run->layout;
    struct rb_plan_spec spec = point->plan;
    struct rb_plan *plan = NULL;
    double time_s;
    char time[32];
    if (strcmp(simulated->n_origin, "given") != 0 || simulated->run->plan == NULL ||
        !(fabs(outcome->time_over_closed_form - 1) < 0.01) ||
        rb_best_n(&spec, point->m_bytes, outcome->alpha_s, outcome->beta_s_per_byte, &spec.n) !=
            RB_OK ||
        rb_plan_create(&spec, &plan, NULL, 0) != RB_OK)
        return;
    if (rb_plan_cost(plan, layout, outcome->alpha_s, outcome->beta_s_per_byte, &time_s) == RB_OK &&
        time_s < 0.99 * outcome->time_s)
        snprintf(text, size, "; %" PRId64 " would take %s", spec.n,
                 sup_format_seconds(time_s, time, sizeof time));
    rb_plan_destroy(plan);
}

static void say_setting(const struct verb_simulated *simulated, FILE *stream)
{
    const struct point *point = simulated->point;
    const struct sim_result *result = &simulated->run->result;
    const bool in_order =
        point->placement_rule->rule == SIM_BLOCK && !point->placement_rule->search;
    const struct rb_plan *plan = simulated->run->plan;
    const bool late = simulated->run->arrival_s != NULL;
    char text[32], other[64] = "", rounds[192];
    out_text_entry(0, 6, 1, "on", stream, "%s, %" PRId32 " rank%s per host%s%s; engine %s, %s%s%s",
                   point->platform_text, point->ppn, sup_plural(point->ppn),
                   in_order ? "" : ", placement ", in_order ? "" : point->placement,
                   point->engine_text, point->overlap, late ? "; arrival " : "",
                   late ? point->arrival : "");
    if (point_is_unusual(point, &point_parameters[POINT_PROGRAM]))
        out_text_entry(0, 6, 1, "in", stream, "%s, whose time this is", point->program);
    if (simulated->run->choice.algorithm != NULL) {
        out_text_entry(0, 6, 1, "plan", stream, "%s", simulated->n_origin);
    } else if (point->algorithm != NULL && point->algorithm->pipelined) {
        say_other_n(simulated, other, sizeof other);
        out_text_entry(0, 6, 1, "n", stream, "%" PRId64 ", %s%s", point->plan.n,
                       simulated->n_origin, other);
    }
    if (!point->engine->computes)
        out_text_entry(0, 6, 1, "moved", stream, "%s in %" PRId64 " message%s%s%s",
                       sup_format_size(result->bytes, text, sizeof text), result->messages,
                       sup_plural(result->messages), plan == NULL ? "" : ", ",
                       plan == NULL ? "" : cli_format_rounds(plan, rounds, sizeof rounds));
}

/* Lists that were asked for. */
static void print_lists(const struct verb_simulated *simulated, FILE *stream)
{
    const struct sim_result *result = &simulated->run->result;
    print_link_lines(result, stream);
    if (simulated->diagnosis != NULL) {
        const struct diag_subject of = diagnosed(simulated);
        diag_table(&of, simulated->details, stream);
    }
    if (result->finish_s != NULL)
        print_finish(simulated, stream);
}

/* All other members of JSON, by their names. */
static void print_details(const struct verb_simulated *simulated, FILE *stream)
{
    static const char *const above[] = {"verdict",  "links",     "fullest_link",
                                        "finish_s", "arrival_s", "diagnosis"};
    json_t *fields = verb_simulated_json(simulated);
    for (size_t i = 0; i < OUT_COUNT_OF(above); i++)
        json_object_del(fields, above[i]);
    fputc('\n', stream);
    out_json_details(fields, stream);
}

static void print_text(const struct verb_simulated *simulated, FILE *stream)
{
    const struct out_verdict *verdict = simulated->verdict;
    say_answer(simulated, stream);
    if (verdict != NULL)
        out_verdict_lines(verdict, 0, stream);
    fputc('\n', stream);
    say_setting(simulated, stream);
    print_spread(&simulated->outcome->spread, stream);
    if (simulated->details)
        print_details(simulated, stream);
    print_lists(simulated, stream);
    if (!simulated->details)
        out_more(stream, "--details%s",
                 !simulated->point->engine->observes ? ""
                 : simulated->diagnosis != NULL
                     ? " (each rank, the critical path), --diagram FILE, --report FILE"
                     : ", --diagnose (what it waits for), --diagram FILE, --report FILE");
}

json_t *verb_simulated_json(const struct verb_simulated *simulated)
{
    const struct diag_subject of = diagnosed(simulated);
    const struct sim_result *result = &simulated->run->result;
    json_t *fields = request_fields(simulated);
    point_outcome_add(fields, simulated->outcome);
    point_add(fields, simulated->point, POINT_ARRIVAL, POINT_PROGRAM);
    if (result->searched.done)
        json_object_update_new(fields, search_of(&result->searched));
    if (result->finish_s != NULL)
        json_object_set_new(fields, "finish_s", times_of(simulated, result->finish_s));
    if (result->finish_s != NULL && simulated->run->arrival_s != NULL)
        json_object_set_new(fields, "arrival_s", times_of(simulated, simulated->run->arrival_s));
    if (simulated->run->spec.want_links > 0) {
        json_object_set_new(fields, "links", links_of(result));
        json_object_set_new(fields, "fullest_link", fullest_of(result));
    }
    if (simulated->diagnosis != NULL)
        json_object_set_new(fields, "diagnosis", diag_json(&of));
    if (simulated->verdict != NULL)
        json_object_set_new(fields, "verdict", out_verdict_json(simulated->verdict));
    return fields;
}

void verb_print_simulated(const struct verb_simulated *simulated, enum out_format format,
                          FILE *stream)
{
    struct verb_simulated parts = *simulated;
    if (format == OUT_TEXT) {
        print_text(simulated, stream);
        return;
    }
    if (format == OUT_CSV) { /* it prints the diagnosis itself */
        parts.diagnosis = NULL;
        parts.verdict = NULL;
    }
    json_t *fields = verb_simulated_json(&parts);
    if (format == OUT_CSV)
        print_csv(simulated, fields, stream);
    else
        out_json_print(stream, json_incref(fields), 0);
    json_decref(fields);
}
