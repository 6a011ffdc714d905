/* platform_report.c - generators and surveys as tables, CSV and JSON (survey.h).
 *
 * docs/platforms.md documents the columns and members. */
#include "studies/survey/survey.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "platforms/platform.h"
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
