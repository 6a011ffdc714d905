/* platform_report.c - generators, surveys and where ranks lie, as tables, CSV and JSON (survey.h).
 *
 * docs/platforms.md documents the columns and members. */
#include "studies/survey/survey.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/platform.h"
#include "roundabout.h"
#include "sim/engine/engine.h"
#include "sim/engine/host_file.h"
#include "support/memory.h"
#include "support/output/files.h"
#include "support/output/table.h"
#include "support/output/verdict.h"

/* ---- Generators ---- */

static json_t *options_json(const struct platform_option *option)
{
    json_t *all = json_array();
    for (; option->name != NULL; option++)
        json_array_append_new(all, json_pack("{s:s, s:s?, s:s}", "name", option->name, "default",
                                             option->fallback, "help", option->help));
    return all;
}

json_t *survey_generators_json(void)
{
    json_t *all = json_array();
    const struct platform_generator *generator;
    for (int32_t i = 0; (generator = platform_generator_at(i)) != NULL; i++)
        json_array_append_new(all, json_pack("{s:s, s:s, s:s, s:s?, s:o}", "name", generator->name,
                                             "title", generator->title, "sizes", generator->sizes,
                                             "base", generator->base, "options",
                                             options_json(generator->options)));
    return all;
}

static const struct out_column option_columns[] = {
    {"generator", .kind = OUT_WORD},
    {"option", .kind = OUT_WORD},
    {"default", .kind = OUT_WORD},
    {"help", .kind = OUT_WORD},
};
static const struct out_table options = {option_columns, .width = OUT_COUNT_OF(option_columns)};

static void print_generator_rows(FILE *stream, const struct platform_generator *generator)
{
    for (const struct platform_option *option = generator->options; option->name != NULL;
         option++) {
        const union out_cell cells[] = {{.word = generator->name},
                                        {.word = option->name},
                                        {.word = option->fallback},
                                        {.word = option->help}};
        out_csv_row(&options, cells, stream);
    }
}

void survey_print_generators(FILE *stream, enum out_format format, bool details)
{
    const struct platform_generator *generator;
    if (format == OUT_JSON) {
        out_json_print(stream, survey_generators_json(), 12);
        return;
    }
    if (format == OUT_CSV)
        out_csv_heading(&options, stream);
    for (int32_t i = 0; (generator = platform_generator_at(i)) != NULL; i++)
        if (format == OUT_CSV)
            print_generator_rows(stream, generator);
        else if (!details)
            out_text_entry(0, 18, 2, generator->name, stream, "%.*s",
                           (int)strcspn(generator->sizes, generator->base == NULL ? "," : ";"),
                           generator->sizes);
    if (format == OUT_TEXT && !details)
        out_more(stream, "--details (options), list platforms|machines");
    else if (format == OUT_TEXT) {
        out_json_details(json_pack("{s:o}", "platforms", survey_generators_json()), stream);
        fputs("\nA platform is written NAME:SIZE,option=value,... as in "
              "fat-tree:1024,bandwidth=12.5GBps,latency=1us\n",
              stream);
    }
}

/* ---- A survey ---- */

/* A number in this unit as text; "-" for null, which means that there is none. */
static const char *member(const json_t *object, const char *name, double unit, char buffer[32])
{
    const json_t *value = json_object_get(object, name);
    if (json_is_number(value))
        snprintf(buffer, 32, "%.6g", json_number_value(value) / unit);
    else
        snprintf(buffer, 32, "-");
    return buffer;
}

static json_int_t whole(const json_t *object, const char *name)
{
    return json_integer_value(json_object_get(object, name));
}

static const char *text(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static bool truth(const json_t *object, const char *name)
{
    return json_is_true(json_object_get(object, name));
}

static void print_head(FILE *stream, const json_t *survey)
{
    char latency[32], bandwidth[32], shift[32];
    out_say(
        stream,
        "%s: %" JSON_INTEGER_FORMAT " hosts and %" JSON_INTEGER_FORMAT
        " links; a message alone has %s GB/s and %s us or better, and one from each host to half "
        "the platform away at least %s GB/s",
        text(survey, "platform"), whole(survey, "hosts"), whole(survey, "links"),
        member(survey, "least_bandwidth", 1e9, bandwidth),
        member(survey, "most_latency_s", 1e-6, latency),
        member(survey, "shift_bandwidth", 1e9, shift));
    if (json_object_get(survey, "failed_links") != NULL)
        fprintf(
            stream,
            "damaged: %zu links have failed, %zu are slow, and %zu hosts are left out (--details "
            "names them)\n",
            json_array_size(json_object_get(survey, "failed_links")),
            json_array_size(json_object_get(survey, "slow_links")),
            json_array_size(json_object_get(survey, "failed_hosts")));
}

static void print_tables(FILE *stream, const json_t *survey)
{
    size_t i;
    const json_t *row;
    char bandwidth[32], latency[32];
    fprintf(stream, "\n%-10s %10s %16s %14s  %s\n", "links", "number", "bandwidth, GB/s",
            "latency, us", "shared by messages");
    json_array_foreach(json_object_get(survey, "link_classes"), i, row)
    {
        fprintf(stream, "%-10s %10" JSON_INTEGER_FORMAT " %16s %14s  %s\n", text(row, "role"),
                whole(row, "links"), member(row, "bandwidth", 1e9, bandwidth),
                member(row, "latency_s", 1e-6, latency), truth(row, "shared") ? "yes" : "no");
    }
    fprintf(stream, "\n%-10s %10s %12s\n", "route", "routes", "share");
    json_array_foreach(json_object_get(survey, "route_lengths"), i, row)
    {
        fprintf(stream, "%4" JSON_INTEGER_FORMAT " links %10" JSON_INTEGER_FORMAT " %11.4g%%\n",
                whole(row, "links"), whole(row, "pairs"),
                100.0 * (double)whole(row, "pairs") / (double)whole(survey, "pairs"));
    }
}

/* One member, class of links or length of routes in a row. */
static const struct out_column item_columns[] = {
    {"item", .kind = OUT_WORD},      {"links", .kind = OUT_COUNT},  {"bandwidth", .kind = OUT_REAL},
    {"latency_s", .kind = OUT_REAL}, {"shared", .kind = OUT_TRUTH}, {"value", .kind = OUT_WORD},
};
static const struct out_table items = {item_columns, .width = OUT_COUNT_OF(item_columns),
                                       .digits = 12};

static void print_member(FILE *stream, const char *name, const json_t *value)
{
    char number[32] = "";
    if (json_is_real(value))
        snprintf(number, sizeof number, "%.12g", json_real_value(value));
    else if (!json_is_null(value))
        snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT,
                 json_is_boolean(value) ? json_is_true(value) : json_integer_value(value));
    const union out_cell cells[] = {
        {.word = name}, {.whole = -1},
        {.real = NAN},  {.real = NAN},
        {.whole = -1},  {.word = json_is_string(value) ? json_string_value(value) : number}};
    out_csv_row(&items, cells, stream);
}

static void print_rows(FILE *stream, json_t *survey)
{
    size_t i;
    const json_t *row, *value;
    const char *name;
    char text_of[48];
    out_csv_heading(&items, stream);
    json_object_foreach(survey, name, value)
    {
        if (!json_is_array(value))
            print_member(stream, name, value);
    }
    json_array_foreach(json_object_get(survey, "link_classes"), i, row)
    {
        snprintf(text_of, sizeof text_of, "links_%s", text(row, "role"));
        const union out_cell cells[] = {
            {.word = text_of},
            {.whole = whole(row, "links")},
            {.real = json_real_value(json_object_get(row, "bandwidth"))},
            {.real = json_real_value(json_object_get(row, "latency_s"))},
            {.whole = truth(row, "shared")},
            {.word = NULL}};
        out_csv_row(&items, cells, stream);
    }
    json_array_foreach(json_object_get(survey, "route_lengths"), i, row)
    {
        snprintf(text_of, sizeof text_of, "%" JSON_INTEGER_FORMAT, whole(row, "pairs"));
        const union out_cell cells[] = {{.word = "route_length"},
                                        {.whole = whole(row, "links")},
                                        {.real = NAN},
                                        {.real = NAN},
                                        {.whole = -1},
                                        {.word = text_of}};
        out_csv_row(&items, cells, stream);
    }
}

void survey_print(FILE *stream, enum out_format format, bool details, json_t *survey)
{
    if (format == OUT_JSON) {
        out_json_print(stream, json_incref(survey), 12);
    } else if (format == OUT_CSV) {
        print_rows(stream, survey);
    } else {
        print_head(stream, survey);
        if (details) {
            fputc('\n', stream);
            out_json_details(json_incref(survey), stream);
            return;
        }
        print_tables(stream, survey);
        out_more(stream, "--details (hash, ranges of latency and bandwidth, loopback)");
    }
}

static const struct out_column finding_columns[] = {
    {"finding", .kind = OUT_WORD},
    {"count", .kind = OUT_COUNT},
    {"example", .kind = OUT_WORD},
    {"meaning", .kind = OUT_WORD},
};
static const struct out_table found = {finding_columns, .width = OUT_COUNT_OF(finding_columns)};

void survey_print_findings(FILE *stream, enum out_format format, const json_t *survey)
{
    size_t i;
    const json_t *finding, *all = json_object_get(survey, "findings");
    if (format == OUT_JSON) {
        static const char *const members[] = {"platform", "pairs", "all_pairs",
                                              "contiguity_checked", "findings"};
        json_t *head = json_object();
        for (size_t k = 0; k < OUT_COUNT_OF(members); k++)
            json_object_set(head, members[k], json_object_get(survey, members[k]));
        out_json_print(stream, head, 12);
        return;
    }
    if (format == OUT_CSV)
        out_csv_heading(&found, stream);
    json_array_foreach(all, i, finding)
    {
        if (format == OUT_CSV) {
            const union out_cell cells[] = {{.word = text(finding, "name")},
                                            {.whole = whole(finding, "count")},
                                            {.word = text(finding, "example")},
                                            {.word = text(finding, "meaning")}};
            out_csv_row(&found, cells, stream);
        } else {
            fprintf(stream, "%s (%" JSON_INTEGER_FORMAT "): %s: %s\n", text(finding, "name"),
                    whole(finding, "count"), text(finding, "example"), text(finding, "meaning"));
        }
    }
    if (format == OUT_TEXT && json_array_size(all) == 0)
        fprintf(stream, "%s is fine: %" JSON_INTEGER_FORMAT " routes looked at (%s)%s\n",
                text(survey, "platform"), whole(survey, "pairs"),
                truth(survey, "all_pairs") ? "all" : "a sample",
                truth(survey, "contiguity_checked")
                    ? ", each without a jump"
                    : "; where links end is known by SimGrid's names for them only: link_from_...");
}

/* ---- Where ranks lie: finding
 * --------------------------------------------------------------------------------- */

/* The number of ranks, which a file gives if the caller does not. */
static int count_ranks(const struct sim_placement *placement, int32_t *ranks,
                       struct sup_error *error)
{
    struct sim_host_file file;
    if (*ranks > 0)
        return RB_OK;
    if (placement->rule != SIM_FILE)
        return sup_fail(error, RB_EINVAL,
                        "--ranks: missing: only a placement file says how many ranks there are");
    const int status = sim_host_file_read(placement->file, &file, error);
    *ranks = status == RB_OK ? file.ranks : 0;
    sim_host_file_free(&file);
    return status;
}

static int parts_of(const struct platform_cuts *cuts, int32_t cut)
{
    return (cuts->who.terminals - 1) / cuts->cut[cut].terminals + 1;
}

/* Adds the parts of a cut that have ranks. ranks_on: by terminal. */
static void add_parts(struct survey_places *places, int32_t cut, const int32_t ranks_on[])
{
    const struct platform_cuts *cuts = &places->cuts;
    const int32_t terminals = cuts->cut[cut].terminals, inner = cuts->cut[1].terminals;
    for (int32_t number = 0; number < parts_of(cuts, cut); number++) {
        struct survey_part part = {.cut = cut, .number = number};
        int32_t last = -1; /* part of the first cut */
        for (int32_t i = 0; i < terminals && (int64_t)number * terminals + i < cuts->who.terminals;
             i++) {
            const int32_t terminal = number * terminals + i;
            part.hosts += ranks_on[terminal] > 0;
            part.ranks += ranks_on[terminal];
            part.switches += ranks_on[terminal] > 0 && terminal / inner != last;
            last = ranks_on[terminal] > 0 ? terminal / inner : last;
        }
        if (part.ranks > 0)
            places->part[places->parts++] = part;
    }
}

/* How many parts of a cut have hosts at all. */
static void count_nodes(struct survey_places *places, int32_t cut)
{
    const struct platform_cuts *cuts = &places->cuts;
    bool *has = sup_calloc((size_t)parts_of(cuts, cut), sizeof *has);
    for (int32_t h = 0; h < cuts->who.count; h++) {
        bool *here = &has[platform_host_terminal(&cuts->who, h) / cuts->cut[cut].terminals];
        places->nodes[cut] += !*here;
        *here = true;
    }
    free(has);
}

static void find_parts(struct survey_places *places, const int32_t ranks_on[])
{
    int64_t room = 1;
    for (int32_t i = 1; i < places->cuts.count; i++)
        room += parts_of(&places->cuts, i);
    places->part = sup_calloc((size_t)room, sizeof *places->part);
    for (int32_t i = 1; i < places->cuts.count; i++) {
        count_nodes(places, i);
        add_parts(places, i, ranks_on);
    }
}

static int place_ranks(const struct sim_placement *placement, int32_t ppn,
                       struct survey_places *places, int32_t ranks_on[], struct sup_error *error)
{
    const struct platform_hosts *who = &places->cuts.who;
    const struct sim_hosts of = {who->count, platform_host_name, who};
    int32_t *host = sup_calloc((size_t)places->ranks, sizeof *host);
    const int status = sim_placement_map(placement, places->ranks, ppn, &of, host, error);
    for (int32_t r = 0; status == RB_OK && r < places->ranks; r++) {
        const int32_t here = ++ranks_on[platform_host_terminal(who, host[r])];
        places->hosts += here == 1;
        places->most = here > places->most ? here : places->most;
    }
    free(host);
    return status;
}

int survey_places_find(const char *platform, const char *text, int32_t ranks, int32_t ppn,
                       struct survey_places *places, struct sup_error *error)
{
    struct sim_placement placement;
    struct sup_error why;
    *places = (struct survey_places){.ranks = ranks};
    int status = sim_placement_parse(text, &placement, &why);
    if (status == RB_OK && placement.search)
        status = sup_fail(&why, RB_EINVAL,
                          "a search needs a plan: simulate --write-placement "
                          "writes the order that it finds");
    if (status != RB_OK)
        return sup_fail(error, status, "--placement: %s", why.text);
    if (placement.rule == SIM_FILE)
        status = out_files_read("--placement", placement.file, error);
    if (status == RB_OK)
        status = count_ranks(&placement, &places->ranks, error);
    if (status == RB_OK)
        status = platform_find_cuts(platform, &places->cuts, error);
    if (status != RB_OK)
        return status;
    int32_t *ranks_on = sup_calloc((size_t)places->cuts.who.terminals, sizeof *ranks_on);
    /* A file says itself how many ranks a host has. */
    status = place_ranks(&placement, placement.rule == SIM_FILE ? places->ranks : ppn, places,
                         ranks_on, error);
    if (status == RB_OK)
        find_parts(places, ranks_on);
    free(ranks_on);
    return status;
}

void survey_places_free(struct survey_places *places)
{
    free(places->part);
    *places = (struct survey_places){0};
}

/* ---- Printing -------------------------------------------------------------------------------- */

enum { PART, NAME };
static const struct out_column columns[] = {
    [PART] = {"part", .kind = OUT_WORD},
    [NAME] = {"name", .heading = "part", .kind = OUT_WORD, .width = -20},
    {"hosts", .heading = "hosts", .kind = OUT_COUNT, .width = 8, OUT_OF(struct survey_part, hosts)},
    {"ranks", .heading = "ranks", .kind = OUT_COUNT, .width = 8, OUT_OF(struct survey_part, ranks)},
    {"switches", .heading = "switches", .kind = OUT_COUNT, .width = 9,
     OUT_OF(struct survey_part, switches)},
};
static const struct out_table rows_of_parts = {columns, .width = OUT_COUNT_OF(columns)};

static void add_row(struct out_rows *rows, const struct survey_places *places,
                    const struct survey_part *part)
{
    const struct platform_cut *cut = &places->cuts.cut[part->cut];
    char name[64];
    platform_part_name(&places->cuts.who, cut->name, part->number, name, sizeof name);
    union out_cell cells[OUT_COUNT_OF(columns)] = {[PART].word = cut->name, [NAME].word = name};
    out_cells(&rows_of_parts, (const void *const[]){part}, cells);
    out_rows_add(rows, cells);
}

/* One line about a cut: how many of its parts have ranks, and how many hosts these are. */
static void print_cut(FILE *stream, const struct survey_places *places, int32_t cut)
{
    int32_t count = 0, least = INT32_MAX, most = 0;
    for (int32_t i = 0; i < places->parts; i++) {
        if (places->part[i].cut != cut)
            continue;
        const int32_t hosts = places->part[i].hosts;
        count++;
        least = hosts < least ? hosts : least;
        most = hosts > most ? hosts : most;
    }
    fprintf(stream,
            "%-18s %" PRId32 " of %" PRId32 ", on each %" PRId32 " to %" PRId32
            " hosts with ranks\n",
            places->cuts.cut[cut].name, count, places->nodes[cut], least, most);
}

static json_t *head_of(const char *platform, const char *placement,
                       const struct survey_places *places)
{
    return json_pack("{s:o, s:o, s:i, s:i, s:i}", "platform", out_json_text(platform), "placement",
                     out_json_text(placement), "ranks", places->ranks, "hosts", places->hosts,
                     "most_ranks_of_host", places->most);
}

void survey_print_places(FILE *stream, enum out_format format, const char *platform,
                         const char *placement, const struct survey_places *places)
{
    struct out_rows rows;
    const int32_t last = places->cuts.count - 1; /* the coarsest cut */
    if (format == OUT_TEXT) {
        fprintf(stream,
                "platform           %s\nplacement          %s\nranks              %" PRId32
                " on %" PRId32 " hosts, at most %" PRId32 " on one\n",
                platform, placement, places->ranks, places->hosts, places->most);
        for (int32_t i = 1; i <= last; i++)
            print_cut(stream, places, i);
        if (last < 1) /* the platform has no parts */
            return;
        fputc('\n', stream);
    }
    json_t *head = format == OUT_JSON ? head_of(platform, placement, places) : NULL;
    out_rows_begin(&rows, &rows_of_parts, format, stream, head, "parts");
    for (int32_t i = 0; i < places->parts; i++)
        if (format != OUT_TEXT || places->part[i].cut == last)
            add_row(&rows, places, &places->part[i]);
    out_rows_end(&rows);
}
