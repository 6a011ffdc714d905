/* verb_list.c - what there is to choose from: collectives, algorithms, engines and platform
 * generators, all read from their registries. */
#include <assert.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/platform.h"
#include "sim/engine/engine.h"
#include "studies/survey/survey.h"
#include "support/names.h"
#include "support/options/common_options.h"
#include "support/output/table.h"
#include "support/output/verdict.h"

static const struct cli_option options[] = {
    {CLI_ROW("collective", TEXT, "NAME,..."), .repeatable = true, .separable = true,
     .usual = sup_collective_names, .help = "the algorithms of these collectives"},
    CLI_OPTION_FORMAT("table|json"),
    CLI_OPTION_OUTPUT,
    CLI_OPTION_END,
};

/* ---- What is asked for ----------------------------------------------------------------------- */

enum { COLLECTIVES, ALGORITHMS, ENGINES, PLATFORMS, MACHINES, SECTIONS };
enum { MOST_WORDS = 32, MOST_NAMES = 400 };
static const char *const sections[SECTIONS] = {"collectives", "algorithms", "engines", "platforms",
                                               "machines"};

struct asked {
    bool section[SECTIONS];
    const char *collectives[2 * MOST_WORDS];
    int32_t count; /* 0: all */
};

static bool is_asked(const struct asked *asked, const char *collective)
{
    for (int32_t i = 0; i < asked->count; i++)
        if (strcmp(asked->collectives[i], collective) == 0)
            return true;
    return asked->count == 0;
}

static int32_t algorithms_of(const char *collective)
{
    const struct rb_algorithm_info *info;
    int32_t count = 0;
    for (int32_t i = 0; (info = rb_algorithm_at(i)) != NULL; i++)
        count += strcmp(info->collective, collective) == 0;
    return count;
}

/* ---- The short texts ------------------------------------------------------------------------- */

/* The names of a section, by commas; returns how many. Machines are generators with the options of
 * another. */
static int32_t names_of(int section, char names[MOST_NAMES])
{
    const struct platform_generator *generator;
    const struct sim_engine *engine;
    int32_t count = 0;
    names[0] = '\0';
    for (int32_t i = 0; section == ENGINES && (engine = sim_engine_at(i)) != NULL; i++, count++)
        sup_append(names, MOST_NAMES, ", ", "%s", engine->name);
    for (int32_t i = 0; section != ENGINES && (generator = platform_generator_at(i)) != NULL; i++)
        if ((generator->base != NULL) == (section == MACHINES)) {
            sup_append(names, MOST_NAMES, ", ", "%s", generator->name);
            count++;
        }
    assert(strlen(names) + 1 < MOST_NAMES);
    return count;
}

static void print_summary(FILE *stream)
{
    const struct rb_collective_info *info;
    char names[SECTIONS][MOST_NAMES];
    int32_t count[SECTIONS] = {0};
    while (rb_collective_at(count[COLLECTIVES]) != NULL)
        count[COLLECTIVES]++;
    while (rb_algorithm_at(count[ALGORITHMS]) != NULL)
        count[ALGORITHMS]++;
    for (int k = ENGINES; k < SECTIONS; k++)
        count[k] = names_of(k, names[k]);
    out_say(stream, "%d collectives with %d algorithms, %d engines, %d platforms and %d machines",
            (int)count[COLLECTIVES], (int)count[ALGORITHMS], (int)count[ENGINES],
            (int)count[PLATFORMS], (int)count[MACHINES]);
    fputs("\ncollective      algorithms, and what it does\n", stream);
    for (int32_t i = 0; (info = rb_collective_at(i)) != NULL; i++) {
        char row[64];
        snprintf(row, sizeof row, "%-14s %3d", info->name, (int)algorithms_of(info->name));
        out_text_entry(0, 18, 2, row, stream, "%.*s",
                       (int)strcspn(info->title, "(") - (strchr(info->title, '(') != NULL),
                       info->title);
    }
    fputc('\n', stream);
    for (int k = ENGINES; k < SECTIONS; k++)
        out_text_entry(0, 10, 1, sections[k], stream, "%s", names[k]);
    out_more(stream, "list bcast (its algorithms), list engines|platforms|machines, --details");
}

/* ---- Sections -------------------------------------------------------------------------------- */

enum { INDENT = 2, WIDTH = 22 };

static void print_algorithms(const struct rb_collective_info *collective, FILE *stream)
{
    const struct rb_algorithm_info *algorithm;
    out_say(stream, "%d algorithms of %s: %s", (int)algorithms_of(collective->name),
            collective->name, collective->title);
    if (collective->instance != NULL)
        out_text_entry(INDENT, WIDTH, 2, "--instance", stream, "%s", collective->instance);
    for (int32_t j = 0; (algorithm = rb_algorithm_at(j)) != NULL; j++)
        if (strcmp(algorithm->collective, collective->name) == 0)
            out_text_entry(INDENT, WIDTH, 2, algorithm->name, stream, "%s", algorithm->title);
}

static void print_sections(const struct asked *asked, FILE *stream)
{
    const struct rb_collective_info *info;
    const struct platform_generator *generator;
    const struct sim_engine *engine;
    for (int32_t i = 0; asked->section[ALGORITHMS] && (info = rb_collective_at(i)) != NULL; i++)
        if (is_asked(asked, info->name))
            print_algorithms(info, stream);
    for (int32_t i = 0; asked->section[ENGINES] && (engine = sim_engine_at(i)) != NULL; i++)
        out_text_entry(INDENT, WIDTH, 2, engine->name, stream, "%s", engine->title);
    for (int32_t i = 0; (generator = platform_generator_at(i)) != NULL; i++)
        if (asked->section[generator->base != NULL ? MACHINES : PLATFORMS])
            out_text_entry(INDENT, WIDTH, 2, generator->name, stream, "%s", generator->title);
    out_more(stream, "--details (%s)",
             asked->section[ALGORITHMS] ? "rounds, block counts, radix, source" : "options");
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *json_of_collectives(void)
{
    json_t *all = json_array();
    const struct rb_collective_info *info;
    for (int32_t i = 0; (info = rb_collective_at(i)) != NULL; i++)
        json_array_append_new(all,
                              json_pack("{s:s, s:s, s:b, s:b, s:s?}", "name", info->name, "title",
                                        info->title, "rooted", info->rooted, "reducing",
                                        info->reducing, "instance", info->instance));
    return all;
}

static json_t *json_of_algorithms(const struct asked *asked)
{
    json_t *all = json_array();
    const struct rb_algorithm_info *info;
    for (int32_t i = 0; (info = rb_algorithm_at(i)) != NULL; i++)
        if (is_asked(asked, info->collective))
            json_array_append_new(
                all, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s?, s:s?, s:s?, s:b}",
                               "collective", info->collective, "name", info->name, "title",
                               info->title, "paper", info->paper, "rounds", info->rounds, "blocks",
                               info->blocks, "radix", info->radix, "root", info->root, "ranks",
                               info->ranks, "pipelined", info->pipelined));
    return all;
}

static json_t *json_of_engines(void)
{
    json_t *all = json_array();
    const struct sim_engine *engine;
    for (int32_t i = 0; (engine = sim_engine_at(i)) != NULL; i++)
        json_array_append_new(all, json_pack("{s:s, s:s, s:s?, s:s?}", "name", engine->name,
                                             "title", engine->title, "variants", engine->variants,
                                             "options", engine->options));
    return all;
}

static json_t *json_of(const struct asked *asked)
{
    json_t *all = json_object();
    if (asked->section[COLLECTIVES])
        json_object_set_new(all, "collectives", json_of_collectives());
    if (asked->section[ALGORITHMS])
        json_object_set_new(all, "algorithms", json_of_algorithms(asked));
    if (asked->section[ENGINES])
        json_object_set_new(all, "engines", json_of_engines());
    if (asked->section[PLATFORMS] || asked->section[MACHINES])
        json_object_set_new(all, "platforms", survey_generators_json());
    return all;
}

/* ---- The verb -------------------------------------------------------------------------------- */

/* A word of the command line: a section, or else a collective. */
static int read_word(const char *word, struct asked *asked, struct sup_error *error)
{
    for (int k = 0; k < SECTIONS; k++)
        if (strcmp(word, sections[k]) == 0) {
            asked->section[k] = true;
            return RB_OK;
        }
    char *name = sup_collective_names(word);
    const struct rb_collective_info *info = rb_collective_find(name);
    free(name);
    if (info == NULL)
        return cli_check_collective(word, error);
    asked->section[ALGORITHMS] = true;
    asked->collectives[asked->count++] = info->name;
    return RB_OK;
}

static int print(const struct cli_args *args, FILE *stream)
{
    struct asked asked = {.count = 0};
    struct sup_error error;
    const char *const *words, *const *names;
    const int32_t count = cli_args_operands(args, &words);
    const int32_t name_count = cli_args_texts(args, "collective", &names);
    int status =
        name_count > MOST_WORDS ? sup_fail(&error, RB_EINVAL, "--collective: too many") : RB_OK;
    for (int32_t i = 0; i < count + name_count && status == RB_OK; i++)
        status = read_word(i < count ? words[i] : names[i - count], &asked, &error);
    if (status != RB_OK)
        return cli_fail(status, &error);
    const bool all = count + name_count == 0;
    for (int k = 0; k < SECTIONS && all; k++)
        asked.section[k] = true;
    if (cli_args_format(args) == OUT_JSON)
        out_json_print(stream, json_of(&asked), 0);
    else if (cli_details(args))
        out_json_details(json_of(&asked), stream);
    else if (asked.section[COLLECTIVES])
        print_summary(stream);
    else
        print_sections(&asked, stream);
    return CLI_EXIT_DONE;
}

static int run(const struct cli_args *args)
{
    return cli_print(args, print);
}

const struct cli_verb verb_list = {
    .name = "list",
    .title = "List collectives, algorithms, engines and platforms.",
    .operands = "[COLLECTIVE | algorithms | engines | platforms | machines]...",
    .words = "algorithms|engines|platforms|machines",
    .most_operands = MOST_WORDS,
    .options = options,
    .examples = "roundabout list\n"
                "roundabout list bcast\n"
                "roundabout list allreduce --details\n"
                "roundabout list --format json\n",
    .run = run,
};
