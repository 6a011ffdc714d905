/* platform_report.c - generators and surveys as tables, CSV and JSON (platform_report.h).
 *
 * docs/platforms.md documents the columns and members. */
#include "experiments/platform/platform_report.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "command/output/json_rows.h"
#include "platforms/platform.h"
#include "roundabout.h"

/* A CSV field: in quotes, with those inside doubled, if it needs them. */
static void print_field(FILE *stream, const char *text, char end)
{
    bool quoted = strpbrk(text, ",\"\n") != NULL;
    if (quoted)
        fputc('"', stream);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', stream);
        fputc(*text, stream);
    }
    if (quoted)
        fputc('"', stream);
    fputc(end, stream);
}

/* ---- Generators ---- */

static json_t *options_json(const struct rb_platform_option *option)
{
    json_t *all = json_array();
    for (; option->name != NULL; option++)
        json_array_append_new(all, json_pack("{s:s, s:s?, s:s}", "name", option->name, "default",
                                             option->fallback, "help", option->help));
    return all;
}

static json_t *generators_json(void)
{
    json_t *all = json_array();
    const struct rb_platform_generator *generator;
    for (int32_t i = 0; (generator = rb_platform_generator_at(i)) != NULL; i++)
        json_array_append_new(all, json_pack("{s:s, s:s, s:s, s:o}", "name", generator->name,
                                             "title", generator->title, "sizes", generator->sizes,
                                             "options", options_json(generator->options)));
    return all;
}

static void print_generator(FILE *stream, const struct rb_platform_generator *generator)
{
    fprintf(stream, "%s: %s\n  sizes: %s\n", generator->name, generator->title, generator->sizes);
    for (const struct rb_platform_option *option = generator->options; option->name != NULL;
         option++)
        fprintf(stream, "  %-20s %-10s %s\n", option->name,
                option->fallback == NULL ? "(derived)" : option->fallback, option->help);
}

static void print_generator_rows(FILE *stream, const struct rb_platform_generator *generator)
{
    for (const struct rb_platform_option *option = generator->options; option->name != NULL;
         option++) {
        print_field(stream, generator->name, ',');
        print_field(stream, option->name, ',');
        print_field(stream, option->fallback == NULL ? "" : option->fallback, ',');
        print_field(stream, option->help, '\n');
    }
}

int rb_print_generators(FILE *stream, enum rb_format format)
{
    if (format == RB_JSON)
        return rb_json_print(stream, generators_json(), 12);
    const struct rb_platform_generator *generator;
    if (format == RB_CSV)
        fputs("generator,option,default,help\n", stream);
    for (int32_t i = 0; (generator = rb_platform_generator_at(i)) != NULL; i++) {
        if (format == RB_CSV)
            print_generator_rows(stream, generator);
        else
            print_generator(stream, generator);
    }
    if (format == RB_TABLE)
        fputs("\nA platform is written NAME:SIZE,option=value,... as in "
              "fat-tree:1024,bandwidth=12.5GBps,latency=1us\n",
              stream);
    return RB_OK;
}

/* ---- A survey ---- */

/* A number in this unit as text; "-" for null, which stands for there being none. */
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

static void print_summary(FILE *stream, const json_t *survey)
{
    char least[32], most[32];
    fprintf(stream, "platform   %s\nhash       %s\n", text(survey, "platform"),
            text(survey, "hash"));
    fprintf(stream, "hosts      %" JSON_INTEGER_FORMAT "\nlinks      %" JSON_INTEGER_FORMAT "\n",
            whole(survey, "hosts"), whole(survey, "links"));
    fprintf(stream, "routes     %" JSON_INTEGER_FORMAT " looked at, %s\n", whole(survey, "pairs"),
            truth(survey, "all_pairs") ? "all there are" : "a sample");
    fprintf(stream, "latency    %s to %s us\n", member(survey, "least_latency_s", 1e-6, least),
            member(survey, "most_latency_s", 1e-6, most));
    fprintf(stream, "bandwidth  %s to %s GB/s, each route alone\n",
            member(survey, "least_bandwidth", 1e9, least),
            member(survey, "most_bandwidth", 1e9, most));
    fprintf(stream, "shift      %s GB/s at least, when each host sends half the platform away\n",
            member(survey, "shift_bandwidth", 1e9, least));
    fprintf(stream, "loopback   %s us, %s GB/s within a host\n",
            member(survey, "loopback_latency_s", 1e-6, least),
            member(survey, "loopback_bandwidth", 1e9, most));
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

static void print_rows(FILE *stream, json_t *survey)
{
    size_t i;
    const json_t *row, *value;
    const char *name;
    fputs("item,links,bandwidth,latency_s,shared,value\n", stream);
    json_object_foreach(survey, name, value)
    {
        if (json_is_array(value))
            continue;
        fprintf(stream, "%s,,,,,", name);
        if (json_is_string(value))
            print_field(stream, json_string_value(value), '\n');
        else if (json_is_integer(value))
            fprintf(stream, "%" JSON_INTEGER_FORMAT "\n", json_integer_value(value));
        else if (json_is_boolean(value))
            fprintf(stream, "%d\n", json_is_true(value));
        else if (json_is_real(value))
            fprintf(stream, "%.12g\n", json_real_value(value));
        else
            fputc('\n', stream);
    }
    json_array_foreach(json_object_get(survey, "link_classes"), i, row)
    {
        fprintf(stream, "links_%s,%" JSON_INTEGER_FORMAT ",%.12g,%.12g,%d,\n", text(row, "role"),
                whole(row, "links"), json_real_value(json_object_get(row, "bandwidth")),
                json_real_value(json_object_get(row, "latency_s")), truth(row, "shared"));
    }
    json_array_foreach(json_object_get(survey, "route_lengths"), i, row)
    {
        fprintf(stream, "route_length,%" JSON_INTEGER_FORMAT ",,,,%" JSON_INTEGER_FORMAT "\n",
                whole(row, "links"), whole(row, "pairs"));
    }
}

int rb_print_survey(FILE *stream, enum rb_format format, json_t *survey)
{
    if (format == RB_JSON)
        return rb_json_print(stream, json_incref(survey), 12);
    if (format == RB_CSV) {
        print_rows(stream, survey);
    } else {
        print_summary(stream, survey);
        print_tables(stream, survey);
    }
    return RB_OK;
}

int rb_print_findings(FILE *stream, enum rb_format format, const json_t *survey)
{
    size_t i;
    const json_t *finding, *all = json_object_get(survey, "findings");
    if (format == RB_JSON)
        return rb_json_print(
            stream,
            json_pack("{s:O, s:O, s:O, s:O, s:O}", "platform", json_object_get(survey, "platform"),
                      "pairs", json_object_get(survey, "pairs"), "all_pairs",
                      json_object_get(survey, "all_pairs"), "contiguity_checked",
                      json_object_get(survey, "contiguity_checked"), "findings", all),
            12);
    if (format == RB_CSV)
        fputs("finding,count,example,meaning\n", stream);
    json_array_foreach(all, i, finding)
    {
        if (format == RB_CSV) {
            fprintf(stream, "%s,%" JSON_INTEGER_FORMAT ",", text(finding, "name"),
                    whole(finding, "count"));
            print_field(stream, text(finding, "example"), ',');
            print_field(stream, text(finding, "meaning"), '\n');
        } else {
            fprintf(stream, "%s (%" JSON_INTEGER_FORMAT "): %s: %s\n", text(finding, "name"),
                    whole(finding, "count"), text(finding, "example"), text(finding, "meaning"));
        }
    }
    if (format == RB_TABLE && json_array_size(all) == 0)
        fprintf(stream, "%s is fine: %" JSON_INTEGER_FORMAT " routes looked at (%s)%s\n",
                text(survey, "platform"), whole(survey, "pairs"),
                truth(survey, "all_pairs") ? "all" : "a sample",
                truth(survey, "contiguity_checked")
                    ? ", each without a jump"
                    : "; where links end is known by SimGrid's names for them only: link_from_...");
    return RB_OK;
}
